"""What comes in: the launch attributes that are ours, and the arguments of the `algodebug/…` requests we add to DAP."""

from __future__ import annotations

from typing import Any, TypeVar

import attrs
import cattrs
from cattrs.errors import BaseValidationError


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
    depth: str | None = None
    reference: str | None = None
    trust: list[str] = attrs.field(factory=list)
    fresh: bool = False
    workspaceFolder: str | None = None
    """The one that is not for launch.json: an editor's extension says which folder it has open."""


@attrs.frozen
class CancelArguments:
    """DAP's own: a request that is not waited for any more, or a piece of work that was shown as progress."""

    requestId: int | None = None
    progressId: str | None = None


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
class DepthArguments:
    """How far the search goes: "function", "code", "expression" or "auto"."""

    depth: str


@attrs.frozen
class AskArguments:
    """What to ask about next: a node, or the function whose definition is at a line.

    `zoom` "in" means the first part of the node that nobody has judged, "out" what the node is a part of.
    """

    node: int | None = None
    file: str | None = None
    line: int | None = None
    zoom: str | None = None


@attrs.frozen
class TreeArguments:
    """A page of the children of a node; without a node, of the root's. `code`: of the code that a call executed itself."""

    node: int | None = None
    start: int = 0
    count: int = 100
    code: bool = False


@attrs.frozen
class NodeArguments:
    """One node."""

    node: int


@attrs.frozen
class ValueArguments:
    """A page of the parts of a value. With a node, without what a question about it leaves out."""

    ref: str
    start: int = 0
    count: int = 100
    node: int | None = None


@attrs.frozen
class SliceArguments:
    """What a part of what a node did depends on; without a mark, all of it. `other` is for "chop" and "dice"."""

    node: int
    mark: str = ""
    kind: str = "buggy"
    other: str | None = None


@attrs.frozen
class OriginArguments:
    """Where a value comes from: a part of what a node was given or did, named as a mark."""

    node: int
    mark: str


@attrs.frozen
class PrintedArguments:
    """A page of the lines that a node, and what it called, printed."""

    node: int = 0
    start: int = 0
    count: int = 200


@attrs.frozen
class ExecutableArguments:
    """The values that a reduced program has to give: marks of a node, or of other calls as "NODE:MARK"."""

    node: int
    marks: list[str]


# What is sent


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
