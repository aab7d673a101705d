"""Trees and traces for the search's tests, written by hand: no recorder is needed to make one."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import strategies as st

from algodebug.execution_tree import ExecutionTree

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

    def __init__(self, calls: Any, exit_kind: str = "normal") -> None:
        self.environment = {"exit": {"kind": exit_kind}}
        self.sources = [SimpleNamespace(path="/src/app/main.py", text="", sha256="")]
        self.routines: list[Any] = []
        self.parent, self.size, self.routine = array("i"), array("i"), array("i")
        self.outcome_kind = array("b")
        self._calls: list[Any] = []
        self._objects: dict[str, str] = {}
        self._add(calls, -1)

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
