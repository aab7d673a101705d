"""Runs a program without the recorder and notes of each call what it was given and what it gave, taken apart at once.

    python seen_calls.py PROGRAM OUT

The modules and packages beside the program are its own. OUT is a pickled list of `Seen`. Left out: lambdas, comprehensions, class bodies, what generators and coroutines give, and
objects of classes that are not the program's.
"""

from __future__ import annotations

import collections
import inspect
import os
import pickle
import sys
import types
from typing import Any, NamedTuple

MOST = 25  # parts of one object
DEPTH = 4
_LONGEST = 2000
_MOST_CALLS = 4000
_SCALARS = (bool, int, float, str, bytes, complex)
_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

# ("scalar", repr), ("list" | "tuple" | "deque" | "set" | "dict", parts), ("instance", {name: part}), or nothing to compare.
Shape = tuple[Any, ...]
UNKNOWN: Shape = ("unknown",)
OWN = {"__main__"}  # modules and packages whose classes are the program's


class Seen(NamedTuple):
    qualname: str
    before: dict[str, Shape]  # by parameter
    after: dict[str, Shape] | None
    given: Shape | None


def shape(value: Any, depth: int = DEPTH) -> Shape:
    cls = type(value)
    if value is None or cls in _SCALARS:
        text = repr(value)
        return ("scalar", text) if len(text) < _LONGEST else UNKNOWN
    if depth == 0:
        return UNKNOWN
    for kind in (list, tuple, collections.deque):
        if issubclass(cls, kind):
            parts = list(kind.__iter__(value))
            return (kind.__name__, len(parts), [shape(part, depth - 1) for part in parts[:MOST]])
    if issubclass(cls, (set, frozenset)):
        return ("set", len(value))
    if issubclass(cls, dict):
        kind = collections.OrderedDict if issubclass(cls, collections.OrderedDict) else dict
        items = list(kind.items(value))
        return ("dict", len(items), [shape(part, depth - 1) for _, part in items[:MOST]])
    plain = issubclass(cls, (type, BaseException, int, str, bytes, float))
    if not _is_own(cls) or plain:
        return UNKNOWN
    held = _attributes(value)
    if len(held) > MOST:
        return UNKNOWN
    return ("instance", {name: shape(part, depth - 1) for name, part in held.items()})


def _is_own(cls: type) -> bool:
    module = vars(cls).get("__module__")
    return type(module) is str and module.partition(".")[0] in OWN


def _attributes(value: Any) -> dict[str, Any]:
    found = {}
    for cls in type(value).__mro__:
        for name, slot in list(vars(cls).items()):
            if type(slot) is types.MemberDescriptorType and _is_own(cls):
                try:
                    found[name] = slot.__get__(value, type(value))
                except AttributeError:
                    continue
    if type(value).__dictoffset__:
        found.update(object.__getattribute__(value, "__dict__"))
    return {name: part for name, part in found.items() if type(name) is str}


def main(path: str, out: str) -> None:
    folder = os.path.dirname(path)
    OWN.update(name.removesuffix(".py") for name in os.listdir(folder))
    with open(path, encoding="utf-8") as source:
        code = compile(source.read(), path, "exec", dont_inherit=True)
    seen: list[Seen] = []
    started: dict[types.FrameType, tuple[int, dict[str, Any]]] = {}

    def note(frame: types.FrameType, event: str, given: Any) -> None:
        of = frame.f_code
        if (
            not of.co_filename.startswith(folder)
            or of.co_name.startswith("<")
            or not of.co_flags & inspect.CO_OPTIMIZED
        ):
            return
        if event == "call" and frame not in started:
            count = of.co_argcount + of.co_kwonlyargcount
            count += bool(of.co_flags & inspect.CO_VARARGS) + bool(of.co_flags & inspect.CO_VARKEYWORDS)
            values = {name: frame.f_locals[name] for name in of.co_varnames[:count] if name in frame.f_locals}
            started[frame] = len(seen), values
            before = {name: shape(value) for name, value in values.items()}
            seen.append(Seen(of.co_qualname, before, None, None))
        elif event == "return" and frame in started and not of.co_flags & _SUSPENDED:
            at, values = started[frame]
            if at < _MOST_CALLS:
                after = {name: shape(value) for name, value in values.items()}
                seen[at] = seen[at]._replace(after=after, given=shape(given))

    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=__builtins__)
    sys.modules["__main__"] = module
    sys.argv = [path]
    sys.path[0] = folder
    os.chdir(folder)
    sys.setprofile(note)
    try:
        exec(code, module.__dict__)
    finally:
        sys.setprofile(None)
        with open(out, "wb") as file:
            pickle.dump([tuple(each) for each in seen], file)


if __name__ == "__main__":
    main(*sys.argv[1:])
