"""The execution tree: which sub-computation happened inside which, as flat arrays in preorder.

A node is a number. `subtree(n)` is the range `n … n + size[n]`, so "how much is below" and "is it inside" cost a
subtraction. What a node computed stays in the trace and is decoded only for the nodes somebody looks at.
The search reads nothing but the arrays; it works the same on a tree written down as nested tuples.

The arrays hold the calls. The code inside a call has nodes too, see `code_nodes`: they are made when they are looked at,
and their numbers follow those of the calls. What is asked about one node can be asked about either kind.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from algodebug import question
from algodebug.call_code import CodeNodes, RoutineCode
from algodebug.code_nodes import CodeNode
from algodebug.left_out import LeavesOut
from algotrace.values import joint_key

if TYPE_CHECKING:
    from algotrace.trace import Call, Span, Trace
    from algotrace.unread import Unread
    from algotrace.values import Value

RETURNED, RAISED, YIELDED, UNFINISHED = 0, 1, 2, 3
_OUTCOME_NAMES = ("return", "raise", "yield", "unfinished")

_RUNAWAY = 50  # calls, one inside the other
_LARGE = 10_000  # parts of a value
_MANY = 1_000  # executions of one class body

# ("name", [child, …]) or ("name", [child, …], "raise"); a leaf may be just its name.
Nested = Any


@dataclass(frozen=True)
class Place:
    """The code a node stands for: a routine, where it is defined, and the module it belongs to."""

    routine: int
    function: str
    file: str
    line: int
    module: int


class ExecutionTree:
    """Nodes in preorder with parent, subtree size, routine and how each ended; immutable."""

    def __init__(
        self,
        parent: Sequence[int],
        size: Sequence[int],
        routine: Sequence[int],
        *,
        outcome_kind: Sequence[int] | None = None,
        trace: Trace | None = None,
        places: Sequence[Place] = (),
        died: bool = False,
    ) -> None:
        self.parent = parent
        self.size = size
        self.routine = routine
        self.outcome_kind: Sequence[int] = outcome_kind or bytes(len(size))
        self.trace = trace
        self.places = places
        self.died = died
        self.codes = None if trace is None else CodeNodes(trace, len(size))

    @classmethod
    def from_trace(cls, trace: Trace) -> ExecutionTree:
        places = [
            Place(r.id, r.qualname, trace.sources[r.source].path, r.line, r.source) for r in trace.routines
        ]
        exit_kind = trace.environment.get("exit", {}).get("kind")
        return cls(
            trace.parent,
            trace.size,
            trace.routine,
            outcome_kind=trace.outcome_kind,
            trace=trace,
            places=places,
            died=exit_kind in ("exception", "interrupt"),
        )

    @classmethod
    def from_nested(cls, nested: Nested, *, died: bool = False) -> ExecutionTree:
        """A tree written by hand; nodes with the same name share a routine."""
        parent, size, routine, outcome = array("i"), array("i"), array("i"), array("b")
        names: dict[str, int] = {}
        # A node is entered with (its text, its parent) and left with the number it got.
        pending: list[tuple[Nested, int] | int] = [(nested, -1)]
        while pending:
            item = pending.pop()
            if isinstance(item, int):
                size[item] = len(size) - item
                continue
            text, above = item
            name, children, *rest = (text, ()) if isinstance(text, str) else text
            node = len(size)
            parent.append(above)
            size.append(1)
            routine.append(names.setdefault(name, len(names)))
            outcome.append(_OUTCOME_NAMES.index(rest[0]) if rest else RETURNED)
            pending.append(node)
            pending.extend((child, node) for child in reversed(children))
        places = [Place(i, name, "", i + 1, 0) for name, i in names.items()]
        return cls(parent, size, routine, outcome_kind=outcome, places=places, died=died)

    def __len__(self) -> int:
        return len(self.size)

    @property
    def is_empty(self) -> bool:
        """Was none of the program's own code recorded?"""
        return len(self.size) == 1 and self.trace is not None and not self.trace.executed(0)

    def __contains__(self, node: object) -> bool:
        if not isinstance(node, int) or isinstance(node, bool):
            return False
        return 0 <= node < len(self.size) or (self.codes is not None and node in self.codes)

    def code(self, node: int) -> CodeNode | None:
        """The code that a node stands for; None where it is a call."""
        return self.codes[node] if self.codes is not None and node in self.codes else None

    def code_of(self, node: int) -> RoutineCode | None:
        """What a call executed itself, statement by statement; None where that is not known."""
        return None if self.codes is None else self.codes.of(node)

    def class_body_of(self, node: int) -> int | None:
        """Of a call of a method: the class body that made the method, if it is a node and ran before; the last such one."""
        trace = self.trace
        if trace is None or not self.places:
            return None
        place = self.places[self.routine[node]]
        owner = place.function.rpartition(".")[0]
        found: int | None = None
        for routine in trace.routines:
            if routine.kind == "class" and routine.qualname == owner and routine.source == place.module:
                found = self._last_before(routine.id, node)
        return found

    def _last_before(self, routine: int, node: int) -> int | None:
        """The last node of a routine that is numbered before another one; of very many, one of the first."""
        found: int | None = None
        at = 0
        for _ in range(_MANY):
            try:
                at = self.routine.index(routine, at, node)
            except ValueError:
                break
            found, at = at, at + 1
        return found

    def call_of(self, node: int) -> int:
        """The node itself, or the call that its code belongs to."""
        code = self.code(node)
        return node if code is None else code.code.node

    def parent_of(self, node: int) -> int:
        """What a node is a part of: for code, more code or the call it belongs to; -1 for the root."""
        code = self.code(node)
        if code is None:
            return self.parent[node]
        return code.code.node if code.parent is None or code.parent.parent is None else code.parent.id

    def end(self, node: int) -> int:
        """One past the last node inside `node`."""
        return node + self.size[node]

    def subtree(self, node: int) -> range:
        return range(node, node + self.size[node])

    def inside(self, node: int, ancestor: int) -> bool:
        """Is `node` the ancestor itself or below it?"""
        return ancestor <= node < ancestor + self.size[ancestor]

    def children(self, node: int) -> Iterator[int]:
        """The children of a node in evaluation order."""
        size, child, end = self.size, node + 1, node + self.size[node]
        while child < end:
            yield child
            child += size[child]

    def depth(self, node: int, root: int = 0) -> int:
        depth = 0
        while node != root and node >= 0:
            node = self.parent[node]
            depth += 1
        return depth

    def place(self, node: int) -> Place:
        code = self.code(node)
        if code is None:
            return self.places[self.routine[node]]
        return replace(self.places[self.routine[code.code.node]], line=code.line)

    def call(self, node: int) -> Call | None:
        """What the node computed; None for code inside a call, and for a tree that was not recorded."""
        return self.trace.call(node) if self.trace is not None and node < len(self.size) else None

    def executed(self, node: int) -> Sequence[Span]:
        """The code a call executed itself (its visible callees' code excluded)."""
        return self.trace.executed(node) if self.trace is not None else ()

    def outcome_name(self, node: int) -> str:
        code = self.code(node)
        return _OUTCOME_NAMES[self.outcome_kind[node]] if code is None else code.outcome[0]

    def title(self, node: int) -> str:
        """A short text for a node: its call, without the outcome."""
        code = self.code(node)
        if code is not None:
            return question.code_title(code)
        place = self.place(node)
        call = self.call(node)
        if call is None or (call.routine.kind == "module" and not call.module):
            return f"{place.function} {PurePath(place.file).name}".rstrip()
        return question.title(call)

    def sentence(self, node: int) -> str:
        """The call with what came out of it."""
        code = self.code(node)
        if code is not None:
            return question.code_sentence(code, *self.left_out(node))
        call = self.call(node)
        if call is None or (call.routine.kind == "module" and not call.module):
            return self.title(node)
        assert self.trace is not None
        trace = self.trace
        return question.sentence(call, trace.reads(node), trace.sharing(node), *self.left_out(node))

    def line(self, node: int) -> str:
        """The same as in a list of many: which items of containers were looked at takes long to find."""
        if (code := self.code(node)) is not None:
            return question.code_sentence(code)
        call = self.call(node)
        if call is None or (call.routine.kind == "module" and not call.module):
            return self.title(node)
        assert self.trace is not None
        trace = self.trace
        unread = trace.unread(node) if node else None
        return question.sentence(call, trace.reads(node), trace.sharing(node), unread, unread)

    def listed(self, node: int) -> question.Body:
        """A node as in a list of many: what takes long to find is left to the question about it."""
        place, call = self.place(node), self.call(node)
        if call is None:
            return self.question(node)
        return question.listed(call, place.file)

    def question(self, node: int) -> question.Body:
        """The question about a node, without why it is asked."""
        place = self.place(node)
        code = self.code(node)
        if code is not None:
            return question.code_body(code, place.function, place.file, *self.left_out(node))
        call = self.call(node)
        if call is None:
            return question.bare(node, place.function, place.file, place.line, self.outcome_name(node))
        assert self.trace is not None
        trace = self.trace
        return question.body(call, place.file, trace.reads(node), trace.sharing(node), *self.left_out(node))

    def left_out(self, node: int) -> tuple[Unread | None, Unread | None]:
        """What a question about a node leaves out of what goes in, and of what comes out."""
        code = self.code(node)
        return self._leaves_out.of_call(node) if code is None else self._leaves_out.of_code(code)

    @cached_property
    def _leaves_out(self) -> LeavesOut:
        assert self.trace is not None
        return LeavesOut(self.trace)

    def fingerprint(self, node: int) -> bytes | None:
        """Equal for two calls of one routine with equal inputs, outcome and changes; None when that is not known.

        Inputs are the arguments and what else was read; objects that two values have in common count. Very large
        values are not compared: that would take longer than the question saves.
        """
        code = self.code(node)
        if code is not None:
            return code.fingerprint()
        call = self.call(node)
        if call is None or call.outcome.kind == "unfinished":
            return None
        assert self.trace is not None
        shown: list[tuple[str, Value | None]] = [(a.name, a.value) for a in call.arguments]
        for read in self.trace.reads(node):
            if read.value is None or not read.certain:
                return None
            shown.append((read.name, read.value))
        shown.append((call.outcome.kind, call.outcome.value))
        for change in call.changes:
            shown += [(change.target, change.before), (change.target, change.after)]
        digest = hashlib.blake2b(str(self.routine[node]).encode(), digest_size=16)
        if call.printed is not None:
            if call.printed.more or not call.printed.certain:
                return None
            digest.update(call.printed.text.encode(errors="surrogatepass"))
        key = joint_key(shown, _LARGE)
        if key is None:
            return None
        digest.update(key)
        return digest.digest()

    def raising_chain(self, root: int) -> list[int]:
        """The calls below `root` that the exception which ended the program passed through, outermost first.

        Empty when the program did not die by an exception, or `root` itself did not raise.
        """
        if not self.died or self.outcome_kind[root] != RAISED:
            return []
        chain = [root]
        while True:
            raised = [c for c in self.children(chain[-1]) if self.outcome_kind[c] == RAISED]
            if not raised:
                break
            chain.append(raised[-1])
        # A call may have raised something else that was caught. The exception that ended the program is
        # the same object from the root down to where it was raised, so a bisection finds the last such call.
        low, high = 0, len(chain) - 1
        wanted = self._raised_object(root)
        while wanted is not None and low < high:
            middle = (low + high + 1) // 2
            if self._raised_object(chain[middle]) == wanted:
                low = middle
            else:
                high = middle - 1
        return chain[1 : (low if wanted is not None else high) + 1]

    def unfinished_chain(self, root: int) -> list[int]:
        """The calls below `root` that had not ended when the recording did, outermost first."""
        chain = []
        node: int | None = root
        while node is not None and self.outcome_kind[node] == UNFINISHED:
            chain.append(node)
            node = next(
                (c for c in reversed(list(self.children(node))) if self.outcome_kind[c] == UNFINISHED), None
            )
        return chain[1:]

    def victim(self, root: int, chain: Sequence[int]) -> int | None:
        """Of a recursion without end: the call, near the deepest, below which nothing is to blame.

        The last calls did nothing wrong but to meet the limit, wherever they happened to be.
        """
        if len(chain) < _RUNAWAY or self.outcome_kind[root] != RAISED:
            return None
        raised = self._raised_object(root)
        return chain[-3] if raised is not None and raised[0] == "RecursionError" else None

    def _raised_object(self, node: int) -> tuple[str, int] | None:
        call = self.call(node)
        if call is None or call.outcome.value is None:
            return None
        # Of a raised exception its class and the object that holds its arguments are known.
        return call.outcome.value.type_name, call.outcome.value.identity
