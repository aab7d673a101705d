"""`unittest.mock` puts properties into classes whose attributes were plain before, and counts how often they are read."""

from __future__ import annotations

from typing import Any

from algotrace import patched_names
from algotrace.scope import Scope
from algotrace.undo import expect_descriptors


def adapt(module: Any, scope: Scope) -> None:
    """Called when `unittest.mock` has been imported. Each mock gets a class of its own, derived from what it is."""
    mock = module.PropertyMock

    def __init_subclass__(cls: Any, **named: Any) -> None:
        expect_descriptors()
        super(mock, cls).__init_subclass__(**named)

    patched_names.adapt(module, scope)
    mock.__init_subclass__ = classmethod(__init_subclass__)  # type: ignore[arg-type]
