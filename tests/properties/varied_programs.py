"""Small random programs with much of the language in them, for replays with one value forced.

Pieces of programs are templates. In them a capital letter in braces is a name of that kind and a small one an expression:
n number, s text, l list of numbers, m list of lists, d dict of numbers by text, b box, t pair, e set, f function of a
number; c is a condition, g a generator. The same letter with the same digit stands for the same text.

Left out, because forcing a scalar could do what a trace cannot tell: coroutines, threads, `del` of names, `globals()`; methods of builtin
containers handed on as functions, and globals bound as one of several targets, of which a recording says nothing.
"""

from __future__ import annotations

import random
import re
from typing import Final

EXPRESSIONS: Final[dict[str, tuple[str, ...]]] = {
    "n": (
        "{N}", "{N}", "({n} + {n})", "({n} - {n})", "({n} * 3 % 7)", "({n} // 2)", "({n} % ({n} % 3))", "-{N}", "abs({n})",
        "{L}[0]", "{L}[-1]", "{L1}[{n} % len({L1})]", "{L}[{n}]", "len({L})", "sum({L})", "max({L})", "min({L}, default={n})",
        "{L}.count({n})", "{L}.index({n})", "{L}.pop()", "{L}.pop({n})", "{D}['k']", "{D}[{s}]", "{D}.get({s}, {n})", "len({D})",
        "sum({D}.values())", "{D}.pop({s}, {n})", "{D}.setdefault({s}, {n})", "{B}.size", "{B}.total()", "len({B}.items)",
        "{B}.other.size", "{B}.half", "len({B})", "({B} + {n})", "{B}.add({n})", "len({S})", "{S}.count('a')", "{S}.find({s})",
        "({n} if {c} else {n})", "({n} or {n})", "int({c})", "{F}({n})", "{F}({F}({n}))", "sum(q * 2 for q in {L})",
        "sum(1 for q in {L} if q > {n})", "len([q for q in {L} if q != {n}])", "len({{q % 3 for q in {L}}})",
        "next((q for q in {L} if q > {n}), {n})", "max({L}, key=lambda q: q % 3)", "min({L}, key={F})", "sum({g})", "next({g}, {n})",
        "divmod({n}, 3)[1]", "{p}LIMIT", "{p}COUNT", "len({p}LOG)", "{p}LOG[-1]", "{T}[0]", "{T}[1]", "{M}[0][0]",
        "{M1}[{n} % len({M1})][0]", "sum(map(len, {M}))", "sum(x * y for x, y in zip({L}, {L}))", "sum(x for _, x in enumerate({L}))",
        "min({B}, {B}, key=lambda b: b.size).size", "max({B}, {B}).size", "sorted({L})[0]", "[*{L}, {n}][-1]", "len({E})",
        "min({E}, default=0)", "({B} if {c} else {B}).size", "sum([len(q) for q in {M} if q])", "[{n}, {n}][{c}]", "({N1} := {n})",
        "(lambda q, r=2: q + r)({n})", "{p}Box.made", "getattr({B}, 'size')", "ord({S}[0])", "len({S}.split('-'))", "round({n} / 2)",
        "{p}many({n}, *{L})", "{p}many(*{T}, k={n})", "{p}named(b={n}, a={n})", "{p}named(*{T})", "{p}named({n})", "{p}deep({n}, {L})",
        "sum(v for v in {D}.values() if v > {n})", "[x for x in {L}][0]", "list({L})[-1]", "{L}[::-1][0]", "{L}[1:][0]",
    ),
    "c": (
        "{n} < {n}", "{n} > {n}", "{n} == {n}", "{n} != {n}", "{n} <= {n}", "{n} >= {n}", "{n} in {L}", "{n} not in {L}", "not {L}", "{L}",
        "({c} and {c})", "({c} or {c})", "not {c}", "{n} < {n} < {n}", "any(q > {n} for q in {L})", "all(q != {n} for q in {L})",
        "{S} == {s}", "'a' in {S}", "{s} in {D}", "{L} == {L}", "{B} is {B}", "{B}.items is {L}", "{S}.startswith({s})",
        "{L}[:1] == [{n}]", "{n} in {E}", "{D}", "{B}.other is None", "any({L})", "{T} < {T}", "{n}", "bool({S})", "{S} < {s}",
    ),
    "s": (
        "'k'", "'m'", "'z'", "'ab'", "{S}", "{S}", "({s} + {s})", 'f"{{{N}}}-{{{S}}}"', 'f"{{{N}:>3}}"', "'-'.join(map(str, {L}))",
        "''.join(q for q in {S} if q != 'a')", "str({n})", "{S}[1:]", "{S}[::-1]", "{S}[0]", "{S}.upper()", "{S}.replace('a', {s})",
        "({s} if {c} else {s})", "'%s' % {n}", "sorted({D})[0]", "max({D1}, key={D1}.get)", "next(iter({D}))", "list({D})[-1]",
        "repr({L})", "str({D})", "'ab'[{n} % 2]", "min({D})", "'{{}}/{{}}'.format({n}, {s})",
    ),
    "l": (
        "[{n}, {n}]", "list({L})", "{L}[:]", "{L}[1:]", "{L}[:{n}]", "{L}[::-1]", "sorted({L})", "sorted({L}, key=lambda q: -q)",
        "sorted({L}, reverse={c})", "[q + {n} for q in {L} if q > {n}]", "[q for q in {L} if q % 2]", "({L} + [{n}])", "({l} + {L})",
        "[*{L}, {n}]", "list(range({n} % 4))", "list(reversed({L}))", "list(map({F}, {L}))", "list(filter(lambda q: q > {n}, {L}))",
        "({L} if {c} else {L})", "{L}", "{M}[0]", "{M1}[{n} % len({M1})]", "{B}.items", "[{n}] * ({n} % 3)", "list({D}.values())",
        "[len(q) for q in {M}]", "[x - y for x, y in zip({L}, {L})]", "list({g})", "[v for q in {M} for v in q]", "{L}.copy()",
        "[({n}), *{T}]", "[x for x in {T}]", "max({L}, {L})", "max({M}, key=len)", "sorted({E})", "[{D1}[k] for k in {D1}]", "{p}pick({c}, {L}, {L})",
        "[q if q > {n} else {n} for q in {L}]", "[i * x for i, x in enumerate({L})]", "({L} or [{n}])",
    ),
    "m": ("[{L}, [{n}]]", "list({M})", "[[q] for q in {L}]", "[list(q) for q in {M}]", "[q for q in {M} if len(q) > {n}]", "{M}", "sorted({M}, key=len)"),
    "d": (
        "{{'k': {n}, 'm': {n}}}", "dict({D})", "{{str(q): q for q in {L}}}", "{{k: v for k, v in {D}.items() if v > {n}}}",
        "{{**{D}, 'z': {n}}}", "({D} if {c} else {D})", "dict(zip('kmz', {L}))", "{D}", "{{{s}: {n}, 'k': {n}}}", "dict(k={n}, z={n})",
    ),
    "b": ("{p}Box({n})", "{p}Sub({n}, {L})", "({B} if {c} else {B})", "{B}", "{B}.other", "max({B}, {B})", "{p}pick({c}, {B}, {B})", "[{B}, {B}][{c}]"),
    "t": ("({n}, {n})", "tuple({L}[:2])", "{T}", "divmod({n}, 3)", "({T} if {c} else {T})", "{T}[::-1]", "min({T}, {T})"),
    "e": ("{{{n}, {n}}}", "set({L})", "{{q % 3 for q in {L}}}", "({E} | {{{n}}})", "({E} - {E})", "({E} & {E})"),
    "f": ("lambda q: q + {n}", "lambda q: q if q > {n} else {n}", "lambda q, r={n}: q - r", "{F}", "({F} if {c} else {F})", "abs"),
}  # fmt: skip
NAMES: Final = {
    "n": "uvw",
    "s": "st",
    "l": "lk",
    "m": "mo",
    "d": "dh",
    "b": "bc",
    "t": "pr",
    "e": "ey",
    "f": "fg",
}
STATEMENTS: Final = (
    "{N} = {n}", "{N} = {n}", "{N} = {n}", "{N} += {n}", "{N} -= {n}", "{S} = {s}", "{S} += {s}", "{L} = {l}", "{L} = {l}", "{D} = {d}",
    "{M} = {m}", "{B} = {b}", "{T} = {t}", "{E} = {e}", "{F} = {f}", "{N}, {N} = {n}, {n}", "{N}, {N} = {T}", "{N1}, {N2} = {N2}, {N1}",
    "{N}, *{L} = [{n}, {n}, {n}]", "{N}, *{L} = {L}", "*{L}, {N} = {L}", "{N} = {N} = {n}",
    "{L}.append({n})", "{L}.append({n})", "{L}.insert({n}, {n})", "{L}.insert(0, {n})", "{L}.insert(-1, {n})", "{L}.pop()", "{L}.pop({n})",
    "{L}.pop(0)", "del {L}[{n}]", "del {L}[{n}:]", "del {L}[:1]", "{L}[{n}] = {n}", "{L}[0] = {n}", "{L}[-1] = {n}", "{L}[-1] += {n}", "{L}[{n}] += {n}",
    "{L1}[{n} % len({L1})] = {n}", "{L}[1:2] = [{n}, {n}]", "{L}[{n}:] = {l}[:3]", "{L}.extend({l}[:3])", "{L} += [{n}]", "{L} += {l}[:2]", "{L}.sort()",
    "{L}.sort(key=lambda q: q % 3)", "{L}.sort(reverse={c})", "{L}.reverse()", "{L}.remove({n})", "{L}.clear()", "{L} += {L}[:1]",
    "{L1}[0], {L1}[-1] = {L1}[-1], {L1}[0]",
    "{D}['k'] = {n}", "{D}['k'] += {n}", "{D}[{s}] = {n}", "{D}[{s}] = {D}.get({s}, 0) + {n}", "{D}.pop({s}, None)", "del {D}[{s}]",
    "{D}.setdefault({s}, {n})", "{D}.update({d})", "{D}.update(z={n})", "{D}.popitem()", "{D}.clear()", "{D} |= {d}",
    "{E}.add({n})", "{E}.discard({n})", "{E}.update({L})", "{E} |= {{{n}}}", "{E} -= {{{n}}}",
    "{M}.append({l})", "{M}[0].append({n})", "{M1}[{n} % len({M1})].append({n})", "{M}[-1] = {l}", "{M}[0][0] = {n}", "{M}.sort(key=len)", "{M}.reverse()",
    "{M}[{n}][0] += {n}", "{M}.pop({n})", "{M}.insert({n}, {L})",
    "{B}.add({n})", "{B}.add({n})", "{B}.size = {n}", "{B}.size += {n}", "{B}.items = {l}", "{B}.items.append({n})", "{B}.other = {B}",
    "{B}.other.size += {n}", "{B}.other.add({n})", "({B} if {c} else {B}).add({n})", "({L} if {c} else {L}).append({n})", "{B}.items[0] = {n}",
    "max({B}, {B}).size += {n}", "{B}.merge({B})", "{B}.note = {n}", "{N} = {B}.note", "setattr({B}, 'size', {n})", "{p}Box.made += {n}",
    "{p}LOG.append({n})", "{p}bump({n})", "{p}deep({n}, {L})", "{p}put({L}, {n})", "{p}put({M}[0], {n}, {c})", "print({n})", "print({s}, {L})", "print({D})",
    "assert {c} or {c}", "{F}({n})", "list(map(lambda q: {L}.append(q), {L}[:2]))", "[{L}.append(q) for q in {L}[:2]]", "{c} and {L}.append({n})", "{n}",
)  # fmt: skip
CAUGHT: Final = ("IndexError", "KeyError", "ValueError", "{p}Error", "(IndexError, ValueError)", "(KeyError, IndexError)", "ZeroDivisionError",
                 "(IndexError, KeyError, ValueError, ZeroDivisionError, TypeError, AttributeError)", "Exception")  # fmt: skip
_HOLE = re.compile(r"\{\{|\}\}|\{([a-zA-Z])(\d?)\}")

HEAD: Final = """
{p}LIMIT = {i}
{p}COUNT = 0
{p}LOG = [{i}]
class {p}Error(ValueError):
    pass
class {p}Box:
    made = 0
    def __init__(self, size, items=()):
        self.size = size
        self.items = list(items)
        self.other = self
        {p}Box.made += 1
    {add}
    def total(self):
        return {total}
    def merge(self, other):
        for value in list(other.items):
            self.add(value)
        {merged}
    @property
    def half(self):
        return self.size // 2
    def __len__(self):
        return len(self.items) + 1
    def __add__(self, number):
        return self.size + number
    def __lt__(self, other):
        return {less}
    def __gt__(self, other):
        return {less2}
class {p}Sub({p}Box):
    def add(self, value):
        {sub}
def {p}bump(by):
    global {p}COUNT
    {bump}
def {p}pick(which, one, two):
    {pick}
def {p}put(items, value, where=0):
    {put}
def {p}many(first, *rest, k=1):
    return first + {many}
def {p}named(a, b=2):
    return a - b
def {p}deep(n, items):
    if n <= 0 or n > 4:
        return len(items)
    {deep}
    return {p}deep(n - 1, {deeper}) + 1
"""
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "add": (
        "def add(self, value):\n        if value > self.size:\n            self.size = value\n        self.items.append(value)\n        return self.size",
        "def add(self, value):\n        self.size += value\n        if value > 2:\n            self.items.append(value)\n        return len(self.items)",
        "def add(self, value):\n        if value in self.items:\n            raise {p}Error(value)\n        self.items.insert(0, value)\n        return value",
        "def add(self, value):\n        if value < 0:\n            return 0\n        self.items = self.items + [value]\n        return self.size",
    ),
    "total": ("sum(self.items)", "self.size + sum(v for v in self.items if v > 1)", "self.size * len(self.items)", "max(self.items, default=self.size)"),
    "merged": ("return self", "other.size = self.size", "other.items = self.items", "other.other = self"),
    "less": ("self.size < other.size", "self.total() < other.total()"),
    "less2": ("self.size > other.size", "len(self.items) > len(other.items)"),
    "sub": ("return super().add(value * 2)", "self.extra = super().add(value)\n        return self.extra", "self.size -= 1\n        return self.size"),
    "bump": ("{p}COUNT += by", "if by > 2:\n        {p}COUNT = by\n    {p}LOG.append({p}COUNT)", "old = {p}COUNT\n    {p}COUNT = by\n    return old"),
    "pick": ("return one if which else two", "if which:\n        return one\n    return two", "found = two\n    if which:\n        found = one\n    return found"),
    "put": ("items.insert(where, value)\n    return items", "if value > where:\n        items.append(value)\n    return len(items)", "items[where] = value"),
    "many": ("len(rest) + k", "sum(rest) * k", "(rest[0] if rest else k)", "max([k, *rest])"),
    "deep": ("pass", "items = items + [n]", "items.append(n)", "if n == 2:\n        items = []"),
    "deeper": ("items", "items[1:]", "list(items)"),
}  # fmt: skip


class Writer:
    """Writes one program."""

    def __init__(self, chance: random.Random, prefix: str) -> None:
        self.chance = chance
        self.prefix = prefix
        self.lines: list[str] = []
        self.generators: list[str] = []
        self.functions: list[tuple[str, str]] = []  # name, kinds of parameters
        self.count = 0
        self.inside = ""

    def program(self) -> str:
        chance, text = self.chance, HEAD
        for hole, options in CHOICES.items():
            text = text.replace("{" + hole + "}", chance.choice(options))
        text = text.replace("{p}", self.prefix)
        while "{i}" in text:
            text = text.replace("{i}", str(chance.randint(0, 4)), 1)
        self.lines = text.strip().split("\n")
        if chance.random() < 0.6:
            self.generator()
        for _ in range(chance.randint(0, 2)):
            self.function()
        self.main()
        return "\n".join(self.lines) + "\n"

    def function(self) -> None:
        kinds = "".join(self.chance.choice("nnnsllmdbtef") for _ in range(self.chance.randint(1, 3)))
        name = f"{self.prefix}x{len(self.functions)}"
        names = dict(zip("abc", kinds, strict=False))
        shown = [*names]
        if kinds[-1] == "n" and self.chance.random() < 0.4:
            shown[-1] += f"={self.chance.randint(0, 4)}"
        self.put("", f"def {name}({', '.join(shown)}):")
        self.inside = "function"
        self.body(names, "    ", self.chance.randint(1, 4), 0)
        self.put("    ", f"return {self.expression(names, 'n', 2)}")
        self.functions.append((name, kinds))

    def generator(self) -> None:
        names = {"a": "n", "l": "l"}
        self.put("", f"def {self.prefix}gen(a, l):")
        self.inside = "generator"
        self.put("    ", self.fill("for q in {l}:", names, 1))
        self.body({**names, "q": "n"}, "        ", self.chance.randint(0, 1), 2)
        self.put("        ", self.fill("yield {n}", {**names, "q": "n"}, 1))
        if self.chance.random() < 0.5:
            self.put("    ", self.chance.choice(["yield a", "yield from l", "l.append(a)", "return a"]))
        self.generators.append(f"{self.prefix}gen")

    def main(self) -> None:
        chance, p = self.chance, self.prefix
        self.put("", f"def {p}main():")
        self.inside = "main"
        some = ", ".join(str(chance.randint(0, 5)) for _ in range(chance.randint(2, 4)))
        self.put(
            "    ", f"u = {chance.randint(0, 5)}", f"v = {chance.randint(0, 3)}", f"l = [{some}]", f"k = {chance.choice(['[1, 2]', 'l', 'list(l)'])}",
            f"m = [[1, 2], {chance.choice(['[3]', 'l'])}]", f"d = {{'k': {chance.randint(0, 3)}, 'm': 2}}", f"b = {p}Box({chance.randint(0, 3)}, l)",
            f"c = {chance.choice([f'{p}Sub(2)', 'b', f'{p}Box(1)'])}", "s = 'ab-a'", f"p = ({chance.randint(0, 3)}, 1)", "e = {1, 2}",
            f"f = lambda q: q + {chance.randint(0, 3)}",
        )  # fmt: skip
        kinds = {
            "u": "n",
            "v": "n",
            "l": "l",
            "k": "l",
            "m": "m",
            "d": "d",
            "b": "b",
            "c": "b",
            "s": "s",
            "p": "t",
            "e": "e",
            "f": "f",
        }
        self.body(kinds, "    ", chance.randint(3, 9), 0)
        parts = [self.expression(kinds, kind, 1) for kind in "ns"]
        whole = chance.sample(["l", "k", "m", "d", "b.items", "b.size", "c.size", "c.items", "s", "p", "sorted(e)", "u", "v", f"{p}LOG", f"{p}COUNT", "b.other.size", "len(l)", "list(d)"], 3)  # fmt: skip
        self.put("    ", f"return ({', '.join([*parts, *whole])},)")

    # Statements

    def put(self, indent: str, *lines: str) -> None:
        self.lines += [indent + line for line in lines]

    def body(self, names: dict[str, str], indent: str, count: int, depth: int) -> None:
        before = len(self.lines)
        for _ in range(count):
            self.statement(names, indent, depth)
        if len(self.lines) == before:
            self.put(indent, "pass")

    def statement(self, names: dict[str, str], indent: str, depth: int) -> None:
        chance = self.chance
        kind = chance.choice(
            ["if", "if", "for", "while", "try", "closure", "raise", "return", "match", "with"]
            + ["plain"] * 14
        )
        if kind == "plain" or (depth >= 2 and kind not in ("raise", "return")):
            for _ in range(9):
                found = self.filled(chance.choice(STATEMENTS), names, depth)
                if found is not None and not found.startswith("_"):
                    self.put(indent, found)
                    break
        else:
            getattr(self, f"_{kind}")(names, indent, depth)

    def filled(self, template: str, names: dict[str, str], depth: int) -> str | None:
        """A statement; a name it binds may be new where every path comes by it."""
        bound = re.match(r"^(?:\*?\{[A-Z]\d?\}(?:, | = ))+", template)
        new: dict[str, str] = {}

        def bind(hole: re.Match[str]) -> str:
            kind, digit = hole[1].lower(), hole[2]
            known = [name for name, other in names.items() if other == kind]
            if known and (depth or digit or self.chance.random() < 0.6):
                return hole[0] if digit else self.chance.choice(known)
            if depth or digit:
                return "_"
            name = self.chance.choice(NAMES[kind])
            if names.get(name, kind) != kind:
                return "_"
            new[name] = kind
            return name

        if bound is not None and not template.startswith("{N1}"):
            template = _HOLE.sub(bind, bound[0]) + template[bound.end() :]
        if any(
            self.of_kind(names, hole[1].lower()) is None
            for hole in _HOLE.finditer(template)
            if hole[1] and hole[1].isupper()
        ):
            return None
        found = self.fill(template, names, 2)
        names.update(new)
        return found

    def _if(self, names: dict[str, str], indent: str, depth: int) -> None:
        self.put(indent, self.fill("if {c}:", names, 2))
        self.body(names, indent + "    ", self.chance.randint(1, 2), depth + 1)
        if self.chance.random() < 0.2:
            self.put(indent, self.fill("elif {c}:", names, 2))
            self.body(names, indent + "    ", 1, depth + 1)
        if self.chance.random() < 0.4:
            self.put(indent, "else:")
            self.body(names, indent + "    ", 1, depth + 1)

    def _for(self, names: dict[str, str], indent: str, depth: int) -> None:
        chance, one, two = self.chance, f"i{depth}", f"j{depth}"
        head, bound = chance.choice([
            ("{1} in range({n} % 4)", "n"), ("{1} in {l}", "n"), ("{1} in list({L})", "n"), ("{1} in {L}[:3]", "n"), ("{2}, {1} in enumerate({L}[:3])", "nn"),
            ("{1}, {2} in zip({L}[:3], {l})", "nn"), ("{1} in {M}[:3]", "l"), ("{1} in sorted({L})", "n"), ("{1} in reversed({L}[:4])", "n"),
            ("{1} in {S}[:3]", "s"), ("{2}, {1} in list({D}.items())", "ns"), ("{1} in sorted({D})", "s"), ("{1} in ({B}, {B})", "b"), ("{1} in list({D}.values())", "n"),
            ("{1} in {g}", "n"), ("{1} in {T}", "n"), ("{1} in [{B}, {B}][:{n}]", "b"),
        ])  # fmt: skip
        inner = {**names, one: bound[0], **({two: bound[1]} if len(bound) > 1 else {})}
        self.put(indent, self.fill(f"for {head.replace('{1}', one).replace('{2}', two)}:", names, 1))
        self.body(inner, indent + "    ", chance.randint(1, 2), depth + 1)
        self.jumping(inner, names, indent, depth)

    def jumping(self, inner: dict[str, str], names: dict[str, str], indent: str, depth: int) -> None:
        if self.chance.random() < 0.35:
            self.put(
                indent + "    ",
                self.fill("if {c}:", inner, 1),
                f"    {self.chance.choice(['break', 'continue'])}",
            )
            self.body(inner, indent + "    ", 1, depth + 1)
        if self.chance.random() < 0.15:
            self.put(indent, "else:")
            self.body(names, indent + "    ", 1, depth + 1)

    def _while(self, names: dict[str, str], indent: str, depth: int) -> None:
        self.count += 1
        name = f"w{self.count}"
        self.put(
            indent,
            f"{name} = 0",
            self.fill(f"while {name} < {self.chance.randint(1, 3)} and {{c}}:", names, 1),
            f"    {name} += 1",
        )
        self.body(names, indent + "    ", self.chance.randint(1, 2), depth + 1)
        self.jumping(names, names, indent, depth)

    def _try(self, names: dict[str, str], indent: str, depth: int) -> None:
        chance = self.chance
        self.put(indent, "try:")
        self.body(names, indent + "    ", chance.randint(1, 2), depth + 1)
        handled = chance.random() < 0.9
        if handled:
            self.put(
                indent,
                f"except {chance.choice(CAUGHT).replace('{p}', self.prefix)}{chance.choice(['', ' as error'])}:",
            )
            self.body(names, indent + "    ", 1, depth + 1)
            if chance.random() < 0.2:
                self.put(indent, "else:")
                self.body(names, indent + "    ", 1, depth + 1)
        if not handled or chance.random() < 0.2:
            self.put(indent, "finally:")
            self.body(names, indent + "    ", 1, depth + 1)

    def _with(self, names: dict[str, str], indent: str, depth: int) -> None:
        """Several statements as one expression statement: calls of the program's functions."""
        if self.functions:
            self.put(indent, self.called(names, 1))

    def _raise(self, names: dict[str, str], indent: str, depth: int) -> None:
        if self.inside == "function" or depth:
            self.put(
                indent,
                self.fill("if {c}:", names, 1),
                self.fill(
                    f"    raise {self.chance.choice(['ValueError', '{p}Error', 'IndexError'])}({{n}})",
                    names,
                    1,
                ),
            )

    def _return(self, names: dict[str, str], indent: str, depth: int) -> None:
        if self.inside == "function":
            self.put(indent, self.fill("if {c}:", names, 1), self.fill("    return {n}", names, 1))

    def _match(self, names: dict[str, str], indent: str, depth: int) -> None:
        self.put(indent, self.fill(f"match {self.chance.choice(['{n}', '{T}', '{L}'])}:", names, 1))
        for pattern in self.chance.sample(["0 | 1", "(0, _)", "[_]", "[0, *_]", "2", "[_, _]"], 2):
            self.put(indent + "    ", f"case {pattern}:")
            self.body(names, indent + "        ", 1, depth + 2)
        if self.chance.random() < 0.5:
            self.put(indent + "    ", "case _:")
            self.body(names, indent + "        ", 1, depth + 2)

    def _closure(self, names: dict[str, str], indent: str, depth: int) -> None:
        if depth or self.inside == "generator":
            return
        number = self.of_kind(names, "n")
        self.put(indent, "def g(q):")
        inner = {**names, "q": "n"}
        if number and self.chance.random() < 0.5:
            self.put(
                indent + "    ",
                f"nonlocal {number}",
                self.fill(f"{number} {self.chance.choice(['=', '+='])} {{n}}", inner, 1),
            )
        elif self.chance.random() < 0.6:
            self.put(
                indent + "    ",
                self.fill(
                    self.chance.choice(
                        [
                            "{L}.append({n})",
                            "{D}[{s}] = {n}",
                            "{B}.size = {n}",
                            "if {c}:\n        " + indent + "{L}.append(q)",
                        ]
                    ),
                    inner,
                    1,
                ),
            )
        self.put(indent + "    ", self.fill("return {n}", inner, 1))
        names["g"] = "f"

    # Expressions

    def of_kind(self, names: dict[str, str], kind: str) -> str | None:
        found = [name for name, other in names.items() if other == kind]
        return self.chance.choice(found) if found else None

    def called(self, names: dict[str, str], depth: int) -> str:
        name, kinds = self.chance.choice(self.functions)
        return f"{name}({', '.join(self.argument(names, kind, depth) for kind in kinds)})"

    def argument(self, names: dict[str, str], kind: str, depth: int) -> str:
        return self.expression(names, kind, depth - 1)

    def expression(self, names: dict[str, str], kind: str, depth: int) -> str:
        if kind == "g":
            if not self.generators or self.inside == "generator":
                return self.fill("iter({L})", names, 0)
            return f"{self.generators[0]}({self.expression(names, 'n', 0)}, {self.expression(names, 'l', depth - 1)})"
        if depth <= 0:
            return self.simplest(names, kind)
        if kind == "n" and self.functions and self.chance.random() < 0.15:
            return self.called(names, depth)
        if kind == "n" and self.chance.random() < 0.3:
            return self.simplest(names, kind)
        return self.fill(self.chance.choice(EXPRESSIONS[kind]), names, depth)

    def simplest(self, names: dict[str, str], kind: str) -> str:
        name = self.of_kind(names, kind)
        if kind == "c":
            return self.fill(self.chance.choice(["{N} > {n}", "{N} == {n}", "{n} <= {N}"]), names, 0)
        if name is not None and self.chance.random() < 0.7:
            return name
        number = str(self.chance.randint(0, 4))
        return {"n": number, "s": self.chance.choice(["'k'", "'z'", "'a'"]), "l": f"[{number}, 1]", "m": f"[[{number}], [2]]", "d": f"{{'k': {number}}}",
                "b": f"{self.prefix}Box({number})", "t": f"({number}, 2)", "e": f"{{{number}}}", "f": "abs"}[kind]  # fmt: skip

    def fill(self, template: str, names: dict[str, str], depth: int) -> str:
        same: dict[str, str] = {}

        def hole(found: re.Match[str]) -> str:
            if found[0] in ("{{", "}}"):
                return found[0][0]
            if found[1] == "p":
                return self.prefix
            key = found[0]
            if found[2] and key in same:
                return same[key]
            kind = found[1].lower()
            if found[1].isupper():
                text = self.of_kind(names, kind) or (
                    "_" if kind == "n" and found[2] else self.simplest(names, kind)
                )
            else:
                text = self.expression(names, kind, depth - 1)
            same[key] = text
            return text

        return _HOLE.sub(hole, template)


def program(seed: int) -> str:
    """A program whose names carry its number, so that several fit into one module."""
    return Writer(random.Random(seed), f"s{seed}_").program()
