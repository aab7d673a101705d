"""A line of printed output as a criterion: from its characters to the values they were made of.

A print is found again as a call in the graph, its arguments as instances. Texts that were put together on the way (an
f-string, a sum, `join`, a printed list) are taken apart where some of the characters alone are meant, as far as the
pieces are known to the letter; else all of it is meant.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from algodebug.slicing.demands import REACHED, Demand
from algodebug.slicing.graph import Graph
from algodebug.slicing.instances import (
    CALL,
    CHOICE,
    CONSTANT,
    DEEP,
    DISPLAY,
    LIBRARY,
    NAME,
    OPERATION,
    PARAMETER,
    RETURN,
    SHALLOW,
    STORE,
    Activation,
    Called,
    Instance,
)
from algodebug.slicing.sources import last_name
from algotrace import printed
from algotrace.printed import FORM, Line

if TYPE_CHECKING:
    from algotrace.trace import Trace
    from algotrace.values import Value

Span = tuple[int, int]
Step = tuple[str, Any]
CHARACTERS = "characters"
"""The step of a criterion's path that leads to some characters of a line."""

_MOST_LINES = 100_000
_MOST_STEPS = 10_000
_MOST_PARTS = 2000
_LONGEST = 4000
_COPIES = frozenset({NAME, STORE, RETURN, CHOICE})
_SCALARS = (int, float, bool, str, type(None), complex)
# What only writes a value down.
_WRITING = frozenset({"str", "repr", "format", "ascii", "join"})


class _Part(NamedTuple):
    """A part of a text that was put together, or of a container that was printed."""

    start: int
    end: int
    demand: Demand | None  # none for what the text itself holds


def line_at(trace: Trace, node: int, number: int) -> Line:
    """A line that a node printed, counted from 0, or from the end. Raises ValueError where there is none."""
    if number >= 0:
        found = next(islice(printed.lines(trace, node), number, None), None)
    else:
        lines = list(islice(printed.lines(trace, node), _MOST_LINES))
        found = lines[number] if -number <= len(lines) else None
    if found is None:
        count = sum(1 for _ in islice(printed.lines(trace, node), _MOST_LINES))
        raise ValueError(
            f"there is no line {number}: {count} {'line was' if count == 1 else 'lines were'} printed"
            if count
            else "nothing was printed that the recording knows of"
        )
    return found


def find_line(trace: Trace, node: int, wanted: str) -> int:
    """The line (from 0) that is meant by its number (from 1) or by a text in it. Raises ValueError for none, or several."""
    wanted = wanted.strip()
    if wanted.lstrip("-").isdecimal():
        number = int(wanted)
        number = number - 1 if number > 0 else number
        line_at(trace, node, number)
        return number
    found = []
    for number, line in enumerate(islice(printed.lines(trace, node), _MOST_LINES)):
        if line.text.strip() == wanted:
            return number
        if wanted in line.text:
            found.append(number)
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"no printed line has {wanted!r} in it")
    named = ", ".join(str(number + 1) for number in found[:5]) + (", …" if len(found) > 5 else "")
    raise ValueError(f"several printed lines have {wanted!r} in them: {named}")


def demands(graph: Graph, node: int, path: tuple[Step, ...]) -> list[Demand]:
    """What a line, some characters of it, or with an empty path all that was printed, is asked of."""
    if not path:
        times = dict.fromkeys(piece.time for line in _lines(graph.trace, node) for piece in line.pieces)
        return [demand for time in times for demand in _of_print(graph, time, {})]
    line = line_at(graph.trace, node, path[0][1])
    span = next((step[1] for step in path[1:] if step[0] == CHARACTERS), (0, len(line.text)))
    low, high = (bound if bound >= 0 else bound + len(line.text) for bound in span)
    wanted: dict[int, dict[int, Span | None]] = {}
    for piece in line.pieces:
        if (piece.start < high and low < piece.end) or not line.text:
            whole = low <= piece.start and piece.end <= high
            inner = None if whole else (max(low - piece.start, 0), min(high, piece.end) - piece.start)
            wanted.setdefault(piece.time, {})[piece.part] = inner
    empty = len(path) == 1  # of a whole line, what has no characters counts too: it could have had some
    return [demand for time, parts in wanted.items() for demand in _of_print(graph, time, parts, empty)]


def last_print(trace: Trace, node: int, path: tuple[Step, ...]) -> int | None:
    """When the last piece of a line was printed: what ran later has no part in it."""
    if not path:
        return None
    return max(piece.time for piece in line_at(trace, node, path[0][1]).pieces)


def called_for(graph: Graph, time: int) -> int | None:
    """The one call that was made for the arguments of a print, told by its text, where the caller is too long to follow."""
    trace = graph.trace
    mark = trace.mark_at(time)
    owner = graph.owner(time)
    file = graph.files[trace.routines[trace.routine[owner]].source]
    if mark is None or mark.at is None or file is None:
        return None
    prints = [n for n in ast.walk(file.tree) if isinstance(n, ast.Call) and file.place(n) == tuple(mark.at)]
    names = [
        last_name(part.func)
        for n in prints
        for part in ast.walk(n)
        if part is not n and isinstance(part, ast.Call)
    ]
    made = bisect_left(trace.start, time) - 1
    while made > owner and trace.parent[made] != owner:
        made = trace.parent[made]
    if made <= owner or trace.end[made] > time:
        return None
    name = trace.routines[trace.routine[made]].name
    return made if names.count(name) == 1 else None


def _lines(trace: Trace, node: int) -> list[Line]:
    return list(islice(printed.lines(trace, node), _MOST_LINES))


def _of_print(graph: Graph, time: int, parts: dict[int, Span | None], empty: bool = False) -> list[Demand]:
    """Of one print: that it ran, and what it was given; `parts` empty for all of that."""
    activation = graph.activation(graph.owner(time))
    write = _write_in(activation, time)
    if write is None:
        # Somewhere in it, who knows where: all that it evaluated.
        made = activation.instances if not activation.failed else [activation.entry]
        return [Demand(instance, (), DEEP, time) for instance in made]
    call = _call_of(write)
    if call is None:
        return [Demand(write, (), DEEP, time)]
    called: Called = call.detail
    found = [Demand(call, (), REACHED, 0)]
    numbers = printed.values_at(graph.trace, time)
    makers = printed.makers(graph.trace, time)
    given = _given(called, len(numbers))
    if given is None or len(given) != len(numbers):
        return found + [Demand(value, (), DEEP, time) for _, value in called.arguments]
    for place, (instance, path) in enumerate(given):
        row = graph.trace.row(numbers[place])
        maker = next(makers, None) if type(row) is list and row[0] in ("instance", "based") else None
        if parts and place not in parts and not (empty and row == ""):
            continue
        if maker is not None:
            # The object was written down by a method of its own.
            found.append(Demand(instance, path, SHALLOW, time))
            outcome = graph.activation(maker).outcome
            found.append(Demand(outcome or graph.activation(maker).entry, (), DEEP, time))
            continue
        span = parts.get(place)
        if span is None or path:
            found.append(Demand(instance, path, DEEP, time))
        else:
            found += _characters(graph, instance, numbers[place], time, span)
    if not parts or FORM in parts:
        found += [Demand(value, (), DEEP, time) for name, value in called.keywords if name in ("sep", "end")]
    return found


def _write_in(activation: Activation, time: int) -> Instance | None:
    """The mark of a print in a call, or in a lambda that ran in it."""
    todo = [activation]
    while todo:
        part = todo.pop()
        if time in part.writes:
            return part.writes[time]
        todo += part.inlines
    return None


def _call_of(write: Instance) -> Instance | None:
    """The call that belongs to the mark of a print."""
    for made in reversed(write.activation.instances[: write.order]):
        if made.node is write.node and made.kind == LIBRARY:
            return made
    return None


def _given(called: Called, count: int) -> list[tuple[Instance, tuple[Step, ...]]] | None:
    """What each of the values printed was given as; None where several `*` leave that open."""
    starred = sum(1 for star, _ in called.arguments if star)
    if starred > 1:
        return None
    many = count - len(called.arguments) + starred
    found: list[tuple[Instance, tuple[Step, ...]]] = []
    for star, instance in called.arguments:
        if star:
            found += [(instance, (("item", place),)) for place in range(many)]
        else:
            found.append((instance, ()))
    return found


# -- some of the characters ------------------------------------------------------------------------------------------


def _characters(graph: Graph, instance: Instance, number: int, time: int, span: Span) -> list[Demand]:
    """Some characters of what an instance gave, written down."""
    found: list[Demand] = []
    for _ in range(_MOST_STEPS):
        way, made = _way(graph, instance)
        parts = _parts(graph, made)
        if parts is None:
            break
        hit = [part for part in parts if part.start < span[1] and span[0] < part.end]
        found += [Demand(each, (), REACHED, 0) for each in (*way, made)]
        if len(hit) != 1 or hit[0].demand is None:
            return found + [part.demand for part in hit if part.demand is not None]
        part = hit[0]
        span = (max(span[0] - part.start, 0), min(span[1], part.end) - part.start)
        demand = part.demand
        assert demand is not None
        if demand.path:
            return [*found, demand]
        instance, number, time = demand.instance, graph.number(demand.instance), demand.time
    path = () if number <= 0 else _path_to(graph.trace.value_at(number, time), span)
    return [*found, Demand(instance, path, DEEP, time)]


def _way(graph: Graph, instance: Instance) -> tuple[list[Instance], Instance]:
    """Back through copies to where a text was made, and what was passed on the way."""
    passed: list[Instance] = []
    for _ in range(_MOST_STEPS):
        following: Instance | None = None
        if instance.kind in _COPIES:
            following = instance.copy
        elif instance.kind == PARAMETER:
            following = graph.passed(instance)
        elif instance.kind == CALL and instance.detail.target >= 0:
            target = instance.detail.target
            if graph.trace.routines[graph.trace.routine[target]].name != "__init__":
                outcome = graph.activation(target).outcome
                following = outcome if outcome is not None and outcome.kind == RETURN else None
        if following is None:
            return passed, instance
        passed.append(instance)
        instance = following
    return passed, instance


def _parts(graph: Graph, made: Instance) -> list[_Part] | None:
    """A text by what it was put together from; None where that is not known to the letter."""
    node = made.node
    if made.kind == OPERATION and isinstance(node, ast.JoinedStr):
        return _in_row(graph, made.deep, [_written(graph, part) for part in made.deep])
    if made.kind == OPERATION and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        operands = made.deep[:2]
        return _in_row(graph, operands, [_text(graph, part) for part in operands])
    if made.kind == OPERATION and isinstance(node, ast.FormattedValue):
        if node.format_spec is None and node.conversion == -1:
            return _in_row(graph, made.deep[:1], [_text(graph, made.deep[0])])
        return None
    if made.kind == LIBRARY and isinstance(made.detail, Called) and made.detail.name == "join":
        return _joined(graph, made)
    return None


def _in_row(graph: Graph, parts: list[Instance], texts: list[str | None]) -> list[_Part] | None:
    found, at = [], 0
    for part, text in zip(parts, texts, strict=True):
        if text is None:
            return None
        constant = part.kind == CONSTANT
        found.append(_Part(at, at + len(text), None if constant else Demand(part, (), DEEP, part.time)))
        at += len(text)
    return found


def _joined(graph: Graph, made: Instance) -> list[_Part] | None:
    called: Called = made.detail
    function = called.function
    if function is None or not function.uses or len(called.arguments) != 1:
        return None
    separator, elements = graph.value(function.uses[0]), called.arguments[0][1]
    number = graph.number(elements)
    row = graph.trace.row(number) if number > 0 else None
    texts: list[Any]
    if type(row) is list and row[0] in ("list", "tuple"):
        texts = [graph.trace.row(item) for item in graph.trace.content(number, made.time).items]
    else:
        shown = _way(graph, elements)[1]
        if shown.kind != DISPLAY or type(shown.detail) is not list:
            return None
        texts = [_text(graph, element) for element in shown.detail]
    if type(separator) is not str or any(type(text) is not str for text in texts):
        return None
    found, at = [], 0
    for place, text in enumerate(texts):
        found.append(_Part(at, at + len(text), Demand(elements, (("item", place),), DEEP, made.time)))
        at += len(text) + len(separator)
    return found


def _written(graph: Graph, part: Instance) -> str | None:
    """What a piece of an f-string reads."""
    node = part.node
    if part.kind == CONSTANT:
        value = part.value
        return value if type(value) is str else None
    if isinstance(node, ast.FormattedValue) and part.deep:
        value = graph.value(part.deep[0])
        if type(value) not in _SCALARS:
            return None
        if node.conversion in (114, 97):  # !r, !a
            value = repr(value) if node.conversion == 114 else ascii(value)
        elif node.conversion == 115:
            value = str(value)
        spec = graph.value(part.deep[1].deep[0]) if len(part.deep) > 1 and len(part.deep[1].deep) == 1 else ""
        if type(spec) is not str or len(spec) > 10:
            return None
        if len(part.deep) > 1 and not part.deep[1].deep:
            spec = ""
        try:
            text = format(value, spec)
        except (ValueError, TypeError, OverflowError, MemoryError):
            return None
        return text if len(text) <= _LONGEST else None
    return None


def _text(graph: Graph, part: Instance) -> str | None:
    """The text an instance gave; that of `str(…)` of a scalar is made here."""
    value, called = graph.value(part), part.detail
    writing = part.kind == LIBRARY and isinstance(called, Called) and called.name in ("str", "repr")
    if writing and type(value) is not str and len(called.arguments) == 1 and not called.keywords:
        inner = graph.value(called.arguments[0][1])
        if type(inner) in _SCALARS:
            value = repr(inner) if called.name == "repr" else str(inner)
    return value if type(value) is str else None


def _path_to(value: Value, span: Span) -> tuple[Step, ...]:
    """The part of a printed container that some characters belong to; empty where they are of several, or it is unsure."""
    path: tuple[Step, ...] = ()
    start, end = span
    while True:
        whole = value.text(_LONGEST)
        if not whole.literal or value.type_name not in ("list", "tuple", "dict"):
            return path
        at, chosen = 1, None
        for part in value.parts(0, _MOST_PARTS):
            text = part.value.text(_LONGEST).text
            if value.type_name == "dict":
                at += len(part.label) + 2
            if whole.text[at : at + len(text)] != text:
                return path
            if at <= start and end <= at + len(text):
                chosen = part
                break
            at += len(text) + 2
        if chosen is None:
            return path
        try:
            key = ast.literal_eval(chosen.path[1:-1])
        except (ValueError, SyntaxError):
            return path
        path = (*path, ("item", key))
        value, start, end = chosen.value, start - at, end - at


# -- what was written down -------------------------------------------------------------------------------------------


def behind_text(graph: Graph, demand: Demand) -> list[Demand]:
    """The values that a text shows, where it was only put together from them; else the demand itself."""
    found: list[Demand] = []
    todo = [demand]
    for _ in range(_MOST_STEPS):
        if not todo:
            break
        each = todo.pop()
        _, made = _way(graph, each.instance)
        if each.path:
            place = each.path[0][1]
            shown = made.detail if made.kind == DISPLAY and type(made.detail) is list else []
            if type(place) is int and place < len(shown):
                todo.append(Demand(shown[place], each.path[1:], DEEP, each.time))
            else:
                found.append(each)
            continue
        operands = _operands(graph, made)
        if operands is None:
            found += [] if made.kind == CONSTANT else [each]
        else:
            todo += [Demand(part, (), DEEP, part.time) for part in reversed(operands)]
    return found


def _operands(graph: Graph, made: Instance) -> list[Instance] | None:
    """What a text was put together from; None for what is no text, or was computed."""
    node = made.node
    if made.kind == OPERATION and isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
        return made.deep[:1] if isinstance(node, ast.FormattedValue) else list(made.deep)
    if made.kind == OPERATION and isinstance(node, ast.BinOp):
        is_text = [type(graph.value(part)) is str for part in made.deep[:2]]
        if isinstance(node.op, ast.Add) and any(is_text):
            return made.deep[:2]
        if isinstance(node.op, ast.Mod) and is_text and is_text[0]:
            return made.deep[1:2]
        return None
    if made.kind == LIBRARY and isinstance(made.detail, Called) and not made.detail.nodes:
        called: Called = made.detail
        if called.name not in _WRITING or called.keywords or any(star for star, _ in called.arguments):
            return None
        return [value for _, value in called.arguments]
    return None
