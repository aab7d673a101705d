"""From a node to a part of it, or to what it is a part of: what `zoom in` and `zoom out` ask about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algodebug.answers import AnswerError

if TYPE_CHECKING:
    from algodebug.execution_tree import ExecutionTree
    from algodebug.session import Session


def parts_of(tree: ExecutionTree, node: int) -> list[int]:
    """The nodes for the parts of the code of a node."""
    code = tree.code(node)
    if code is None:
        routine = tree.code_of(node)
        code = None if routine is None else routine.top
    return [] if code is None else [part.id for part in code.parts]


def outer_of(session: Session, node: int) -> int | None:
    """What a node is a part of, if that can be asked about."""
    above = session.tree.parent_of(node)
    return above if above >= 0 and above != session.root else None


def zoomed(session: Session, direction: str, node: int) -> int:
    """ "in": the first part that nobody has judged; "out": what the node is a part of."""
    if direction == "out":
        above = outer_of(session, node)
        if above is None:
            raise AnswerError("this is a part of what the search started with, which is taken as wrong")
        return above
    if direction != "in":
        raise AnswerError('"zoom" is "in" or "out"')
    parts = parts_of(session.tree, node)
    if not parts:
        raise AnswerError("there is no smaller part of this to ask about")
    return next((part for part in parts if session.verdict(part) is None), parts[0])
