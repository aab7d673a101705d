"""Test modules that pytest compiles itself, to explain failed assertions: rewritten as pytest would, then instrumented.

pytest rewrites each `assert` on a copy of it, and the instrumentation keeps the original: its pieces of source are the
user's, the statements that run are pytest's, with marks between them. So the explanations stay what they are.

Instrumented code is kept in our cache alone and pytest's is kept in `__pycache__` by unrecorded runs alone. Where
instrumenting fails, pytest goes on as if we were not there. Not recorded: the values of names that pytest makes up.
"""

from __future__ import annotations

import ast
import copy
import functools
import os
import types
from typing import Any

from algotrace import code_cache, loader
from algotrace.instrument import Instrumenter
from algotrace.marks import BLOCK
from algotrace.scope import Scope
from algotrace.syntax import expression_statement, extent, location, point
from algotrace.mutators import LIBRARY_NAMES

_IMPORTS = ("@py_builtins", "@pytest_ar")  # what pytest puts at the top of a module


def adapt(rewrite: types.ModuleType, scope: Scope) -> None:
    """Let pytest's import hook, in its module `_pytest.assertion.rewrite`, find instrumented code where it looks for
    code that it has kept. Called when that module has been imported."""
    hook = rewrite.AssertionRewritingHook
    find, read = hook._find_spec, rewrite._read_pyc
    names: dict[str, str] = {}  # module by file
    configurations: list[Any] = []

    @functools.wraps(find)
    def find_spec(self: Any, name: str, path: Any = None, target: Any = None) -> Any:
        spec = find(name, path)
        if spec is not None and isinstance(spec.origin, str):
            names[spec.origin] = name
            configurations[:] = [self.config]
        return spec

    @functools.wraps(read)
    def read_pyc(file: Any, *rest: Any) -> Any:
        kept = read(file, *rest)
        path = str(file)
        name = names.get(path, os.path.splitext(os.path.basename(path))[0])
        if reason := scope.reason_to_leave_out(path, name):
            loader.left_out[path] = reason
            return kept
        if not configurations:
            return kept
        return _code(rewrite, configurations[0], file, path, kept is not None) or kept

    hook._find_spec = find_spec
    rewrite._read_pyc = read_pyc  # type: ignore[attr-defined]


def _code(rewrite: Any, configuration: Any, file: Any, path: str, has_warned: bool) -> types.CodeType | None:
    """The recorded twin of the code pytest would make; None where it must see for itself."""
    try:
        source = file.read_bytes()
        explains_passing = bool(configuration.getini("enable_assertion_pass_hook"))
        variant = f"{rewrite.PYTEST_TAG} {explains_passing}".encode()
        kept = code_cache.read(source, path, variant)
        if kept is None:
            parse = functools.partial(_parse, _rewriter(rewrite.AssertionRewriter), configuration)
            kept = loader.instrument(source, path, TestInstrumenter, parse)
            if type(kept) is str:
                loader.left_out[path] = kept
                return None
            code_cache.write(source, path, kept, variant)
        if not has_warned:
            rewrite._rewrite_test(file, configuration)  # for its warnings
        return loader.bound(kept, source, path)
    except Exception:  # a version of pytest that is made in another way
        loader.left_out[path] = "pytest's rewriting of its assertions could not be followed"
        return None


def _parse(rewriter: Any, configuration: Any, source: bytes, path: str) -> ast.Module:
    tree = ast.parse(source, path)
    rewriter(path, configuration, source).run(tree)
    return tree


class _Original:
    """Leads from a node of the copy that pytest takes apart to the user's own; copies of it are the same."""

    __slots__ = ("node",)

    def __init__(self, node: ast.AST) -> None:
        self.node = node

    def __deepcopy__(self, memo: Any) -> _Original:
        return self


def _original(node: Any) -> Any:
    found = getattr(node, "original", None)
    return found.node if found is not None else node


@functools.cache
def _rewriter(base: Any) -> Any:
    """pytest's rewriter, but its statements stand beside each assertion, in `rewritten`, not in its place."""

    class Rewriter(base):  # type: ignore[misc]
        def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
            other = copy.deepcopy(node)
            for one, original in zip(ast.walk(other), ast.walk(node)):
                one.original = _Original(original)  # type: ignore[attr-defined]
            message = other.msg
            self.first_visited: dict[int, tuple[list[ast.stmt], Any]] = {}
            statements: list[ast.stmt] = super().visit_Assert(other)
            node.rewritten = statements, message, self.first_visited  # type: ignore[attr-defined]
            return [node]

        def visit(self, node: Any) -> Any:
            if not isinstance(node, ast.Assert):
                self.first_visited.setdefault(id(self.statements), (self.statements, node))
            return super().visit(node)

        def visit_Call(self, node: ast.Call) -> Any:
            result = super().visit_Call(node)
            self._made_of(node)
            return result

        def visit_Attribute(self, node: ast.Attribute) -> Any:
            result = super().visit_Attribute(node)
            self._made_of(node)
            return result

        def _made_of(self, node: Any) -> None:
            last = self.statements[-1]
            if isinstance(last, ast.Assign) and type(last.value) is type(node):
                last.value.original = node.original  # type: ignore[attr-defined]

    return Rewriter


class TestInstrumenter(Instrumenter):
    """Instruments a module with `rewritten` assertions."""

    __test__ = False
    _attributes: dict[str, ast.Attribute]  # by pytest's name for its value
    _operands: dict[int, tuple[list[ast.stmt], Any]]  # the operand that a list of statements evaluates

    def module(self, tree: ast.Module) -> ast.Module:
        imports = [
            node for node in tree.body if isinstance(node, ast.Import) and node.names[0].asname in _IMPORTS
        ]
        tree.body = [node for node in tree.body if node not in imports]
        tree = super().module(tree)
        tree.body[-1:-1] = imports
        return tree

    def _Assert(self, node: ast.Assert) -> list[ast.stmt]:
        if not hasattr(node, "rewritten"):
            return super()._Assert(node)
        self.piece(node)
        statements, message, self._operands = node.rewritten
        self._attributes = {}
        result = self._evaluation(statements)
        if node.msg is not None:
            calls = [part for part in ast.walk(ast.Module(statements, [])) if isinstance(part, ast.Call)]
            for call in calls:
                if call.args and call.args[0] is message:
                    call.args[0] = self.arm(node.msg)
        return result

    def _evaluation(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """pytest's statements that evaluate an assertion, or an operand of it, with events."""
        result: list[ast.stmt] = []
        for statement in statements:
            if isinstance(statement, ast.Assign):
                self._evaluated(statement, result)
            elif isinstance(statement, ast.If):
                operand = self._operands.get(id(statement.body))
                if any(isinstance(part, ast.NamedExpr) for part in ast.walk(statement.test)):
                    statement.test = self.expression(copy.deepcopy(statement.test))
                if operand is not None:
                    statement.body = self._operand(operand[1], statement.body)
            result.append(statement)
        return result

    def _evaluated(self, statement: ast.Assign, before: list[ast.stmt]) -> None:
        target = statement.targets[0]
        value = copy.deepcopy(statement.value)  # pytest also uses parts of it to explain
        if isinstance(value, ast.Attribute) and isinstance(target, ast.Name):
            self._attributes[target.id] = copy.deepcopy(value)
        statement.value = (
            self._called(value, before) if isinstance(value, ast.Call) else self.expression(value)
        )

    def _called(self, node: ast.Call, before: list[ast.stmt]) -> ast.expr:
        """A call `@py_assert3(…)`, where `@py_assert3 = xs.pop` came before: it is noted as `xs.pop(…)` is."""
        function = node.func
        method = self._attributes.get(function.id) if isinstance(function, ast.Name) else None
        if method is None:
            return self.expression(node)  # type: ignore[no-any-return]
        receiver = method.value
        if isinstance(receiver, ast.NamedExpr):
            receiver = ast.Name(receiver.target.id, ast.Load(), **location(receiver))
        if not isinstance(receiver, ast.Name) or (
            method.attr in LIBRARY_NAMES and not isinstance(_original(method).value, ast.Name)
        ):
            return self.expression(node)  # type: ignore[no-any-return]
        receiver = ast.Name(receiver.id, ast.Load(), **location(receiver))
        receiver.original = _Original(_original(method).value)  # type: ignore[attr-defined]
        node.func = ast.Attribute(receiver, method.attr, ast.Load(), **location(method))
        value = self.expression(node)
        if node.func.value is not receiver:
            before.append(expression_statement(node.func.value, point(location(receiver))))
        node.func = function
        return value  # type: ignore[no-any-return]

    def _operand(self, node: Any, statements: list[ast.stmt]) -> list[ast.stmt]:
        outer, holes = self.block, self._holes
        holes.append(extent(_original(node)))
        self.block = self.new_block("arm", outer, node)
        at = point(location(node))
        start = self.event_statements(self.mark(BLOCK, at), [], at)
        self.piece(node)
        result = [*start, *self._evaluation(statements)]
        self.block, self._holes = outer, holes
        return result

    # Older versions of pytest give all they make the position of the whole assertion; the tables have the true ones.

    def new_block(self, kind: str, parent: int, of: Any = None) -> int:
        return super().new_block(kind, parent, _original(of))

    def piece(self, node: Any) -> None:
        super().piece(_original(node))

    def text(self, node: Any) -> str:
        return super().text(_original(node))

    def mark(
        self, kind: int, at: Any, *, where: Any = None, label: str = "", block: int | None = None
    ) -> Any:
        return super().mark(kind, at, where=_original(where), label=label, block=block)

    def slot(self, role: str, name: str, node: Any) -> None:
        if name.startswith("@"):  # pytest's own name for what an assignment expression binds
            role, name = "call", ""
        super().slot(role, name, _original(node))
