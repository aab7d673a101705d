"""Random programs that change containers by code which looks at them, and changes them, while they are being changed.

Each call of `look` prints the state of a container; what raises is caught, and after some calls of `go` nothing more is done.
"""

from __future__ import annotations

import random

HEAD = """
import bisect, collections, functools, heapq, itertools, operator
def look(x):
    print(shown(x))
def shown(x):
    if isinstance(x, dict): return repr([f"{key!r}: {value!r}" for key, value in x.items()])
    return repr(sorted(map(repr, x)) if isinstance(x, set) else [repr(each) for each in x])
class Left:
    calls = 80
def go():
    Left.calls -= 1
    return Left.calls > 0
class Box:
    def __init__(self): self.items, self.table = [1, 2], {1: 2}
class Value:
    def __init__(self, v): self.v = v
"""
EXPECTED = "(ValueError, RuntimeError, IndexError, KeyError, TypeError, AttributeError)"
OF_LISTS = [
    "{c}.extend({some})", "{c} += {some}", "{c}[:] = {some}", "{c}[1:] = {some}", "{c}.sort(key={key})", "{c}.sort()",
    "{c}.append({value})", "{c}.insert(0, {value})", "{c}.pop()", "{c}.remove({value})", "{c}[0] = {value}", "del {c}[:1]",
    "heapq.heappush({c}, {value})", "heapq.heapify({c})", "heapq.heappop({c})", "bisect.insort({c}, {value})",
    "bisect.insort({c}, {value}, key={key})", "put = {c}.extend; put({some})", "operator.iadd({c}, {some})", "list.extend({c}, {some})",
    "{c}.__init__({some})", "({c}.extend({some}) or look({c}))", "[look({c}) for x in (1, 2) if not {c}.append(x)]", "{c}.clear()",
    "functools.reduce(lambda x, y: {c}.append(y) or look({c}) or y, {some}, 0)", "{c} *= 2; del {c}[6:]", "{c}.__iadd__({some})",
    "{c}[:2], x = {some}, 1", "list(map({c}.append, {some}))", "operator.methodcaller('extend', {some})({c})", "{c}.reverse()",
]  # fmt: skip
OF_DICTS = [
    "{c}.update({pairs})", "{c} |= dict({pairs})", "{c}[{value}] = {value}", "{c}.setdefault({value}, {value})", "{c}.pop({value}, None)",
    "{c}.update({pairs}, z={value})", "{c}.popitem()", "{c}.clear()", "{c}.__init__({pairs})", "del {c}[{value}]", "{c} |= {pairs}",
]  # fmt: skip
OF_SETS = [
    "{c}.update({some})", "{c}.add({value})", "{c}.discard({value})", "{c} |= set({some})", "{c}.difference_update({some})", "{c} -= {{{value}}}",
    "{c}.symmetric_difference_update({some})", "{c}.intersection_update({some})",
]  # fmt: skip
OF_DEQUES = [
    "{c}.extend({some})", "{c}.extendleft({some})", "{c}.append({value})", "{c}.rotate(1)", "{c}.remove({value})", "{c} += {some}",
    "{c}.popleft()", "{c}.insert(0, {value})",
]  # fmt: skip
NAMES = "global a, b, d, e, s, q"


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        many = seed % 2
        self._containers = [
            (["a", "b", "box.items", "more.items"] if many else ["a", "box.items"], OF_LISTS),
            (["d", "e", "box.table"] if many else ["d"], OF_DICTS),
            (["s"], OF_SETS),
            (["q"], OF_DEQUES),
        ]
        self._generators: list[str] = []
        self._keys = ["str"]
        self._classes: list[str] = []

    def program(self) -> str:
        definitions = [self._definition(number) for number in range(self._random.randrange(3, 6))]
        most = self._random.choice(["None", "4"])
        made = f"a, b, d, e, s, q = [3, 1, 2], [5], {{1: 2}}, {{}}, {{1, 2}}, collections.deque([1, 2], {most})\nbox, more = Box(), Box()"
        place = self._random.choice(["module", "function", "sees its locals"])
        parts = [self._guarded() for _ in range(self._random.randrange(4, 8))]
        if place == "module":
            body = "\n".join(parts)
        else:
            lines = [NAMES, *(["locals()"] if place == "sees its locals" else []), *parts]
            body = f"def main():\n{indented(lines)}\nmain()"
        return "\n".join([HEAD, made, *definitions, body, ""])

    def _definition(self, number: int) -> str:
        kind = self._random.choice(["generator", "key", "class"])
        if kind == "generator":
            body = indented([*self._some_guarded(), "yield i"])
            self._generators.append(f"g{number}")
            return f"def g{number}(n):\n{indented([NAMES, f'for i in range(n):{chr(10)}{body}'])}"
        if kind == "key":
            lines = [NAMES, *self._some_guarded(), "return x if type(x) is int else 0"]
            self._keys.append(f"k{number}")
            return f"def k{number}(x):\n{indented(lines)}"
        functions, methods = [], []
        for name, given in (
            ("__lt__", "self.v < getattr(o, 'v', o)"),
            ("__eq__", "self.v == getattr(o, 'v', o)"),
        ):
            how = self._random.choice(["method", "function", "none"])
            body = indented([NAMES, self._guarded(), f"return {given}"])
            if how == "method":
                methods.append(f"def {name}(self, o):\n{body}")
            elif how == "function":
                functions.append(f"def f{number}{name}(self, o):\n{body}")
                methods.append(f"{name} = f{number}{name}")
        hashing = [NAMES, *([self._guarded()] if self._random.random() < 0.4 else []), "return self.v"]
        methods.append(f"def __hash__(self):\n{indented(hashing)}")
        self._classes.append(f"C{number}")
        shown = f"def __repr__(self): return f'C{number}(v={{self.v}})'"
        return "\n".join([*functions, f"class C{number}(Value):\n{indented([*methods, shown])}"])

    def _some_guarded(self) -> list[str]:
        return [self._guarded() for _ in range(self._random.randrange(1, 3))]

    def _guarded(self) -> str:
        statements = [self._statement() for _ in range(self._random.randrange(1, 5))]
        tried = f"try:\n{indented(statements)}\nexcept {EXPECTED}: pass"
        return f"if go():\n{indented([tried])}"

    def _statement(self) -> str:
        look = f"look({self._any()})"
        if self._random.random() < 0.4:
            return look
        write = self._write()
        is_expression = not any(sign in write for sign in (" = ", "= ", ";", "del "))
        if is_expression and self._random.random() < 0.2:
            return f"if {write}: {look}"
        return f"{write}\n{look}" if self._random.random() < 0.6 else write

    def _any(self) -> str:
        names, _ = self._random.choice(self._containers)
        return self._random.choice(names)

    def _write(self) -> str:
        names, ways = self._random.choices(self._containers, [3, 1, 1, 1])[0]
        way = self._random.choice(ways)
        if way.count("{value}") > 1:
            way = way.replace("{value}", self._value(), 1)
        return way.format(
            c=self._random.choice(names), some=self._iterable(), pairs=self._pairs(), value=self._value(), key=self._random.choice(self._keys)
        )  # fmt: skip

    def _value(self) -> str:
        number = self._random.randrange(9)
        callable_ = self._random.choice([*self._keys[1:], *self._classes, ""])
        return f"{callable_}({number})" if callable_ and self._random.random() < 0.5 else str(number)

    def _iterable(self) -> str:
        key, number = self._random.choice(self._keys), self._random.randrange(4)
        values = ", ".join(self._value() for _ in range(self._random.randrange(3)))
        a_list = self._random.choice(self._containers[0][0])
        ways = [
            f"[{values}]", f"({key}(x) for x in range({number}))", f"map({key}, {a_list}[:4])", f"[{key}(x) for x in range({number})]",
            f"filter({key}, {a_list}[:4])",
        ]  # fmt: skip
        for name in self._generators:
            ways += [f"{name}({number})", f"itertools.islice({name}(5), {number})"]
        return self._random.choice(ways)

    def _pairs(self) -> str:
        if self._generators and self._random.random() < 0.7:
            name = self._random.choice(self._generators)
            return f"((x, {self._value()}) for x in {name}({self._random.randrange(4)}))"
        return f"{{{self._value()}: {self._value()}}}"


def indented(parts: list[str]) -> str:
    return "\n".join("    " + line for part in parts for line in part.split("\n"))
