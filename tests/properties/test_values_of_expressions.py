"""No expression node is given a value that the expression did not have; most expressions are nodes.

What the values were an instrumentation of its own says, see `test_values_recovered`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from test_values_recovered import PROGRAMS, Place, _shown, recorded, values_seen

from algodebug.code_nodes import CodeNode, code_below
from algodebug.execution_tree import ExecutionTree
from algotrace.values import Value


def shown(value: Value) -> str:
    try:
        return _shown(value.scalar())
    except TypeError:
        return value.kind if value.kind == value.type_name else "?"


def place(node: CodeNode) -> Place:
    line, column, end_line, end_column = node.region
    lines = node.code.syntax.lines
    return (
        line,
        len(lines[line - 1][:column].encode()),
        end_line,
        len(lines[end_line - 1][:end_column].encode()),
    )


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_no_value_of_an_expression_is_told_wrongly(path: Path, tmp_path: Path) -> None:
    seen = values_seen(path)
    tree = ExecutionTree.from_trace(recorded(path, tmp_path))
    told: defaultdict[Place, Counter[str]] = defaultdict(Counter)
    for call in range(1, len(tree)):
        code = tree.code_of(call)
        for node, _ in code_below(code.top, ["expression"]) if code is not None else ():
            assert node.outcome[1] is not None
            told[place(node)][shown(node.outcome[1])] += 1
    checked = 0
    for at, values in told.items():
        if at not in seen:
            continue  # a part of what the instrumentation left whole
        left = Counter(seen[at])
        for text, count in values.items():
            for _ in range(count):
                fitting = next((t for t in (text, "?", *(left if text == "?" else ())) if left[t] > 0), None)
                assert fitting is not None, (at, text, seen[at])
                left[fitting] -= 1
                checked += 1
    assert checked > 0 or not any(seen.values())
