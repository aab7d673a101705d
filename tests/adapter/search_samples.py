"""Trees and traces for the search's tests, written by hand: no recorder is needed to make one."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from hypothesis import strategies as st

from algodebug.execution_tree import ExecutionTree
from algodebug.search import Mark, Question, Run, SuspiciousArea
from algodebug.search.transformations import under_assumed_root

# The execution tree of examples/sqrtest.py from the call of main, siblings in evaluation order.
_LISTSUM_1_2 = ("listsum([1, 2])", [("listsum([2])", ["listsum([])"])])
SQRTEST = (
    "main()",
    [
        (
            "sqrtest([1, 2])",
            [
                _LISTSUM_1_2,
                (
                    "computs(3)",
                    [
                        ("comput1(3)", ["square(3)"]),
                        (
                            "comput2(3)",
                            [
                                (
                                    "list_(3, 3)",
                                    [("list_(3, 2)", [("list_(3, 1)", ["list_(3, 0)"])])],
                                ),
                                (
                                    "listsum([3, 3, 3])",
                                    [("listsum([3, 3])", [("listsum([3])", ["listsum([])"])])],
                                ),
                            ],
                        ),
                        (
                            "comput3(3)",
                            [
                                ("partialsums(3)", [("sum1(3)", ["incr(3)"]), ("sum2(3)", ["decr(3)"])]),
                                ("listsum([6, 2])", [("listsum([2])", ["listsum([])"])]),
                            ],
                        ),
                    ],
                ),
                "test((9, 9, 8))",
            ],
        )
    ],
)
SQRTEST_WRONG = {"sqrtest([1, 2])", "computs(3)", "comput3(3)", "partialsums(3)", "sum2(3)"}


# The same tree as the papers print it: siblings in the order of the calls in the text, outermost first, numbered from 1.
SQRTEST_LEXICAL = {
    1: ("main", [2]),
    2: ("sqrtest [1,2]", [3, 4, 25]),
    3: ("test (9,9,8)", []),
    4: ("computs 3", [5, 7, 16]),
    5: ("comput1 3", [6]),
    6: ("square 3", []),
    7: ("comput2 3", [8, 12]),
    8: ("listsum [3,3,3]", [9]),
    9: ("listsum [3,3]", [10]),
    10: ("listsum [3]", [11]),
    11: ("listsum []", []),
    12: ("list 3 3", [13]),
    13: ("list 3 2", [14]),
    14: ("list 3 1", [15]),
    15: ("list 3 0", []),
    16: ("comput3 3", [17, 20]),
    17: ("listsum [6,2]", [18]),
    18: ("listsum [2]", [19]),
    19: ("listsum []", []),
    20: ("partialsums 3", [21, 23]),
    21: ("sum1 3", [22]),
    22: ("incr 3", []),
    23: ("sum2 3", [24]),
    24: ("decr 3", []),
    25: ("listsum [1,2]", [26]),
    26: ("listsum [2]", [27]),
    27: ("listsum []", []),
}
SQRTEST_LEXICAL_WRONG = {1, 2, 4, 16, 20, 23}


def paper_tree(nodes: Mapping[int, tuple[str, Sequence[int]]], rule: Callable[[str], str]) -> ExecutionTree:
    """A tree given by numbers, from 1 on in preorder, under a node 0 that stands for nothing.

    So the root is a question like any other, which is the papers' way to count. The routine of a node is its rule.
    """

    def nested(number: int) -> tuple[str, list[object]]:
        text, children = nodes[number]
        return rule(text), [nested(child) for child in children]

    return under_assumed_root(ExecutionTree.from_nested(nested(1))).tree


def by_rule(text: str) -> str:
    """The function's equation that was used: one for the empty list or zero, another one otherwise."""
    name, _, arguments = text.partition(" ")
    recursive = name in ("listsum", "list")
    return f"{name} {'base' if arguments in ('[]', '3 0') else 'step'}" if recursive else name


def search(
    tree: ExecutionTree,
    is_wrong: Callable[[Question], bool],
    choose: Callable[[SuspiciousArea, int | None], Question | None],
    *,
    marks: Mapping[int, Mark] | None = None,
    area: SuspiciousArea | None = None,
) -> tuple[list[Question], SuspiciousArea]:
    """Asks until nothing is left; `marks` are made when their node is asked. The questions and the area at the end."""
    area = area or SuspiciousArea(tree, 0)
    asked: list[Question] = []
    last = None
    while (question := choose(area, last)) is not None:
        asked.append(question)
        assert len(asked) <= 2 * len(tree) + 10, "the search does not end"
        last = question.first if isinstance(question, Run) else question
        (area.narrow if is_wrong(question) else area.remove)(question)
        if marks and question in marks:
            area.mark(marks[question])
    return asked, area


def wrong_around(tree: ExecutionTree, buggy: int) -> Callable[[Question], bool]:
    """The verdicts when one node has the bug: what contains it is wrong, all else is right."""

    def is_wrong(question: Question) -> bool:
        if isinstance(question, Run):
            return question.first <= buggy < tree.end(question.last)
        return tree.inside(buggy, question)

    return is_wrong


def node_named(tree: ExecutionTree, name: str) -> int:
    """The first node of a hand-written tree with a name."""
    return next(n for n in range(len(tree)) if tree.place(n).function == name)


@st.composite
def trees(draw: st.DrawFn, largest: int = 40) -> ExecutionTree:
    """A random tree; `deep` leans to chains, otherwise to flat fan-outs."""
    nodes = draw(st.integers(1, largest))
    back = draw(st.integers(1, 6))
    parents = [-1] + [draw(st.integers(max(0, n - 1 - back), n - 1)) for n in range(1, nodes)]
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(parents):
        children.setdefault(parent, []).append(node)

    def nested(node: int) -> tuple[str, list[object]]:
        return (f"f{node % 5}", [nested(c) for c in children.get(node, [])])

    return ExecutionTree.from_nested(nested(0))


class FakeValue:
    """A value known by its text."""

    certain = True
    length = None

    def __init__(self, text: str, ref: str) -> None:
        self._text, self.ref = text, ref
        self.kind = self.type_name = "int"
        self.identity = int(ref.partition("@")[0])

    def text(self, limit: int = 200) -> Any:
        return SimpleNamespace(text=self._text, literal=True)

    def key(self) -> bytes:
        return self._text.encode()


class FakeTrace:
    """A trace of calls written as (function, arguments, result, children); `argument: before → after` in changes."""

    path = Path("fake.algotrace")
    # Its calls are too long to be looked into.
    start: ClassVar[dict[int, int]] = defaultdict(int)
    end: ClassVar[dict[int, int]] = defaultdict(lambda: 1 << 40)

    def __init__(self, calls: Any, exit_kind: str = "normal") -> None:
        self.environment = {"exit": {"kind": exit_kind}}
        self.sources = [SimpleNamespace(path="/src/app/main.py", text="", sha256="")]
        self.routines: list[Any] = []
        self.parent, self.size, self.routine = array("i"), array("i"), array("i")
        self.outcome_kind = array("b")
        self._calls: list[Any] = []
        self._objects: dict[str, str] = {}
        self._add(calls, -1)

    def unread(self, node: int) -> None:
        return None

    def reads(self, node: int) -> list[Any]:
        return []

    sharing = reads

    def _add(self, call: Any, parent: int) -> None:
        name, arguments, result, children, *changes = call
        node = len(self.size)
        names = [routine.qualname for routine in self.routines]
        if name not in names:
            self.routines.append(
                SimpleNamespace(
                    id=len(names),
                    source=0,
                    name=name,
                    qualname=name,
                    kind="function",
                    line=len(names) + 1,
                    end_line=len(names) + 2,
                )
            )
            names.append(name)
        routine = self.routines[names.index(name)]
        raised = result.startswith("!")
        self.parent.append(parent)
        self.size.append(1)
        self.routine.append(routine.id)
        self.outcome_kind.append(1 if raised else 0)
        self._calls.append(
            SimpleNamespace(
                node=node,
                routine=routine,
                arguments=[SimpleNamespace(name=n, value=self._value(v, node)) for n, v in arguments.items()],
                outcome=SimpleNamespace(
                    kind="raise" if raised else "return", value=self._value(result.lstrip("!"), node)
                ),
                printed=None,
                module="",
                changes=[
                    SimpleNamespace(
                        target=t, before=self._value(b, node) if b else None, after=self._value(a, node)
                    )
                    for t, b, a in changes
                ],
            )
        )
        for child in children:
            self._add(child, node)
        self.size[node] = len(self.size) - node

    def _value(self, text: str, node: int) -> FakeValue:
        number = self._objects.setdefault(text, str(len(self._objects)))
        return FakeValue(text, f"{number}@{node}")

    def call(self, node: int) -> Any:
        return self._calls[node]

    def executed(self, node: int) -> Iterator[Any]:
        return iter(())
