"""A program is run again: what was answered about the run before and still applies is not asked again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from dap_client import OURS, Client

from algodebug.answers import STORED

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
def run(folder: Path, text: str, before: str | None = None, fresh: bool = False) -> Iterator[Client]:
    """A session that stands at its first question."""
    program = folder / "paint.py"
    program.write_text(text)
    client = Client.start([*OURS, *(["--answers-of", before] if before else [])], cwd=folder)
    try:
        client.initialize()
        client.launch(program=str(program), strategy="top-down", fresh=fresh)
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
            ("main()", "wrong", STORED),
            ("paint(2, 3)", "unknown", STORED),
            ("paint(4, 5)", "wrong", STORED),
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
        assert kept(client) == [("main()", "wrong", STORED)]


@pytest.mark.parametrize("trust", ["trust-function", "trust-module"])
def test_trust_is_kept(tmp_path: Path, trust: str) -> None:
    with run(tmp_path, PROGRAM) as client:
        trace = answer(client, ("main()", "wrong"), ("paint(2, 3)", trust))["trace"]
    with run(tmp_path, PROGRAM, trace) as client:
        assert kept(client)[:2] == [("main()", "wrong", STORED), ("paint(2, 3)", trust, STORED)]


def test_after_an_edit_only_changed_code_is_asked_about_again(tmp_path: Path) -> None:
    with run(tmp_path, PROGRAM) as client:
        trace = answer(client, ("main()", "wrong"), ("paint(2, 3)", "wrong"), ("area(2, 3)", "wrong"))[
            "trace"
        ]
    with run(tmp_path, EDITED, trace) as client:
        # They return something else now.
        answer(client, ("main()", "wrong"), ("paint(2, 3)", "correct"), ("paint(4, 5)", "correct"))
        assert STORED not in {source for _, _, source in kept(client)}
    swapped = PROGRAM.replace("paint(2, 3) + paint(4, 5)", "paint(4, 5) + paint(2, 3)")
    with run(tmp_path, swapped, trace) as client:
        assert kept(client)[:2] == [("paint(2, 3)", "wrong", STORED), ("area(2, 3)", "wrong", STORED)]
        assert client.request("algodebug/state")["result"]["function"] == "area"


def test_without_an_earlier_recording_the_files_beside_it_are_looked_at(tmp_path: Path) -> None:
    with run(tmp_path, PROGRAM) as client:
        answer(client, ("main()", "wrong"))
    with run(tmp_path, PROGRAM) as client:
        assert kept(client) == [("main()", "wrong", STORED)]
    with run(tmp_path, PROGRAM, fresh=True) as client:
        assert kept(client) == []


@pytest.mark.parametrize("what", ["trace", "session file", "both are no such thing"])
def test_answers_are_in_the_session_file_and_nowhere_else(tmp_path: Path, what: str) -> None:
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
        assert bool(kept(client)) == (what == "trace")
        answer(client, ("paint(2, 3)" if what == "trace" else "main()", "wrong"))
