"""Random programs of functions over numbers, lists, dicts and objects: few kinds of statements, so that they meet often.

A program is a module text whose `main` gives a tuple; `varied_programs` has more of the language.
"""

from __future__ import annotations

import random


class Generator:
    """Writes one program; every function ends."""

    def __init__(self, chance: random.Random, prefix: str) -> None:
        self.chance = chance
        self.prefix = prefix
        self.lines: list[str] = []
        self.functions: list[tuple[str, list[str]]] = []  # name, kinds of parameters
        self.depth = 0

    def program(self) -> list[str]:
        chance = self.chance
        self.lines.append(f"{self.prefix}LIMIT = {chance.randint(0, 4)}")
        self.lines += [
            f"class {self.prefix}Box:",
            "    def __init__(self, size):",
            "        self.size = size",
            "        self.items = []",
            "    def add(self, value):",
            *chance.choice(
                [
                    [
                        "        if value > self.size:",
                        "            self.size = value",
                        "        self.items.append(value)",
                    ],
                    [
                        "        self.size += value",
                        "        if value > 2:",
                        "            self.items.append(value)",
                    ],
                    ["        self.items.append(value * 2)", "        return self.size"],
                ]
            ),
        ]
        for number in range(chance.randint(1, 3)):
            self.function(
                f"{self.prefix}f{number}", [chance.choice("nnlb") for _ in range(chance.randint(1, 3))]
            )
        self.main()
        return self.lines

    def function(self, name: str, kinds: list[str]) -> None:
        names = {f"p{index}": kind for index, kind in enumerate(kinds)}
        self.lines.append(f"def {name}({', '.join(names)}):")
        self.body(dict(names), "    ", self.chance.randint(2, 5), 0, True)
        self.lines.append(f"    return {self.number(names, 1)}")
        self.functions.append((name, kinds))

    def main(self) -> None:
        self.lines.append(f"def {self.prefix}main():")
        names = {"a": "n", "xs": "l", "box": "b", "d": "d"}
        self.lines.append(f"    a = {self.chance.randint(0, 5)}")
        self.lines.append(f"    xs = [{', '.join(str(self.chance.randint(0, 5)) for _ in range(3))}]")
        self.lines.append(f"    box = {self.prefix}Box({self.chance.randint(0, 3)})")
        self.lines.append("    d = {'k': 1, 'm': 2}")
        self.body(names, "    ", self.chance.randint(4, 9), 0, False)
        parts = [self.number(names, 1) for _ in range(3)] + [
            self.chance.choice(["xs", "box.items", "d['k']", "box.size", "len(xs)", "a"]) for _ in range(2)
        ]
        self.lines.append(f"    return ({', '.join(parts)})")

    def of_kind(self, names: dict[str, str], kind: str) -> str | None:
        found = [name for name, other in names.items() if other == kind]
        return self.chance.choice(found) if found else None

    def body(self, names: dict[str, str], indent: str, count: int, depth: int, function: bool) -> None:
        for _ in range(count):
            self.statement(names, indent, depth, function)

    def statement(self, names: dict[str, str], indent: str, depth: int, function: bool) -> None:
        chance, lines = self.chance, self.lines
        kind = chance.randrange(17)
        number = self.of_kind(names, "n")
        listed = self.of_kind(names, "l")
        box = self.of_kind(names, "b")
        held = self.of_kind(names, "d")
        if kind <= 2 or (kind <= 4 and number is None):
            name = chance.choice(["u", "v", "w"])
            lines.append(f"{indent}{name} = {self.number(names, 2)}")
            if depth == 0:
                names[name] = "n"
            elif name not in names:
                lines[-1] = f"{indent}pass"
        elif kind == 3:
            lines.append(f"{indent}{number} {chance.choice(['+=', '-='])} {self.number(names, 1)}")
        elif kind in (4, 5) and depth < 2:
            lines.append(f"{indent}if {self.condition(names)}:")
            self.body(names, indent + "    ", chance.randint(1, 2), depth + 1, function)
            if chance.random() < 0.4:
                lines.append(f"{indent}else:")
                self.body(names, indent + "    ", 1, depth + 1, function)
        elif kind == 6 and depth < 2:
            counter = f"i{depth}"
            inner = dict(names)
            inner[counter] = "n"
            source = (
                listed if listed is not None and chance.random() < 0.4 else f"range({chance.randint(1, 3)})"
            )
            if source == listed:
                source = f"list({listed})" if chance.random() < 0.5 else f"{listed}[:3]"
            if chance.random() < 0.2 and listed:
                lines.append(f"{indent}for j{depth}, {counter} in enumerate({listed}[:3]):")
            else:
                lines.append(f"{indent}for {counter} in {source}:")
            self.body(inner, indent + "    ", chance.randint(1, 2), depth + 1, function)
            if chance.random() < 0.3:
                lines.append(f"{indent}    if {self.condition(inner)}:")
                lines.append(f"{indent}        {chance.choice(['break', 'continue'])}")
                lines.append(
                    f"{indent}    {chance.choice(sorted(n for n in names if names[n] == 'n') or ['_'])} = {counter}"
                )
        elif kind == 7 and function and depth > 0:
            lines.append(f"{indent}return {self.number(names, 1)}")
        elif kind in (8, 9) and listed:
            lines.append(
                indent
                + chance.choice(
                    [
                        f"{listed}.append({self.number(names, 1)})",
                        f"{listed}[{chance.choice(['0', '-1'])}] = {self.number(names, 1)}",
                        f"{listed}.insert(0, {self.number(names, 1)})",
                        f"{listed}.sort()",
                        f"{listed}[{self.number(names, 0)} % len({listed})] = {self.number(names, 1)}",
                    ]
                )
            )
        elif kind in (10, 11) and box:
            lines.append(
                indent
                + chance.choice(
                    [
                        f"{box}.add({self.number(names, 1)})",
                        f"{box}.size = {self.number(names, 1)}",
                        f"{box}.size += {self.number(names, 1)}",
                    ]
                )
            )
        elif kind == 12 and held:
            lines.append(
                indent
                + chance.choice(
                    [
                        f"{held}['k'] = {self.number(names, 1)}",
                        f"{held}['k'] += {self.number(names, 0)}",
                        f"{held}['z'] = {self.number(names, 1)}",
                    ]
                )
            )
        elif kind == 13 and depth == 0 and listed:
            name = chance.choice(["ys", "zs"])
            lines.append(
                indent
                + name
                + " = "
                + chance.choice(
                    [
                        f"[q + {self.number(names, 0)} for q in {listed} if q > {chance.randint(0, 3)}] + [0]",
                        f"{listed}[1:] + [{self.number(names, 1)}]",
                        f"sorted({listed})",
                        f"[{self.number(names, 1)}, {self.number(names, 1)}]",
                    ]
                )
            )
            names[name] = "l"
        elif kind == 14 and depth < 2 and number:
            lines += [
                f"{indent}try:",
                f"{indent}    {number} = [1, 2, 3][{self.number(names, 1)}]",
                f"{indent}except IndexError:",
                f"{indent}    {number} = {self.number(names, 0)}",
            ]
        elif kind == 15 and depth == 0:
            lines.append(f"{indent}u, v = {self.number(names, 1)}, {self.number(names, 1)}")
            names["u"] = names["v"] = "n"
        elif kind == 16 and depth < 2:
            if depth == 0:
                lines.append(f"{indent}n{len(lines)} = 0")
                name = f"n{len(lines) - 1}"
                lines += [
                    f"{indent}while {name} < {chance.randint(1, 3)} and {self.condition(names)}:",
                    f"{indent}    {name} += 1",
                ]
                self.body(names, indent + "    ", 1, depth + 1, function)
            else:
                lines.append(f"{indent}pass")
        else:
            lines.append(f"{indent}pass")

    def number(self, names: dict[str, str], depth: int) -> str:
        chance = self.chance
        kind = chance.randrange(12)
        name = self.of_kind(names, "n")
        if depth <= 0 or kind <= 2:
            return name if name is not None and chance.random() < 0.6 else str(chance.randint(0, 5))
        if kind <= 4:
            operator = chance.choice(["+", "-", "* 3 % 7 +"])
            return f"({self.number(names, depth - 1)} {operator} {self.number(names, depth - 1)})"
        listed, box, held = self.of_kind(names, "l"), self.of_kind(names, "b"), self.of_kind(names, "d")
        if kind == 5 and listed:
            return chance.choice(
                [f"{listed}[0]", f"{listed}[-1]", f"len({listed})", f"sum({listed})", f"max({listed})"]
            )
        if kind == 6 and box:
            return chance.choice([f"{box}.size", f"len({box}.items)", f"sum({box}.items)"])
        if kind == 7 and held:
            return chance.choice(
                [f"{held}['k']", f"{held}.get('z', {self.number(names, 0)})", f"len({held})"]
            )
        if kind == 8:
            return f"({self.number(names, depth - 1)} if {self.condition(names)} else {self.number(names, depth - 1)})"
        if kind in (9, 10) and self.functions:
            function, kinds = chance.choice(self.functions)
            arguments = [self.argument(names, wanted) for wanted in kinds]
            if all(argument is not None for argument in arguments):
                return f"{function}({', '.join(str(argument) for argument in arguments)})"
        if kind == 11:
            return f"{self.prefix}LIMIT"
        return name or "1"

    def argument(self, names: dict[str, str], kind: str) -> str | None:
        return self.number(names, 1) if kind == "n" else self.of_kind(names, kind)

    def condition(self, names: dict[str, str]) -> str:
        chance = self.chance
        text = (
            f"{self.number(names, 1)} {chance.choice(['<', '>', '==', '<=', '!='])} {self.number(names, 1)}"
        )
        if chance.random() < 0.25:
            text += f" {chance.choice(['and', 'or'])} {self.number(names, 0)} > {chance.randint(0, 3)}"
        return text


def program(seed: int) -> str:
    """A program whose names carry its number, so that several fit into one module."""
    return "\n".join(Generator(random.Random(seed), f"s{seed}_").program()) + "\n"
