"""Whether what a trace tells of values is what the program saw, and whether it is sure of it.

Each piece of a program calls `look(value)`, which prints the state of the value; the trace is asked for it as it was
then. Classes are told by name, functions by that they are some, sets without their order.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, NamedTuple

from recorded import run

from algotrace.trace import Trace
from algotrace.values import Value

HEAD = """
import abc, array, bisect, collections, contextlib, contextvars, copy, dataclasses, enum, functools, heapq, io, itertools, json
import operator, pickle, queue, random, struct, sys, threading, types, weakref
SCALARS = (bool, int, float, complex, str, bytes, type(None))
CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)
def state_of(value, above=()):
    if id(value) in above:
        return "..."
    cls, above = type(value), (*above, id(value))
    def inner(parts):
        return [state_of(part, above) for part in parts]
    if cls in SCALARS:
        return value
    if isinstance(value, CODE) or isinstance(value, type):
        return ["code"]
    if isinstance(value, array.array):
        return ["text", array.array.__repr__(value)]
    if cls.__module__.partition(".")[0] in ("numpy", "pandas"):
        return ["text", repr(value)]
    if isinstance(value, bytearray):
        return ["bytes", bytes(value)]
    if isinstance(value, collections.OrderedDict):
        told = ["dict", [inner(pair) for pair in value.items()]]
    elif isinstance(value, dict):
        told = ["dict", [inner(pair) for pair in dict.items(value)]]
    elif isinstance(value, (list, tuple, collections.deque)):
        base = next(base for base in (list, tuple, collections.deque) if isinstance(value, base))
        told = ["tuple" if base is tuple else "list", inner(base.__iter__(value))]
    elif isinstance(value, (set, frozenset)):
        told = ["set", sorted(inner(value), key=repr)]
    elif isinstance(value, BaseException):
        told = ["exception", inner(value.args)]
    else:
        told = ["instance", cls.__name__]
    found = {}
    for base in reversed(cls.__mro__):
        for name, slot in vars(base).items() if "__slots__" in vars(base) else ():
            if isinstance(slot, types.MemberDescriptorType) and name not in ("__dict__", "__weakref__"):
                with contextlib.suppress(AttributeError):
                    found[name] = slot.__get__(value)
    with contextlib.suppress(AttributeError):
        found.update(object.__getattribute__(value, "__dict__"))
    if found or told[0] == "instance":
        told.append(sorted([name, state_of(part, above)] for name, part in found.items()))
    return told
def look(value):
    sys.stdout.write(ascii(state_of(value)) + "\\n")
    probe(value)
    return value
def probe(value): pass
def begin(name): sys.stdout.write(f"# {name}\\n")
"""


class Look(NamedTuple):
    """One value at one time."""

    piece: str
    seen: str
    told: str
    certain: bool


def looks(folder: Path, pieces: dict[str, str], place: str, *options: str, head: str = "") -> list[Look]:
    """What the pieces of one program looked at; `place` is where their code stands."""
    texts = [HEAD, head]
    for number, (name, body) in enumerate(pieces.items()):
        body = f"begin({name!r})\n{textwrap.dedent(body).strip()}"
        if place != "module":
            inside = f"locals()\n{body}" if place == "sees its locals" else body
            body = f"def piece_{number}():\n{textwrap.indent(inside, '    ')}\npiece_{number}()"
        texts.append(body)
    process, path, _ = run(folder, "\n".join(texts), "--quiet", *options)
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    probes = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "probe"]
    probes.sort(key=lambda node: trace.start[node])
    found, name, nodes = [], "", iter(probes)
    for line in process.stdout.splitlines():
        if line.startswith("# "):
            name = line[2:]
            continue
        told, certain = state(trace.arguments(next(nodes))[0].value)
        found.append(Look(name, line, ascii(told), certain))
    assert not list(nodes)
    return found


def state(value: Value, above: tuple[int, ...] = ()) -> tuple[Any, bool]:
    """As the program tells it, and whether all of it is certain."""
    try:
        return value.scalar(), True
    except TypeError:
        if value.identity in above:
            return "...", True
    above, kind, sure = (*above, value.identity), value.kind, value.certain

    def inner(number: int) -> Any:
        nonlocal sure
        told, certain = state(value._trace.value_at(number, value.time), above)
        sure = sure and certain
        return told

    if kind in ("function", "class", "module", "method"):
        return ["code"], True
    if kind == "bytearray":
        return ["bytes", bytes(eval(value.text(100_000).text))], sure
    if kind in ("opaque", "generator"):
        return ["text", value.text(100_000).text], sure
    content = value._trace.content(value.identity, value.time)
    if content.is_array:
        return ["text", value.text(100_000).text], sure
    if kind == "dict":
        told: list[Any] = ["dict", [[inner(key), inner(part)] for key, part in content.pairs.values()]]
    elif kind in ("list", "deque", "tuple", "exception"):
        told = ["list" if kind == "deque" else kind, list(map(inner, content.items))]
    elif kind in ("set", "frozenset"):
        told = ["set", sorted((inner(key) for key, _ in content.pairs.values()), key=repr)]
    else:
        told = ["instance", value.type_name.rpartition(".")[2]]
    if kind == "instance" or content.attributes:
        told.append(sorted([name, inner(number)] for name, number in content.attributes.items()))
    return told, sure
