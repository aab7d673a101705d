"""Sessions: answers of every kind, who gave them, undo, equal questions, trust, and the session file."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_samples import SQRTEST, SQRTEST_WRONG, FakeTrace, node_named, trees

from algodebug.execution_tree import ExecutionTree
from algodebug.oracles import Verdict
from algodebug.search import STRATEGIES
from algodebug.session import AnswerError, Session, read_answers

TREE = ExecutionTree.from_nested(SQRTEST)


def traced(calls: Any, exit_kind: str = "normal") -> ExecutionTree:
    return ExecutionTree.from_trace(FakeTrace(calls, exit_kind))  # type: ignore[arg-type]


def names(session: Session) -> list[str]:
    return [entry["title"] for entry in session.state()["history"]]


def truth(tree: ExecutionTree, node: int) -> str:
    return "wrong" if tree.place(node).function in SQRTEST_WRONG else "correct"


def finish(session: Session) -> dict[str, Any]:
    while (node := session.current()) is not None:
        session.answer({"answer": truth(session.tree, node)})
    result: dict[str, Any] = session.state()["result"]
    return result


def snapshot(session: Session) -> dict[str, Any]:
    return {**session.state(), "verdicts": [session.verdict(n) for n in range(len(session.tree))]}


# Answers and what follows from them


def test_the_root_is_wrong_and_is_never_asked() -> None:
    session = Session(TREE)
    assert session.verdict(0) == "wrong"
    with pytest.raises(AnswerError, match="taken as wrong"):
        session.answer({"answer": "correct", "node": 0})
    with pytest.raises(AnswerError):
        session.ask(0)


def test_a_node_other_than_the_program_can_be_the_root() -> None:
    root = node_named(TREE, "comput3(3)")
    session = Session(TREE, root=root, strategy="top-down")
    result = finish(session)
    assert result["function"] == "sum2(3)"
    assert names(session)[0] == "partialsums(3)"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_result_says_how_many_questions_and_who_answered(strategy: str) -> None:
    session = Session(TREE, strategy=strategy)
    result = finish(session)
    assert result["found"] is True
    assert result["candidates"] == []
    assert result["answered_by"] == {"user": result["questions"]}
    assert session.state()["status"] == "found"
    assert session.buggy_node() == result["node"]


def test_nodes_can_be_judged_in_any_order() -> None:
    session = Session(TREE)
    session.answer({"answer": "wrong", "node": node_named(TREE, "sum2(3)")})
    assert session.current() == node_named(TREE, "decr(3)")
    session.answer({"answer": "correct"})
    assert session.state()["result"]["function"] == "sum2(3)"


def test_a_wrong_call_elsewhere_moves_the_search_there() -> None:
    session = Session(TREE)
    session.answer({"answer": "wrong", "node": node_named(TREE, "comput2(3)")})
    session.answer({"answer": "wrong", "node": node_named(TREE, "partialsums(3)")})
    assert session.current() in TREE.subtree(node_named(TREE, "partialsums(3)"))


def test_a_changed_answer_replaces_the_earlier_one() -> None:
    session = Session(TREE)
    wrong = node_named(TREE, "comput2(3)")
    session.answer({"answer": "wrong", "node": wrong})
    session.answer({"answer": "correct", "node": wrong})
    assert session.verdict(wrong) == "correct"
    assert finish(session)["function"] == "sum2(3)"


@pytest.mark.parametrize("answer", ["inadmissible", "should-not-have-been-called"])
def test_a_call_that_should_not_have_happened_blames_its_caller(answer: str) -> None:
    session = Session(TREE, strategy="top-down")
    session.answer({"answer": answer, "node": node_named(TREE, "sum2(3)"), "argument": "x"})
    assert session.verdict(node_named(TREE, "sum2(3)")) == answer
    assert session.verdict(node_named(TREE, "partialsums(3)")) == "wrong"
    session.answer({"answer": "correct"})  # sum1(3)
    assert session.state()["result"]["function"] == "partialsums(3)"


def test_calls_nobody_could_judge_are_candidates() -> None:
    session = Session(TREE, root=node_named(TREE, "partialsums(3)"))
    while session.current() is not None:
        session.answer({"answer": "unknown"})
    state = session.state()
    assert state["status"] == "exhausted"
    assert state["result"]["found"] is False
    assert [c["function"] for c in state["result"]["candidates"]] == [
        "partialsums(3)",
        "sum1(3)",
        "incr(3)",
        "sum2(3)",
        "decr(3)",
    ]


def test_an_unknown_call_inside_a_correct_one_is_no_candidate() -> None:
    session = Session(TREE, root=node_named(TREE, "partialsums(3)"))
    session.answer({"answer": "unknown", "node": node_named(TREE, "incr(3)")})
    session.answer({"answer": "correct", "node": node_named(TREE, "sum1(3)")})
    session.answer({"answer": "wrong", "node": node_named(TREE, "sum2(3)")})
    session.answer({"answer": "correct", "node": node_named(TREE, "decr(3)")})
    assert session.state()["result"]["found"] is True


@pytest.mark.parametrize(
    "answer",
    [
        {"answer": "maybe"},
        {"answer": None},
        {},
        {"answer": "correct", "node": 27},
        {"answer": "correct", "node": -1},
        {"answer": "correct", "node": "3"},
        {"answer": "correct", "node": True},
        {"answer": "correct", "mark": 3},
    ],
)
def test_an_answer_that_cannot_be_taken_changes_nothing(answer: dict[str, Any]) -> None:
    session = Session(TREE)
    before = snapshot(session)
    with pytest.raises(AnswerError):
        session.answer(answer)
    assert snapshot(session) == before


def test_the_strategy_can_change_at_any_time() -> None:
    session = Session(TREE)
    session.answer({"answer": truth(TREE, session.current() or 0)})
    session.strategy = "top-down"
    assert session.state()["strategy"] == "top-down"
    assert finish(session)["function"] == "sum2(3)"
    with pytest.raises(AnswerError, match="no strategy"):
        session.strategy = "guessing"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_question_says_why_and_about_how_many_are_left(strategy: str) -> None:
    session = Session(TREE, strategy=strategy)
    while (node := session.current()) is not None:
        question = session.state()["question"]
        assert question["why"]
        assert question["remaining"] >= 1
        session.answer({"answer": truth(TREE, node)})
    assert session.state()["remaining"] == 0


# Undo


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(STRATEGIES)))
@settings(max_examples=150, deadline=None)
def test_undo_goes_back_to_the_exact_state(rng: random.Random, strategy: str) -> None:
    session = Session(TREE, strategy=strategy)
    states = []
    for _ in range(rng.randrange(1, 12)):
        if rng.random() < 0.2:
            session.ask(rng.randrange(1, len(TREE)))
        if session.current() is None:
            break
        states.append(snapshot(session))
        kinds = ["correct", "wrong", "unknown", "inadmissible", "trust-function"]
        answer: dict[str, Any] = {"answer": rng.choice(kinds)}
        if rng.random() < 0.3:
            answer["node"] = rng.randrange(1, len(TREE))
        session.answer(answer)
    while states:
        assert session.can_undo
        session.undo()
        assert snapshot(session) == states.pop()
    with pytest.raises(AnswerError, match="no answer to undo"):
        session.undo()


@given(st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_answers_one_by_one_lead_where_all_of_them_lead(rng: random.Random) -> None:
    session = Session(TREE)
    given_answers = []
    for _ in range(rng.randrange(1, 15)):
        answer = {
            "answer": rng.choice(
                ["correct", "correct", "wrong", "unknown", "inadmissible", "trust-function"]
            ),
            "node": rng.randrange(1, len(TREE)),
        }
        given_answers.append(answer)
        session.answer(answer)
        again = Session(TREE, answers=given_answers)
        assert again.current() == session.current()
        assert [again.verdict(n) for n in range(27)] == [session.verdict(n) for n in range(27)]


@given(trees(), st.randoms(use_true_random=False), st.sampled_from(sorted(STRATEGIES)))
@settings(max_examples=300, deadline=None)
def test_whatever_is_answered_truthfully_the_buggy_call_is_named(
    tree: ExecutionTree, rng: random.Random, strategy: str
) -> None:
    buggy = rng.randrange(len(tree))
    wrong = {buggy}
    while tree.parent[min(wrong)] >= 0:
        wrong.add(tree.parent[min(wrong)])
    session = Session(tree, strategy=strategy)
    while (node := session.current()) is not None:
        kind = rng.random()
        if kind < 0.1 and tree.routine[node] != tree.routine[buggy]:
            session.answer({"answer": "trust-function"})
        elif kind < 0.25:
            session.answer({"answer": "unknown"})
        elif kind < 0.35 and len(tree) > 1:
            node = rng.randrange(1, len(tree))
            session.answer({"answer": "wrong" if node in wrong else "correct", "node": node})
        else:
            session.answer({"answer": "wrong" if node in wrong else "correct"})
        if rng.random() < 0.1:
            session.strategy = rng.choice(sorted(STRATEGIES))
        if rng.random() < 0.05:
            session.undo()
    result = session.state()["result"]
    if result["found"]:
        assert result["node"] == buggy
    else:
        assert buggy in [candidate["node"] for candidate in result["candidates"]]


# Trust


def test_a_trusted_function_is_not_asked_and_not_blamed() -> None:
    session = Session(TREE, strategy="top-down")
    session.answer({"answer": "trust-function"})  # sqrtest
    assert session.verdict(node_named(TREE, "sqrtest([1, 2])")) == "trusted"
    # What the trusted call made stands in its place.
    assert session.current() == node_named(TREE, "listsum([1, 2])")
    assert finish(session)["function"] == "sum2(3)"
    assert session.state()["result"]["answered_by"]["trust"] == 1


def test_functions_and_modules_can_be_trusted_by_name() -> None:
    tree = traced(("main", {}, "1", [("f", {"x": "1"}, "1", [("g", {"x": "2"}, "2", [])])]))
    assert Session(tree, trust=["f"]).current() == 2
    assert Session(tree, trust=["app.main"]).current() is None
    assert Session(tree, trust=["main"]).state()["result"]["node"] == 0


def test_the_state_of_a_routine_is_counted() -> None:
    session = Session(TREE)
    listsum = TREE.routine[node_named(TREE, "listsum([])")]
    session.answer({"answer": "correct", "node": node_named(TREE, "listsum([])")})
    assert session.counts(listsum) == {"calls": 3, "correct": 1, "wrong": 0, "unknown": 0, "trusted": 0}
    session.answer({"answer": "trust-function", "node": node_named(TREE, "listsum([])")})
    assert session.counts(listsum)["trusted"] == 3


# Equal questions, oracles, exceptions


def test_equal_questions_are_asked_once() -> None:
    square = ("square", {"x": "3"}, "9", [])
    tree = traced(("main", {}, "1", [square, ("square", {"x": "4"}, "15", []), square]))
    session = Session(tree, strategy="top-down")
    session.answer({"answer": "correct"})
    session.answer({"answer": "correct"})
    assert session.current() is None
    assert session.state()["result"]["answered_by"] == {"user": 2, "equal-question": 1}
    assert session.verdict_source(3) == "equal-question"
    session.undo()
    assert session.current() == 2


def test_a_revised_answer_is_revised_for_equal_questions_too() -> None:
    square = ("square", {"x": "3"}, "9", [])
    tree = traced(("main", {}, "1", [square, ("cube", {"x": "2"}, "8", []), square]))
    session = Session(tree, strategy="top-down")
    session.answer({"answer": "correct"})
    session.answer({"answer": "correct"})
    assert session.current() is None
    assert session.verdict(3) == "correct"
    session.answer({"answer": "wrong", "node": 1})
    assert session.verdict(3) == "wrong"
    assert [entry["answer"] for entry in session.state()["history"] if entry["node"] == 3] == ["wrong"]
    assert session.contradictions() == []
    session.undo()
    assert session.verdict(3) == "correct"


def test_questions_with_different_effects_are_not_equal() -> None:
    tree = traced(
        (
            "main",
            {},
            "1",
            [
                ("push", {"x": "3"}, "None", [], ("stack", "[]", "[3]")),
                ("push", {"x": "3"}, "None", [], ("stack", "[]", "[]")),
            ],
        )
    )
    session = Session(tree, strategy="top-down")
    session.answer({"answer": "correct"})
    assert session.current() == 2
    assert session.state()["question"]["text"] == "push(3) returned None and changed stack: [] → []: right?"


class Parity:
    """Knows about even numbers only."""

    def judge(self, call: Any) -> Verdict | None:
        number = int(call.arguments[0].value.text().text)
        return Verdict("correct", "parity") if number % 2 == 0 else None

    def close(self) -> None:
        pass


def test_oracles_answer_what_they_can() -> None:
    calls = [("f", {"x": str(n)}, "0", []) for n in (2, 3, 4)]
    session = Session(traced(("main", {}, "1", calls)), strategy="top-down", oracles=[Parity()])
    assert session.current() == 2
    session.answer({"answer": "correct"})
    assert session.current() is None
    assert session.state()["result"]["answered_by"] == {"parity": 2, "user": 1}
    session.undo()
    assert session.current() == 2


def test_a_program_that_died_is_asked_about_along_the_chain_that_raised() -> None:
    quiet = ("ok", {"x": "1"}, "1", [("ok", {"x": str(n)}, "1", []) for n in range(2, 40)])
    chain = (
        "main",
        {},
        "!ValueError('x')",
        [
            quiet,
            ("caught", {}, "!KeyError('y')", []),
            ("outer", {"a": "1"}, "!ValueError('x')", [("inner", {"b": "2"}, "!ValueError('x')", [])]),
        ],
    )
    tree = traced(chain, "exception")
    session = Session(tree)
    asked = []
    while (node := session.current()) is not None:
        asked.append(tree.place(node).function)
        session.answer({"answer": "wrong"})
    assert asked == ["inner"]
    assert "raised" in Session(tree).state()["question"]["why"]
    assert tree.place(Session(traced(chain, "normal")).current() or 0).function == "ok"


# The session file


def test_every_answer_is_kept_and_can_be_replayed(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "run.session.jsonl"
    session = Session(TREE, session_file=file)
    for _ in range(3):
        session.answer({"answer": truth(TREE, session.current() or 0), "mark": "result[1]"})
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        assert lines[0]["session"] == 1
        assert lines[-1]["title"] == names(session)[-1]
        assert lines[-1]["mark"] == "result[1]"
    session.undo()
    session.answer({"answer": "unknown"})
    again = Session(TREE, answers=read_answers(file))
    assert again.current() == session.current()
    assert names(again) == names(session)
    assert again.state()["history"][0]["source"] == "answers-file"


def test_a_session_without_answers_does_not_hide_the_one_before(tmp_path: Path) -> None:
    file = tmp_path / "s.jsonl"
    first = Session(TREE, session_file=file)
    first.answer({"answer": "unknown"})
    first.close()
    Session(TREE, session_file=file).close()
    assert len(Session(TREE, answers=read_answers(file)).state()["history"]) == 1


def test_a_session_goes_on_when_its_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    session = Session(TREE, session_file=tmp_path / "file" / "s.jsonl")
    assert "answers are not kept" in session.notes[0]
    assert finish(session)["found"]


def test_answers_without_a_node_answer_the_questions_in_turn() -> None:
    answers = [{"answer": "wrong"}, {"answer": "correct"}]
    session = Session(TREE, strategy="top-down", answers=answers)
    assert names(session) == ["sqrtest([1, 2])", "listsum([1, 2])"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"answer": "correct", "node": 99}\n', "no node 99"),
        ('{"answer": "perhaps"}\n', "unknown answer"),
        ('{"verdict": "correct"}\n', "not an answer"),
        ('nonsense\n{"answer": "correct"}\n', "line 1 is not JSON"),
        ('[1]\n{"answer": "correct"}\n', "line 1 is not an answer"),
    ],
)
def test_a_bad_file_of_answers_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "answers"
    file.write_text(text)
    with pytest.raises(AnswerError, match=message):
        Session(TREE, answers=read_answers(file))


def test_a_line_cut_off_by_a_crash_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "answers"
    file.write_text('{"answer": "unknown", "node": 2}\n{"answer": "corr')
    assert read_answers(file) == [{"answer": "unknown", "node": 2}]
