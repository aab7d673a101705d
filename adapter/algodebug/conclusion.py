"""What is said when the search is over: the buggy call, the code to blame in it, who answered what.

When calls that nobody could judge may hide the bug, nothing is claimed to be found: `found` is False and `candidates`
names all of them, the call known to be wrong first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from algodebug import blame
from algodebug.answers import EQUAL_QUESTION, TRUST, WRONG, Entry
from algodebug.buggy_code import buggy_code
from algodebug.code_nodes import CodeNode
from algodebug.code_search import CodeSearch
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles import GapOracle, Oracle
from algodebug.verdicts import Verdicts
from algodebug.whereabouts import LONG, Whereabouts

Body = dict[str, Any]

_NAMED = 5  # candidates in the text


def conclusion(
    verdicts: Verdicts,
    where: Whereabouts,
    search: CodeSearch | None,
    history: Sequence[Entry],
    oracles: Sequence[Oracle] = (),
) -> Body:
    """The result; `search` is the one inside the buggy call, where there was one. An oracle may know what is missing."""
    area, tree = where.area, where.tree
    node = area.top
    place = tree.place(node)
    unknown = area.unknown()
    candidates: list[Body] = [
        {"node": n, "function": p.function, "file": p.file, "line": p.line, "title": tree.title(n)}
        for n, p in ((n, tree.place(n)) for n in ([node, *unknown] if unknown else []))
    ]
    hidden = search.blind() if search is not None else []
    candidates += [
        {
            "node": part.id,
            "function": place.function,
            "file": place.file,
            "line": part.line,
            "title": tree.title(part.id),
        }
        for part in sorted(hidden, key=lambda part: part.start)
    ]
    given = Counter(entry.source for entry in history)
    title = tree.title(node)
    blamed = (
        None
        if search is None
        else blame.blamed(search.top, search.right_expressions, _missing(oracles, search.top))
    )
    code = _code(tree, verdicts, node) if blamed is None else blame.lit(tree, node, blamed)
    named = ", ".join(str(candidate["title"]) for candidate in candidates[:_NAMED])
    named += ", …" if len(candidates) > _NAMED else ""
    if blamed is not None and not hidden:
        text = f"{title} is where it goes wrong, {blamed['text']}."
    elif hidden:
        text = f"{title} is where it goes wrong; the bug is in what nobody could judge: {named}"
    elif unknown:
        text = f"The bug is in one of {len(candidates)} calls: {named}"
    elif tree.size[node] == 1:
        text = f"{title} is where it goes wrong: it called nothing else."
    else:
        text = f"{title} is where it goes wrong: the calls it made are right."
    if node == where.root and not (unknown or hidden) and _modules_before(tree, node):
        text += " Or in a module imported before it: `--root 0` asks about those, too."
    return {
        "found": not unknown and not hidden,
        "node": node,
        "function": place.function,
        "file": place.file,
        "line": place.line,
        **code,
        "blamed": blamed,
        "questions": sum(given.values()) - given[TRUST] - given[EQUAL_QUESTION],
        "answered_by": dict(given),
        "candidates": candidates,
        "title": title,
        "text": text,
    }


def _modules_before(tree: ExecutionTree, root: int) -> bool:
    """Did bodies of modules compute something before the call that the search started at?"""
    if root <= 0 or tree.trace is None:
        return False
    modules = {routine.id for routine in tree.trace.routines if routine.kind == "module"}
    return any(_is_before(tree, routine, root) for routine in modules - {tree.routine[0]})


def _is_before(tree: ExecutionTree, routine: int, root: int) -> bool:
    try:
        first = tree.routine.index(routine, 1, root)
    except ValueError:
        return False
    return not tree.inside(root, first)


def _missing(oracles: Sequence[Oracle], node: CodeNode) -> tuple[int, int] | None:
    for oracle in oracles:
        if isinstance(oracle, GapOracle) and (lines := oracle.missing(node)) is not None:
            return lines
    return None


def _code(tree: ExecutionTree, verdicts: Verdicts, node: int) -> Body:
    """The code to blame of a call; how it depends on what was marked, as long as that takes no age."""
    trace = tree.trace
    if trace is not None and hasattr(trace, "end") and trace.end[node] - trace.start[node] > LONG:
        return blame.executed(tree, node)
    entry = verdicts.entries.get(node)
    mark = "" if entry is None or entry.answer != WRONG else entry.mark
    try:
        return buggy_code(tree, node, mark)
    except ValueError:  # a mark that names no part of the outcome
        return buggy_code(tree, node)
