"""The search inside one call that is wrong although the calls it made are right: which code to ask about next.

Divide and query on a tree that is opened where the search goes. A range of iterations is nothing but its parts, so
it is never to blame itself; between statements something may be missing, which is a little suspicious. When no smaller
code is left than one statement, the search can go on among the expressions in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from algodebug.code_nodes import CodeNode, ancestors, inside

_NOTHING = 1e-6
_MANY = 1000  # statements
_EARLY = 64  # which part of them counts as early


class CodeSearch:
    """What can still be wrong in the code of a call after the answers so far."""

    def __init__(
        self,
        top: CodeNode,
        right: Iterable[CodeNode] = (),
        unknown: Iterable[CodeNode] = (),
        weigh: Callable[[CodeNode], float] | None = None,
        expressions: bool = False,
    ) -> None:
        """`weigh` gives the weight of a node before the answers; a node that executes something counts by itself.

        `expressions`: the search does not end at a statement.
        """
        self._weigh = weigh
        self._right: set[CodeNode] = set()
        self._gone: dict[CodeNode, float] = {}
        self.unknown = set(unknown)
        self.top = top
        self.in_expressions = False
        # Outer ones first: what lies inside them is gone already.
        for node in sorted(right, key=lambda n: sum(1 for _ in ancestors(n))):
            self._remove(node)
        while (implied := self._implied()) is not None:
            self.top = implied
        # Expressions are followed only in the code that is to blame: that takes the events of all of the call.
        self.in_expressions = expressions and self.total() <= _NOTHING

    def _remove(self, node: CodeNode) -> None:
        if self.is_right(node):
            return
        self._right.add(node)
        weight = self._weight(node)
        for above in ancestors(node):
            self._gone[above] = self._gone.get(above, 0.0) + weight

    def _weight(self, node: CodeNode) -> float:
        return node.weight if self._weigh is None else self._weigh(node)

    def _own(self, node: CodeNode) -> float:
        return node.own if self._weigh is None else 0.0

    def is_right(self, node: CodeNode) -> bool:
        return any(above in self._right for above in ancestors(node))

    def left(self, node: CodeNode) -> float:
        """How much of a node can still be wrong."""
        return 0.0 if self.is_right(node) else max(self._weight(node) - self._gone.get(node, 0.0), 0.0)

    def _children_left(self, node: CodeNode) -> list[CodeNode]:
        parts = node.expressions if node is self.top and self.in_expressions else node.children
        return [child for child in parts if self.left(child) > _NOTHING]

    def _implied(self) -> CodeNode | None:
        """Where all but one part of something that is nothing but its parts are right, that one is wrong."""
        if self.top.own > 0 or self._weigh is not None:
            return None
        left = self._children_left(self.top)
        return left[0] if len(left) == 1 and left[0] not in self.unknown else None

    def total(self) -> float:
        return sum(self.left(child) for child in self._children_left(self.top))

    def askable(self, node: CodeNode) -> bool:
        return (
            node is not self.top
            and node not in self.unknown
            and inside(node, self.top)
            and not self.is_right(node)
        )

    def choose(self) -> CodeNode | None:
        """The node that splits what is left best; the first of equals. None when only the top is left."""
        total = self.total()
        if total <= _NOTHING:
            return None
        early = self._early(total)
        if early is not None:
            return early
        best: CodeNode | None = None
        best_distance = 0.0
        pending = self._children_left(self.top)
        while pending:
            deeper: list[CodeNode] = []
            for node in pending:
                left = self.left(node)
                if self.askable(node):
                    distance = abs((total - left) - (left - self._own(node)))
                    if best is None or distance < best_distance - _NOTHING:
                        best, best_distance = node, distance
                if 2 * left > total or not self.askable(node):
                    deeper += self._children_left(node)
            pending = deeper
        return best

    def _early(self, total: float) -> CodeNode | None:
        """Of a loop that never ended the first few iterations, once: most often it went astray there."""
        if self._weigh is not None or self._right or total < _MANY:
            return None
        node = self.top
        while not node.never_ended:
            heaviest = max(self._children_left(node), key=self.left, default=None)
            if heaviest is None or 2 * self.left(heaviest) < total:
                return None
            node = heaviest
        while self.left(node) * _EARLY > total and (left := self._children_left(node)):
            node = left[0]
        return node if self.askable(node) else None

    def share(self, node: CodeNode) -> float:
        """Which part of what is left a node is."""
        total = self.total()
        return self.left(node) / total if total else 0.0

    @property
    def right_expressions(self) -> list[CodeNode]:
        """Of what the top evaluates itself: what is right."""
        parts = self.top.expressions if self.in_expressions else []
        return [part for part in parts if self.is_right(part)]

    def blind(self) -> list[CodeNode]:
        """What nobody could judge and may hide the bug."""
        return [node for node in self.unknown if inside(node, self.top) and not self.is_right(node)]
