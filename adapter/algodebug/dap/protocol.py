"""The bodies of our own messages: the launch attributes and the `algodebug/…` requests we add to DAP.

Messages of DAP itself stay plain objects. Questions, results and states are the session's own JSON and are passed on
as they are.
"""

from __future__ import annotations

from typing import Any, TypeVar

import attrs
import cattrs
from cattrs.errors import BaseValidationError

PREFIX = "algodebug/"
CHANGED = PREFIX + "changed"
"""The one event of ours: something in `algodebug/state` is different now."""


class BadArguments(Exception):
    """The arguments of a request are not what the request takes; the text says which and why, in one sentence."""


@attrs.frozen
class Limits:
    """How much may be recorded."""

    events: int | None = None


@attrs.frozen
class LaunchOptions:
    """What we add to the attributes of a launch; the names are the ones in launch.json."""

    recording: bool = True
    include: list[str] = attrs.field(factory=list)
    exclude: list[str] = attrs.field(factory=list)
    limits: Limits = attrs.field(factory=Limits)
    traceFile: str | None = None
    strategy: str | None = None
    reference: str | None = None
    trust: list[str] = attrs.field(factory=list)
    workspaceFolder: str | None = None
    """The one that is not for launch.json: an editor's extension says which folder it has open."""


@attrs.frozen
class Nothing:
    """The arguments of a request that takes none."""


@attrs.frozen
class AnswerArguments:
    """An answer to the question asked, or about any other node."""

    answer: str
    node: int | None = None
    mark: str | None = None
    expected: str | None = None
    argument: str | None = None


@attrs.frozen
class StrategyArguments:
    """The strategy that chooses the questions from now on."""

    name: str


@attrs.frozen
class AskArguments:
    """What to ask about next: a node, or the function whose definition is at a line."""

    node: int | None = None
    file: str | None = None
    line: int | None = None


@attrs.frozen
class TreeArguments:
    """A page of the children of a node; without a node, of the root's."""

    node: int | None = None
    start: int = 0
    count: int = 100


@attrs.frozen
class NodeArguments:
    """One node."""

    node: int


@attrs.frozen
class ValueArguments:
    """A page of the parts of a value."""

    ref: str
    start: int = 0
    count: int = 100


@attrs.frozen
class TreeNode:
    """One line of the execution tree."""

    id: int
    title: str
    function: str
    file: str
    line: int
    verdict: str | None
    source: str | None
    buggy: bool
    current: bool
    children: int
    outcome: str


@attrs.frozen
class Tree:
    """A node, a page of its children, and how many it has."""

    node: TreeNode
    children: list[TreeNode]
    total: int


@attrs.frozen
class ValueSummary:
    """One value in one line. `literal`: the text is complete and evaluates to an equal value."""

    text: str
    type: str
    literal: bool
    certain: bool
    ref: str


@attrs.frozen
class ValuePart:
    """A part of a value; `path` leads to it from the value: `[0]`, `['k']`, `.x`."""

    label: str
    path: str
    value: ValueSummary


@attrs.frozen
class ValueParts:
    """A value and a page of its parts."""

    value: ValueSummary
    length: int | None
    parts: list[ValuePart]


T = TypeVar("T", bound=attrs.AttrsInstance)

_converter = cattrs.Converter(detailed_validation=True)


def _exactly(kind: type, words: str) -> Any:
    def structure(value: Any, _: Any) -> Any:
        # bool is an int to Python, not to JSON.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ValueError(f"must be {words}")
        return value

    return structure


# cattrs converts ("3" becomes 3); a client that sends the wrong type is told so instead.
for _kind, _words in ((str, "a text"), (int, "a whole number"), (bool, "true or false")):
    _converter.register_structure_hook(_kind, _exactly(_kind, _words))


def _strings(value: Any, _: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError("must be a list of texts")
    return list(value)


_converter.register_structure_hook_func(lambda kind: kind == list[str], _strings)


def _limits(value: Any, _: Any) -> Limits:
    events = value.get("events") if isinstance(value, dict) else value
    if not isinstance(value, dict) or (
        events is not None and (not isinstance(events, int) or isinstance(events, bool) or events < 1)
    ):
        raise ValueError('must be an object such as {"events": 1000000}')
    return Limits(events)


_converter.register_structure_hook(Limits, _limits)


def read(kind: type[T], arguments: dict[str, Any]) -> T:
    """The arguments as an object of `kind`. Unknown ones are left out: a newer client may send more."""
    names = {field.name for field in attrs.fields(kind)}
    # A null stands for an attribute that was left out: editors write it for empty settings.
    known = {name: value for name, value in arguments.items() if name in names and value is not None}
    try:
        return _converter.structure(known, kind)
    except BaseValidationError as error:
        raise BadArguments(_sentence(error)) from None


def write(body: attrs.AttrsInstance) -> dict[str, Any]:
    """The JSON object of one of the bodies above."""
    result: dict[str, Any] = _converter.unstructure(body)
    return result


def _sentence(error: BaseValidationError) -> str:
    for text in cattrs.transform_error(error, format_exception=lambda cause, _: _reason(cause)):
        reason, _, path = text.rpartition(" @ $")
        if reason.startswith("missing"):
            return f'"{reason.removeprefix("missing ")}" is missing'
        return f'"{path.removeprefix(".")}" {reason}'
    return "the arguments are not valid"


def _reason(cause: BaseException) -> str:
    if isinstance(cause, KeyError):
        return f"missing {cause.args[0]}"
    return str(cause)
