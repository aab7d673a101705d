"""The questions about one recorded run: a session opened from its trace, asked and answered in JSON bodies.

Knows nothing of channels and threads; whoever uses it calls it from one thread at a time.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from algodebug import lens_index, question
from algodebug.dap.kept_answers import KeptAnswers
from algodebug.dap.protocol import (
    AnswerArguments,
    AskArguments,
    Tree,
    TreeArguments,
    TreeNode,
    ValueArguments,
    write,
)
from algodebug.dap.pseudo_stack import PseudoStack
from algodebug.dap.run import Run, session_file
from algodebug.execution_tree import ExecutionTree
from algodebug.oracles import Oracle
from algodebug.search import DEFAULT_STRATEGY
from algodebug.session import AnswerError, Session
from algotrace.trace import Trace
from algotrace.values import Value

Body = dict[str, Any]

MOST_CHILDREN = 1000
MOST_PARTS = 1000


class Refused(Exception):
    """What was asked for cannot be; the text says why, in one or two sentences."""


class Questions:
    """An open trace and the search in it."""

    def __init__(self, run: Run) -> None:
        """Opens the trace of a run. Raises TraceError for one that cannot be read, Refused for bad options."""
        self._folder = run.lens_folder
        trace = Trace.open(run.trace)
        self.trace = trace
        if not trace.sources:
            raise Refused("none of the program's own code has run.")
        self.tree = ExecutionTree.from_trace(trace)
        self.session = _session(self.tree, trace, run)
        self._children = lru_cache(maxsize=64)(self._list_children)
        self._state: Body | None = None

    def state(self) -> Body:
        """The state of the session, as every front end gets it."""
        if self._state is None:
            self._state = self.session.state()
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
        if arguments.node is not None:
            node = self._node(arguments.node)
        elif arguments.file is not None and arguments.line is not None:
            node = self._call_of(arguments.file, arguments.line)
        else:
            raise Refused('Say what to ask about: a "node", or a "file" and a "line".')
        self._change(lambda: self.session.ask(node))

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
        """A node and a page of its children."""
        node = self._node(0 if arguments.node is None else arguments.node)
        children = self._children(node)
        start, count = max(arguments.start, 0), min(max(arguments.count, 0), MOST_CHILDREN)
        page = children[start : start + count]
        return write(Tree(self.tree_node(node), [self.tree_node(child) for child in page], len(children)))

    def tree_node(self, node: int) -> TreeNode:
        """One line of the tree."""
        place = self.tree.place(node)
        call = self.tree.call(node)
        state = self.state()
        result, asked = state["result"], state["question"]
        return TreeNode(
            id=node,
            title=self.tree.title(node),
            function=place.function,
            file=place.file,
            line=place.line,
            verdict=self.session.verdict(node),
            source=self.session.verdict_source(node),
            buggy=result is not None and result["found"] and result["node"] == node,
            current=asked is not None and asked["id"] == node,
            children=len(self._children(node)),
            outcome=question.outcome_text(call) if call is not None else self.tree.outcome_name(node),
        )

    def node(self, node: int) -> Body:
        """A node put as a question, with its verdict."""
        return {**self.tree.question(self._node(node)), "verdict": self.session.verdict(node)}

    def value(self, arguments: ValueArguments) -> Body:
        """A value and a page of its parts."""
        try:
            value = self.trace.value(arguments.ref)
        except KeyError:
            raise Refused(f'There is no value "{arguments.ref}" in this recording.') from None
        start, count = max(arguments.start, 0), min(max(arguments.count, 0), MOST_PARTS)
        parts = value.parts(start, count) if value.length else []
        return {
            "value": question.value_body(value),
            "length": value.length,
            "parts": [
                {"label": part.label, "path": part.path, "value": question.value_body(part.value)}
                for part in parts
            ],
        }

    def named_value(self, node: int, expression: str) -> Value | None:
        """The value of an argument, `result`, or a part of one, in a node."""
        return PseudoStack(self.tree, node).value(node, expression)

    def source(self, number: int) -> str:
        """The text of a source file as it ran."""
        if not 0 <= number < len(self.trace.sources):
            raise Refused("There is no such source in this recording.")
        return self.trace.sources[number].text

    def write_lenses(self) -> None:
        """Brings what the code lenses say up to date."""
        lens_index.write(lens_index.build(self.session), self._folder)

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


def _session(tree: ExecutionTree, trace: Trace, run: Run) -> Session:
    options = run.options
    oracles: list[Oracle] = []
    if run.answers_of is not None and (kept := KeptAnswers.of(run.answers_of, trace)) is not None:
        oracles.append(kept)
    if options.reference is not None:
        from algodebug.oracles.reference import ReferenceOracle

        reference = run.folder / options.reference
        if not reference.exists():
            raise Refused(f'The "reference" {reference} does not exist.')
        oracles.append(ReferenceOracle(reference, trace))
    try:
        return Session(
            tree,
            strategy=options.strategy or DEFAULT_STRATEGY,
            oracles=oracles,
            session_file=session_file(run.trace),
            trust=options.trust,
        )
    except AnswerError as error:
        raise Refused(_with_hint(error.message, error.hint)) from None


def _with_hint(message: str, hint: str) -> str:
    return f"{message.rstrip('.')}. {hint}".strip() if hint else message
