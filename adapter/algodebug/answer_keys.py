"""What an answer is about, as a digest that is the same in another recording of the program, edited or not.

About a call it is the function (file, qualified name, *its own source*) and the values: arguments, the state read, the
outcome, what was printed and changed. About code inside a call it is the source of that code with the variables before
and after. About trust it is the source of what is trusted. So an edit leaves all answers about code that it did not
touch, as far as the values are the same: what a call did is judged by its values, however the calls it made came by
theirs. Changed code is asked about again, even where it does the same as before, since an edit may also change what
code is meant to do. Comments, layout and moved lines are no change; nor are other functions, those defined inside included.

A call that shows nothing was judged by what its callees did unseen: of that, every source file is a part.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from algodebug.answers import TRUST_FUNCTION, TRUST_MODULE
from algodebug.expression_nodes import ExpressionNode
from algodebug.statement_syntax import Syntax
from algotrace.values import joint_key

if TYPE_CHECKING:
    from algodebug.code_nodes import CodeNode
    from algodebug.execution_tree import ExecutionTree
    from algotrace.trace import Call, Routine
    from algotrace.values import Value

LARGEST = 10_000
_MOST_LOCATED = 20  # iterations out of very many whose values are read for a key
"""Values with more parts are not compared: that may take longer than answering once more."""

_ROUTINES = (ast.FunctionDef, ast.AsyncFunctionDef)
_PLACED = (*_ROUTINES, ast.ClassDef, ast.Lambda, ast.GeneratorExp)

Shown = list[tuple[str, "Value | None"]]


class AnswerKeys:
    """The keys of the nodes of one recorded tree; None for what cannot be recognised again."""

    def __init__(self, tree: ExecutionTree) -> None:
        self.tree = tree
        self._sources: dict[int, Syntax] = {}
        self._placed: dict[int, dict[tuple[int, int], ast.AST]] = {}
        self._routines: dict[int, bytes] = {}
        self._statements: dict[int, dict[int, bytes]] = {}  # the syntax trees live as long as the tree
        self._last: tuple[int, str | None] = (-1, None)

    def of(self, node: int) -> str | None:
        """The key of what a node did."""
        if self._last[0] != node:
            code = self.tree.code(node)
            self._last = (node, self._of_call(node) if code is None else self._of_code(code))
        return self._last[1]

    def of_context(self, node: int) -> str | None:
        """The key of where a call was made, or code executed: whether it should have been depends on that."""
        trace, code = self.tree.trace, self.tree.code(node)
        around = self.tree.parent[node] if code is None else code.code.node
        if trace is None or around < 0:
            return None
        return _digest(self._own_code(trace.routine[around]), self._of_call(around) or "")

    def of_inputs(self, node: int) -> str | None:
        """The key of what a call was given, whatever its code made of it."""
        call = self.tree.call(node)
        if call is None or self.tree.trace is None or (shown := self._given(call)) is None:
            return None
        return self._key(["inputs", *self._names(call.routine)], shown)

    def of_trust(self, routine: int, answer: str) -> str | None:
        """The key of a function, or of its whole file."""
        trace = self.tree.trace
        if trace is None:
            return None
        source = trace.routines[routine].source
        if answer == TRUST_FUNCTION:
            return _digest(answer, *self._names(trace.routines[routine]), self._own_code(routine))
        assert answer == TRUST_MODULE
        tree = self._syntax(source).tree
        text = trace.sources[source].text.encode(errors="surrogatepass")
        return _digest(answer, trace.sources[source].path, text if tree is None else _code_digest(tree, True))

    # Calls

    def _of_call(self, node: int) -> str | None:
        call = self.tree.call(node)
        if call is None or call.outcome.kind == "unfinished":
            return None
        trace = self.tree.trace
        assert trace is not None
        shown = self._given(call)
        if shown is None:
            return None
        shown.append((call.outcome.kind, call.outcome.value))
        for change in call.changes:
            shown += [(change.target, change.before), (change.target, change.after)]
        about: list[str | bytes] = ["call", *self._names(call.routine), self._own_code(call.routine.id)]
        if call.printed is not None:
            if call.printed.more or not call.printed.certain:
                return None
            about.append(call.printed.text)
        elif not _shows_something(call):
            about += [source.sha256 for source in trace.sources]
        return self._key(about, shown)

    def _given(self, call: Call) -> Shown | None:
        trace = self.tree.trace
        assert trace is not None
        shown: Shown = [(argument.name, argument.value) for argument in call.arguments]
        for read in trace.reads(call.node):
            if read.value is None or not read.certain:
                return None
            shown.append((read.name, read.value))
        return shown

    def _names(self, routine: Routine) -> tuple[str, str]:
        trace = self.tree.trace
        assert trace is not None
        return trace.sources[routine.source].path, routine.qualname

    # Code inside calls

    def _of_code(self, node: CodeNode) -> str | None:
        kind, value = node.outcome
        printed = node.printed
        if kind == "unfinished" or (printed is not None and (printed.more or not printed.certain)):
            return None
        if isinstance(node, ExpressionNode) and (value is None or len(node.calls)):
            return None  # what a call of the program reads besides is not among the operands
        trace = self.tree.trace
        assert trace is not None
        routine = trace.routines[trace.routine[node.code.node]]
        shown: Shown = [(each.name, each.value) for each in node.inputs]
        shown.append((kind, value))
        for change in node.changes:
            shown += [(change.target, change.before), (change.target, change.after)]
        if node.is_located and node.count > _MOST_LOCATED:
            return None  # they would be read for that alone
        steps = list(node.steps)
        if node.is_of_iterations:
            # What the loop hands to its later iterations is not among the inputs.
            names = node.loop_names
            for step in steps[1:] if names else ():
                shown += [(name, node.code.variables.data(name, step.body_start)) for name in names]
            steps = steps[:1]
        about: list[str | bytes] = [node.kind, str(node.last - node.first), *self._names(routine)]
        if printed is not None:
            about.append(printed.text)
        if isinstance(node, ExpressionNode):
            parts = {id(part): number for number, part in enumerate(ast.walk(steps[0].syntax))}
            about += [f"part {parts.get(id(each.node))}" for each in node.evaluations]
        statements = self._statements_of(routine, node.code.syntax)
        about += [statements.get(id(step.syntax)) or _code_digest(step.syntax) for step in steps]
        return self._key(about, shown)

    def _statements_of(self, routine: Routine, syntax: Syntax) -> dict[int, bytes]:
        """The digest of each statement of a routine: the same words at two places are two things to be right or wrong."""
        known = self._statements.get(routine.id)
        if known is None:
            known = self._statements[routine.id] = {}
            seen: dict[bytes, int] = {}
            pending: list[ast.AST] = list(reversed(syntax.body_of(routine) or ()))
            while pending:
                part = pending.pop()
                if isinstance(part, ast.stmt):
                    digest = _code_digest(part)
                    seen[digest] = seen.get(digest, 0) + 1
                    known[id(part)] = b"%s %d" % (digest, seen[digest])
                if not isinstance(part, (*_ROUTINES, ast.expr)):
                    pending += reversed(list(ast.iter_child_nodes(part)))
        return known

    # Sources

    def _syntax(self, source: int) -> Syntax:
        known = self._sources.get(source)
        if known is None:
            trace = self.tree.trace
            assert trace is not None
            known = self._sources[source] = Syntax(trace.sources[source].text)
        return known

    def _own_code(self, routine: int) -> bytes:
        """A digest of the code of a routine, without that of functions defined in it."""
        known = self._routines.get(routine)
        if known is None:
            known = self._routines[routine] = self._read(routine)
        return known

    def _read(self, number: int) -> bytes:
        trace = self.tree.trace
        assert trace is not None
        routine = trace.routines[number]
        syntax = self._syntax(routine.source)
        if syntax.tree is None:
            return hashlib.sha256(trace.sources[routine.source].text.encode(errors="surrogatepass")).digest()
        if routine.kind == "module":
            return _code_digest(syntax.tree)
        if routine.source not in self._placed:
            self._placed[routine.source] = {
                (node.lineno, syntax.column(node.lineno, node.col_offset)): node
                for node in ast.walk(syntax.tree)
                if isinstance(node, _PLACED)
            }
        place = (routine.line, getattr(routine, "column", 0))
        return _code_digest(self._placed[routine.source].get(place, syntax.tree))

    def _key(self, about: Iterable[str | bytes], shown: Shown) -> str | None:
        values = joint_key(shown, LARGEST)
        return None if values is None else _digest(*about, values)


def _shows_something(call: Call) -> bool:
    value = call.outcome.value
    return bool(call.changes) or call.outcome.kind != "return" or (value is not None and value.kind != "none")


def _digest(*parts: str | bytes) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(f"{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def _code_digest(root: ast.AST, whole: bool = False) -> bytes:
    """Equal for the same code, wherever it stands; the bodies of functions defined in it count only for the `whole`."""
    digest = hashlib.blake2b(digest_size=16)
    pending: list[Any] = [root]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            digest.update(f"[{len(part)}".encode())
            pending += reversed(part)
        elif isinstance(part, ast.AST):
            digest.update(f"({type(part).__name__}".encode())
            closed = not whole and part is not root and isinstance(part, _ROUTINES)
            names = [name for name in part._fields if not (closed and name == "body")]
            pending += [getattr(part, name, None) for name in reversed(names) if name != "type_comment"]
        else:
            digest.update(f"{type(part).__name__} {part!r};".encode(errors="surrogatepass"))
    return digest.digest()
