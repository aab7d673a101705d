"""The bodies of our own messages: the launch attributes and the `algodebug/…` requests we add to DAP.

Messages of DAP itself stay plain objects. Questions, results and states are the session's own JSON and are passed on
as they are; the classes that describe them say which keys a client may rely on. The extension's `protocol.ts` has the
same names, and a test compares the two. What has a default here may be missing there.
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
    depth: str | None = None
    reference: str | None = None
    trust: list[str] = attrs.field(factory=list)
    fresh: bool = False
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
    """A page of the parts of a value. With a node, without what a question about it leaves out; `whole`: of the parts."""

    ref: str
    start: int = 0
    count: int = 100
    node: int | None = None
    whole: bool = False


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


@attrs.frozen
class Value:
    """One value in one line. `literal`: the text is complete and evaluates to an equal value."""

    text: str
    type: str
    literal: bool
    certain: bool
    ref: str
    shown: str | None = None
    """The text without what the call did not look at, where that is something."""


@attrs.frozen
class ValuePart:
    """A part of a value; `path` leads to it from the value: `[0]`, `['k']`, `.x`."""

    label: str
    path: str
    value: Value


@attrs.frozen
class LeftOut:
    """Parts that a question leaves out: `count` of them from number `start` on, before one of the page's."""

    before: int
    start: int
    count: int


@attrs.frozen
class ValuePage:
    """A value and a page of its parts; `next` is the number of the first of the next page."""

    value: Value
    length: int | None
    parts: list[ValuePart]
    leftOut: list[LeftOut] = attrs.field(factory=list)
    next: int | None = None


@attrs.frozen
class Outcome:
    """How something ended: `kind` is return, raise, yield, unfinished; of code also break, continue or ""."""

    kind: str
    value: Value | None


@attrs.frozen
class Input:
    """A variable as it was before."""

    name: str
    value: Value


@attrs.frozen
class Read:
    """What was read besides the arguments; no value where none is known."""

    name: str
    kind: str
    value: Value | None


@attrs.frozen
class Change:
    """`before` null: was not there; `after` null: is no longer there."""

    target: str
    before: Value | None
    after: Value | None


@attrs.frozen
class Printed:
    """What was printed. `more` prints, at the end, are left out."""

    text: str
    certain: bool
    more: int = 0


@attrs.frozen
class Iterations:
    """Which iterations of a loop, counted from 1, and how many it had."""

    first: int
    last: int
    count: int


@attrs.frozen
class Question:
    """A call, or code inside one. `range` is the code's: line, column, end line, end column."""

    id: int
    kind: str
    function: str
    file: str
    line: int
    inputs: list[Input]
    outcome: Outcome
    changes: list[Change]
    why: str
    remaining: int
    text: str
    title: str
    printed: Printed | None = None
    reads: list[Read] = attrs.field(factory=list)
    sharing: list[str] = attrs.field(factory=list)
    range: list[int] | None = None
    call: int | None = None
    way: str = ""
    iterations: Iterations | None = None
    module: str = ""  # whose body it is, of an imported module
    canZoomIn: bool = False
    canZoomOut: bool = False


@attrs.frozen
class CodeOfFile:
    """Pieces of a file; what matters is bright, what ran besides it is faint."""

    file: str
    bright: list[list[int]]
    faint: list[list[int]]


@attrs.frozen
class Candidate:
    """One of several nodes that may hold the bug."""

    node: int
    function: str
    file: str
    line: int
    title: str


@attrs.frozen
class Blamed:
    """The code to blame inside the call found; `between` are lines between which something may be missing."""

    kind: str
    node: int | None
    line: int
    range: list[int]
    between: list[int] | None
    title: str
    text: str


@attrs.frozen
class Result:
    """The verdict, or the candidates where there is none."""

    found: bool
    node: int | None
    function: str
    file: str
    line: int
    bright: list[list[int]]
    faint: list[list[int]]
    code: list[CodeOfFile]
    questions: int
    answered_by: dict[str, int]
    candidates: list[Candidate]
    title: str
    text: str
    blamed: Blamed | None = None


@attrs.frozen
class HistoryEntry:
    """One answer; `text` is the node with what came out of it."""

    node: int
    title: str
    text: str
    answer: str
    source: str
    file: str
    line: int
    kind: str = "routine"
    mark: str | None = None
    expected: str | None = None
    argument: str | None = None


@attrs.frozen
class Contradiction:
    """Two answers that cannot both be true, and why."""

    answers: list[HistoryEntry]
    text: str


@attrs.frozen
class StrategyName:
    """A strategy as the user picks it."""

    name: str
    label: str


@attrs.frozen
class Failure:
    """What went wrong, and what to do."""

    error: str
    hint: str


@attrs.frozen
class State:
    """Everything a view shows. `printed`: by the node the search started with, `root`."""

    status: str
    question: Question | None
    result: Result | None
    strategy: str
    strategies: list[StrategyName]
    history: list[HistoryEntry]
    nodes: int
    answered: int
    remaining: int
    trace: str
    error: Failure | None
    canUndo: bool
    canZoom: bool = False
    depth: str = "auto"
    contradictions: list[Contradiction] = attrs.field(factory=list)
    notes: list[str] = attrs.field(factory=list)
    printed: Printed | None = None
    root: int = 0


@attrs.frozen
class TreeNode:
    """One line of the execution tree. `code`: there is code inside it that can be looked at."""

    id: int
    kind: str
    title: str
    function: str
    file: str
    line: int
    range: list[int] | None
    verdict: str | None
    source: str | None
    buggy: bool
    current: bool
    children: int
    code: bool
    outcome: str


@attrs.frozen
class TreePage:
    """A node, a page of its children, and how many it has."""

    node: TreeNode
    children: list[TreeNode]
    total: int


@attrs.frozen
class Slice:
    """The code that a value depends on, and the calls that had a part in it. `complete`: nothing can be missing."""

    node: int
    mark: str
    kind: str
    files: list[CodeOfFile]
    nodes: list[int]
    complete: bool


@attrs.frozen
class Station:
    """A place that a value passed; `what` is made, stored, passed, returned, raised, read or printed."""

    node: int
    function: str
    title: str
    file: str
    line: int
    range: list[int] | None
    text: str
    what: str


@attrs.frozen
class Origin:
    """The way of a value, from where it was made; empty where nothing is known of it."""

    node: int
    mark: str
    stations: list[Station]


@attrs.frozen
class Write:
    """A place that changed a value, or (`what` is "made") made it; null: there was none."""

    node: int
    function: str
    title: str
    file: str
    line: int
    range: list[int] | None
    text: str
    what: str
    target: str
    before: Value | None
    after: Value | None


@attrs.frozen
class Writes:
    """Who changed a value until the moment at which it is shown, in order."""

    node: int
    mark: str
    writes: list[Write]


@attrs.frozen
class PrintedLine:
    """A line of output, counted from 0; `mark` names it in an answer."""

    number: int
    text: str
    certain: bool
    mark: str


@attrs.frozen
class PrintedPage:
    """A page of the lines that a node printed, and whether there are more."""

    node: int
    lines: list[PrintedLine]
    more: bool


@attrs.frozen
class ReducedFile:
    """A file of a reduced program."""

    file: str
    text: str


@attrs.frozen
class ReducedProgram:
    """A program that gives some values without the rest: it was run. The first file is that of the first value."""

    node: int
    marks: list[str]
    files: list[ReducedFile]
    lines: int
    linesBefore: int


@attrs.frozen
class PlacedValues:
    """The values that a name got at one place, in one line."""

    name: str
    text: str
    count: int
    range: list[int]


@attrs.frozen
class NodeValues:
    """What the names of a node were bound to, by place."""

    node: int
    file: str
    values: list[PlacedValues]


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
