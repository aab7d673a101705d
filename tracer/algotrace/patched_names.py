"""What `unittest.mock.patch` and pytest's `monkeypatch` store into modules, classes and objects, and back, is noted as a
`setattr` of the program would be: names of modules are bound so in many a test, and nothing else tells.
"""

from __future__ import annotations

import ast
import sys
from typing import Any

from algotrace import BUILTINS
from algotrace.exchanged_code import exchange, told_by
from algotrace.hooks import note_set_by_others
from algotrace.scope import Scope
from algotrace.syntax import is_repeatable

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_STORING = {
    "unittest.mock": ("_patch", ("__enter__", "__exit__")),
    "_pytest.monkeypatch": ("MonkeyPatch", ("setattr", "delattr", "undo")),
}

note_setting = note_set_by_others


def adapt(module: Any, scope: Scope) -> None:
    """Called when one of them has been imported."""
    owner, names = _STORING[module.__name__]
    cls = vars(module).get(owner)
    if not isinstance(cls, type):
        return
    for name in names:
        exchange(vars(cls).get(name), module, _Telling(), sys.modules[__name__])


class _Telling(ast.NodeTransformer):
    """Puts a call of ours before each `setattr(…)` and `delattr(…)`."""

    def visit_Expr(self, node: ast.Expr) -> Any:
        called = node.value
        if not (isinstance(called, ast.Call) and isinstance(called.func, ast.Name)):
            return node
        if called.func.id not in ("setattr", "delattr") or not all(map(_is_still, called.args[:2])):
            return node
        return [told_by("note_setting", called.args[:2], node), node]


def _is_still(node: ast.expr) -> bool:
    """Whether it gives the same when it is worked out twice."""
    return is_repeatable(node) or (isinstance(node, ast.Attribute) and _is_still(node.value))
