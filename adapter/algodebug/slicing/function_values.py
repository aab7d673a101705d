"""Functions that are values, by the text: names that methods of containers may go by, what decorators may make of a function.

What functions could do that are values is told by `source_files`; which one a name stood for in a run, by `choices`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from algodebug.slicing.flow import FUNCTION, MUTATOR
from algodebug.slicing.sources import BUILTINS, CALLING_BACK, CALLING_NOTHING, MUTATORS, last_name, own_parts

if TYPE_CHECKING:
    from algodebug.slicing.source_files import SourceFiles

_OTHERS = MUTATORS | CALLING_NOTHING | (BUILTINS - CALLING_BACK)  # these do not call what they get
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_PROPERTIES = frozenset({"staticmethod", "classmethod", "abstractmethod", "contextmanager", "cache", "lru_cache", "wraps"})  # fmt: skip


class FunctionValues:
    """What the files of a trace say about functions that are given, kept or returned; found once."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self._names: tuple[frozenset[str], frozenset[str]] | None = None
        self._may_be_wrapped: dict[str, bool] = {}

    def names_of_mutators(self) -> frozenset[str]:
        """The names that methods of containers may go by, `put = found.append`; empty where none is a value."""
        return self._found()[0]

    def may_be_kept_as(self, name: str) -> bool:
        """Whether something that has a name, an attribute, may be a function that was kept there."""
        return name in self._found()[1]

    def _found(self) -> tuple[frozenset[str], frozenset[str]]:
        if self._names is None:
            flow = self.files.flow()
            mutators = frozenset(name for name, _ in flow.reached(MUTATOR))
            self._names = mutators - _OTHERS, frozenset(name for name, _ in flow.reached(FUNCTION))
        return self._names

    def may_make_property(self, decorator: ast.expr) -> bool:
        """Whether a decorator may make something of a function that runs it when it is read."""
        name = last_name(getattr(decorator, "func", decorator))
        codes = [] if self.files.classes(name) else self.files.named(name)
        if not codes:
            return name not in _NO_PROPERTIES
        return any(
            isinstance(part, ast.Name) and (part.id.endswith("property") or self.files.classes(part.id))
            for code in codes
            for part in ast.walk(code)
        )

    def may_be_wrapped(self, name: str) -> bool:
        """Whether the decorators of a function of a name decide themselves what to make of it."""
        if name not in self._may_be_wrapped:
            self._may_be_wrapped[name] = any(
                self._chooses(maker, isinstance(part, ast.Call))
                for code in self.files.named(name)
                for part in code.decorator_list
                for maker in self.files.named(last_name(getattr(part, "func", part)))
            )
        return self._may_be_wrapped[name]

    def _chooses(self, code: Any, is_factory: bool) -> bool:
        """Whether a function may give one of several functions; `is_factory`: or what it gives may."""
        given = [code.body] if isinstance(code, ast.Lambda) else _returned(code)
        if len(given) == 1 and isinstance(given[0], ast.Lambda):
            return is_factory and self._chooses(given[0], False)
        names = [part.id for part in given if isinstance(part, ast.Name)]
        made = [each for each in ast.walk(code) if isinstance(each, _FUNCTIONS) and each.name in names[:1]]
        if len(given) != 1 or len(made) != 1:
            return True
        return is_factory and self._chooses(made[0], False)


def _returned(code: Any) -> list[ast.expr]:
    """What a function returns, as it is written."""
    parts = (part for statement in code.body for part in own_parts(statement))
    return [part.value for part in parts if isinstance(part, ast.Return) and part.value is not None]
