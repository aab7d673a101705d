"""Values open page by page, without what the question leaves out, and with it on demand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_complete_questions import calls

from algodebug.execution_tree import ExecutionTree
from algodebug.value_pages import left_out_of, value_page
from algotrace.values import Value

PROGRAM = """
class Shop:
    def __init__(self):
        self.name = "corner"; self.prices = {f"item {n}": n for n in range(9)}
        self.stock = [[n] * 5 for n in range(20)]
    def price(self, name): return self.prices[name]
    def row(self, at): return self.stock[at]
def some(xs): return [xs[n] for n in (0, 3, 4, 90)]
shop = Shop()
shop.price("item 4"); shop.row(2); some(list(range(100)))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> ExecutionTree:
    return calls(tmp_path_factory.mktemp("pages"), PROGRAM, "some")[0]


def argument(tree: ExecutionTree, function: str, *path: str) -> tuple[int, Value]:
    """The node of a call, and a part of its first argument."""
    node = next(node for node in range(len(tree)) if tree.place(node).function == function)
    call = tree.call(node)
    assert call is not None
    value = call.arguments[0].value
    for step in path:
        value = next(part.value for part in value.parts() if part.path == step)
    return node, value


def page(
    tree: ExecutionTree, node: int, value: Value, start: int = 0, count: int = 50, shown: bool = True
) -> tuple[list[str], list[tuple[int, ...]], int | None]:
    """The labels of the parts, the gaps between them, where the next page starts."""
    assert tree.trace is not None
    without = left_out_of(tree, node, value) if shown else None
    found = value_page(tree.trace, value, start, count, without)
    gaps = [(gap["before"], gap["start"], gap["count"]) for gap in found["leftOut"]]
    return [part["label"] for part in found["parts"]], gaps, found["next"]


def test_gaps_stand_between_the_parts_of_a_page(tree: ExecutionTree) -> None:
    node, xs = argument(tree, "some")
    # Two numbers side by side are not worth a gap.
    assert page(tree, node, xs) == (["0", "1", "2", "3", "4", "90"], [(5, 5, 85), (6, 91, 9)], None)
    assert page(tree, node, xs, count=5) == (["0", "1", "2", "3", "4"], [(5, 5, 85)], 90)
    assert page(tree, node, xs, start=90) == (["90"], [(1, 91, 9)], None)
    assert page(tree, node, xs, start=50) == (["90"], [(0, 50, 40), (1, 91, 9)], None)


def test_all_of_it_is_paged_without_gaps(tree: ExecutionTree) -> None:
    node, xs = argument(tree, "some")
    assert page(tree, node, xs, start=95, count=3, shown=False) == (["95", "96", "97"], [], 98)
    assert page(tree, node, xs, start=98, shown=False) == (["98", "99"], [], None)


def test_attributes_and_keys_are_left_out_too(tree: ExecutionTree) -> None:
    node, shop = argument(tree, "Shop.price")
    assert page(tree, node, shop) == ([".prices"], [(0, 0, 1), (1, 2, 1)], None)
    node, prices = argument(tree, "Shop.price", ".prices")
    assert page(tree, node, prices) == (["'item 4'"], [(0, 0, 4), (1, 5, 4)], None)


def test_what_is_inside_is_shown_without_what_is_left_out_of_it(tree: ExecutionTree) -> None:
    node, stock = argument(tree, "Shop.row", ".stock")
    assert tree.trace is not None
    found = value_page(tree.trace, stock, 0, 50, left_out_of(tree, node, stock))
    assert [(part["label"], part["value"].get("shown")) for part in found["parts"]] == [("2", "[…×5]")]
    assert [(gap["start"], gap["count"]) for gap in found["leftOut"]] == [(0, 2), (3, 17)]
    # It comes out, too: not looked at, but told by what it holds.
    result = tree.question(node)["outcome"]["value"]
    assert (result["text"], result.get("shown")) == ("[2, 2, 2, 2, 2]", None)


def test_a_page_of_a_large_value_costs_no_more_than_a_page(tmp_path: Path) -> None:
    program = "def size(d): return len(d)\nsize({(n, str(n)): [n] for n in range(3000)})\n"
    large, _ = calls(tmp_path, program, "size")
    value = argument(large, "size")[1]
    texts: list[int] = []
    text = Value.text

    def counted(self: Value, *given: Any) -> Any:
        texts.append(self.identity)
        return text(self, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Value, "text", counted)
        assert large.trace is not None
        found = value_page(large.trace, value, 2900, 10)
    assert [part["path"] for part in found["parts"]][:1] == ["[(2900, '2900')]"]
    assert len(texts) < 100
