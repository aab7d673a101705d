"""The questions about one recorded run: a session opened from its trace, asked and answered in JSON bodies.

Knows nothing of channels and threads; whoever uses it calls it from one thread at a time.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import attrs

from algodebug import lens_index, question, value_texts
from algodebug.about_values import AboutValues, NoSuchValue
from algodebug.dap.arguments import (
    AnswerArguments,
    AskArguments,
    ExecutableArguments,
    OriginArguments,
    PrintedArguments,
    SliceArguments,
    TreeArguments,
    ValueArguments,
)
from algodebug.dap.node_code import NodeCode
from algodebug.dap.protocol import TreeNode, TreePage, write
from algodebug.dap.pseudo_stack import PseudoStack
from algodebug.dap.routine_code import routines_with_code
from algodebug.dap.run import Run
from algodebug.execution_tree import ExecutionTree
from algodebug.expression_nodes import has_expressions
from algodebug.failed_tests import where_to_start
from algodebug.named_values import named_value
from algodebug.oracles import Oracle
from algodebug.oracles.patience import Patience, PatientOracle
from algodebug.session import AnswerError, Session
from algodebug.session_file import session_file_of
from algodebug.slicing import slicer_of
from algodebug.stored_answers import earlier
from algodebug.value_pages import left_out_of, value_page
from algodebug.whereabouts import LONG
from algodebug.wrong_output import call_wrong
from algodebug.zooming import outer_of, parts_of, zoomed
from algotrace.trace import Trace
from algotrace.values import Value

if TYPE_CHECKING:
    from algodebug.code_nodes import CodeNode
    from algodebug.reduced_program import Reduced, Reducing
    from algotrace.reads import Read

Body = dict[str, Any]

MOST_CHILDREN = 1000
MOST_PARTS = 1000
MOST_CHANGES_NAMED = 3


class Refused(Exception):
    """What was asked for cannot be; the text says why, in one or two sentences."""


class Questions:
    """An open trace and the search in it."""

    def __init__(self, run: Run) -> None:
        """Opens the trace of a run. Raises TraceError for one that cannot be read, Refused for bad options."""
        self._folder = run.lens_folder
        trace = Trace.open(run.trace)
        self.trace = trace
        self.tree = ExecutionTree.from_trace(trace)
        if self.tree.is_empty:
            raise Refused("none of the program's own code has run.")
        self.patience = Patience()
        self.session = _session(self.tree, trace, run, self.patience)
        self._children = lru_cache(maxsize=64)(self._list_children)
        self._code = NodeCode(self.tree, trace)
        self._with_code = routines_with_code(trace)
        self._state: Body | None = None

    def follow(self) -> Callable[[], None]:
        """Values are about to be followed; the answer, for any thread, ends that with Interrupted."""
        graph = slicer_of(self.trace).graph
        if graph.is_interrupted:
            graph.is_interrupted = False
            graph.forget()
        return graph.interrupt

    def state(self) -> Body:
        """The state of the session, as every front end gets it, and where its question can be zoomed to."""
        if self._state is None:
            state = self.session.state()
            if (asked := state["question"]) is not None:
                state = {**state, "question": self._complete(asked)}
            call = self.tree.call(self.session.root)
            output = None if call is None else question.printed_body(call)
            state = {**state, "printed": output, "root": self.session.root}
            self._state = state
        return self._state

    def answer(self, arguments: AnswerArguments) -> None:
        """Judges a node, by default the one asked about."""
        body = {
            name: value
            for name in ("answer", "node", "mark", "expected", "argument")
            if (value := getattr(arguments, name)) is not None
        }
        self._change(lambda: self.session.answer(body))

    def undo(self) -> None:
        """Takes the last answer back."""
        self._change(self.session.undo)

    def revise(self, number: int) -> None:
        """Asks again what an answer of the history was given to, by its number from 1."""
        self._change(lambda: self.session.revise(number))

    def history(self) -> list[str]:
        """The answers so far in numbered lines."""
        return self.session.numbered_answers()

    def use_strategy(self, name: str) -> None:
        """Asks by another strategy from now on."""
        names = [strategy["name"] for strategy in self.state()["strategies"]]
        if name not in names:
            raise Refused(f'There is no strategy "{name}". There are: {", ".join(names)}.')

        def use() -> None:
            self.session.strategy = name

        self._change(use)

    def ask(self, arguments: AskArguments) -> None:
        """Makes a node, or a call of the function defined at a line, the one asked about."""
        if arguments.zoom is not None:
            self._change(lambda: self._zoom(str(arguments.zoom), arguments.node))
            return
        elif arguments.node is not None:
            node = self._node(arguments.node)
        elif arguments.file is not None and arguments.line is not None:
            node = self._call_of(arguments.file, arguments.line)
        else:
            raise Refused('Say what to ask about: a "node", or a "file" and a "line".')
        self._change(lambda: self.session.ask(node))

    def _zoom(self, direction: str, node: int | None) -> None:
        self.session.ask(zoomed(self.session, direction, self.asked() if node is None else self._node(node)))

    def use_depth(self, depth: str) -> None:
        """Ends the search at the function, or goes on inside it."""

        def use() -> None:
            self.session.depth = depth

        self._change(use)

    def asked(self) -> int:
        """The node in the middle of things: the one asked about, else the buggy one, else the root."""
        state = self.state()
        if state["question"] is not None:
            return int(state["question"]["id"])
        result = state["result"]
        return int(result["node"]) if result is not None and result["node"] is not None else 0

    def stack(self) -> PseudoStack:
        """The call stack of that node."""
        return PseudoStack(self.tree, self.asked())

    def page_of_tree(self, arguments: TreeArguments) -> Body:
        """A node and a page of its children: the calls it made, or the parts of its code."""
        node = self._node(0 if arguments.node is None else arguments.node)
        if arguments.code or self.tree.code(node) is not None:
            children: array[int] | list[int] = parts_of(self.tree, node)
        else:
            children = self._children(node)
        start, count = max(arguments.start, 0), min(max(arguments.count, 0), MOST_CHILDREN)
        page = children[start : start + count]
        return write(TreePage(self.tree_node(node), [self.tree_node(child) for child in page], len(children)))

    def tree_node(self, node: int) -> TreeNode:
        """One line of the tree."""
        place = self.tree.place(node)
        code = self.tree.code(node)
        state = self.state()
        result, asked = state["result"], state["question"]
        return TreeNode(
            id=node,
            kind="routine" if code is None else code.kind,
            title=self.tree.title(node),
            function=place.function,
            file=place.file,
            line=place.line,
            range=None if code is None else list(code.region),
            verdict=self.session.verdict(node),
            source=self.session.verdict_source(node),
            buggy=result is not None and result["found"] and node in _blamed(result),
            current=asked is not None and asked["id"] == node,
            children=len(self._children(node))
            if code is None
            else len(code.children) or int(has_expressions(code)),
            code=self._has_code(node),
            outcome=self._outcome(node),
        )

    def _outcome(self, node: int) -> str:
        code, call = self.tree.code(node), self.tree.call(node)
        if code is not None:
            return _what_it_did(code)
        return question.outcome_text(call) if call is not None else self.tree.outcome_name(node)

    def node(self, node: int) -> Body:
        """A node put as a question, with its verdict."""
        body = self._complete(self.tree.question(self._node(node)))
        return {**body, "verdict": self.session.verdict(node)}

    def _complete(self, body: Body) -> Body:
        """A question with where it can be zoomed to, and with what a call read and shares, if that is not in it yet."""
        node = body["id"]
        more: Body = {
            "canZoomIn": self._has_code(node),
            "canZoomOut": outer_of(self.session, node) is not None,
        }
        if self.tree.code(node) is None:
            if "reads" not in body:
                more["reads"] = [_read_body(read) for read in self.trace.reads(node)]
            if "sharing" not in body:
                more["sharing"] = [shared.text() for shared in self.trace.sharing(node)]
        return {**body, **more}

    def value(self, arguments: ValueArguments) -> Body:
        """A value and a page of its parts."""
        try:
            value = self.trace.value(arguments.ref)
        except KeyError:
            raise Refused(f'There is no value "{arguments.ref}" in this recording.') from None
        node = arguments.node
        without = None if node is None else left_out_of(self.tree, self._node(node), value)
        start, count = max(arguments.start, 0), min(max(arguments.count, 0), MOST_PARTS)
        return value_page(self.trace, value, start, count, without)

    def slice(self, arguments: SliceArguments) -> Body:
        """The code that a value of a node depends on."""
        node = self._node(arguments.node)
        if arguments.other is None and arguments.kind in ("chop", "dice"):
            raise Refused(f'A slice "{arguments.kind}" needs an "other" value.')
        return self._of_code(lambda: write(self._code.slice(attrs.evolve(arguments, node=node))))

    def origin(self, arguments: OriginArguments) -> Body:
        """Where a value of a node comes from."""
        node = self._node(arguments.node)
        return self._of_code(lambda: write(self._code.origin(attrs.evolve(arguments, node=node))))

    def writes(self, arguments: OriginArguments) -> Body:
        """Who changed a value of a node."""
        node = self._node(arguments.node)
        return self._of_code(lambda: write(self._code.writes(attrs.evolve(arguments, node=node))))

    def printed(self, arguments: PrintedArguments) -> Body:
        """A page of the lines that a node printed."""
        node = self._node(arguments.node)
        return self._of_code(lambda: write(self._code.printed(attrs.evolve(arguments, node=node))))

    def reducing(self, arguments: ExecutableArguments) -> Reducing:
        """The making of a reduced program that gives some values, to be gone on with by who asked."""
        try:
            return self._code.reducing(attrs.evolve(arguments, node=self._node(arguments.node)))
        except NoSuchValue as error:
            raise Refused(str(error)) from None

    def reduced(self, arguments: ExecutableArguments, found: Reduced) -> Body:
        """What came of that."""
        return write(self._code.reduced(arguments, found))

    def output(self) -> list[str]:
        """What the search started with printed, in numbered lines."""
        return value_texts.printed_lines(*AboutValues(self.tree, self.trace).lines(self.session.root))

    def call_line_wrong(self, wanted: str) -> None:
        """A line of that is wrong: its number from 1, or a text in it."""
        self._change(lambda: call_wrong(self.session, wanted))

    def values(self, node: int) -> Body:
        """What the names of a node were bound to."""
        return self._of_code(lambda: write(self._code.values(self._node(node))))

    def _of_code(self, read: Callable[[], Body]) -> Body:
        try:
            return read()
        except NoSuchValue as error:
            raise Refused(str(error)) from None

    def named_value(self, node: int, expression: str) -> Value | None:
        """The value of an argument, `result`, or a part of one, in a node."""
        return named_value(self.tree, node, expression)

    def value_lines(self, name: str, start: int) -> list[str]:
        """A value of the node asked about, with a page of its parts, as lines of text."""
        try:
            return value_texts.value_lines(self.tree, self.asked(), name, start)
        except NoSuchValue as error:
            raise Refused(str(error)) from None

    def source(self, number: int) -> str:
        """The text of a source file as it ran."""
        if not 0 <= number < len(self.trace.sources):
            raise Refused("There is no such source in this recording.")
        return self.trace.sources[number].text

    def write_lenses(self) -> None:
        """Brings what the code lenses say up to date."""
        lens_index.write(lens_index.build(self.session, self._values_asked()), self._folder)

    def _values_asked(self) -> tuple[str, lens_index.ValuesState] | None:
        """The values of the call in the middle of things; not of one so long that reading them takes time."""
        node = self.asked()
        call = self.tree.call_of(node)
        if self.trace.end[call] - self.trace.start[call] > LONG:
            return None
        found = self._code.values(node)
        routine = self.trace.routines[self.tree.routine[call]]
        last = self.trace.sources[routine.source].text.count("\n") + 1
        lines = [1, last] if routine.kind == "module" else [routine.line, routine.end_line]
        values: list[Any] = [write(value) for value in found.values]
        return found.file, {"title": self.tree.title(call), "lines": lines, "values": values}

    def close(self) -> None:
        """Closes what is open; the answers are on disk already."""
        self.session.close()

    def _change(self, change: Callable[[], None]) -> None:
        try:
            change()
        except AnswerError as error:
            raise Refused(_with_hint(error.message, error.hint)) from None
        finally:
            self._state = None

    def _node(self, node: int) -> int:
        if node not in self.tree:
            raise Refused(f"There is no node {node}; the recording has {len(self.tree)} of them, from 0.")
        return node

    def _has_code(self, node: int) -> bool:
        """Is there code inside a node that can be asked about? Of a call the text tells: its events are many."""
        code = self.tree.code(node)
        if code is None:
            return self.tree.routine[node] in self._with_code
        return bool(code.children) or has_expressions(code)

    def _list_children(self, node: int) -> array[int]:
        return array("i", self.tree.children(node))

    def _call_of(self, file: str, line: int) -> int:
        wanted = os.path.realpath(file)
        routines = {
            routine.id
            for routine in self.trace.routines
            if routine.line == line and os.path.realpath(self.trace.sources[routine.source].path) == wanted
        }
        nodes = [node for node, routine in enumerate(self.tree.routine) if routine in routines]
        if not nodes:
            raise Refused(f"No call of a function defined at line {line} of {file} was recorded.")
        return next((node for node in nodes if self.session.verdict(node) is None), nodes[0])


def _read_body(read: Read) -> Body:
    value = question.value_body(read.value)
    if value is not None:
        value["certain"] = value["certain"] and read.certain
    return {"name": read.name, "kind": read.kind, "value": value}


def _what_it_did(code: CodeNode) -> str:
    """What some code changed and how it ended, in a few words."""
    changes = code.changes
    told = [f"{change.target} = {_short(change.after)}" for change in changes[:MOST_CHANGES_NAMED]]
    if len(changes) > len(told):
        told.append(f"{len(changes) - len(told)} more")
    if way := question.code_way(code):
        told.append(way)
    return ", ".join(told) or "nothing is changed"


def _short(value: Value | None) -> str:
    return "(nothing)" if value is None else question.short(value, 24)


def _blamed(result: Body) -> tuple[int | None, int | None]:
    """The call found and, where the search went on inside it, the code."""
    blamed = result.get("blamed")
    return result["node"], None if blamed is None else blamed["node"]


def _session(tree: ExecutionTree, trace: Trace, run: Run, patience: Patience) -> Session:
    options = run.options
    oracles: list[Oracle] = []
    if options.reference is not None:
        from algodebug.oracles.reference_code import ReferenceCodeOracle

        reference = run.folder / options.reference
        if not reference.exists():
            raise Refused(f'The "reference" {reference} does not exist.')
        oracles.append(PatientOracle(ReferenceCodeOracle(reference, trace), patience))
    root, note = where_to_start(trace)
    try:
        session = Session(
            tree,
            root=root,
            strategy=options.strategy,
            depth=options.depth,
            oracles=oracles,
            session_file=session_file_of(run.trace),
            trust=options.trust,
            before=earlier(
                tree,
                fresh=options.fresh,
                session_files=[] if run.answers_of is None else [session_file_of(run.answers_of)],
            ),
        )
    except AnswerError as error:
        raise Refused(_with_hint(error.message, error.hint)) from None
    if note:
        session.notes.append(note.partition(" (")[0])
    return session


def _with_hint(message: str, hint: str) -> str:
    return f"{message.rstrip('.')}. {hint}".strip() if hint else message
