"""What is shown in a terminal: a question as a panel, an answer somebody else gave, the verdict with its lines.

What colour says is said by a mark, too.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from algodebug.session import Session

_SHOWN_AS = {
    "correct": ("yes", "green"),
    "wrong": ("no", "red"),
    "unknown": ("don't know", "yellow"),
    "inadmissible": ("inadmissible", "yellow"),
    "should-not-have-been-called": ("should not have been called", "yellow"),
    "trust-function": ("trust this function", "cyan"),
    "trust-module": ("trust this module", "cyan"),
}
_READS_SHOWN = 6
_SHARED_SHOWN = 3
_LONG_CHANGE = 90  # characters
_LINES_SHOWN = 10  # of what a call printed
_CONTEXT = 2  # lines shown around marked ones when the function is long
_WHOLE_FUNCTION = 60  # lines up to which a function is shown whole


def print_given(console: Console, entry: dict[str, Any]) -> None:
    """An answer that did not come from the keyboard."""
    word, colour = _SHOWN_AS.get(entry["answer"], (entry["answer"], "white"))
    text = Text.assemble(
        "  ", entry["text"], "  ", (word, f"bold {colour}"), (f"  ({entry['source']})", "dim")
    )
    console.print(text, soft_wrap=True)


def print_question(console: Console, question: dict[str, Any], number: int) -> None:
    """What went in and what came out, in a panel."""
    table = Table.grid(padding=(0, 1))
    for given in question["inputs"]:
        table.add_row(Text(given["name"], "cyan"), "=", _value(given["value"]))
    for read in [read for read in question.get("reads", ()) if read["varies"]][:_READS_SHOWN]:
        table.add_row(Text(f"read {read['name']}", "cyan"), "=", _value(read["value"]))
    outcome = question["outcome"]
    words = {"return": "returned", "raise": "raised", "yield": "yielded", "unfinished": "had not returned"}
    imported = bool(question.get("module"))
    if imported:
        words["unfinished"] = "had not ended"
    if not outcome.get("ended", True):
        words["yield"] = "yielded so far"
    if (question["kind"] == "routine" or outcome["kind"] in words) and not (
        imported and outcome["kind"] == "return"
    ):
        table.add_row(
            Text(words.get(outcome["kind"], outcome["kind"]), "bold"), "→", _value(outcome["value"], "bold")
        )
    for shared in question.get("sharing", ())[:_SHARED_SHOWN]:
        table.add_row(Text("and", "bold"), "", Text(shared))
    for change in question["changes"]:
        if imported and change["before"] is None:
            name = change["target"].removeprefix("global ")
            table.add_row(Text(f"bound {name}", "magenta"), "=", _value(change["after"]))
            continue
        table.add_row(Text(f"changed {change['target']}", "magenta"), ":", _change(change))
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


def _change(change: dict[str, Any]) -> Text:
    """Before and after; of large values only what is other."""
    before, after = change["before"], change["after"]
    whole = Text.assemble(_value(before), " → ", _value(after))
    told = change.get("difference")
    if not told or len(whole) <= _LONG_CHANGE or not (before["certain"] and after["certain"]):
        return whole
    return Text("\n".join(told))


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
    text = Text(value.get("shown", value["text"]), style)
    if not value["certain"]:
        text.append("  (may have changed unseen)", "dim")
    return text


def print_result(console: Console, session: Session, result: dict[str, Any]) -> None:
    """The verdict with the code to blame."""
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
