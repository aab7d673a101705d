"""The dialogue in a terminal: a panel a question, one key or word an answer, the buggy lines marked at the end.

Works with answers piped in and output piped out. What a line means is told by `typed_answers`.
"""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console
from rich.text import Text

from algodebug import typed_answers as typed
from algodebug.about_values import AboutValues, NoSuchValue
from algodebug.answers import STORED
from algodebug.search import STRATEGIES
from algodebug.session import CODE, AnswerError, Session
from algodebug.terminal_panels import print_given, print_question, print_result
from algodebug.value_texts import (
    origin_body,
    origin_lines,
    printed_lines,
    value_lines,
    writes_body,
    writes_lines,
)
from algodebug.wrong_output import call_wrong
from algodebug.zooming import zoomed

if TYPE_CHECKING:
    from collections.abc import Iterable

_PROMPT = "right?  (y)es  (n)o  (d)on't know  (t)rust  (u)ndo  (h)elp  (q)uit > "
_INSIDE = "look inside it, for the line to blame?  (y)es  (n)o  (u)ndo > "
_OVER = "Enter ends; (u)ndo or revise NUMBER goes on > "
_HELP = """\
y  yes, right: with these inputs this is what the call should do
n  no, wrong                                            d  don't know: ask something else
i  inadmissible: it should never get such inputs (i ARGUMENT: because of this one)
s  it should not have been called, or executed, at all
t  trust this function: it is never to blame            tm  trust all of its file
u  undo the last answer                                 q  quit; the answers are kept
wrong result[1]       no, and this part of it shows it (or what it changed: self.total; or printed: printed[2])
wrong result should be 3 … and what it should be
printed               the lines that the program printed, with numbers from 1
printed 3             that line of the output is wrong; or a text in it: printed total
show self.items       all of a value, part by part: what the call did not look at is left out (…) of questions
where result[1]       where this value comes from
who self.total        who changed this value, and when it was made
history               the answers so far, with numbers
revise NUMBER         gives one of them anew
why · question        why this is asked; the question once more
tree · ask NUMBER     where this is, and the calls it made, with numbers; asks about one of them
zoom in · zoom out    asks about a part of this; about what this is a part of
stop                  the function is enough: no questions about the code inside it
inside · expression   goes on inside the function; down to one expression
strategy NAME         choose questions differently: {strategies}"""
_OUTPUT_HINT = "Is a line of the output wrong? `printed` shows them with their numbers; `printed 3` says which one it is."
_STORED_HINT = (
    "These answers are from earlier sessions; --fresh forgets them, `revise NUMBER` gives one anew."
)
_MOST_CALLS = 30  # shown below a node
_LEAVE = ("q", "quit", "exit")
_YES = ("y", "yes", "right", "correct", "ok")


class _Dialogue:
    """One conversation: where the answers come from and what was shown already."""

    def __init__(self, session: Session, answers: TextIO, console: Console) -> None:
        self.session = session
        self.console = console
        self._answers = answers
        self._echo = not answers.isatty()
        self._shown = 0  # answers of the history
        self._told: set[str] = set()  # notes and contradictions

    def run(self) -> bool:
        """Asks until the search is over (True) or the user leaves (False)."""
        session, console = self.session, self.console
        console.print(f"[dim]Questions are chosen by: {STRATEGIES[session.strategy].label}.[/]")
        self._show_news(session.state())
        if _prints(session):
            console.print(_OUTPUT_HINT, style="dim")
        while True:
            state = session.state()
            self._show_news(state)
            if state["result"] is None:
                print_question(console, state["question"], state["answered"] + 1)
                if not self._answered(_PROMPT):
                    console.print("\nNo verdict yet.", style="yellow")
                    return False
                continue
            print_result(console, session, state["result"])
            if state["canZoom"]:
                over = not self._answered(_INSIDE, inside=True)
            else:
                # Where answers contradict each other the verdict may be wrong, too.
                asks = not self._echo or state["contradictions"]
                over = not asks or not self._answered(_OVER, over=True)
            if over:
                return True

    def _show_news(self, state: dict[str, Any]) -> None:
        """What somebody else answered, notes, contradictions: each once."""
        history, total = state["history"], state["answered"]
        for entry in history[len(history) - max(0, total - self._shown) :]:
            if entry["source"] not in ("user", "trust"):
                print_given(self.console, entry)
        if self._shown == 0 and any(entry["source"] == STORED for entry in history):
            self.console.print(_STORED_HINT, style="dim")
        self._shown = total
        news = list(state["notes"])
        if state["contradictions"]:
            news += [f"Two answers cannot both be true; {each['text']}" for each in state["contradictions"]]
            news.append("`history` shows the answers with their numbers, `revise NUMBER` gives one anew.")
        for text in news:
            if text not in self._told:
                self.console.print(Text(text, "yellow"), soft_wrap=True)
        self._told.update(news)

    def _answered(self, prompt: str, inside: bool = False, over: bool = False) -> bool:
        """Reads lines until one of them has changed something; False when there is nothing more to come."""
        while True:
            self.console.print(prompt, end="", markup=False)
            line = self._answers.readline()
            if self._echo:
                self.console.print(line.rstrip("\n"), markup=False)
            word = " ".join(line.split()).lower()
            if not line or word in _LEAVE or ((inside or over) and word in ("", "n", "no")):
                return False
            try:
                if inside and word in _YES:
                    self.session.depth = CODE
                    return True
                if self._carry_out(typed.Show("help") if word in ("", "?") else typed.parse(line)):
                    self._shown = min(self._shown, self.session.answered)
                    return True
            except AnswerError as error:
                hint = f" ({error.hint})" if error.hint else ""
                self.console.print(Text.assemble((error.message, "red"), hint), soft_wrap=True)

    def _carry_out(self, command: typed.Command) -> bool:
        """Acts on what was typed; False when the same question is still open."""
        session = self.session
        match command:
            case typed.Answer(answer, mark, argument, expected):
                details = {"mark": mark, "argument": argument, "expected": expected}
                session.answer({"answer": answer, **details})
            case typed.Undo():
                session.undo()
            case typed.Ask(node):
                session.ask(node)
            case typed.Revise(number):
                session.revise(number)
            case typed.Strategy(str(name)):
                session.strategy = name.lower()
            case typed.Depth(depth):
                session.depth = depth
            case typed.Zoom(direction):
                session.ask(zoomed(session, direction, self._node()))
            case typed.Printed(str(line)):
                call_wrong(session, line)
            case typed.Unknown(text):
                raise AnswerError(f"not understood: {text}", "h shows what can be typed")
            case _:
                self._show(command)
                return False
        return True

    def _node(self) -> int:
        """The node asked about, else the one that was found."""
        node = self.session.current()
        found = self.session.buggy_node() if node is None else node
        assert found is not None
        return found

    def _tree(self) -> list[str]:
        """The node in the middle of things, what it is a part of, and the calls it made."""
        tree = self.session.tree
        path = [self._node()]
        while (above := tree.parent_of(path[0])) >= 0:
            path.insert(0, above)
        lines = [f"{'  ' * depth}#{node} {tree.sentence(node)}" for depth, node in enumerate(path)]
        made = (
            [] if tree.code(path[-1]) is not None else list(islice(tree.children(path[-1]), _MOST_CALLS + 1))
        )
        lines += [f"{'  ' * len(path)}#{node} {tree.sentence(node)}" for node in made[:_MOST_CALLS]]
        return lines + ["  " * len(path) + "…"] * (len(made) > _MOST_CALLS)

    def _show(self, command: typed.Command) -> None:
        session = self.session
        question = session.state()["question"]
        lines: Iterable[str] = ()
        match command:
            case typed.Show("history"):
                lines = session.numbered_answers() or ["Nothing is answered yet."]
            case typed.Show("tree"):
                lines = self._tree()
            case typed.Show("why") if question is not None:
                lines = [f"{question['why']}; about {question['remaining']} left"]
            case typed.Show("question") if question is not None:
                print_question(self.console, question, session.answered + 1)
            case typed.Strategy(None):
                lines = [
                    f"{'*' if each.name == session.strategy else ' '} {each.name}  {each.label}"
                    for each in STRATEGIES.values()
                ]
            case typed.Where(mark) | typed.Who(mark):
                lines = _about(session, mark, who=isinstance(command, typed.Who))
            case typed.Parts(name, start):
                try:
                    lines = value_lines(session.tree, self._node(), name, start)
                except NoSuchValue as error:
                    raise AnswerError(str(error)) from None
            case typed.Printed():
                lines = _output(session)
            case _:
                lines = _HELP.format(strategies=", ".join(STRATEGIES)).split("\n")
        for line in lines:
            self.console.print(Text(line), soft_wrap=True)


def converse(session: Session, answers: TextIO | None = None, console: Console | None = None) -> bool:
    """Asks until the search is over (True) or the user leaves (False)."""
    return _Dialogue(session, answers or sys.stdin, console or Console(highlight=False)).run()


def _prints(session: Session) -> bool:
    """Is there output, of which nobody has said yet what is wrong?"""
    call = session.tree.call(session.root)
    return call is not None and call.printed is not None and not session.answered


def _output(session: Session) -> list[str]:
    if session.tree.trace is None:
        raise AnswerError("nothing was recorded that prints")
    return printed_lines(*AboutValues(session.tree, session.tree.trace).lines(session.root))


def _about(session: Session, mark: str, who: bool) -> list[str]:
    """Where a value comes from, or who changed it."""
    tree, node = session.tree, session.current()
    if tree.trace is None or node is None:
        raise AnswerError("nothing was recorded of it")
    about = AboutValues(tree, tree.trace)
    try:
        if who:
            return writes_lines(mark, writes_body(about, node, mark)["writes"])
        return origin_lines(mark, origin_body(about, node, mark)["stations"])
    except NoSuchValue as error:
        raise AnswerError(str(error), "such as result[1] or argument x[0]") from None
