"""Published packages, programs that use them, and one-operator mutants of them.

A mutant is named by the function, the operator and which of its occurrences it is, never by line, and its operator is
found through the syntax tree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

PACKAGES = {"tomli": "2.0.1", "sortedcontainers": "2.4.0", "pyparsing": "3.1.2"}

_OPERATORS: dict[str, type[ast.AST]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "<<": ast.LShift,
    "==": ast.Eq, "!=": ast.NotEq, "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE,
}  # fmt: skip

USAGE = {
    "tomli": r"""
import tomli

DOCUMENT = '''
title = "caf\\u00e9"
[owner]
born = 1979-05-27T07:32:00.5-08:00
name = 'Tom'
[[servers]]
ports = [8001, 0x1F43, 8_003]  # three of them
ratio = 6.5e-1
[[servers]]
limits = {cpu = 79.5, "memory size" = 72.0}
'''


def main():
    lines = []
    for table, content in tomli.loads(DOCUMENT).items():
        lines.append((table, content))
    for wrong in ("a = 1\nb = [1, 2", "a = 1\nbc = ?", "a.b = 1\na = 2"):
        try:
            tomli.loads(wrong)
        except tomli.TOMLDecodeError as error:
            lines.append(error)
    return lines


print(*main(), sep="\n")
""",
    "sortedcontainers": r"""
from sortedcontainers import SortedDict, SortedKeyList, SortedList, SortedSet


def main():
    lines = []
    numbers = SortedList()
    numbers._reset(4)
    for i in range(24):
        numbers.add(i * 7 % 24)
    numbers.update([3, 3])
    lines.append((list(numbers), numbers.count(3), numbers.count(9), len(numbers)))
    lines.append((numbers[5], numbers[-7], numbers[18], numbers.index(15), numbers.bisect_left(8)))
    numbers.discard(11)
    lines.append((numbers.pop(), numbers.pop(2), list(numbers.irange(5, 9)), list(numbers.islice(3, 8))))
    words = SortedKeyList(["pear", "fig", "banana", "kiwi"], key=len)
    words.add("plum")
    lines.append((list(words), words.count("kiwi"), words.bisect_key(4)))
    ages = SortedDict({"eve": 3, "bob": 1})
    ages["dan"] = 2
    lines.append((ages.popitem(0), list(ages.items()), ages.peekitem(), ages.setdefault("al", 5), list(ages)))
    lines.append((SortedSet("hello") | SortedSet("world"), SortedSet([1, 2, 3]) - {2}))
    return lines


print(*main(), sep="\n")
""",
    "pyparsing": r"""
import pyparsing as pp


def grammar():
    number = pp.Word(pp.nums).set_parse_action(lambda tokens: int(tokens[0]))
    name = pp.Word(pp.alphas)
    pair = pp.Group(name("key") + pp.Suppress("=") + (number | name)("value"))
    listed = pp.Suppress("[") + pp.ZeroOrMore(pair) + pp.Literal("end]")
    return listed("pairs") + pp.Opt(pp.Literal("stop!"))


def main():
    lines = []
    parser = grammar()
    result = parser.parse_string("[a = 1 b = two\n c = 33 end] stop!", parse_all=True)
    lines.append((result.as_list(), [(pair.key, pair["value"]) for pair in result[:-2]]))
    try:
        parser.parse_string("[a = 1\n  b ? 2 end]")
    except pp.ParseException as error:
        lines.append((error.lineno, error.column, error.msg))
    return lines


print(*main(), sep="\n")
""",
}


@dataclass(frozen=True)
class Mutant:
    """One operator of one function, replaced."""

    package: str
    file: str
    function: str  # qualified name
    old: str
    new: str
    which: int = 0  # of the function's operators of this kind, in order of the source

    def __str__(self) -> str:
        return f"{self.package}:{self.function}:{self.old}->{self.new}"


MUTANTS = [
    Mutant("tomli", "_re.py", "cached_tz", "==", "!="),
    Mutant("tomli", "_parser.py", "suffixed_err.<locals>.coord_repr", "-", "+"),
    Mutant("tomli", "_parser.py", "parse_hex_char", "!=", "=="),  # raises
    Mutant("sortedcontainers", "sortedlist.py", "SortedList._expand", "+", "-"),
    Mutant("sortedcontainers", "sortedlist.py", "SortedList.count", "-", "+", 2),
    Mutant("sortedcontainers", "sortedlist.py", "SortedList._pos", "<<", "+"),  # raises
    Mutant("pyparsing", "util.py", "col", "-", "+", 1),
    Mutant("pyparsing", "core.py", "_SingleCharLiteral.parseImpl", "==", "!="),  # raises
    Mutant("pyparsing", "core.py", "Literal.parseImpl", "+", "-"),
]


def mutate(text: str, mutant: Mutant) -> tuple[str, int]:
    """The changed source and the line of the change."""
    function = _functions(ast.parse(text))[mutant.function]
    places = sorted(_places(function, _OPERATORS[mutant.old]))
    line, left, right = places[mutant.which]
    lines = text.splitlines(keepends=True)
    between = lines[line - 1][left:right]
    assert mutant.old in between
    lines[line - 1] = (
        lines[line - 1][:left] + between.replace(mutant.old, mutant.new, 1) + lines[line - 1][right:]
    )
    changed = "".join(lines)
    assert changed != text and len(ast.parse(changed).body) == len(ast.parse(text).body)
    return changed, line


def _functions(tree: ast.AST, prefix: str = "") -> dict[str, ast.AST]:
    found: dict[str, ast.AST] = {}
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found[prefix + node.name] = node
            found |= _functions(node, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            found |= _functions(node, f"{prefix}{node.name}.")
        else:
            found |= _functions(node, prefix)
    return found


def _places(function: ast.AST, operator: type[ast.AST]) -> Iterator[tuple[int, int, int]]:
    """(line, end of the left operand, start of the right one) of operators written on one line."""
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp):
            pairs = [(node.left, node.op, node.right)]
        elif isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            pairs = list(zip(operands, node.ops, operands[1:], strict=False))
        else:
            continue
        for left, op, right in pairs:
            if isinstance(op, operator) and left.end_lineno == right.lineno:
                assert left.end_col_offset is not None
                yield right.lineno, left.end_col_offset, right.col_offset
