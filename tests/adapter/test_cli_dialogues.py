"""The two dialogues, over sessions on hand-written trees: JSON lines for scripts, and words in a terminal."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from recorded_programs import find, record
from rich.console import Console
from search_samples import SQRTEST, SQRTEST_WRONG, FakeTrace

from algodebug import json_lines, terminal
from algodebug.execution_tree import ExecutionTree
from algodebug.session import Session

TREE = ExecutionTree.from_nested(SQRTEST)


def converse(session: Session, *lines: str) -> tuple[bool, list[dict[str, Any]]]:
    out = io.StringIO()
    reached = json_lines.converse(session, io.StringIO("".join(line + "\n" for line in lines)), out)
    return reached, [json.loads(line) for line in out.getvalue().splitlines()]


def truthful(strategy: str = "divide-and-query") -> list[str]:
    session, answers = Session(TREE, strategy=strategy), []
    while (node := session.current()) is not None:
        wrong = TREE.place(node).function in SQRTEST_WRONG
        answers.append(json.dumps({"answer": "wrong" if wrong else "correct"}))
        session.answer(json.loads(answers[-1]))
    return answers


def test_questions_and_a_result_one_a_line() -> None:
    reached, messages = converse(Session(TREE), *truthful())
    assert reached
    assert [next(iter(m)) for m in messages] == ["question"] * 5 + ["result"]
    question = messages[0]["question"]
    assert {
        "id",
        "kind",
        "function",
        "file",
        "line",
        "inputs",
        "outcome",
        "changes",
        "why",
        "remaining",
    } <= set(question)
    result = messages[-1]["result"]
    assert result["found"] and result["function"] == "sum2(3)" and result["questions"] == 5
    assert {"node", "file", "line", "bright", "faint", "answered_by", "candidates"} <= set(result)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "not an object"),
        ("{}", "no answer in it"),
        ('{"answer": "probably"}', "unknown answer"),
        ('{"answer": ["correct"]}', "unknown answer"),
        ('{"answer": "correct", "node": 4711}', "no node 4711"),
        ('{"answer": "undo"}', "no answer to undo"),
        ('{"strategy": "guess"}', "no strategy"),
        ('{"strategy": ["guess"]}', "no strategy"),
        ('{"ask": null}', "no node"),
    ],
)
def test_a_bad_line_is_replied_to_and_the_question_stays_open(line: str, error: str) -> None:
    session = Session(TREE)
    question = session.current()
    reached, messages = converse(session, line)
    assert not reached
    assert error in messages[1]["error"]
    assert messages[1]["hint"] or "undo" in line
    assert len(messages) == 2
    assert session.current() == question
    assert converse(session, *truthful())[0]


def test_undo_asks_again() -> None:
    _, messages = converse(Session(TREE), '{"answer": "wrong"}', '{"answer": "undo"}')
    asked = [m["question"]["id"] for m in messages]
    assert asked[0] == asked[2] != asked[1]


def test_a_node_can_be_asked_about() -> None:
    _, messages = converse(Session(TREE), '{"ask": 5}', '{"answer": "correct"}')
    assert messages[1]["question"]["id"] == 5
    assert messages[1]["question"]["why"] == "you picked it"


def test_the_end_of_the_answers_ends_the_dialogue() -> None:
    reached, messages = converse(Session(TREE), '{"answer": "unknown"}', "")
    assert not reached and len(messages) == 2


def in_terminal(session: Session, *words: str) -> tuple[bool, str]:
    out = io.StringIO()
    console = Console(file=out, width=100, highlight=False)
    reached = terminal.converse(session, io.StringIO("".join(word + "\n" for word in words)), console)
    return reached, out.getvalue()


def words_of(answers: list[str]) -> list[str]:
    return ["n" if "wrong" in answer else "Yes" for answer in answers]


def test_words_in_a_terminal_lead_to_the_verdict() -> None:
    reached, text = in_terminal(Session(TREE), *words_of(truthful()))
    assert reached
    assert "sum2(3) is where it goes wrong" in text
    assert "5 questions (5 by user)" in text


def test_what_is_not_understood_is_said() -> None:
    session = Session(TREE, strategy="top-down")
    reached, text = in_terminal(
        session, "hm", "h", "don't know", "t", "u", "strategy heaviest-first", "[b]", "q"
    )
    assert not reached
    assert "not understood: hm" in text
    assert "not understood: [b]" in text
    assert "inadmissible" in text
    assert session.strategy == "heaviest-first"
    assert [e["answer"] for e in session.state()["history"]] == ["unknown"]


def test_inputs_outcome_and_changes_are_shown() -> None:
    tree = ExecutionTree.from_trace(
        FakeTrace(  # type: ignore[arg-type]
            (
                "main",
                {},
                "1",
                [
                    ("push", {"self": "<Stack>", "item": "7"}, "None", [], ("self.items", "[]", "[7]")),
                    ("push", {"self": "<Stack>", "item": "7"}, "None", [], ("self.items", "[]", "[7]")),
                ],
            )
        )
    )
    reached, text = in_terminal(Session(tree, strategy="top-down"), "y")
    assert reached
    assert "push(<Stack>, 7)" in text
    assert "returned" in text and "None" in text
    assert "changed self.items : [] → [7]" in text
    # What was answered without the user is told, too.
    assert "yes  (equal-question)" in text


def test_what_a_call_read_what_is_one_object_and_what_is_new_in_a_long_list_are_shown(tmp_path: Path) -> None:
    program = """
        history = []
        def note(line, lines=[]):
            lines.append(line * len(history))
            return lines
        def main():
            for number in range(40):
                history.append(number)
                note(f"line {number}")
            history[:] = [7]
            return note("last")
        main()
    """
    tree = ExecutionTree.from_trace(record(tmp_path, program))
    session = Session(tree, strategy="top-down")
    session.ask(find(tree.trace, "note", 40))
    text = " ".join(in_terminal(session, "q")[1].split())
    assert "read history = [7]" in text
    assert "result is lines" in text
    assert "changed lines : […×40] → […×40, 'last']" in text


def test_what_is_left_out_is_shown_page_by_page(tmp_path: Path) -> None:
    program = """
        def pick(xs, at):
            return xs[at]
        def main():
            return pick(list(range(100)), 7)
        main()
    """
    session = Session(ExecutionTree.from_trace(record(tmp_path, program)), strategy="top-down")
    session.ask(find(session.tree.trace, "pick", 0))
    text = in_terminal(session, "show xs", "show xs 98", "show xs[7]", "show ys", "q")[1]
    assert "[…×7, 7, …×92]" in text
    assert "xs = [0, 1, 2" in text and "  [39]  39" in text and "… 60 more: show xs 41" in text
    assert "xs, from 98 of 100 on:\n  [97]  97\n  [98]  98\n  [99]  99" in text
    assert "There is no ys here" in text


def test_nothing_typed_ends_with_no_verdict() -> None:
    reached, text = in_terminal(Session(TREE))
    assert not reached and "No verdict yet" in text


def test_answers_are_listed_and_given_anew_by_their_number() -> None:
    session = Session(TREE, strategy="top-down")
    reached, text = in_terminal(session, "n", "y", "history", "revise 2", "n", "revise 9", "q")
    assert not reached
    assert "1. sqrtest([1, 2]): wrong (user)" in text
    assert "2. listsum([1, 2]): correct (user)" in text
    assert "you picked it" in text
    assert "there is no answer 9 (history shows them with their numbers)" in text
    assert session.verdict(2) == "wrong"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["why", "q"], "it is the next call made by main(), which went wrong; about"),
        (["strategy", "q"], "* top-down"),
        (["tree", "q"], "  #1 sqrtest([1, 2])"),
        (["ask 5", "q"], "you picked it"),
        (["ask 99", "q"], "there is no node 99 (nodes are numbered 0 to 26)"),
        (["ask 0", "q"], "taken as wrong and not asked"),
        (["zoom in", "q"], "there is no smaller part of this to ask about"),
        (["zoom out", "q"], "taken as wrong"),
        (["u", "q"], "there is no answer to undo"),
        (["where result", "q"], "nothing was recorded of it"),
        (["[red]", "q"], "not understood: [red] (h shows what can be typed)"),
        (["strategy guess", "q"], "there is no strategy 'guess'"),
    ],
)
def test_what_is_typed_is_replied_to_and_the_question_stays_open(words: list[str], said: str) -> None:
    session = Session(TREE, strategy="top-down")
    reached, text = in_terminal(session, *words)
    assert not reached
    assert said in text
    assert session.answered == 0


SQUARES = (
    "main",
    {},
    "1",
    [("square", {"x": "3"}, "9", []), ("cube", {"x": "2"}, "8", []), ("square", {"x": "3"}, "9", [])],
)


def squares() -> Session:
    """A session in which equal questions were answered differently."""
    tree = ExecutionTree.from_trace(FakeTrace(SQUARES))  # type: ignore[arg-type]
    session = Session(tree, strategy="top-down")
    session.answer({"answer": "correct", "node": 1})
    session.answer({"answer": "wrong", "node": 3})
    return session


def test_contradictions_are_told_in_a_terminal_and_the_verdict_can_be_gone_back_on() -> None:
    reached, text = in_terminal(squares(), "revise 2", "y", "y")
    assert text.count("Two answers cannot both be true; the same question was answered differently") == 1
    assert "square(3) returned 9 (correct); square(3) returned 9 (wrong)" in text
    assert text.index("is where it goes wrong") < text.index("you picked it")
    assert reached
    assert (
        text.count("main main.py is where it goes wrong") + text.count("main() is where it goes wrong") == 1
    )


def test_contradictions_are_told_in_json() -> None:
    reached, messages = converse(squares())
    assert reached
    (told,) = messages[-1]["result"]["contradictions"]
    assert [answer["node"] for answer in told["answers"]] == [1, 3]
    assert "the same question was answered differently" in told["text"]
    _, messages = converse(Session(TREE), '{"answer": "wrong"}')
    assert "contradictions" not in messages[-1]["question"]
