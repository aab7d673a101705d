"""The main job from the command line, on the examples, with the real recorder; the corrected copies answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
ALGODEBUG = [sys.executable, "-m", "algodebug.cli"]


def algodebug(*arguments: str | Path, stdin: str = "", cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [*ALGODEBUG, *map(str, arguments)]
    return subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        env={**os.environ, "COLUMNS": "120"},
    )


def record(program: Path, folder: Path, *arguments: str) -> Path:
    trace = folder / f"{program.stem}.algotrace"
    ended = algodebug("record", "-o", trace, program, *arguments, cwd=folder)
    assert trace.exists(), ended.stderr
    return trace


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The traces of the examples, recorded when first asked for."""
    folder = tmp_path_factory.mktemp("traces")

    class Traces(dict[str, Path]):
        def __missing__(self, example: str) -> Path:
            self[example] = record(EXAMPLES / f"{example}.py", folder)
            return self[example]

    return Traces()


def tree(trace: Path, *options: str) -> list[dict[str, Any]]:
    ended = algodebug("tree", trace, "--json", *options, cwd=trace.parent)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def messages(ended: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ended.stdout.splitlines()]


def bright_lines(result: dict[str, Any]) -> set[int]:
    assert [code["file"] for code in result["code"]] == [result["file"]]
    return {n for line, _, end, _ in result["bright"] for n in range(line, end + 1)}


@pytest.mark.parametrize("strategy", ["divide-and-query", "top-down", "heaviest-first", "single-stepping"])
@pytest.mark.parametrize(
    ("example", "function", "lines"),
    [
        ("isprime", "is_prime", {7, 9, 10, 11, 12, 14, 15}),
        ("sqrtest", "sum2", {43}),
        ("minmaxhits", "leq", {37, 38}),
        ("isort_t", "insert", {8, 9}),
        ("fgk", "g", {2}),
        ("aliased_rows", "make_board", None),
        ("forgotten_update", "Account.transfer", None),
        ("mutable_default", "distinct", None),
        ("quicksort", "partition", None),
        ("raises_deep", "parse_item", None),
    ],
)
def test_the_wrong_function_of_an_example_is_blamed(
    example: str,
    function: str,
    lines: set[int] | None,
    strategy: str,
    traces: dict[str, Path],
    tmp_path: Path,
) -> None:
    trace = traces[example]
    reference = EXAMPLES / "fixed" / f"{example}.py"
    ended = algodebug(
        "debug", trace, "--reference", reference, "--strategy", strategy, "--json", cwd=tmp_path
    )
    result = messages(ended)[-1]["result"]
    assert ended.returncode == 0
    assert result["found"] and result["function"] == function
    if lines is not None:
        assert bright_lines(result) == lines


def test_a_folder_of_corrected_copies_is_a_reference_too(traces: dict[str, Path], tmp_path: Path) -> None:
    trace = traces["sqrtest"]
    ended = algodebug("debug", trace, "--reference", EXAMPLES / "fixed", "--json", cwd=tmp_path)
    assert messages(ended)[-1]["result"]["function"] == "sum2"


def test_the_papers_questions_about_sqrtest(traces: dict[str, Path], tmp_path: Path) -> None:
    trace = traces["sqrtest"]
    main = next(n["id"] for n in tree(trace) if n["function"] == "main")
    wrong = {"sqrtest", "computs", "comput3", "partialsums", "sum2"}
    answers = [
        "wrong",
        "correct",
        "wrong",
        "correct",
        "correct",
        "wrong",
        "wrong",
        "correct",
        "wrong",
        "correct",
    ]
    stdin = "".join(json.dumps({"answer": answer}) + "\n" for answer in answers)
    ended = algodebug(
        "debug", trace, "--root", str(main), "--strategy", "top-down", "--json", stdin=stdin, cwd=tmp_path
    )
    *questions, last = messages(ended)
    asked = [m["question"]["function"] for m in questions]
    assert asked == [
        "sqrtest",
        "listsum",
        "computs",
        "comput1",
        "comput2",
        "comput3",
        "partialsums",
        "sum1",
        "sum2",
        "decr",
    ]
    assert [answer == "wrong" for answer in answers] == [name in wrong for name in asked]
    assert questions[1]["question"]["inputs"][0]["value"]["text"] == "[1, 2]"
    assert last["result"]["function"] == "sum2" and bright_lines(last["result"]) == {43}

    reference = EXAMPLES / "fixed" / "sqrtest.py"
    ended = algodebug("debug", trace, "--root", str(main), "--reference", reference, "--json", cwd=tmp_path)
    assert messages(ended)[-1]["result"]["questions"] <= 5


def test_library_code_between_two_calls_does_not_hide_the_inner_one(
    traces: dict[str, Path], tmp_path: Path
) -> None:
    nodes = tree(traces["isort_t"])
    isort = next(n["id"] for n in nodes if n["function"] == "isort")
    assert [n["function"] for n in nodes if n["parent"] == isort] == ["insert"] * 3


def test_the_first_question_of_a_program_that_died_is_about_the_chain_that_raised(
    traces: dict[str, Path], tmp_path: Path
) -> None:
    trace = traces["raises_deep"]
    question = messages(algodebug("debug", trace, "--json", cwd=tmp_path))[0]["question"]
    assert question["outcome"]["kind"] == "raise"
    assert "raised" in question["why"]


def test_a_question_shows_what_a_call_changed(traces: dict[str, Path], tmp_path: Path) -> None:
    nodes = tree(traces["forgotten_update"])
    changes = [
        change for node in nodes if node["function"] == "Account.transfer" for change in node["changes"]
    ]
    assert changes and all(change["before"]["text"] != change["after"]["text"] for change in changes)


def test_the_tree_is_shown_down_to_a_depth(traces: dict[str, Path], tmp_path: Path) -> None:
    trace = traces["sqrtest"]
    nodes = tree(trace, "--depth", "2")
    assert [n["function"] for n in nodes] == ["<module>", "main", "sqrtest"]
    assert [(n["parent"], n["depth"], n["kind"]) for n in nodes] == [
        (None, 0, "routine"),
        (0, 1, "routine"),
        (1, 2, "routine"),
    ]
    assert nodes[1]["size"] == 27 and nodes[2]["children"] == 3
    text = algodebug("tree", trace, "--depth", "1", cwd=tmp_path).stdout.splitlines()
    assert len(text) == 2 and text[1].startswith("  1  main() returned False")


def test_answers_in_the_terminal_lead_to_marked_lines(tmp_path: Path) -> None:
    ended = algodebug(
        "run", "--strategy", "top-down", EXAMPLES / "isprime.py", stdin="n\nn\ny\ny\n", cwd=tmp_path
    )
    assert ended.returncode == 0
    assert "is_prime(9) is where it goes wrong" in ended.stdout
    lines = ended.stdout.splitlines()
    marked = [int(line[1:].split()[0]) for line in lines if line.startswith(">")]
    assert marked == [7, 9, 10, 11, 12, 14, 15]
    assert any(line.startswith(" ") and line.split()[:2] == ["8", "return"] for line in lines)


def test_what_the_program_prints_stays_out_of_the_dialogue(tmp_path: Path) -> None:
    reference = EXAMPLES / "fixed" / "isprime.py"
    ended = algodebug("run", "--json", "--reference", reference, EXAMPLES / "isprime.py", cwd=tmp_path)
    assert [next(iter(m)) for m in messages(ended)] == ["result"]
    assert "True\n" in ended.stderr


def test_answers_are_kept_and_taken_up_again(tmp_path: Path) -> None:
    trace = record(EXAMPLES / "sqrtest.py", tmp_path)
    ended = algodebug("debug", trace, "--strategy", "top-down", stdin="n\nn\n", cwd=tmp_path)
    assert ended.returncode == 1
    kept = trace.with_suffix(".session.jsonl")
    assert str(kept) in ended.stderr
    again = algodebug("debug", trace, "--strategy", "top-down", "--answers", kept, "--json", cwd=tmp_path)
    assert messages(again)[0]["question"]["function"] == "listsum"
