"""Random programs with a wide choice of what the language has, each of up to about a thousand calls.

Functions, methods, inheritance, operators and properties, recursion, loops, exceptions, generators, closures, defaults,
class attributes, globals, mutation and aliasing. Every name at module level carries the program's prefix, so that many
programs fit into one file. A program is started by `{prefix}main()`, which gives a tuple.

Left out, because a call could not be judged by itself: generators that are handed on half consumed.
"""

from __future__ import annotations

import random

_DEEPEST = 3
Names = dict[str, str]  # name → kind: n number, l list, m list of lists, b box, d dict, c callable


class Writer:
    """Writes one program."""

    def __init__(self, chance: random.Random, prefix: str, scale: int) -> None:
        self.chance = chance
        self.prefix = prefix
        self.scale = scale  # about how often loops run
        self.lines: list[str] = []
        self.functions: list[tuple[str, str, str]] = []  # name, kinds of parameters, kind of result
        self.generators: list[tuple[str, str]] = []
        self.count = 0
        self.nested = 0  # calls inside the arguments of calls
        self.inside = ""  # what kind of body is written: "function", "generator", "closure", "main"

    def put(self, indent: str, *lines: str) -> None:
        self.lines += [indent + line for line in lines]

    def pick(self, *options: str) -> str:
        return self.chance.choice(options)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    # Definitions

    def program(self) -> str:
        chance, p = self.chance, self.prefix
        self.put("", f"{p}LIMIT = {chance.randint(1, 9)}", f"{p}SEEN = []", f"{p}COUNT = 0")
        self.put("", f"class {p}Error(ValueError):", "    pass")
        self.box()
        self.put("", f"def {p}apply(function, value):")
        self.put("    ", *chance.choice([["return function(value) + function(value + 1)"], ["result = function(value)", "return result"]]))  # fmt: skip
        for _ in range(chance.randint(1, 2)):
            self.generator()
        for _ in range(chance.randint(1, 4)):
            if chance.random() < 0.25:
                self.generator()
            if chance.random() < 0.3:
                self.recursion()
            self.function()
        self.main()
        return "\n".join(self.lines) + "\n"

    def box(self) -> None:
        p, pick = self.prefix, self.pick
        self.put("", f"class {p}Box:", f"    made = {self.chance.randint(0, 2)}", "    log = []")
        self.put("    ", f"def __init__(self, size, items={pick('None', '()')}):", "    self.size = size")
        self.put(
            "        ",
            f"self.items = {pick('[] if items is None else list(items)', 'list(items or [])', 'items or []')}",
        )
        self.put("        ", pick(f"{p}Box.made += 1", "self.kind = 'plain'", "self.last = None"))
        self.put("    ", "def add(self, value):")
        self.put("        ", *self.chance.choice([
            ["if value > self.size:", "    self.size = value", "self.items.append(value)"],
            ["self.items.append(value)", "self.size += value % 5", "return self.size"],
            ["if len(self.items) > 6:", f"    raise {p}Error(value)", "self.items.append(value)", "return self"],
            ["self.log.append(value)", "self.items.insert(0, value)", "return len(self.log)"],
        ]))  # fmt: skip
        self.put("    ", "def total(self):", f"    return {pick('sum(self.items)', 'self.size + sum(self.items)', 'sum(v for v in self.items if v > 1)')}")  # fmt: skip
        self.put(
            "    ",
            "def merge(self, other):",
            "    for value in list(other.items):",
            "        self.add(value)",
        )
        self.put("        ", pick("return self", "other.size = self.size", f"other.items = {pick('list(self.items)', 'self.items')}"))  # fmt: skip
        self.put("    ", "def __lt__(self, other):", f"    return {pick('self.size < other.size', 'self.total() < other.total()')}")  # fmt: skip
        self.put("    ", "def __len__(self):", "    return len(self.items)")
        self.put("    ", "@property", "def half(self):", f"    return {pick('self.size // 2', 'self.total() // 2 + self.made')}")  # fmt: skip
        self.put("", f"class {p}Sub({p}Box):")
        self.put("    ", "def add(self, value):", f"    {pick('super().add(value * 2)', 'return super().add(value - 1)', 'self.extra = super().add(value)')}")  # fmt: skip
        if self.chance.random() < 0.5:
            self.put(
                "    ", "def twice(self, value):", "    self.add(value)", "    return self.add(value + 1)"
            )
        else:
            self.put("    ", "def twice(self, value):", f"    return [self.add(v) for v in range(value % {self.scale + 2})]")  # fmt: skip

    def parameters(self, count: int) -> str:
        return "".join(self.chance.choice("nnnlllmbbdc") for _ in range(count))

    def function(self) -> None:
        chance = self.chance
        kinds = self.parameters(chance.randint(1, 3))
        name = f"{self.prefix}f{len(self.functions)}"
        names = {f"{kind}{index}": kind for index, kind in enumerate(kinds)}
        shown = list(names)
        more: Names = {}
        if chance.random() < 0.35:
            kind = chance.choice("nnl")
            more[f"{kind}x"] = kind
            default = str(chance.randint(0, 4)) if kind == "n" else self.pick("[]", "None", "None")
            shown.append(f"{kind}x={default}")
        result = chance.choice("nnnnll")
        self.put("", f"def {name}({', '.join(shown)}):")
        self.inside = "function"
        names.update(more)
        if shown[-1] == "lx=None":
            self.put("    ", "lx = [] if lx is None else lx")
        if chance.random() < 0.2:
            self.put("    ", f"global {self.prefix}COUNT", f"{self.prefix}COUNT += {chance.randint(1, 3)}")
        self.body(names, "    ", chance.randint(2, 6), 0)
        self.put("    ", f"return {self.expression(names, result, 2)}")
        self.functions.append((name, kinds, result))

    def recursion(self) -> None:
        chance, name = self.chance, f"{self.prefix}r{len(self.functions)}"
        self.put("", f"def {name}(n0, l1):")
        self.inside = "function"
        names = {"n0": "n", "l1": "l"}
        self.put("    ", "if n0 <= 0 or n0 > 30:", f"    return {self.expression(names, 'n', 1)}")
        self.body(names, "    ", chance.randint(0, 2), 1)
        step = self.pick("n0 - 1", "n0 // 2", "n0 - 2")
        second = self.pick("l1", "l1[1:]", "l1 + [n0]", "list(l1)")
        if chance.random() < 0.25:
            self.put("    ", f"return ({name}(n0 // 2, l1) + {name}(n0 // 2 - 1, {second})) % 1009")
        else:
            self.put("    ", f"return ({name}({step}, {second}) {self.pick('+', '-', '* 2 +')} {self.expression(names, 'n', 1)}) % 1009")  # fmt: skip
        self.functions.append((name, "nl", "n"))

    def generator(self) -> None:
        chance, name = self.chance, f"{self.prefix}g{len(self.generators)}"
        kinds = chance.choice(["n", "nl", "l", "nb"])
        names = {f"{kind}{index}": kind for index, kind in enumerate(kinds)}
        self.put("", f"def {name}({', '.join(names)}):")
        self.inside = "generator"
        source = next((f"{n}[:6]" for n, k in names.items() if k == "l" and chance.random() < 0.6), "")
        source = source or f"range({chance.randint(1, 4)})"
        self.put("    ", f"for v in {source}:")
        inner = {**names, "v": "n"}
        self.body(inner, "        ", chance.randint(0, 2), 2)
        self.put("        ", f"yield {self.expression(inner, 'n', 1)}")
        if self.generators and chance.random() < 0.3:
            self.put("    ", f"yield from {self.generated(names)}")
        self.generators.append((name, kinds))

    def main(self) -> None:
        chance, p = self.chance, self.prefix
        self.put("", f"def {p}main():")
        self.inside = "main"
        names = {"n0": "n", "l1": "l", "m2": "m", "b3": "b", "b4": "b", "d5": "d"}
        some = [str(chance.randint(0, 9)) for _ in range(chance.randint(2, 5))]
        self.put(
            "    ", f"n0 = {chance.randint(0, 9)}", f"l1 = [{', '.join(some)}]",
            f"m2 = {self.pick('[[1, 2], [3], l1]', '[[0] * 2 for _ in range(3)]', '[l1, [4, 5]]')}",
            f"b3 = {p}Box({chance.randint(0, 5)}, {self.pick('l1', '[2]', 'None')})",
            f"b4 = {p}Sub({chance.randint(0, 5)})", f"d5 = {{'k': {chance.randint(0, 9)}, 'm': 2}}",
        )  # fmt: skip
        self.body(names, "    ", chance.randint(3, 8), 0)
        loop = self.fresh("i")
        self.put("    ", f"for {loop} in range({chance.randint(2, max(2, self.scale))}):")
        inner = {**names, loop: "n"}
        self.body(inner, "        ", chance.randint(1, 3), 1)
        self.put("        ", f"n0 = (n0 + {self.call(inner, 'n', 1)}) % 1009")
        parts = [self.expression(names, chance.choice("nnnl"), 2) for _ in range(3)]
        self.put("    ", f"return ({', '.join([*parts, 'n0', 'l1', 'm2', 'd5', 'b3.items', 'b4.size'])})")

    # Statements

    def of_kind(self, names: Names, kind: str) -> str | None:
        found = [name for name, other in names.items() if other == kind]
        return self.chance.choice(found) if found else None

    def body(self, names: Names, indent: str, count: int, depth: int) -> None:
        before = len(self.lines)
        for _ in range(count):
            self.statement(names, indent, depth)
        if len(self.lines) == before and count:
            self.put(indent, "pass")

    def statement(self, names: Names, indent: str, depth: int) -> None:
        kind = self.chance.choice(
            ["number", "number", "list", "list", "if", "for", "for", "append", "item", "box", "box", "dict", "nested",
             "try", "closure", "generate", "call", "call", "while", "raise", "return", "seen", "print", "alias", "with"]
        )  # fmt: skip
        if depth >= 2 and kind in ("if", "for", "try", "closure", "generate", "while"):
            kind = "number"
        getattr(self, f"_{kind}")(names, indent, depth)

    def bind(self, names: Names, kind: str, depth: int) -> str:
        """A name to bind: a new one where every path comes by it, else one that is bound already."""
        known = self.of_kind(names, kind)
        if depth and known is not None:
            return known
        name = known if known is not None and self.chance.random() < 0.5 else self.fresh(kind)
        names[name] = kind
        return name

    def _number(self, names: Names, indent: str, depth: int) -> None:
        value = self.expression(names, "n", 2)
        number = self.of_kind(names, "n")
        if number is not None and (depth or self.chance.random() < 0.3):
            self.put(indent, f"{number} {self.pick('=', '+=', '-=')} {value}")
        else:
            self.put(indent, f"{self.bind(names, 'n', 0)} = {value}")

    def _list(self, names: Names, indent: str, depth: int) -> None:
        value = self.expression(names, "l", 2)
        if depth and self.of_kind(names, "l") is None:
            return
        self.put(indent, f"{self.bind(names, 'l', depth)} = {value}")

    def _alias(self, names: Names, indent: str, depth: int) -> None:
        one, other = self.of_kind(names, "l"), self.of_kind(names, "b")
        nested, held = self.of_kind(names, "m"), self.of_kind(names, "d")
        if one and other and self.chance.random() < 0.4:
            self.put(indent, f"{other}.items = {self.pick(one, f'list({one})', f'{one}[:]')}")
        elif one and nested:
            self.put(indent, f"{nested}.append({self.pick(one, f'{one}.copy()')})")
        elif one and held:
            self.put(indent, f"{held}['xs'] = {self.pick(one, f'list({one})')}")

    def _append(self, names: Names, indent: str, depth: int) -> None:
        listed = self.of_kind(names, "l")
        if listed:
            value = self.expression(names, "n", 1)
            self.put(indent, self.pick(f"{listed}.append({value})", f"{listed}.insert(0, {value})", f"{listed}.extend([{value}, 1])", f"{listed}.sort()", f"{listed} += [{value}]", f"{listed}.reverse()", f"del {listed}[5:]"))  # fmt: skip

    def _item(self, names: Names, indent: str, depth: int) -> None:
        listed = self.of_kind(names, "l")
        if listed:
            value = self.expression(names, "n", 1)
            self.put(indent, f"if {listed}:", f"    {listed}[{self.pick('0', '-1', f'{value} % len({listed})')}] {self.pick('=', '+=')} {value}")  # fmt: skip

    def _nested(self, names: Names, indent: str, depth: int) -> None:
        nested = self.of_kind(names, "m")
        if nested:
            value = self.expression(names, "n", 1)
            self.put(indent, self.pick(f"{nested}[0].append({value})", f"{nested}[-1] = [{value}]", f"{nested}[0] = {nested}[-1]", f"{nested}.append(list({nested}[0]))"))  # fmt: skip

    def _box(self, names: Names, indent: str, depth: int) -> None:
        box, p = self.of_kind(names, "b"), self.prefix
        if box is None or (depth == 0 and self.chance.random() < 0.25):
            if depth:
                return
            listed = self.of_kind(names, "l")
            given = f", {listed}" if listed and self.chance.random() < 0.4 else ""
            self.put(indent, f"{self.bind(names, 'b', 0)} = {p}{self.pick('Box', 'Sub')}({self.expression(names, 'n', 1)}{given})")  # fmt: skip
            return
        value = self.expression(names, "n", 1)
        other = self.of_kind(names, "b")
        self.put(indent, self.pick(f"{box}.add({value})", f"{box}.size = {value}", f"{box}.size += {value}", f"{box}.merge({other})", f"{box}.note = {value}"))  # fmt: skip

    def _dict(self, names: Names, indent: str, depth: int) -> None:
        held = self.of_kind(names, "d")
        if held:
            value = self.expression(names, "n", 1)
            self.put(indent, self.pick(f"{held}['k'] = {value}", f"{held}['k'] += {value}", f"{held}['z'] = {value}", f"{held}.pop('z', None)", f"{held}.update(w={value})"))  # fmt: skip

    def _if(self, names: Names, indent: str, depth: int) -> None:
        self.put(indent, f"if {self.condition(names)}:")
        self.body(names, indent + "    ", self.chance.randint(1, 2), depth + 1)
        if self.chance.random() < 0.4:
            self.put(indent, "else:")
            self.body(names, indent + "    ", 1, depth + 1)

    def _for(self, names: Names, indent: str, depth: int) -> None:
        chance, loop = self.chance, self.fresh("i")
        listed, nested = self.of_kind(names, "l"), self.of_kind(names, "m")
        inner = {**names, loop: "n"}
        times = chance.randint(1, self.scale if depth == 0 else 3)
        source = f"range({times})"
        if listed and chance.random() < 0.4:
            source = self.pick(f"list({listed})", f"{listed}[:4]", f"sorted({listed}[:5])")
        elif nested and chance.random() < 0.4:
            source, inner[loop] = f"{nested}[:3]", "l"
        if listed and chance.random() < 0.15:
            source = f"enumerate({listed}[:4])"
            self.put(indent, f"for at, {loop} in {source}:")
        else:
            self.put(indent, f"for {loop} in {source}:")
        self.body(inner, indent + "    ", chance.randint(1, 3), depth + 1)
        if chance.random() < 0.25:
            self.put(indent + "    ", f"if {self.condition(inner)}:", f"    {self.pick('break', 'continue')}")
            self.body(inner, indent + "    ", 1, depth + 2)

    def _while(self, names: Names, indent: str, depth: int) -> None:
        name = self.fresh("w")
        self.put(indent, f"{name} = 0", f"while {name} < {self.chance.randint(1, 4)} and {self.condition(names)}:", f"    {name} += 1")  # fmt: skip
        self.body(names, indent + "    ", 2, depth + 1)

    def _try(self, names: Names, indent: str, depth: int) -> None:
        self.put(indent, "try:")
        self.body(names, indent + "    ", self.chance.randint(1, 2), depth + 1)
        self.put(indent, f"except {self.pick('ValueError', f'{self.prefix}Error', '(IndexError, ValueError)', '(ValueError, ZeroDivisionError, IndexError)')}:")  # fmt: skip
        self.body(names, indent + "    ", 1, depth + 1)
        if self.chance.random() < 0.3:
            self.put(indent, "finally:")
            self._seen(names, indent + "    ", depth)

    def _raise(self, names: Names, indent: str, depth: int) -> None:
        if self.inside != "main":
            raised = self.pick("ValueError", f"{self.prefix}Error")
            self.put(indent, f"if {self.condition(names)} and {self.condition(names)}:", f"    raise {raised}({self.expression(names, 'n', 0)})")  # fmt: skip

    def _return(self, names: Names, indent: str, depth: int) -> None:
        if self.inside == "function" and depth:
            self.put(indent, f"if {self.condition(names)}:", f"    return {self.expression(names, 'n', 1)}")

    def _with(self, names: Names, indent: str, depth: int) -> None:
        number = self.of_kind(names, "n")
        if number and self.inside != "generator":
            self.put(indent, f"assert {number} < 5000, {number}")

    def _seen(self, names: Names, indent: str, depth: int) -> None:
        p = self.prefix
        self.put(indent, self.pick(f"{p}SEEN.append({self.expression(names, 'n', 0)})", f"{p}Box.made += 1", f"{p}Box.log.append(1)"))  # fmt: skip

    def _print(self, names: Names, indent: str, depth: int) -> None:
        if self.chance.random() < 0.3:
            self.put(indent, f"print({self.expression(names, 'n', 0)})")

    def _closure(self, names: Names, indent: str, depth: int) -> None:
        if depth or self.inside == "generator":
            return
        chance, name = self.chance, self.fresh("c")
        number, listed = self.of_kind(names, "n"), self.of_kind(names, "l")
        inside, self.inside = self.inside, "closure"
        if number and chance.random() < 0.5:
            self.put(indent, f"def {name}(q):", f"    nonlocal {number}", f"    {number} += {self.pick('q', '1', 'q % 3')}", f"    return {number} + q")  # fmt: skip
        elif listed and chance.random() < 0.5:
            self.put(indent, f"def {name}(q, k={chance.randint(0, 3)}):", f"    {listed}.append(q)", f"    return len({listed}) + k")  # fmt: skip
        else:
            self.put(indent, f"def {name}(q):")
            self.body({**names, "q": "n"}, indent + "    ", 1, 2)
            self.put(indent + "    ", f"return {self.expression({**names, 'q': 'n'}, 'n', 1)}")
        self.inside = inside
        names[name] = "c"

    def _generate(self, names: Names, indent: str, depth: int) -> None:
        if self.generators:
            loop = self.fresh("y")
            self.put(indent, f"for {loop} in {self.generated(names)}:")
            self.body({**names, loop: "n"}, indent + "    ", self.chance.randint(1, 2), depth + 1)
            if self.chance.random() < 0.2:
                self.put(indent + "    ", f"if {self.condition(names)}:", "    break")

    def _call(self, names: Names, indent: str, depth: int) -> None:
        self.put(indent, self.call(names, self.chance.choice("nl"), 1))

    # Expressions

    def generated(self, names: Names) -> str:
        name, kinds = self.chance.choice(self.generators)
        given = [self.argument(names, kind) for kind in kinds]
        if any(argument is None for argument in given):
            return "()"
        return f"{name}({', '.join(map(str, given))})"

    def argument(self, names: Names, kind: str) -> str | None:
        self.nested += 1
        found = self._argument(names, kind)
        self.nested -= 1
        return found

    def _argument(self, names: Names, kind: str) -> str | None:
        if kind == "n":
            return self.expression(names, "n", 1)
        if kind == "c":
            known = self.of_kind(names, "c")
            return known if known else self.pick(f"lambda q: q + {self.chance.randint(1, 4)}", "abs")
        if kind == "l" and self.chance.random() < 0.3:
            return self.expression(names, "l", 1)
        if kind == "m" and not self.of_kind(names, "m"):
            return "[[1], [2, 3]]"
        if kind == "b" and not self.of_kind(names, "b"):
            return f"{self.prefix}Box(1)"
        if kind == "d" and not self.of_kind(names, "d"):
            return "{'k': 1}"
        return self.of_kind(names, kind) or ("[1, 2]" if kind == "l" else None)

    def call(self, names: Names, kind: str, depth: int) -> str:
        fitting = [f for f in self.functions if f[2] == kind]
        if not fitting:
            return self.expression(names, kind, 0)
        name, kinds, _ = self.chance.choice(fitting)
        given = [self.argument(names, each) for each in kinds]
        if any(argument is None for argument in given):
            return self.expression(names, kind, 0)
        return f"{name}({', '.join(map(str, given))})"

    def expression(self, names: Names, kind: str, depth: int) -> str:
        return self.number(names, depth) if kind == "n" else self.listing(names, depth)

    def number(self, names: Names, depth: int) -> str:
        chance, p = self.chance, self.prefix
        name = self.of_kind(names, "n")
        if depth <= 0 or self.nested > _DEEPEST:
            return name if name is not None and chance.random() < 0.7 else str(chance.randint(0, 9))
        listed, box, held = self.of_kind(names, "l"), self.of_kind(names, "b"), self.of_kind(names, "d")
        function = self.of_kind(names, "c")
        options = [
            lambda: (
                f"({self.number(names, depth - 1)} {self.pick('+', '-', '* 3 % 101 +')} {self.number(names, depth - 1)})"
            ),
            lambda: (
                f"({self.number(names, depth - 1)} if {self.condition(names)} else {self.number(names, depth - 1)})"
            ),
            lambda: f"{p}LIMIT",
            lambda: f"len({p}SEEN)",
            lambda: (
                f"({self.number(names, 0)} // ({self.number(names, 0)} % 4 + {self.pick('1', '1', '0')}))"
            ),
            lambda: self.call(names, "n", depth - 1),
            lambda: self.call(names, "n", depth - 1),
        ]
        if listed:
            options.append(lambda: self.pick(f"len({listed})", f"sum({listed})", f"({listed}[-1] if {listed} else 0)", f"max({listed}, default=0)", f"{listed}[0]", f"sum(q * 2 for q in {listed}[:5])"))  # fmt: skip
        if box:
            options.append(lambda: self.pick(f"{box}.size", f"{box}.total()", f"len({box})", f"{box}.half", f"len({box}.items)", f"min({box}, {self.of_kind(names, 'b')}).size", f"{box}.made"))  # fmt: skip
        if held:
            options.append(lambda: self.pick(f"{held}['k']", f"{held}.get('z', {self.number(names, 0)})", f"len({held})"))  # fmt: skip
        if function:
            options.append(lambda: self.pick(f"{function}({self.number(names, 0)})", f"{p}apply({function}, {self.number(names, 0)})"))  # fmt: skip
        if self.generators and self.inside != "closure":
            options.append(lambda: self.pick(f"sum({self.generated(names)})", f"next({self.generated(names)}, 0)", f"len(list({self.generated(names)}))" if not self.generators else f"len([*{self.generated(names)}])"))  # fmt: skip
        return chance.choice(options)()

    def listing(self, names: Names, depth: int) -> str:
        listed, nested, box = self.of_kind(names, "l"), self.of_kind(names, "m"), self.of_kind(names, "b")
        options = [lambda: f"[{self.number(names, 0)}, {self.number(names, depth - 1)}]"]
        if listed:
            options += [
                lambda: self.pick(f"{listed}", f"list({listed})", f"{listed}[:]", f"{listed}[1:]", f"sorted({listed})"),
                lambda: f"[q + {self.number(names, 0)} for q in {listed}[:6] if q > {self.chance.randint(0, 5)}]",
            ]  # fmt: skip
        if nested:
            options.append(lambda: self.pick(f"{nested}[0]", f"{nested}[-1]", f"list({nested}[0])"))
        if box:
            options.append(lambda: self.pick(f"{box}.items", f"list({box}.items)", f"{box}.items[:3]"))
        if depth > 0:
            options.append(lambda: self.call(names, "l", depth - 1))
            if self.functions:
                options.append(lambda: f"sorted({self.of_kind(names, 'l') or [3, 1]}, key=lambda q: q % {self.chance.randint(2, 4)})")  # fmt: skip
        return self.chance.choice(options)()

    def condition(self, names: Names) -> str:
        text = f"{self.number(names, 1)} {self.pick('<', '>', '==', '<=', '!=')} {self.number(names, 0)}"
        if self.chance.random() < 0.2:
            text += f" {self.pick('and', 'or')} {self.number(names, 0)} > {self.chance.randint(0, 5)}"
        return text


def program(chance: random.Random, prefix: str, scale: int = 3) -> str:
    return Writer(chance, prefix, scale).program()
