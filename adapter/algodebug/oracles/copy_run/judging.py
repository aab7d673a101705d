"""What is told of a run: whether it is as recorded, or fingerprints to compare with another version's."""

from __future__ import annotations

import collections
import hashlib
import re
import types
from typing import Any

from .comparison import Comparison
from .modules import Reference
from .rows import CannotJudge, short
from .run import Run

_MOST_DESCRIBED = 100_000


def judge(reference: Reference, question: dict[str, Any]) -> tuple[str | None, str]:
    """Runs the corrected function on the recorded inputs and compares what comes out and what is changed."""
    run = Run(reference, question)
    run.run()
    run.check()
    if run.raised != (question["outcome"]["kind"] == "raise"):
        return "wrong", f"should {'raise' if run.raised else 'return'} {short(run.outcome)}"
    if not run.raised and question["outcome"]["generator"] and not run.iterated:
        return "wrong", f"should not be a generator, but return {short(run.outcome)}"
    comparison = Comparison(question["after"], run.existed, question.get("paths"))
    if not comparison.same(run.pairs()):
        return "wrong", comparison.difference
    before, after = dict(question["arguments"]), dict(question["arguments_after"])
    for name in sorted(run.omitted):
        if name in question["changed"] and before[name] == after[name]:
            return "wrong", f"should not change the default of {name}"
    if comparison.doubtful:
        return None, "not all of it can be compared"
    if run.printed.getvalue():
        return None, "what it printed was not recorded"
    return "correct", ""


def describe(reference: Reference, question: dict[str, Any]) -> tuple[str, str]:
    """Fingerprints of what a run gives, to be compared with those of another version of the program.

    The first is of its shape (types, sharing, memory in common, exceptions), the second of the values in it.
    """
    run = Run(reference, question)
    run.run()
    run.check()
    if run.other_defaults:
        raise CannotJudge("the defaults are of other types")
    shape, values = hashlib.blake2b(digest_size=16), hashlib.blake2b(digest_size=16)
    seen: dict[int, int] = {}
    memory: dict[int, int] = {}
    kept: list[Any] = []
    shape.update(f"{run.raised};".encode())
    values.update(repr(run.printed.getvalue()).encode(errors="surrogatepass"))
    pending = [value for _, value, _ in reversed(run.pairs())]
    while pending:
        value = pending.pop()
        cls = type(value)
        shape.update(f"{cls.__module__}.{cls.__qualname__};".encode())
        if value is None or cls in (bool, int, float, complex, str, bytes):
            values.update(f"{value!r};".encode(errors="surrogatepass"))
            continue
        if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
            values.update(f"{value.__qualname__};".encode())
            continue
        known = seen.setdefault(id(value), len(seen))
        shape.update(f"{known};".encode())
        if known != len(seen) - 1 or len(seen) > _MOST_DESCRIBED:
            continue
        kept.append(value)
        if cls.__module__.partition(".")[0] == "numpy" and hasattr(value, "base"):
            owner = value
            while getattr(owner, "base", None) is not None:
                owner = owner.base
            kept.append(owner)
            shape.update(f"memory {memory.setdefault(id(owner), len(memory))};".encode())
            values.update(f"{value!r};".encode(errors="surrogatepass"))
            continue
        below: list[Any] = list(getattr(value, "__dict__", None) or {}).copy()
        below = [part for name in sorted(map(str, below)) for part in (name, value.__dict__.get(name))]
        if isinstance(value, BaseException):
            below += value.args
        elif isinstance(value, dict):
            below += [part for pair in dict.items(value) for part in pair]
        elif isinstance(value, set | frozenset):
            below += sorted(value, key=repr)
        elif isinstance(value, list | tuple | collections.deque):
            below += list(value)
        elif not below:
            text = repr(value)
            values.update(re.sub(r" at 0x[0-9a-fA-F]+", "", text).encode(errors="surrogatepass"))
        shape.update(f"{len(below)};".encode())
        pending.extend(reversed(below))
    return shape.hexdigest(), values.hexdigest()
