"""Which activation made a function that ran: its variables are those of the function around.

Told by what was called: followed back to the definition, or by the number of the function, which the definition has too.
Where neither is known (a method of a class made in a function, a decorated function) the value that a variable had tells
which activations it can be of.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from algodebug.slicing import passing, variables
from algodebug.slicing.instances import FREE, LIBRARY, OPERATION, UNSET, Activation, Called, Instance

if TYPE_CHECKING:
    from algodebug.slicing.graph import Graph

_MOST_MADE = 5000  # activations looked into for the definition of a function
_MOST_FITTING = 100  # … for the value of a variable
_MOST_READS = 20
_MOST_CALLS = 5
_DEEPEST = 10  # makers that are looked for while another one is, each in the call of the one before


class _Deeper(BaseException):
    """Another maker is to be found first: calls are nested deeper than Python's own stack allows."""

    def __init__(self, node: int) -> None:
        super().__init__(node)
        self.node = node


class Makers:
    """The makers of functions, found once for each activation of these."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._of_inline: dict[int, Activation | None] = {}  # by identity of the activation
        self._of_nodes: dict[int, Activation | None] = {}
        self._depth = 0
        self._fitting: dict[tuple[int, int], list[Activation]] = {}
        self._nodes: dict[int, list[int]] = {}
        self._definitions: dict[int, dict[int, Activation]] = {}  # of a routine: function → what made it
        self._looked: dict[int, int] = {}  # … and how many activations were looked into, the last ones first

    def nodes(self, routine: int, before: int) -> list[int]:
        """The nodes of a routine that had started by a time."""
        known = self._nodes.get(routine)
        trace = self.graph.trace
        if known is None:
            found = (node for node, each in enumerate(trace.routine) if each == routine)
            known = self._nodes[routine] = list(found)
        if not known or trace.start[known[-1]] <= before:
            return known
        return known[: bisect_right(known, before, key=trace.start.__getitem__)]

    def around(self, activation: Activation, routine: int) -> Activation | None:
        """The activation of a function further out whose variables one sees; None where that is not known."""
        at: Activation | None = activation
        while at is not None and at.routine != routine:
            at = self.of(at)
        return at

    def around_node(self, node: int, routine: int) -> Activation | None:
        made = self.of_node(node)
        return None if made is None else self.around(made, routine)

    def of(self, activation: Activation) -> Activation | None:
        """The activation that made the function that ran."""
        if activation.caller is None:
            return self.of_node(activation.node)
        key = id(activation)
        if key not in self._of_inline:
            self._of_inline[key] = None
            try:
                self._of_inline[key] = self._made(activation.routine, activation.caller)
            except BaseException:
                del self._of_inline[key]
                raise
        return self._of_inline[key]

    def of_node(self, node: int) -> Activation | None:
        if node not in self._of_nodes:
            if self._depth:
                self._find(node)
            else:
                self._find_deep(node)
        return self._of_nodes[node]

    def _find_deep(self, node: int) -> None:
        """Find the maker of a node, and before it those that are many calls further out."""
        waiting = [node]
        try:
            while waiting:
                try:
                    self._find(waiting[-1])
                    waiting.pop()
                except _Deeper as deeper:
                    self._of_nodes[waiting[-1]] = None  # who asks for it meanwhile asks for itself
                    waiting.append(deeper.node)
        finally:
            for each in waiting:
                self._of_nodes.pop(each, None)

    def _find(self, node: int) -> None:
        if self._depth >= _DEEPEST:
            raise _Deeper(node)
        self._of_nodes[node] = None
        self._depth += 1
        try:
            call = self._call_of(node)
            if call is not None:
                self._of_nodes[node] = self._made(self.graph.trace.routine[node], call)
        except BaseException:
            del self._of_nodes[node]
            raise
        finally:
            self._depth -= 1

    def _call_of(self, node: int) -> Instance | None:
        graph = self.graph
        inside, parent = graph.inside, graph.trace.parent[node]
        if parent < 0 or (inside is not None and parent < inside[0]):
            return None
        call = graph.caller(node)
        if call is not None and node in graph.trace.segments:
            iterated = graph.activation(parent).iterated.get(node)
            return passing.maker(graph, graph.activation(node), call, iterated)
        return call

    def _made(self, routine: int, call: Instance) -> Activation | None:
        """What made the function of a routine that a call ran: what is called, or handed to that."""
        graph, todo = self.graph, [call]
        for _ in range(_MOST_CALLS):
            called = todo.pop().detail if todo else None
            if not isinstance(called, Called):
                continue
            made = None if called.function is None else self._definer(routine, called.function)
            if made is not None:
                return made
            given = [value for _, value in (*called.arguments, *called.keywords)]
            makers = [self._definer(routine, value) for value in given]
            found = [made for made in makers if made is not None]
            if found:
                return found[0] if all(made is found[0] for made in found) else None
            shown = [graph.origin(value) for value in ([] if called.function is None else [called.function])]
            todo += [made for made in shown if made.kind == LIBRARY]  # `partial`
        return None

    def _definer(self, routine: int, function: Instance) -> Activation | None:
        """The activation that a function was defined in, where it is one of a routine."""
        graph, code = self.graph, self.graph.files.code_of(routine)
        shown = self._origin(function)
        if shown.node is code and shown.kind == OPERATION:
            return shown.activation
        known = function if graph.number(function) else shown
        number, row = graph.number(known), graph.row_of(known)
        if type(row) is list and row[0] == "method":
            number, row = row[1], graph.trace.row(row[1])
        name = graph.trace.routines[routine].name
        if type(row) is not list or row[0] != "function" or row[1].rpartition(".")[2] != name:
            return None
        return self._definition(routine, code, number)

    def _origin(self, function: Instance) -> Instance:
        """Where a function was made, by way of variables of functions around."""
        for _ in range(_MOST_CALLS):
            function = self.graph.origin(function)
            around = variables.definers(self.graph, function) if function.kind == FREE else []
            bound = variables.bound_around(around[0], function) if len(around) == 1 else None
            if bound is None or self._is_bound_inside(around[0], function.detail):
                break
            function = bound
        return function

    def _is_bound_inside(self, definer: Activation, name: str) -> bool:
        files = self.graph.files
        return name in files.bound_by_inner(files.code_of(definer.routine))

    def _definition(self, routine: int, code: Any, number: int) -> Activation | None:
        known = self._definitions.setdefault(routine, {})
        nodes = self.nodes(self.graph.trace.routines[routine].parent, 1 << 62)
        while number not in known:
            looked = self._looked.get(routine, 0)
            if looked >= min(len(nodes), _MOST_MADE):
                return None
            self._looked[routine] = looked + 1
            made = self.graph.activation(nodes[-1 - looked])
            for instance in made.instances:
                if instance.node is code and instance.kind == OPERATION:
                    known[self.graph.number(instance)] = made
        return known[number]

    def fitting(self, instance: Instance, routine: int) -> list[Activation]:
        """Of the activations of a function around those whose variables are what was read and called."""
        activation, nodes = instance.activation, self.nodes(routine, instance.time)
        key = id(activation), routine
        if len(nodes) > _MOST_FITTING:
            self.graph.incomplete.add(f"whose variable {instance.detail} is, of {len(nodes)} calls")
        if key not in self._fitting:
            binder, own = self.graph.files.binder, activation.routine
            reads = [
                made
                for made in activation.instances
                if made.kind == FREE and binder(own, made.detail) == routine
            ]
            called = {
                id(made.detail.function): made.detail
                for made in activation.instances
                if isinstance(made.detail, Called)
            }
            self._fitting[key] = [
                definer
                for definer in map(self.graph.activation, nodes[-_MOST_FITTING:])
                if all(self._fits(definer, made, called.get(id(made))) for made in reads[:_MOST_READS])
            ]
        return self._fitting[key]

    def _fits(self, definer: Activation, instance: Instance, called: Called | None) -> bool:
        graph, name = self.graph, instance.detail
        if definer.failed or self._is_bound_inside(definer, name):
            return True
        bound = variables.bound_around(definer, instance)
        if bound is None:
            return False
        values = graph.value(instance), graph.value(bound)
        if UNSET not in values:
            return bool(values[0] == values[1])
        numbers = graph.number(instance), graph.number(bound)
        row = graph.row_of(bound)
        if not numbers[0] and called is not None and called.nodes and type(row) is list:
            row = graph.trace.row(row[1]) if row[0] == "method" else row
            if type(row) is list and row[0] == "function":
                routines = graph.trace.routines
                return any(routines[graph.trace.routine[node]].qualname == row[1] for node in called.nodes)
        return 0 in numbers or numbers[0] == numbers[1]
