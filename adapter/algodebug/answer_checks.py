"""Whether what somebody answers or wishes can be taken: if not, one sentence says why, and what would do."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from algodebug.answers import DEPTHS, DETAILS, INADMISSIBLE, WRONG, AnswerError
from algodebug.execution_tree import ExecutionTree
from algodebug.search import STRATEGIES
from algodebug.slicing.criteria import parse_criterion

if TYPE_CHECKING:
    from algotrace.trace import Call

_LONGEST_VALUE = 10_000


def checked_strategy(name: Any) -> str:
    """The name of a strategy."""
    if not isinstance(name, str) or name not in STRATEGIES:
        raise AnswerError(f"there is no strategy {name!r}", f"one of: {', '.join(STRATEGIES)}")
    return name


def checked_depth(depth: Any) -> str:
    """How far a search may go."""
    if not isinstance(depth, str) or depth not in DEPTHS:
        raise AnswerError(f"there is no depth {depth!r}", f"one of: {', '.join(DEPTHS)}")
    return depth


def check_node(tree: ExecutionTree, root: int, node: object) -> None:
    """Can be asked about."""
    if node not in tree:
        raise AnswerError(
            f"there is no node {json.dumps(node, default=str)}", f"nodes are numbered 0 to {len(tree) - 1}"
        )
    if node == root:
        raise AnswerError(
            f"node {node} is where the search started: it is taken as wrong and not asked",
            "answer for one of the calls below it",
        )


def details_of(answer: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What an answer says besides."""
    for name in DETAILS:
        if answer.get(name) is not None and not isinstance(answer[name], str):
            raise AnswerError(f"{name} is not a string", f"give {name} as text")
    return tuple((name, answer[name]) for name in DETAILS if answer.get(name))


def check_details(tree: ExecutionTree, node: int, answer: str, details: Mapping[str, str]) -> None:
    """They are about something that the question shows."""
    call = tree.call(node)
    if call is None or tree.trace is None:
        return
    if answer == WRONG:
        if mark := details.get("mark"):
            _check_mark(tree, call, mark)
        if (expected := details.get("expected")) and details.get("mark", "result") == "result":
            _check_expected(call, expected)
    if answer == INADMISSIBLE and (argument := details.get("argument")):
        _check_argument(call, argument)


def _check_mark(tree: ExecutionTree, call: Call, mark: str) -> None:
    if any(mark.startswith(change.target) for change in call.changes) or not hasattr(
        tree.trace, "own_events"
    ):
        return
    try:
        assert tree.trace is not None
        parse_criterion(tree.trace, call.node, mark)
    except (ValueError, KeyError) as error:
        hint = "such as result[1], self.total or printed[2]; without it all of the outcome is meant"
        raise AnswerError(str(error), hint) from None


def _check_argument(call: Call, argument: str) -> None:
    name = argument.removeprefix("argument ").strip()
    names = [given.name for given in call.arguments]
    if not any(name == known or name.startswith((f"{known}.", f"{known}[")) for known in names):
        has = f"it was called with {', '.join(names)}" if names else "it was called without any"
        raise AnswerError(f"there is no argument {name}", has)


def _check_expected(call: Call, expected: str) -> None:
    value = call.outcome.value
    if call.outcome.kind != "return" or value is None:
        return
    text = value.text(_LONGEST_VALUE)
    if text.literal and _is_same(text.text, expected):
        raise AnswerError(
            f"{expected.strip()} is what it returned", "say what it should be, or that it is right"
        )


def _is_same(text: str, expected: str) -> bool:
    if text == expected.strip():
        return True
    try:
        one, two = ast.literal_eval(text), ast.literal_eval(expected.strip()[:_LONGEST_VALUE])
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return False
    return bool(type(one) is type(two) and one == two)
