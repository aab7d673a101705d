"""What an activation did, expression by expression: the nodes of the dependence graph.

An *instance* is one evaluation of one expression, one store, one test. It knows the instances it was computed from
where they are in the same activation; what lies elsewhere (callers, callees, the heap) is looked up when it is needed.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

# Kinds of instances.
CONSTANT: Final = "constant"
NAME: Final = "name"  # a local variable is read: a copy of what it was bound to
GLOBAL: Final = "global"  # a name of a module, or a builtin
FREE: Final = "free"  # a variable of an enclosing function
STORE: Final = "store"  # a name is bound
PARAMETER: Final = "parameter"
DISPLAY: Final = (
    "display"  # `[a, b]`, `(a, b)`, `{k: v}`, a comprehension taken apart: `detail` maps keys to instances
)
OPERATION: Final = "operation"  # computed from all of its operands
CALL: Final = "call"  # of recorded code: `detail` is a `Called`
LIBRARY: Final = "library"  # a call of code that is not recorded
ATTRIBUTE: Final = "attribute"  # `uses[0].detail` is read
ITEM: Final = "item"  # `uses[0][uses[1]]` is read
PART: Final = "part"  # element number `detail` of `uses[0]`, by unpacking or iteration
SLICED: Final = "sliced"  # `uses[0][a:b]`
CHOICE: Final = "choice"  # `a if c else b`, `a or b`: a copy of what was chosen
RECEIVER: Final = "receiver"  # the object of the method `uses[0]`, which goes by another name
TEST: Final = "test"  # a branch was decided by `copy`
WRITE: Final = "write"  # an attribute, item or container is changed
RETURN: Final = "return"
YIELD: Final = "yield"
RAISE: Final = "raise"
ENTRY: Final = "entry"  # that the activation ran at all
OPAQUE: Final = "opaque"  # an activation that could not be followed

REFUSED: Final = "refused"  # the `detail` of an OPERATION that stands for a store which raised

COPIES: Final = frozenset({NAME, STORE, RETURN, YIELD, CHOICE, RAISE})  # they have the value of `copy`

SHALLOW: Final = 0  # which object it is
SHAPE: Final = 1  # … and how many parts it has
DEEP: Final = 2  # … and all that it holds


class Unset:
    """The Python value of an instance is not known."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()


class Instance:
    """One evaluation. `uses` are needed as such, `deep` with all they hold; `copy` has the same value."""

    __slots__ = ("activation", "control", "copy", "deep", "detail", "kind", "node", "number", "order", "shape", "time", "uses", "value")  # fmt: skip

    def __init__(
        self,
        activation: Activation,
        kind: str,
        node: ast.AST | None,
        time: int,
        order: int,
        control: Instance | None,
    ) -> None:
        self.activation = activation
        self.kind = kind
        self.node = node
        self.time = time  # the state it saw: just before what happens then
        self.order = order  # in its activation
        self.control = control  # what decided that it was evaluated
        self.uses: list[Instance] = []
        self.shape: list[Instance] = []
        self.deep: list[Instance] = []
        self.copy: Instance | None = None
        self.detail: Any = None
        self.number = 0  # the object, where the trace names it
        self.value: Any = UNSET  # a scalar, where it is known

    def __repr__(self) -> str:
        line = getattr(self.node, "lineno", "?")
        return f"<{self.kind} {line} {type(self.node).__name__} #{self.activation.node}.{self.order}>"


class Called:
    """A call: the nodes it ran, the one it is a call of, what was passed."""

    __slots__ = ("arguments", "function", "inline", "keywords", "name", "nodes", "target", "target_name")

    def __init__(self, function: Instance | None, name: str) -> None:
        self.function = function
        self.name = name  # the last part of what is called
        self.arguments: list[tuple[bool, Instance]] = []  # (starred, value)
        self.keywords: list[tuple[str | None, Instance]] = []
        self.nodes: list[int] = []  # all activations that ran in it
        self.target_name = ""  # of the first
        self.target = -1  # the one whose result this is
        self.inline: list[Activation] = []  # lambdas, class bodies: they are no nodes

    @property
    def receiver(self) -> Instance | None:
        """What a method was called on; None for plain calls."""
        function = self.function
        return function.uses[0] if function is not None and function.kind == ATTRIBUTE else None


class Activation:
    """One run of a routine, followed: all instances, and where others can find what they need."""

    def __init__(self, node: int, routine: int, source: int) -> None:
        self.node = node
        self.routine = routine
        self.source = source
        self.instances: list[Instance] = []
        self.entry: Instance
        self.parameters: dict[str, Instance] = {}
        self.outcome: Instance | None = None  # RETURN or RAISE
        self.writes: dict[int, Instance] = {}  # time of a write's mark → the write
        self.changing: dict[int, Called] = {}  # order of a write → the call that made it
        self.yields: dict[int, Instance] = {}  # time of the mark
        self.stores: dict[str, list[Instance]] = {}  # of each local name, in order
        self.callers: dict[int, Instance] = {}  # node called → the call
        self.iterated: dict[int, Instance] = {}  # generator node → what was iterated over
        self.ran_in: dict[
            int, list[int]
        ] = {}  # order of an instance → nodes that ran in it, where it is no call
        self.inlines: list[Activation] = []  # lambdas and the like that ran in it
        self.classes: list[Instance] = []  # class statements that ran
        self.lumps: list[Instance] = []  # comprehensions that are not taken apart
        self.tests: list[tuple[Instance, Any]] = []  # branches, with the code that was not run
        # Order of a comprehension → (how many elements there were, the test that decided about one more).
        self.filters: dict[int, list[tuple[int, Instance]]] = {}
        self.iterations: dict[
            int, tuple[Instance, bool]
        ] = {}  # order of a loop's test → element, whether over
        self.in_try: dict[int, frozenset[str]] = {}  # order of a write → what is caught around it
        self.caller: Instance | None = None  # of an inline activation
        self.outer: Activation | None = None  # of an inline activation: the frame its names are looked up in
        self.jumps: list[
            tuple[ast.AST, Instance | None]
        ] = []  # `break` and `continue` that ran, and what decided it
        self.failed = ""  # why it could not be followed

    def forget(self, instances: int, inlines: int, tests: int) -> None:
        """As it was when it had so many instances, inline activations and tests: what came since was a mistake."""
        gone, todo = set[int](), self.inlines[inlines:]
        while todo:
            gone.add(id(todo[-1]))
            todo += todo.pop().inlines
        del self.instances[instances:], self.inlines[inlines:], self.tests[tests:]

        def is_gone(made: Instance) -> bool:
            return made.order >= instances if made.activation is self else id(made.activation) in gone

        for by_order in (self.changing, self.ran_in, self.filters, self.iterations, self.in_try):
            _drop_last(by_order, lambda order, _: order >= instances)
        for known in (self.callers, self.iterated, self.writes, self.yields):
            _drop_last(known, lambda _, made: is_gone(made))
        for stored in (self.classes, self.lumps, *self.stores.values()):
            while stored and is_gone(stored[-1]):
                stored.pop()


def _drop_last(table: dict[int, Any], is_gone: Callable[[int, Any], bool]) -> None:
    """Takes out what was put there last."""
    while table:
        key, value = table.popitem()
        if not is_gone(key, value):
            table[key] = value
            break
