"""Functions inside a function that a piece of it calls: they are defined anew, around the variables the piece runs on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from algodebug.oracles.recorded_rows import CannotEncode
from algodebug.oracles.twin_code import names_loaded, own_nodes

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def local_functions(
    wanted: Iterable[str], suites: Sequence[list[ast.stmt]], is_local: Callable[[str], bool]
) -> dict[str, _Function]:
    """The definitions of those names that stand for such functions, and of the functions that they call.

    `suites`: the bodies they may be defined in, from the inside out. Raises CannotEncode where one is not found there, or
    is decorated: nobody knows what it is then.
    """
    found: dict[str, _Function] = {}
    pending = list(wanted)
    while pending:
        name = pending.pop()
        if name in found or not is_local(name):
            continue
        definition = _defined(name, suites)
        if definition is None or definition.decorator_list:
            raise CannotEncode
        found[name] = definition
        pending += names_loaded(definition.body)
    return found


def _defined(name: str, suites: Sequence[list[ast.stmt]]) -> _Function | None:
    for suite in suites:
        definitions = [part for part in own_nodes(suite) if isinstance(part, _Function) and part.name == name]
        if definitions:
            return definitions[0] if len(definitions) == 1 else None
    return None
