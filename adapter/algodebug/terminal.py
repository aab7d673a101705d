"""The dialogue in a terminal: a panel a question, one key or word an answer, the buggy lines marked at the end.

Works with answers piped in and output piped out; what colour says is said by a mark, too.
"""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import Any, TextIO

from rich.console import Console, Group
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from algodebug.about_values import AboutValues, NoSuchValue
from algodebug.search import STRATEGIES
from algodebug.session import CODE, AnswerError, Session
from algodebug.value_texts import origin_body, origin_lines, printed_lines, writes_body, writes_lines
from algodebug.wrong_output import call_wrong

_WORDS = {
    "correct": ("y", "yes", "right", "correct", "ok"),
    "wrong": ("n", "no", "wrong"),
    "unknown": ("d", "don't know", "dont know", "dunno", "unknown"),
    "inadmissible": ("i", "inadmissible"),
    "should-not-have-been-called": ("s", "should not have been called", "should-not-have-been-called"),
    "trust-function": ("t", "trust", "trust function", "trust-function"),
    "trust-module": ("tm", "trust module", "trust-module"),
    "undo": ("u", "undo"),
    "stop": ("stop", "enough"),
}
_ANSWER_OF = {word: answer for answer, words in _WORDS.items() for word in words}
_SHOWN_AS = {
    "correct": ("yes", "green"),
    "wrong": ("no", "red"),
    "unknown": ("don't know", "yellow"),
    "inadmissible": ("inadmissible", "yellow"),
    "should-not-have-been-called": ("should not have been called", "yellow"),
    "trust-function": ("trust this function", "cyan"),
    "trust-module": ("trust this module", "cyan"),
}
_PROMPT = "right?  (y)es  (n)o  (d)on't know  (t)rust  (u)ndo  (h)elp  (q)uit > "
_HELP = """\
y  yes, right: with these inputs this is what the call should do
n  no, wrong
d  don't know: ask something else
i  inadmissible: it should never get such inputs        s  it should not have been called, or executed, at all
t  trust this function: it is never to blame            tm  trust all of its file
u  undo the last answer                                 q  quit; the answers are kept
stop  the function is enough: no questions about the code inside it
wrong result[1]       no, and this part of it shows it (or what it changed: self.total; or printed: printed[2])
wrong result should be 3 … and what it should be
printed               the lines that the program printed, with numbers from 1
printed 3             that line of the output is wrong; or a text in it: printed total
where result[1]       where this value comes from
who self.total        who changed this value, and when it was made
strategy NAME   choose questions differently: {strategies}"""
_OUTPUT_HINT = "Is a line of the output wrong? `printed` shows them with their numbers; `printed 3` says which one it is."
_INSIDE = "look inside it, for the line to blame?  (y)es  (n)o > "
_LINES_SHOWN = 10  # of what a call printed
_CONTEXT = 2  # lines shown around marked ones when the function is long
_WHOLE_FUNCTION = 60  # lines up to which a function is shown whole


def converse(session: Session, answers: TextIO | None = None, console: Console | None = None) -> bool:
    """Asks until the search is over (True) or the user leaves (False)."""
    answers = answers or sys.stdin
    console = console or Console(highlight=False)
    echo = not answers.isatty()
    shown = 0
    told = 0
    console.print(f"[dim]Questions are chosen by: {STRATEGIES[session.strategy].label}.[/]")
    if _prints(session):
        console.print(_OUTPUT_HINT, style="dim")
    while True:
        state = session.state()
        for note in session.notes[told:]:
            console.print(f"[yellow]{escape(note)}[/]")
        told = len(session.notes)
        history, total = state["history"], state["answered"]
        for entry in history[len(history) - max(0, total - shown) :]:
            if entry["source"] not in ("user", "trust"):
                _print_given(console, entry)
        shown = total
        if state["result"] is not None:
            _print_result(console, session, state["result"])
            if not state["canZoom"] or not _wants_more(console, answers, echo):
                return True
            session.depth = CODE
            continue
        _print_question(console, state["question"], total + 1)
        while True:
            console.print(_PROMPT, end="")
            line = answers.readline()
            if echo:
                console.print(escape(line.rstrip("\n")))
            word = " ".join(line.split())
            if not line or word.lower() in ("q", "quit", "exit"):
                console.print("\nNo verdict yet.", style="yellow")
                return False
            try:
                if _take(session, console, word):
                    break
            except AnswerError as error:
                console.print(f"[red]{escape(error.message)}[/]  {escape(error.hint)}")
        shown = min(shown, session.answered)


def _prints(session: Session) -> bool:
    """Is there output, of which nobody has said yet what is wrong?"""
    call = session.tree.call(session.root)
    return call is not None and call.printed is not None and not session.answered


def _wants_more(console: Console, answers: TextIO, echo: bool) -> bool:
    """Should the search go on inside the function?"""
    console.print(_INSIDE, end="")
    line = answers.readline()
    if echo:
        console.print(escape(line.rstrip("\n")))
    return line.strip().lower() in _WORDS["correct"]


def _take(session: Session, console: Console, typed: str) -> bool:
    """Acts on what was typed; False when the same question is still open."""
    word = typed.lower()
    command, _, rest = typed.partition(" ")
    command = command.lower()
    if word in ("", "h", "help", "?"):
        console.print(escape(_HELP.format(strategies=", ".join(STRATEGIES))))
        return False
    if command == "strategy":
        session.strategy = rest.lower()
        return True
    answer = _ANSWER_OF.get(word)
    if answer is not None:
        session.answer({"answer": answer})
        return True
    if command in ("wrong", "no", "n") and rest:
        mark, _, expected = rest.removeprefix("at ").partition("should be ")
        session.answer(
            {"answer": "wrong", "mark": mark.strip(" ,:") or None, "expected": expected.strip() or None}
        )
        return True
    if command == "printed" and rest:
        call_wrong(session, rest)
        return True
    if command in ("where", "who", "printed"):
        for line in _about(session, command, rest):
            console.print(Text(line), soft_wrap=True)
        return False
    raise AnswerError(f"not understood: {typed}", "h shows what can be typed")


def _about(session: Session, command: str, rest: str) -> list[str]:
    """What was asked about a value, or the lines of output."""
    tree, node = session.tree, session.current()
    if tree.trace is None or node is None:
        raise AnswerError("nothing was recorded of it")
    about = AboutValues(tree, tree.trace)
    if command == "printed":
        return printed_lines(*about.lines(session.root))
    mark = rest.removeprefix("changed ").removeprefix("is ").removeprefix("from ").strip()
    try:
        if command == "where":
            return origin_lines(mark, origin_body(about, node, mark)["stations"])
        return writes_lines(mark, writes_body(about, node, mark)["writes"])
    except NoSuchValue as error:
        raise AnswerError(str(error), "such as result[1] or argument x[0]") from None


def _print_given(console: Console, entry: dict[str, Any]) -> None:
    """An answer that did not come from the keyboard."""
    word, colour = _SHOWN_AS.get(entry["answer"], (entry["answer"], "white"))
    text = Text.assemble(
        "  ", entry["text"], "  ", (word, f"bold {colour}"), (f"  ({entry['source']})", "dim")
    )
    console.print(text, soft_wrap=True)


def _print_question(console: Console, question: dict[str, Any], number: int) -> None:
    table = Table.grid(padding=(0, 1))
    for given in question["inputs"]:
        table.add_row(Text(given["name"], "cyan"), "=", _value(given["value"]))
    outcome = question["outcome"]
    words = {"return": "returned", "raise": "raised", "yield": "yielded", "unfinished": "had not returned"}
    if question["kind"] == "routine" or outcome["kind"] in words:
        table.add_row(
            Text(words.get(outcome["kind"], outcome["kind"]), "bold"), "→", _value(outcome["value"], "bold")
        )
    for change in question["changes"]:
        what = Text.assemble(_value(change["before"]), " → ", _value(change["after"]))
        table.add_row(Text(f"changed {change['target']}", "magenta"), ":", what)
    for name, line in _printed(question.get("printed")):
        # Lines have names in answers by the call that printed them.
        shown = name if question["kind"] == "routine" else "printed"
        table.add_row(Text(shown, "magenta"), ":", Text(line))
    if question["kind"] != "routine":
        way = question["way"]
        if way and outcome["kind"] not in words:
            table.add_row(Text("and", "bold"), "", Text(way))
        elif not question["changes"] and not way and not question.get("printed"):
            table.add_row(Text("nothing is changed", "bold"), "", "")
    where = f"{PurePath(question['file']).name}:{question['line']}"
    about = f"{where} · {question['why']} · about {question['remaining']} left"
    console.print(
        Panel(
            Group(table, Text(about, "dim")),
            title=Text(f"{number}. {question['title']}", "bold"),
            title_align="left",
            expand=False,
        )
    )


def _printed(printed: dict[str, Any] | None) -> list[tuple[str, str]]:
    """The lines that a call printed, each with the name it has in an answer."""
    if printed is None:
        return []
    lines = printed["text"].removesuffix("\n").split("\n")
    shown = [(f"printed[{number}]", line) for number, line in enumerate(lines[:_LINES_SHOWN])]
    return shown if len(lines) <= _LINES_SHOWN and not printed["more"] else [*shown, ("printed", "…")]


def _value(value: dict[str, Any] | None, style: str = "") -> Text:
    if value is None:
        return Text("(nothing)", "dim")
    text = Text(value["text"], style)
    if not value["certain"]:
        text.append("  (may have changed unseen)", "dim")
    return text


def _print_result(console: Console, session: Session, result: dict[str, Any]) -> None:
    console.print()
    console.print(Text(result["text"], "bold red" if result["found"] else "bold yellow"), soft_wrap=True)
    for candidate in result["candidates"]:
        place = f"{PurePath(candidate['file']).name}:{candidate['line']}"
        console.print(Text(f"  candidate: {candidate['title']}  {place}"), soft_wrap=True)
    given = ", ".join(f"{n} by {source}" for source, n in result["answered_by"].items())
    console.print(f"[dim]{result['questions']} questions ({given or 'none answered'})[/]")
    _print_code(console, session, result)


def _print_code(console: Console, session: Session, result: dict[str, Any]) -> None:
    """The source of the buggy routine; the lines to blame carry a mark and a colour."""
    trace = session.tree.trace
    if trace is None:
        return
    texts = {source.path: source.text for source in trace.sources}
    routine = trace.routines[session.tree.routine[result["node"]]]
    for code in result["code"]:
        lines = texts[code["file"]].splitlines()
        marked = {n for piece in code["bright"] for n in range(piece[0], piece[2] + 1)}
        own = code["file"] == result["file"]
        if own and routine.kind != "module" and routine.end_line - routine.line < _WHOLE_FUNCTION:
            shown = set(range(routine.line, routine.end_line + 1))
        else:
            shown = {n + d for n in marked for d in range(-_CONTEXT, _CONTEXT + 1)}
        shown = {n for n in shown | marked if 1 <= n <= len(lines)}
        console.print(Text(code["file"], "underline"), soft_wrap=True)
        previous = None
        for number in sorted(shown):
            if previous is not None and number > previous + 1:
                console.print(Text("     ⋮", "dim"))
            previous = number
            bright = number in marked
            line = Text(lines[number - 1], "" if bright else "dim")
            for first, column, last, end in code["bright"]:
                if first <= number <= last:
                    line.stylize(
                        "bold black on yellow",
                        column if number == first else 0,
                        end if number == last else None,
                    )
            mark = (">" if bright else " ", "bold red")
            console.print(Text.assemble(mark, (f"{number:5d} ", "dim"), line), soft_wrap=True)
