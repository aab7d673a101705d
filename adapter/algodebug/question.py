"""A recorded call put as a question: one sentence, a short title, and the body every front end receives.

Only texts and plain dictionaries are made here; which call is asked about, and why, is the session's matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from algotrace.trace import Call, Change
    from algotrace.values import Value

Body = dict[str, Any]

VALUE_LIMIT = 400  # characters of a value sent with a question; the rest is opened on demand
_TITLE_LIMIT = 70
_ARGUMENT_LIMIT = 24
_OUTCOME_LIMIT = 80
_CHANGES_IN_SENTENCE = 3


def value_body(value: Value | None) -> Body | None:
    """A value as sent to a front end (`V`)."""
    if value is None:
        return None
    text = value.text(VALUE_LIMIT)
    return {
        "text": text.text,
        "type": value.type_name,
        "literal": text.literal,
        "certain": value.certain,
        "ref": value.ref,
    }


def short(value: Value | None, limit: int) -> str:
    """A value in at most `limit` characters of one line."""
    if value is None:
        return "?"
    text = " ".join(value.text(limit).text.split("\n"))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def title(call: Call) -> str:
    """The call without its outcome: `Stack.push(self=<Stack>, item=3)` is shown as `Stack.push(<Stack>, 3)`."""
    texts = [short(argument.value, _ARGUMENT_LIMIT) for argument in call.arguments]
    name = call.routine.qualname.replace("<locals>.", "")
    whole = f"{name}({', '.join(texts)})"
    return whole if len(whole) <= _TITLE_LIMIT else whole[: _TITLE_LIMIT - 2] + "…)"


def outcome_text(call: Call) -> str:
    """What came out, as the predicate of a sentence."""
    value = call.outcome.value
    if call.outcome.kind == "raise":
        return f"raised {short(value, _OUTCOME_LIMIT)}"
    if call.outcome.kind == "yield":
        return f"yielded {short(value, _OUTCOME_LIMIT)}"
    if call.outcome.kind == "unfinished":
        return "had not returned when the recording ended"
    return f"returned {short(value, _OUTCOME_LIMIT)}"


def sentence(call: Call) -> str:
    """`parse('x') raised ValueError('…')`, and what the call changed."""
    told = f"{title(call)} {outcome_text(call)}"
    if not call.changes:
        return told
    changes = [_change_text(change) for change in call.changes[:_CHANGES_IN_SENTENCE]]
    left = len(call.changes) - len(changes)
    if left:
        changes.append(f"{left} more")
    return f"{told} and changed {'; '.join(changes)}"


def _change_text(change: Change) -> str:
    before = "(nothing)" if change.before is None else short(change.before, _OUTCOME_LIMIT)
    after = "(nothing)" if change.after is None else short(change.after, _OUTCOME_LIMIT)
    return f"{change.target}: {before} → {after}"


def body(call: Call, file: str) -> Body:
    """The question about a call; `why` and `remaining` are filled in by who asks."""
    return {
        "id": call.node,
        "kind": "routine",
        "function": call.routine.qualname,
        "file": file,
        "line": call.routine.line,
        "inputs": [{"name": a.name, "value": value_body(a.value)} for a in call.arguments],
        "outcome": {"kind": call.outcome.kind, "value": value_body(call.outcome.value)},
        "changes": [
            {"target": c.target, "before": value_body(c.before), "after": value_body(c.after)}
            for c in call.changes
        ],
        "text": f"{sentence(call)}: right?",
        "title": title(call),
    }


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
