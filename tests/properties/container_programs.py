"""Small random programs like the varied ones, with dicts that count and default, deques with a limit, the truth of containers
that were just made, and methods of containers that are got at in other ways than by `container.method(…)`.

Left out: factories and `__missing__` that change something, of which not everything is followed.
"""

from __future__ import annotations

import random
from typing import Final
from unittest import mock

import varied_programs
from varied_programs import Writer

HELPERS: Final = """
import collections, functools, operator
def {p}keep(items, least):
    {keep}
def {p}count(items):
    {count}
def {p}apply(method, value):
    {apply}
class {p}Stack(list):
    def push(self, value):
        {push}
class {p}Tally(dict):
    def note(self, key, by):
        {note}
"""
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "keep": ("return [q for q in items if q > least]", "return list(filter(lambda q: q != least, items))", "found = []\n    for q in items:\n        if q > least:\n            found.append(q)\n    return found", "return {q for q in items if q < least}"),
    "count": (
        "found = collections.Counter(items)\n    found[least_of(items)] -= 1\n    return found".replace("least_of(items)", "min(items, default=0)"),
        "found = collections.defaultdict(int)\n    for q in items:\n        found[q] += 1\n    return found",
        "found = collections.defaultdict(list)\n    for q in items:\n        found[q % 2].append(q)\n    return {key: len(found[key]) for key in found}",
        "found = {}\n    for q in items:\n        found[q] = found.get(q, 0) + 1\n    return found",
    ),
    "apply": ("return method(value)", "method(value)\n    return value", "if value > 1:\n        method(value)\n    return value"),
    "push": ("self.append(value)", "super().append(value)\n        return len(self)", "list.append(self, value * 2)", "if value not in self:\n            self += [value]"),
    "note": ("self[key] = self.get(key, 0) + by", "dict.__setitem__(self, key, by)", "self.setdefault(key, by)\n        return len(self)", "if key in self:\n            self[key] += by\n        else:\n            super().__setitem__(key, by)"),
}  # fmt: skip
MORE: Final[dict[str, tuple[str, ...]]] = {
    "n": ("{p}count({L})[{n}]", "sum({p}count({L}).values())", "len({p}keep({L}, {n}))", "{p}apply({L}.append, {n})", "{p}apply({L}.count, {n})", "(({L} or [{n}])[0])", "collections.Counter({S})['a']", "{p}Tally({D}).get({s}, {n})"),
    "c": ("{p}keep({L}, {n})", "not {p}keep({L}, {n})", "[q for q in {L} if q > {n}]", "{L}[1:]", "dict({D})", "list({g})", "{p}count({L})", "({l} and {c})", "sorted({E})", "{S}[1:]", "tuple({L})"),
    "l": ("list(collections.deque({L}, 2))", "{p}Stack({L})", "list({p}count({L}))", "[*{p}keep({L}, {n})]", "({c} and {L} or {l})", "({l} if {l} else {L})"),
    "d": ("collections.defaultdict(int, {D})", "collections.Counter({S})", "collections.defaultdict(int)", "{p}Tally({D})", "collections.OrderedDict({D})", "{{str(k): v for k, v in {p}count({L}).items()}}"),
}  # fmt: skip
STATEMENTS: Final = (
    "{D}[{s}] += {n}", "{D}[{s}] += 1", "{D}['k'] -= {n}", "{N} = {D}[{s}]", "({c} and {L} or {L}).append({n})", "({L} or {L}).insert(0, {n})", "({D} or {D})['m'] = {n}",
    "list.append({L}, {n})", "type({L}).append({L}, {n})", "{L}.__class__.extend({L}, [{n}])", "dict.update({D}, {d})", "{D}.__setitem__({s}, {n})", "dict.pop({D}, {s}, {n})",
    "getattr({L}, {R})({n})", "operator.methodcaller({R}, {n})({L})", "operator.setitem({D}, {s}, {n})", "{L1} = operator.iadd({L1}, [{n}])", "functools.partial({L}.insert, 0)({n})",
    "{p}apply({L}.append, {n})", "{p}apply({L}.remove, {n})", "{p}apply({E}.add, {n})", "for q in {p}keep({L}, {n}): {L}.append(q - 1)", "list(map({L}.append, {L}[:2]))",
    "[{L}, {L}][{c}].append({n})", "{{True: {L}, False: {L}}}[{c}].append({n})", "{D} = {p}Tally({D})", "{L} = {p}Stack({L})", "getattr({L}, 'push', {L}.append)({n})",
    "window = collections.deque({L}, 2); window.append({n}); {L} = [*window]", "put = {L}.append if {c} else {L}.append; put({n})", "{L} = {p}keep({L}, {n}) or {L}",
)  # fmt: skip


class ContainerWriter(Writer):
    """… with more statements."""

    def put(self, indent: str, *lines: str) -> None:
        if not indent and lines[0].startswith("def ") and lines[0].endswith("main():"):
            text = HELPERS
            for hole, options in CHOICES.items():
                text = text.replace("{" + hole + "}", self.chance.choice(options))
            self.lines += text.replace("{p}", self.prefix).strip().split("\n")
        super().put(indent, *lines)

    def statement(self, names: dict[str, str], indent: str, depth: int) -> None:
        found = None
        if self.chance.random() < 0.4:
            template = self.chance.choice(STATEMENTS).replace(
                "{R}", self.chance.choice(("'append'", "'remove'", "'append'"))
            )
            found = self.filled(template, names, depth)
        if found is None or found.startswith("_"):
            super().statement(names, indent, depth)
        else:
            self.put(indent, *found.split("; "))


def program(seed: int) -> str:
    """A program whose names carry its number, so that several fit into one module."""
    known = varied_programs.EXPRESSIONS
    more = {**known, **{kind: known[kind] + found * 2 for kind, found in MORE.items()}}
    with mock.patch.object(varied_programs, "EXPRESSIONS", more):
        return ContainerWriter(random.Random(seed), f"s{seed}_").program()
