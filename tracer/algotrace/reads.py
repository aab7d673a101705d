"""What a call, and all it called, read besides its arguments: globals, variables of functions around, class attributes.

The names come from the text of the code that ran, their values from the trace. So this is cheap, made only for the
calls somebody looks at, and of a call that did very much not everything is looked at. What the text names and the
trace cannot tell is given without a value, or not certain. Left out: functions, classes and modules, which are
code; what library code reads; attributes of what was read, which belong to its value.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple
from collections.abc import Iterator

from algotrace.call_sites import read_text
from algotrace.content import Write
from algotrace.marks import ATTRIBUTE, ATTRIBUTE_NEW, NAME
from algotrace.scopes import FREE, GLOBAL, Key, Load, imports, loads
from algotrace.values import Constant, Value

if TYPE_CHECKING:
    from algotrace.trace import Span, Trace

MOST_READS = 60
_CALLS_EACH = 3  # of each routine below a call whose executed code is looked at; of more of them all the text
_MOST_ROUTINES = 300
_MOST_TEXT = 400_000  # characters of the sources that are looked at for one call
_LONG = 20_000  # events of a call from which on all its text counts as run
_CODE = frozenset({"function", "class", "module", "method", "absent", "unknown"})
_WRAPPERS = [["_lru_cache_wrapper", "functools"], ["partial", "functools"]]
_MOST_REMEMBERED = 5
_SCALARS = (type(None), bool, int, float, complex, str, bytes)
_ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


class Read(NamedTuple):
    """Something that was read. `value` is as it was when the call started, None where that is not known."""

    name: str  # `RATE`, `config.RATE`, `Account.history`, `k`
    kind: str  # "global", "closure", "class attribute", "cached result"
    value: Value | None
    certain: bool
    rebound: bool = False  # it was bound to something else before or after

    @property
    def varies(self) -> bool:
        """Whether it may be other from call to call: a constant, or a table that nobody changes, is not."""
        if self.value is None or self.kind == "closure":
            return self.value is not None
        return self.rebound or self.value.is_written


def reads_of(trace: Trace, node: int) -> list[Read]:
    """In order of the call's own text, then of the text of what it called; at most `MOST_READS`."""
    if not node:
        return []
    found: dict[str, Read] = {}
    seen: set[tuple[int, Load]] = set()
    known: dict[tuple[object, ...], Read | None] = {}  # wherever in the text it is read
    for below, source, load in _loads_run(trace, node):
        if len(found) >= MOST_READS:
            break
        is_global = load.kind == GLOBAL
        if is_global:
            if (source, load) in seen:
                continue
            seen.add((source, load))
        what = (
            -1 if is_global else below,
            source,
            load.name,
            load.kind,
            load.owner,
            load.attribute,
            load.called,
        )
        if what not in known:
            known[what] = _read(trace, node, below, source, load)
        elif not is_global:
            continue
        read = known[what]
        for each in [read] if read is not None else _remembered(trace, node, below, source, load):
            found.setdefault(each.name, each)
    return list(found.values())


def _read(trace: Trace, node: int, below: int, source: int, load: Load) -> Read | None:
    if load.kind == FREE and load.owner is not None:
        return _closure(trace, node, below, source, load, load.owner)
    if load.kind == GLOBAL:
        inside = _of_module(trace, node, source, load) or _of_named_class(trace, node, source, load)
        return inside or _global(trace, node, source, load.name, load.name)
    if load.attribute and not load.called:
        return _through_instance(trace, node, below, load)
    return None


def _loads_run(trace: Trace, node: int) -> Iterator[tuple[int, int, Load]]:
    """(node, source, load) for the loads in the code that a call ran, its callees' after its own."""
    yield from _loads_executed(trace, node)
    end = node + trace.size[node]
    if end == node + 1:
        return
    routines = dict.fromkeys(trace.routine[node + 1 : end])
    texts: set[int] = set()
    left = _MOST_TEXT
    for count, routine in enumerate(routines):
        source = trace.routines[routine].source
        if source not in texts:
            texts.add(source)
            left -= len(trace.sources[source].text)
        if count >= _MOST_ROUTINES or (left < 0 and len(texts) > 1):
            return
        position = node + 1
        for _ in range(_CALLS_EACH):
            yield from _loads_executed(trace, position)
            try:
                position = trace.routine.index(routine, position + 1, end)
            except ValueError:
                break
        else:
            place = trace.routines[routine]
            for load in loads(trace.sources[place.source].text):
                if place.line <= load.line <= place.end_line:
                    yield position, place.source, load


def _loads_executed(trace: Trace, node: int) -> Iterator[tuple[int, int, Load]]:
    for source, load in trace.lookups.kept_loads(node, _loads_executed_by):
        yield node, source, load


def _loads_executed_by(trace: Trace, node: int) -> list[tuple[int, Load]]:
    """Of those that may be of something besides arguments: (source, load)."""
    if trace.end[node] - trace.start[node] > _LONG:
        place = trace.routines[trace.routine[node]]
        return [
            (place.source, load)
            for load in loads(trace.sources[place.source].text)
            if place.line <= load.line <= place.end_line and _may_matter(load)
        ]
    spans: dict[int, list[Span]] = {}
    for span in trace.executed(node):
        spans.setdefault(span.source, []).append(span)
    found: list[tuple[int, Load]] = []
    for source, pieces in spans.items():
        all_loads = loads(trace.sources[source].text)
        for span in pieces:
            first = bisect_left(all_loads, (span.line, span.col), key=_place)
            last = bisect_left(all_loads, (span.end_line, span.end_col), key=_place)
            found += [(source, load) for load in all_loads[first:last] if _may_matter(load)]
    return found


def _may_matter(load: Load) -> bool:
    return load.kind in (FREE, GLOBAL) or (load.attribute != "" and not load.called)


def _place(load: Load) -> tuple[int, int]:
    return load.line, load.column


# Globals


def _global(trace: Trace, node: int, source: int, name: str, shown: str, depth: int = 0) -> Read | None:
    start = trace.start[node]
    number = trace.globals_at(source, name, start)
    if not trace.is_global_certain(source, name, start):
        return Read(shown, "global", None, False, True)
    certain = True
    if number is None:
        if _bound_during(trace, source, name, node):
            return None  # the module was imported in the call, mostly
        module, what = imports(trace.sources[source].text).get(name, ("", ""))
        other = source_of(trace, module, source) if what else None
        if other is not None and _bound_during(trace, other, what, node):
            return None
        number = _bound_otherwise(trace, source, name)
        certain = not _bound_later(trace, source, name)
    if number is None and depth < 5:
        module, what = imports(trace.sources[source].text).get(name, ("", ""))
        other = source_of(trace, module, source) if what else None
        return None if other is None else _global(trace, node, other, what, shown, depth + 1)
    if number is None or not _is_data(trace, number):
        return None
    value = trace.value_at(number, start)
    return Read(shown, "global", value, certain and value.certain, trace.is_rebound(source, name))


def _bound_during(trace: Trace, source: int, name: str, node: int) -> bool:
    """Is a call the first to bind a module's name?"""
    return (
        trace.globals_at(source, name, trace.start[node]) is None
        and trace.globals_at(source, name, trace.end[node] + 1) is not None
    )


def _remembered(trace: Trace, node: int, below: int, source: int, load: Load) -> list[Read]:
    """What a cached function that the code names had given before, to the arguments that the call has too."""
    if load.kind != GLOBAL or load.attribute or not load.called:
        return []
    calls = trace.lookups.remembered(source, load.name)
    if not calls:
        return []
    start, given = trace.start[node], {a.value.key() for a in trace.arguments(below)}
    found: dict[str, Read] = {}
    for call in calls:
        if trace.end[call] >= start:
            continue
        arguments = trace.arguments(call)
        number = trace.outcome_object(call)
        if number is None or not given.issuperset(a.value.key() for a in arguments):
            continue
        name = f"{load.name}({', '.join(a.value.text(20).text for a in arguments)})"
        value = trace.value_at(number, start)
        found[name] = Read(name, "cached result", value, value.certain)
    return list(found.values())[:_MOST_REMEMBERED]


def _bound_otherwise(trace: Trace, source: int, name: str) -> int | None:
    """The object that a module's name has at the end; it was bound without a record, by an import mostly."""
    for module in trace.lookups.modules_of(source):
        if name in trace.modules.get(module, ()):
            return trace.modules[module][name]
    return None


def _bound_later(trace: Trace, source: int, name: str) -> bool:
    return trace.globals_at(source, name, trace.end[0] + 1) is not None


def _of_module(trace: Trace, node: int, source: int, load: Load) -> Read | None:
    """`config.RATE`, where `config` is a module of the program."""
    if not load.attribute:
        return None
    module, what = imports(trace.sources[source].text).get(load.name, ("", ""))
    dotted = f"{module}.{what}" if what and not module.endswith(".") else module + what
    other = source_of(trace, dotted, source) if dotted else None
    if other is None:
        return None
    return _global(trace, node, other, load.attribute, f"{load.name}.{load.attribute}")


def source_of(trace: Trace, module: str, importer: int) -> int | None:
    """The source of a module of the program, by the name in an import."""
    wanted = module.lstrip(".")
    if module.startswith("."):
        own = next((name for name in trace.lookups.modules_of(importer) if name != "__main__"), "")
        parts = own.split(".")
        is_package = trace.sources[importer].path.endswith("__init__.py")
        package = parts[: len(parts) - (len(module) - len(wanted)) + is_package]
        wanted = ".".join([*package, *([wanted] if wanted else [])])
    if wanted not in trace.modules:
        return None
    return next(iter(trace.lookups.sources_of(wanted)), None)


def _is_data(trace: Trace, number: int) -> bool:
    row = trace.row(number)
    if type(row) is not list:
        return True
    if row[0] == "instance":
        return trace.type_of(row[1])[:2] not in _WRAPPERS
    return row[0] not in _CODE


# Variables of the functions around


def _closure(trace: Trace, node: int, below: int, source: int, load: Load, owner: Key) -> Read | None:
    name, line, _ = owner
    above = below
    while above >= node:  # a variable of a call at or below the node is its own matter
        routine = trace.routines[trace.routine[above]]
        if (routine.name, routine.line, routine.source) == (name, line, source):
            return None
        above = trace.parent[above]
    if name == "<lambda>":
        return None
    known = _made_before(trace, node, source, owner)
    if known is None:
        return None
    for value in trace.own_values(below):
        if value.role == "read" and value.name == load.name:
            number = _before_stores(trace, node, load.name, value.time, value.number)
            if number is None or not _is_data(trace, number):
                return None
            held = trace.value_at(number, trace.start[node])
            return Read(load.name, "closure", held, known and held.certain)
    return None  # it did not come to it, or it is read where reads are not recorded


def _made_before(trace: Trace, node: int, source: int, owner: Key) -> bool | None:
    """Whether a variable is one of before the call; None where its function ran only during it, False where it may be either."""
    name, line, _ = owner
    routine = trace.routines_at.get((name, line, source), -1)
    try:
        trace.routine.index(routine, node, node + trace.size[node])
    except ValueError:
        return True
    first = trace.routine.index(routine)
    return False if trace.start[first] < trace.start[node] else None


def _before_stores(trace: Trace, node: int, name: str, time: int, number: int) -> int | None:
    """What a variable held at the start of a call: what it was first overwritten from, if that came before `time`."""
    for write in trace.first_writes(0, [(trace.start[node], time)]):
        mark = trace.mark_at(write.time)
        if write.kind == NAME and mark is not None and mark.label == f"nonlocal {name}":
            return None if trace.row(write.values[0]) in (["absent"], ["unknown"]) else write.values[0]
    return number


# Attributes of classes


def _through_instance(trace: Trace, node: int, below: int, load: Load) -> Read | None:
    """`self.history`, where the object has no such attribute of its own."""
    value = next((a.value for a in trace.arguments(below) if a.name == load.name), None)
    if value is None:
        return None
    row = trace.row(value.identity)
    if type(row) is not list:
        return None
    if row[0] == "class":
        return _of_class(trace, node, row[1], row[2], load.attribute)
    if row[0] not in ("instance", "exception", "list", "dict", "set", "tuple", "deque", "based"):
        return None
    if load.attribute in trace.content(value.identity, trace.start[below]).attributes:
        return None
    name, module = trace.type_of(row[1])[:2]
    return _of_class(trace, node, name, module, load.attribute)


def _of_named_class(trace: Trace, node: int, source: int, load: Load) -> Read | None:
    if load.called or not load.attribute:
        return None
    name, text = load.name, source
    if name not in read_text(trace.sources[source].text).classes:
        module, what = imports(trace.sources[source].text).get(name, ("", ""))
        other = source_of(trace, module, source) if what else None
        if other is None:
            return None
        name, text = what, other
    for module in trace.lookups.modules_of(text):
        return _of_class(trace, node, name, module, load.attribute)
    return None


def _of_class(trace: Trace, node: int, qualname: str, module: str, attribute: str) -> Read | None:
    found = _class_with(trace, qualname, module, attribute)
    if found is None:
        return None
    owner, definition = found
    name = f"{owner}.{attribute}"
    if not trace.classes_in_hand.isdisjoint((owner, qualname)):
        return Read(name, "class attribute", None, False)
    start = trace.start[node]
    written, later = _class_writes(trace, owner, attribute, start)
    if later is not None:  # what it overwrote is what was there
        old = later.values[-1]
        if later.kind == ATTRIBUTE_NEW or trace.row(old) in (["absent"], ["unknown"]):
            return Read(name, "class attribute", None, False)
        if not _is_data(trace, old):
            return None
        value = trace.value_at(old, start)
        return Read(name, "class attribute", value, value.certain, True)
    if not written and definition is not None:
        try:
            constant = ast.literal_eval(definition)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            constant = ...
        if type(constant) in _SCALARS:
            return Read(name, "class attribute", Constant(trace, constant), True)
    number = _object_written_as(trace, owner, attribute)
    if number is not None and not written:
        value = trace.value_at(number, start)
        return Read(name, "class attribute", value, value.certain)
    return Read(name, "class attribute", None, False)


def _class_with(
    trace: Trace, qualname: str, module: str, attribute: str, depth: int = 0
) -> tuple[str, ast.expr | None] | None:
    """The class, of a class and its bases, whose body binds a name to data; and to what."""
    for source in trace.lookups.sources_of(module):
        body = read_text(trace.sources[source].text).classes.get(qualname)
        if body is None:
            continue
        bases = [base for base in body.bases if isinstance(base, (ast.Name, ast.Attribute))]
        names = [base.id if isinstance(base, ast.Name) else base.attr for base in bases]
        if _ENUMERATIONS.intersection(names):
            return None
        for statement in reversed(body.body):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if statement.name == attribute:
                    return None
            elif isinstance(statement, ast.AnnAssign):
                if isinstance(statement.target, ast.Name) and statement.target.id == attribute:
                    return None if statement.value is None else (qualname, statement.value)
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name) and target.id == attribute:
                        return qualname, statement.value
        if depth < 20:
            for name in names:
                what = imports(trace.sources[source].text).get(name)
                other = source_of(trace, what[0], source) if what and what[1] else None
                there = trace.lookups.modules_of(other)[:1] if other is not None else [module]
                found = _class_with(trace, what[1] if what and there != [module] else name, there[0], attribute, depth + 1) if there else None  # fmt: skip
                if found is not None:
                    return found
    return None


def _class_writes(trace: Trace, qualname: str, attribute: str, start: int) -> tuple[bool, Write | None]:
    """Whether an attribute of a class was ever stored to, and the first time from `start` on."""
    objects = trace.lookups.objects_with(attribute)
    written, first = False, None
    for number in objects:
        row = trace.row(number)
        if type(row) is not list or row[0] != "class" or row[1] != qualname:
            continue
        for since in (trace.start[0], start):
            for write in trace.first_writes(number, [(since, trace.end[0])]):
                if write.detail == attribute:
                    written = True
                    if since == start and (first is None or write.time < first.time):
                        first = write
    return written, first


def _object_written_as(trace: Trace, qualname: str, attribute: str) -> int | None:
    """The container that a class attribute is, as the text at a place where it was changed tells: `self.history.append`."""
    for number in trace.lookups.places_written(attribute):
        mark = trace.marks[number]
        if mark.kind in (ATTRIBUTE, ATTRIBUTE_NEW):
            continue
        base, _, last = mark.label.partition("\t")[0].rpartition(".")
        if last != attribute or not base.isidentifier():
            continue
        routine = trace.routines[mark.routine]
        through = routine.parameters[:1] == (base,) and routine.qualname.startswith(f"{qualname}.")
        if not through and base != qualname:
            continue
        for time in trace.lookups.first_writes_at(number):
            write = trace.write_at(time)
            if base == qualname or not _has_own(trace, time, base, attribute):
                return write.target or None
    return None


def _has_own(trace: Trace, time: int, base: str, attribute: str) -> bool:
    node = trace.node_at(time)
    value = next((a.value for a in trace.arguments(node) if a.name == base), None)
    row = None if value is None else trace.row(value.identity)
    if value is None or type(row) is not list or row[0] != "instance":
        return True
    return attribute in trace.content(value.identity, time).attributes
