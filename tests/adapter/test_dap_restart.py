"""A program is run again: what was answered about the run before and still applies is not asked again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from dap_client import OURS, Client

PROGRAM = """\
def area(width, height):
    return width + height


def paint(width, height):
    return area(width, height) * 2


def show(total):
    print(total)


def main():
    total = paint(2, 3) + paint(4, 5)
    show(total)


main()
"""

EDITED = PROGRAM.replace("width + height\n", "width * height\n").replace("def paint", "\n\ndef paint")


@contextmanager
def run(folder: Path, text: str, before: str | None = None) -> Iterator[Client]:
    """A session that stands at its first question."""
    program = folder / "paint.py"
    program.write_text(text)
    client = Client.start([*OURS, *(["--answers-of", before] if before else [])], cwd=folder)
    try:
        client.initialize()
        client.launch(program=str(program), strategy="top-down")
        client.stopped()
        yield client
        client.disconnect()
        assert client.wait_for_exit() == 0
    finally:
        client.close()


def answer(client: Client, *answers: tuple[str, str]) -> dict[str, Any]:
    """Gives answers, each to a question that starts as said; gives the last state."""
    state = client.request("algodebug/state")
    for start, given in answers:
        assert state["question"]["text"].startswith(start), state["question"]["text"]
        state = client.request("algodebug/answer", {"answer": given})
    return state


def kept(client: Client) -> list[tuple[str, str, str]]:
    history = client.request("algodebug/state")["history"]
    return [(entry["title"], entry["answer"], entry["source"]) for entry in history]


def test_the_same_program_goes_on_where_it_was(tmp_path: Path) -> None:
    with run(tmp_path, PROGRAM) as client:
        before = answer(client, ("main()", "wrong"), ("paint(2, 3)", "unknown"), ("paint(4, 5)", "wrong"))
    with run(tmp_path, PROGRAM, before["trace"]) as client:
        state = client.request("algodebug/state")
        assert kept(client) == [
            ("main()", "wrong", "last run"),
            ("paint(2, 3)", "unknown", "last run"),
            ("paint(4, 5)", "wrong", "last run"),
        ]
        assert state["question"]["text"] == before["question"]["text"]
        # They can be revised.
        client.request("algodebug/answer", {"answer": "correct", "node": state["history"][2]["node"]})
        assert client.request("algodebug/node", {"node": state["history"][2]["node"]})["verdict"] == "correct"


def test_answers_are_carried_from_run_to_run(tmp_path: Path) -> None:
    trace = None
    for answers in ([("main()", "wrong")], [("paint(2, 3)", "correct")], []):
        with run(tmp_path, PROGRAM, trace) as client:
            trace = answer(client, *answers)["trace"]
            last = kept(client)
    assert [entry[:2] for entry in last] == [("main()", "wrong"), ("paint(2, 3)", "correct")]


def test_an_answer_taken_back_is_not_kept(tmp_path: Path) -> None:
    with run(tmp_path, PROGRAM) as client:
        answer(client, ("main()", "wrong"), ("paint(2, 3)", "correct"))
        trace = client.request("algodebug/undo")["trace"]
    with run(tmp_path, PROGRAM, trace) as client:
        assert kept(client) == [("main()", "wrong", "last run")]


@pytest.mark.parametrize("trust", ["trust-function", "trust-module"])
def test_trust_is_kept(tmp_path: Path, trust: str) -> None:
    with run(tmp_path, PROGRAM) as client:
        trace = answer(client, ("main()", "wrong"), ("paint(2, 3)", trust))["trace"]
    with run(tmp_path, PROGRAM, trace) as client:
        assert kept(client)[:2] == [("main()", "wrong", "last run"), ("paint(2, 3)", trust, "last run")]


def test_after_an_edit_only_calls_that_came_out_the_same_are_known(tmp_path: Path) -> None:
    with run(tmp_path, PROGRAM) as client:
        answer(client, ("main()", "wrong"), ("paint(2, 3)", "wrong"), ("area(2, 3)", "wrong"))
        show = next(
            child["id"]
            for child in client.request("algodebug/tree", {"node": 1})["children"]
            if child["function"] == "show"
        )
        trace = client.request("algodebug/answer", {"answer": "correct", "node": show})["trace"]
    with run(tmp_path, EDITED, trace) as client:
        # `main` shows nothing of what it did, so it is asked again; the others return something else now.
        state = answer(client, ("main()", "wrong"), ("paint(2, 3)", "correct"), ("paint(4, 5)", "correct"))
        assert "last run" not in {source for _, _, source in kept(client)}
        assert state["question"]["text"].startswith("show(")
    swapped = PROGRAM.replace("paint(2, 3) + paint(4, 5)", "paint(4, 5) + paint(2, 3)")
    with run(tmp_path, swapped, trace) as client:
        answer(client, ("main()", "wrong"), ("paint(4, 5)", "correct"))
        assert kept(client)[2:] == [
            ("paint(2, 3)", "wrong", "last run"),
            ("area(2, 3)", "wrong", "last run"),
        ]


@pytest.mark.parametrize("what", ["trace", "session file", "both are no such thing"])
def test_earlier_answers_that_cannot_be_read_are_asked_again(tmp_path: Path, what: str) -> None:
    with run(tmp_path, PROGRAM) as client:
        trace = Path(answer(client, ("main()", "wrong"))["trace"])
    if what == "trace":
        trace.unlink()
    elif what == "session file":
        trace.with_suffix(".session.jsonl").unlink()
    else:
        trace.write_text("nonsense")
        trace.with_suffix(".session.jsonl").write_text("nonsense\n\n")
    with run(tmp_path, PROGRAM, str(trace)) as client:
        assert answer(client, ("main()", "wrong"))["answered"] == 1
