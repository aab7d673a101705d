"""Small random programs like the varied ones, in which functions make functions: counters, decorators, tables of them.

Left out: decorators of functions of the module, which run before `main` does; comprehensions in lambdas, whose evaluations
are counted over the whole run although a comprehension need not be taken apart.
"""

from __future__ import annotations

import random
from typing import Final
from unittest import mock

import varied_programs
from varied_programs import Writer

MAKERS: Final = """
def {p}counter(start):
    def step(q):
        nonlocal start
        {counts}
        return start
    return step
def {p}adder(n, items):
    {before}
    def add(q):
        {adds}
        return q + n
    {after}
    return add
def {p}both(one, two, which):
    {both}
def {p}later(n):
    {later}
def {p}wrapped(function):
    {made}
    def inner(*given):
        {wraps}
        return function(*given)
    return inner
def {p}times(n):
    def wrap(function):
        def inner(*given):
            return function(*given) * n
        return inner
    return wrap
def {p}apply(function, value):
    {apply}
class {p}Held:
    def __init__(self, function):
        self.function = function
    def run(self, value):
        return self.function(value)
"""
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "counts": ("start += q", "start = q", "if q > start:\n            start = q", "old = start\n        start = q + 1\n        return old"),
    "before": ("pass", "if n > 2:\n        items = [n]", "items = items if n > 1 else list(items)", "items.append(n)"),
    "adds": ("items.append(q)", "if q > n:\n            items.append(q)", "pass", "items[0] = q", "if items and items[-1] == q:\n            return len(items)"),
    "after": ("pass", "n += 1", "add(n)", "if n == 2:\n        return lambda q: q"),
    "both": (
        "def run(q):\n        return one(q) if which else two(q)\n    return run", "return lambda q: one(two(q))", "return one if which else two",
        "table = {True: one, False: two}\n    def run(q):\n        return table[bool(which)](q)\n    return run",
        "found = [one, two]\n    def run(q):\n        return [each(q) for each in found][which - 1]\n    return run",
    ),
    "later": (
        "return lambda q: q + n", "return lambda q, k=n: q * k", "def give(q):\n        yield n\n        yield q\n    return lambda q: sum(give(q))",
        "class Made:\n        def get(self, q):\n            return q - n\n    return Made().get", "return lambda q: (lambda r: r + n)(q)",
    ),
    "made": ("pass", "{p}LOG.append(1)", "seen = []"),
    "wraps": ("pass", "{p}LOG.append(given[0])", "if given[0] in {p}LOG:\n            return 0"),
    "apply": ("return function(value)", "found = function(value)\n    return found + function(value + 1)", "return list(map(function, [value]))[0]", "return max([value, 1], key=function)"),
}  # fmt: skip
FUNCTIONS: Final = (
    "{p}counter({n})", "{p}counter({N})", "{p}adder({n}, {L})", "{p}adder({n}, {l})", "{p}both({F}, {F}, {c})", "{p}both({f}, {F}, {N})", "{p}later({n})", "{p}later({N})",
    "{p}wrapped({F})", "{p}times({n})({F})", "[{F}, {F}][{c}]", "({F} if {c} else {F})", "{p}Held({F}).run", "{p}Held({F}).function", "{p}pick({c}, {F}, {F})", "{F}",
)  # fmt: skip
NUMBERS: Final = (
    "{F}({n})",
    "{F}({N})",
    "{p}apply({F}, {n})",
    "{p}Held({F}).run({n})",
    "{p}Held({f}).run({n})",
    "sum(map({F}, {L}))",
    "{p}counter({n})({n})",
    "max({L}, key={F})",
)
STATEMENTS: Final = ("{F} = {f}", "{F} = {f}", "{F} = {f}", "{F}({n})", "{F}({N})", "{N} = {F}({n})", "{L} = sorted({L}, key={F})", "{L}.append({F}({n}))", "{p}apply({F}, {n})")  # fmt: skip


class ClosureWriter(Writer):
    """… with functions that make functions, and more calls of them."""

    def put(self, indent: str, *lines: str) -> None:
        if not indent and lines[0].startswith("def ") and lines[0].endswith("main():"):
            self.makers()
        super().put(indent, *lines)

    def makers(self) -> None:
        text = MAKERS
        for hole, options in CHOICES.items():
            text = text.replace("{" + hole + "}", self.chance.choice(options))
        self.lines += text.replace("{p}", self.prefix).strip().split("\n")

    def body(self, names: dict[str, str], indent: str, count: int, depth: int) -> None:
        if self.inside == "main" and not depth:
            for name in self.chance.sample("fgh", 3):
                self.put(indent, f"{name} = {self.expression(names, 'f', 2)}")
                names[name] = "f"
        super().body(names, indent, count, depth)

    def statement(self, names: dict[str, str], indent: str, depth: int) -> None:
        found = (
            self.filled(self.chance.choice(STATEMENTS), names, depth) if self.chance.random() < 0.4 else None
        )
        if found is None or found.startswith("_"):
            super().statement(names, indent, depth)
        else:
            self.put(indent, found)

    def _closure(self, names: dict[str, str], indent: str, depth: int) -> None:
        if depth or self.inside != "main":
            return
        if self.chance.random() < 0.5:
            self.put(indent, self.fill(self.chance.choice(["@{p}wrapped", "@{p}times({n})"]), names, 1))
        super()._closure(names, indent, depth)


def program(seed: int) -> str:
    """A program whose names carry its number, so that several fit into one module."""
    known = varied_programs.EXPRESSIONS
    more = {**known, "f": FUNCTIONS, "n": known["n"] + NUMBERS * 3}
    with mock.patch.object(varied_programs, "EXPRESSIONS", more):
        return ClosureWriter(random.Random(seed), f"s{seed}_").program()
