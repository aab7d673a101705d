"""Marks from comparing: which parts of what a call did differ from what it should have done.

The other call may be of another trace, of a corrected program given the same. What differs in its inputs is not looked at.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from algotrace.trace import Call
    from algotrace.values import Value

_MOST_DEPTH = 6
_MOST_MARKS = 40
_MOST_PARTS = 300


def differing_marks(wrong: Call, right: Call) -> list[str]:
    """Marks of the parts of a call's outcome that differ; none where nothing does, or where only all of it can be blamed."""
    marks: list[str] = []
    got, wanted = wrong.outcome, right.outcome
    if got.kind != wanted.kind:
        if got.kind not in ("raise", "return", "yield"):
            return []
        return ["exception" if got.kind == "raise" else "result"]
    if got.value is not None and wanted.value is not None:
        if got.kind == "raise":
            marks += ["exception"] if got.value.key() != wanted.value.key() else []
        else:
            marks += _parts("result", got.value, wanted.value, 0)
    changed = {change.target: change for change in wrong.changes}
    expected = {change.target: change for change in right.changes}
    for target in dict.fromkeys([*changed, *expected]):
        one, other = changed.get(target), expected.get(target)
        if one is None or other is None:
            marks.append(target)
        elif one.after is None or other.after is None:
            marks += [target] if one.after is not other.after else []
        else:
            marks += _parts(target, one.after, other.after, 0)
    return [] if len(marks) > _MOST_MARKS else marks


def _parts(path: str, got: Value, wanted: Value, depth: int) -> list[str]:
    if got.key() == wanted.key():
        return []
    if depth == _MOST_DEPTH or got.kind != wanted.kind or got.type_name != wanted.type_name:
        return [path]
    mine, other = got.parts(0, _MOST_PARTS), wanted.parts(0, _MOST_PARTS)
    if not mine or [part.path for part in mine] != [part.path for part in other]:
        return [path]
    found: list[str] = []
    for one, two in zip(mine, other, strict=True):
        if one.value.key() != two.value.key():
            if not _is_path(f"x{one.path}"):
                return [path]
            found += _parts(path + one.path, one.value, two.value, depth + 1)
    return found or [path]


def _is_path(text: str) -> bool:
    """Whether a part can be named: attributes, and keys that are written as constants."""
    try:
        parsed: ast.expr = ast.parse(text, mode="eval").body
        while not isinstance(parsed, ast.Name):
            if isinstance(parsed, ast.Subscript):
                ast.literal_eval(parsed.slice)
            elif not isinstance(parsed, ast.Attribute):
                return False
            parsed = parsed.value
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
