"""The bodies of what we send: the answers to the `algodebug/…` requests we add to DAP (their `arguments` are read elsewhere).

Messages of DAP itself stay plain objects. Questions, results and states are the session's own JSON and are passed on
as they are; the classes that describe them say which keys a client may rely on. The extension's `protocol.ts` has the
same names, and a test compares the two. What has a default here may be missing there.
"""

from __future__ import annotations

from typing import Any

import attrs
import cattrs

PREFIX = "algodebug/"
CHANGED = PREFIX + "changed"
"""The one event of ours: something in `algodebug/state` is different now."""


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
    """How something ended: `kind` is return, raise, yield, unfinished; of code also break, continue or "".

    Without `ended` a generator could have yielded more, had it been asked to.
    """

    kind: str
    value: Value | None
    ended: bool = True


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


_converter = cattrs.Converter()


def write(body: attrs.AttrsInstance) -> dict[str, Any]:
    """The JSON object of one of the bodies above."""
    result: dict[str, Any] = _converter.unstructure(body)
    return result
