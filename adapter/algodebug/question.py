"""A recorded call, or code inside one, put as a question: a sentence, a short title, and the body front ends receive.

Only texts and plain dictionaries are made here; which call is asked about, and why, is the session's matter.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, Protocol

from algotrace.changes import difference
from algotrace.value_text import cut
from algotrace.values import Yielded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from algodebug.code_nodes import CodeNode
    from algodebug.statement_syntax import Region
    from algotrace.trace import Argument, Call, Read, Shared
    from algotrace.unread import Unread
    from algotrace.values import Value

    class Change(Protocol):
        """What a call or code changed; `before` is None for what was absent, `after` for what is absent now."""

        @property
        def target(self) -> str: ...
        @property
        def before(self) -> Value | None: ...
        @property
        def after(self) -> Value | None: ...


Body = dict[str, Any]

NOTHING_READ = "…"
VALUE_LIMIT = 400  # characters of a value sent with a question; the rest is opened on demand
_TITLE_LIMIT = 70
_ARGUMENT_LIMIT = 24
_DIFFERENCE_LIMIT = 100
_OUTCOME_LIMIT = 80
_CHANGES_IN_SENTENCE = 3
_NAMES_IN_SENTENCE = 5  # that a module's body bound
_INPUTS_IN_SENTENCE = 6
_READS_IN_SENTENCE = 2
_SHARED_IN_SENTENCE = 2
# A scalar as it is written: a text in quotes, a number, a name that stands alone.
_LEAF = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[\w.]+(?![\w.(=])""")
_LEFT_OUT = re.compile(r"…(×\d+)?")
_CODE_LIMIT = 50


def value_body(value: Value | None, without: Unread | None = None) -> Body | None:
    """A value as sent to a front end (`V`). `shown` leaves out what was not looked at, where that is something."""
    if value is None:
        return None
    text = value.text(VALUE_LIMIT)
    body = {
        "text": text.text,
        "type": value.type_name,
        "literal": text.literal,
        "certain": value.certain,
        "ref": value.ref,
    }
    if without is not None and (shown := value.text(VALUE_LIMIT, without).text) != text.text:
        body["shown"] = shown
    return body


def argument_body(argument: Argument, without: Unread | None) -> Body:
    """An argument; of one that is not used at all nothing is shown."""
    value = value_body(argument.value, without)
    if value is not None and without is not None and argument.name in without.parameters:
        value["shown"] = NOTHING_READ
    return {"name": argument.name, "value": value}


def short(value: Value | None, limit: int, without: Unread | None = None) -> str:
    """A value in at most `limit` characters of one line."""
    if value is None:
        return "?"
    whole = value.text(limit) if without is None else value.text(limit, without)
    return cut(" ".join(whole.text.split("\n")), limit)


def title(call: Call, without: Unread | None = None) -> str:
    """The call without its outcome: `Stack.push(self=<Stack>, item=3)` is shown as `Stack.push(<Stack>, 3)`."""
    unused = without.parameters if without is not None else frozenset[str]()
    texts = [
        NOTHING_READ if argument.name in unused else short(argument.value, _ARGUMENT_LIMIT, without)
        for argument in call.arguments
    ]
    name = call.routine.qualname.replace("<locals>.", "")
    if call.routine.kind == "class":
        return f"class {name}"
    if call.module:
        return f"import {call.module}"
    whole = f"{name}({', '.join(texts)})"
    return whole if len(whole) <= _TITLE_LIMIT else cut(whole, _TITLE_LIMIT - 1) + ")"


def outcome_text(call: Call, without: Unread | None = None) -> str:
    """What came out, as the predicate of a sentence."""
    value = call.outcome.value
    if call.routine.kind == "class":
        return "was defined" if call.outcome.kind == "return" else "was not defined"
    if call.outcome.kind == "raise":
        return f"raised {short(value, _OUTCOME_LIMIT, without)}"
    if call.outcome.kind == "yield":
        so_far = "" if _has_ended(call) else " so far"
        return f"yielded {short(value, _OUTCOME_LIMIT, without)}{so_far}"
    if call.module:
        return "was over" if call.outcome.kind == "return" else "had not ended when the recording ended"
    if call.outcome.kind == "unfinished":
        return "had not returned when the recording ended"
    return f"returned {short(value, _OUTCOME_LIMIT, without)}"


def _has_ended(call: Call) -> bool:
    """Whether a generator came to its end; another could have gone on, had it been asked to."""
    value = call.outcome.value
    return not isinstance(value, Yielded) or value.ended


def outcome_body(call: Call, without: Unread | None = None) -> Body:
    """What came out, for JSON."""
    body: Body = {"kind": call.outcome.kind, "value": value_body(call.outcome.value, without)}
    return body if _has_ended(call) else {**body, "ended": False}


def sentence(
    call: Call,
    reads: Sequence[Read] = (),
    sharing: Sequence[Shared] = (),
    without: Unread | None = None,
    after: Unread | None = None,
) -> str:
    """`parse('x') raised ValueError('…')`, what the call changed, and what is not to be seen from that."""
    if call.module:
        return _import_sentence(call, reads)
    told = f"{title(call, without)} {outcome_text(call, after)}"
    if call.printed is not None:
        told += f" and printed {printed_text(call)}"
    besides = _besides(state_read(call, reads), sharing, without)
    if not call.changes:
        return told + besides
    if call.routine.kind == "class":
        made = [change for change in call.changes[:_CHANGES_IN_SENTENCE] if change.before is None]
        more = f" and {len(call.changes) - len(made)} more" if len(call.changes) > len(made) else ""
        return (
            f"{told} with {', '.join(f'{c.target} = {short(c.after, _OUTCOME_LIMIT)}' for c in made)}{more}"
        )
    changes = [_change_text(change, without, after) for change in call.changes[:_CHANGES_IN_SENTENCE]]
    left = len(call.changes) - len(changes)
    if left:
        changes.append(f"{left} more")
    return f"{told} and changed {'; '.join(changes)}{besides}"


def _import_sentence(call: Call, reads: Sequence[Read]) -> str:
    """`import config bound TABLE = {1: 2}, total = 3 (read BASE = 2)`: what running a module's body gave."""
    bound = [change for change in call.changes if change.before is None and change.after is not None]
    told = [
        f"{change.target.removeprefix('global ')} = {short(change.after, _OUTCOME_LIMIT)}"
        for change in bound[:_NAMES_IN_SENTENCE]
    ]
    if len(bound) > len(told):
        told.append(f"{len(bound) - len(told)} more")
    parts = [f"bound {', '.join(told)}"] if told else []
    others = [change for change in call.changes if change not in bound]
    changed = [_change_text(change) for change in others[:_CHANGES_IN_SENTENCE]]
    if len(others) > len(changed):
        changed.append(f"{len(others) - len(changed)} more")
    parts += [f"changed {'; '.join(changed)}"] if changed else []
    parts += [f"printed {printed_text(call)}"] if call.printed is not None else []
    if call.outcome.kind != "return" or not parts:
        parts.insert(0, outcome_text(call))
    return f"{title(call)} {' and '.join(parts)}{_besides(reads, (), None)}"


def printed_body(part: Call | CodeNode) -> Body | None:
    """What a call, or code inside one, printed: the first prints, and how many more there were."""
    printed = part.printed
    if printed is None:
        return None
    return {"text": printed.text, "certain": printed.certain, "more": printed.more}


def printed_text(part: Call | CodeNode) -> str:
    """What it printed, as a text in quotes, cut to a sensible length; "" where it printed nothing."""
    printed = part.printed
    if printed is None:
        return ""
    text = printed.text.removesuffix("\n") if not printed.more else printed.text + "…"
    return repr(text if len(text) <= _OUTCOME_LIMIT else text[: _OUTCOME_LIMIT - 1] + "…")


def _besides(reads: Sequence[Read], sharing: Sequence[Shared], without: Unread | None) -> str:
    """What is not to be seen from the values: ` (read COUNT = 3; result is items)`."""
    told = [f"read {r.name} = {short(r.value, _ARGUMENT_LIMIT, without)}" for r in reads[:_READS_IN_SENTENCE]]
    told += [shared.text() for shared in sharing[:_SHARED_IN_SENTENCE]]
    return f" ({'; '.join(told)})" if told else ""


def state_read(call: Call, reads: Sequence[Read]) -> list[Read]:
    """Of what a call read, what may be other from call to call and is not among its changes."""
    targets = [change.target.removeprefix("global ").removeprefix("nonlocal ") for change in call.changes]
    names = {target.rpartition(".")[2].partition("[")[0] for target in targets}
    return [read for read in reads if read.varies and read.name.rpartition(".")[2] not in names]


def _change_text(change: Change, without: Unread | None = None, later: Unread | None = None) -> str:
    both = ((change.before, without), (change.after, later))
    texts = [short(value, _OUTCOME_LIMIT + 1, left) for value, left in both if value is not None]
    if len(texts) == 2 and max(map(len, texts)) > _OUTCOME_LIMIT:
        other = change_difference(change)
        if other:
            return f"{change.target}{' ' if other[0][0] != '[' else ''}{', '.join(other)}"
    before = "(nothing)" if change.before is None else short(change.before, _OUTCOME_LIMIT, without)
    after = "(nothing)" if change.after is None else short(change.after, _OUTCOME_LIMIT, later)
    return f"{change.target}: {before} → {after}"


def change_difference(change: Change, limit: int = 40) -> list[str]:
    """What is other in a container that was changed: `[3]: 4 → 9`, `+ [5]`; each value in about `limit` characters."""
    if change.before is None or change.after is None:
        return []
    return difference(change.before, change.after, limit=limit)


def visible_leaves(body: Body, *, folded: bool = True) -> int:
    """How many values that are not made of others a question shows: a measure of how long it is.

    Without `folded` what was not looked at counts, too.
    """
    values = [given["value"] for given in (*body["inputs"], *body.get("reads", ()))]
    values.append(body["outcome"]["value"])
    count = 0
    for change in body["changes"]:
        if change.get("difference"):
            count += sum(len(_LEAF.findall(line)) for line in change["difference"])
        else:
            values += (change["before"], change["after"])
    shown = "shown" if folded else "text"
    texts = [_LEFT_OUT.sub("…", v.get(shown, v["text"])) for v in values if v is not None]
    return count + sum(len(_LEAF.findall(text)) for text in texts)


def listed(call: Call, file: str) -> Body:
    """A call with its values, without what takes longer to find: what else it read, what is shared, was not looked at."""
    return {
        "id": call.node,
        "kind": "routine",
        "function": call.routine.qualname,
        "file": file,
        "line": call.routine.line,
        "inputs": [{"name": a.name, "value": value_body(a.value)} for a in call.arguments],
        "outcome": outcome_body(call),
        "changes": _changes_body(call.changes),
        "printed": printed_body(call),
        "text": f"{sentence(call)}: right?",
        "title": title(call),
        **_import_keys(call),
    }


def body(
    call: Call,
    file: str,
    reads: Sequence[Read] = (),
    sharing: Sequence[Shared] = (),
    without: Unread | None = None,
    after: Unread | None = None,
) -> Body:
    """The question about a call; `without` and `after` leave parts out of what goes in and comes out.

    `why` and `remaining` are filled in by who asks.
    """
    varying = {read.name for read in state_read(call, reads)}
    return {
        "id": call.node,
        "kind": "routine",
        "function": call.routine.qualname,
        "file": file,
        "line": call.routine.line,
        "inputs": [argument_body(argument, without) for argument in call.arguments],
        "outcome": outcome_body(call, after),
        "changes": _changes_body(call.changes, without, after),
        "reads": [
            {
                "name": r.name,
                "kind": r.kind,
                "value": value_body(r.value, without),
                "certain": r.certain,
                "varies": r.name in varying,
            }
            for r in reads
        ],
        "sharing": [shared.text() for shared in sharing],
        "printed": printed_body(call),
        "text": f"{sentence(call, reads, sharing, without, after)}: right?",
        "title": title(call, without),
        **_import_keys(call),
    }


def _import_keys(call: Call) -> Body:
    """Of the body of a module it is not what it returned that counts."""
    if not call.module:
        return {}
    value = call.outcome.value if call.outcome.kind == "raise" else None
    return {"module": call.module, "outcome": {"kind": call.outcome.kind, "value": value_body(value)}}


def _changes_body(
    changes: Sequence[Change], without: Unread | None = None, after: Unread | None = None
) -> list[Body]:
    return [
        {
            "target": c.target,
            "before": value_body(c.before, without),
            "after": value_body(c.after, after),
            "difference": change_difference(c, _DIFFERENCE_LIMIT),
        }
        for c in changes
    ]


# Code inside a call


def code_title(node: CodeNode) -> str:
    """Which code it is: `iterations 1 to 50 of 100 of for item in items`."""
    region = node.region
    if node.is_of_expressions:
        return _expression_title(node)
    if node.is_of_iterations and node.kind in ("iteration", "range"):
        first, last, count = node.positions
        which = f"iteration {first}" if first == last else f"iterations {first} to {last}"
        return f"{which} of {count} of `{_first_line(node)}`"
    if node.kind == "range":
        return _lines(region)
    return f"{_lines(region)}: `{_first_line(node)}`"


def _expression_title(node: CodeNode) -> str:
    text = f"`{excerpt(node, node.region)}`"
    if node.kind == "range":
        first, last, count = node.positions
        return f"{_lines(node.region)}: evaluations {first} to {last} of {count} in {text}"
    return f"{_lines(node.region)}: {text}"


def _lines(region: Sequence[int]) -> str:
    return f"line {region[0]}" if region[0] == region[2] else f"lines {region[0]}–{region[2]}"


def place_of(region: Sequence[int]) -> str:
    """`line 5` or `lines 5–7`."""
    return _lines(region)


def excerpt(node: CodeNode, region: Region) -> str:
    """The first line of a piece of the node's source, cut to a sensible length."""
    text = node.code.text_of(region).split("\n")[0].strip()
    return text if len(text) <= _CODE_LIMIT else text[: _CODE_LIMIT - 1] + "…"


def _first_line(node: CodeNode) -> str:
    region = node.region
    text = node.code.text_of(region).split("\n")[0].strip()
    text = text.rstrip(":") if not text.endswith("::") else text
    return text if len(text) <= _CODE_LIMIT else text[: _CODE_LIMIT - 1] + "…"


def _expression_sentence(node: CodeNode, without: Unread | None = None, later: Unread | None = None) -> str:
    """Line 5: `a[i] > a[j]` with `a[i]` = 3, `a[j]` = 4 gave `False`."""
    told = _expression_title(node)
    told = told[0].upper() + told[1:]
    given = [
        f"`{each.name}` = {short(each.value, _OUTCOME_LIMIT, without)}"
        for each in node.inputs[:_INPUTS_IN_SENTENCE]
    ]
    if len(node.inputs) > len(given):
        given.append(f"{len(node.inputs) - len(given)} more")
    told += f" with {', '.join(given)}" if given else ""
    told += f" gave `{short(node.outcome[1], _OUTCOME_LIMIT, later)}`"
    changes = [_change_text(change, without, later) for change in node.changes[:_CHANGES_IN_SENTENCE]]
    return told + (f" and changed {'; '.join(changes)}" if changes else "")


def code_sentence(node: CodeNode, without: Unread | None = None, later: Unread | None = None) -> str:
    """`Lines 12–15, iterations 1 to 50 of 100 of …: before total = 0; after total = 1275`."""
    if node.is_of_expressions:
        return _expression_sentence(node, without, later)
    told = code_title(node)
    if node.is_of_iterations and node.kind in ("iteration", "range"):
        told = f"{_lines(node.region)}, {told}"
    told = told[0].upper() + told[1:]
    inputs = code_inputs(node)
    given = [
        f"{name} = {short(value, _OUTCOME_LIMIT, without)}" for name, value in inputs[:_INPUTS_IN_SENTENCE]
    ]
    if len(inputs) > len(given):
        given.append(f"{len(inputs) - len(given)} more")
    after = [
        f"{change.target} = {'(nothing)' if change.after is None else short(change.after, _OUTCOME_LIMIT, later)}"
        for change in node.changes[:_INPUTS_IN_SENTENCE]
    ]
    if len(node.changes) > len(after):
        after.append(f"{len(node.changes) - len(after)} more")
    if node.printed is not None:
        after.append(f"printed {printed_text(node)}")
    way = code_way(node)
    if way:
        after.append(way)
    before = f"before {', '.join(given)}; " if given else ""
    return f"{told}: {before}after {', '.join(after) or 'nothing is changed'}"


def code_inputs(node: CodeNode) -> list[tuple[str, Value]]:
    """What code read, as it was before; what a loop handed to several iterations as a list."""
    names = set(node.loop_names) if node.is_of_iterations and node.count > 1 else set()
    return [(each.name, node.handed(each.name) if each.name in names else each.value) for each in node.inputs]


def code_way(node: CodeNode) -> str:
    """How code was left, and which way a decision went, where that is not plain from what it changed."""
    kind, value = node.outcome
    if kind == "value":
        return f"gave {short(value, _OUTCOME_LIMIT)}"
    if kind == "return":
        return f"returned {short(value, _OUTCOME_LIMIT)}"
    if kind == "raise":
        return f"raised {short(value, _OUTCOME_LIMIT)}" if value is not None else "raised an exception"
    if kind == "break":
        return "the loop was left"
    if kind == "continue":
        return "the iteration was over"
    if kind == "unfinished":
        return "it had not ended when the recording ended"
    step = node.sequence[node.first]
    if node.kind == "statement" and isinstance(step.syntax, ast.If):
        return f"line {step.parts[0].syntax.lineno} followed" if step.parts else "its branch was not taken"
    if node.kind == "loop":
        count = len(step.parts)
        return f"it ended after {count} {'iteration' if count == 1 else 'iterations'}"
    return ""


def code_body(
    node: CodeNode, function: str, file: str, without: Unread | None = None, after: Unread | None = None
) -> Body:
    """The question about code inside a call; `without` and `after` as for calls."""
    kind, value = node.outcome
    told: Body = {
        "id": node.id,
        "kind": node.kind,
        "function": function,
        "file": file,
        "line": node.line,
        "inputs": [{"name": name, "value": value_body(given, without)} for name, given in code_inputs(node)],
        "outcome": {"kind": kind, "value": value_body(value, after)},
        "changes": _changes_body(node.changes, without, after),
        "range": list(node.region),
        "call": node.code.node,
        "printed": printed_body(node),
        "way": code_way(node),
        "text": f"{code_sentence(node, without, after)}: right?",
        "title": code_title(node),
    }
    if node.is_of_iterations and node.kind in ("iteration", "range"):
        first, last, count = node.positions
        told["iterations"] = {"first": first, "last": last, "count": count}
    return told


def bare(node: int, function: str, file: str, line: int, outcome: str) -> Body:
    """The question about a node of a tree that was written by hand and has no values."""
    return {
        "id": node,
        "kind": "routine",
        "function": function,
        "file": file,
        "line": line,
        "inputs": [],
        "outcome": {"kind": outcome, "value": None},
        "changes": [],
        "text": f"{function}: right?",
        "title": function,
    }
