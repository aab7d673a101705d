"""Bad input from outside: one clear line, a non-zero exit code, and nothing lost."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_cli_examples import ALGODEBUG, EXAMPLES, algodebug, messages, record


def complaint(ended: subprocess.CompletedProcess[str]) -> str:
    """The only line of ours on standard error."""
    lines = [line for line in ended.stderr.splitlines() if line.startswith("algodebug: ")]
    assert len(lines) == 1, ended.stderr
    return lines[0]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["record", "nowhere.py"], 66, "no such file: nowhere.py"),
        (["run", "nowhere.py"], 66, "no such file: nowhere.py"),
        (["debug", "nowhere.algotrace"], 66, "no such file: nowhere.algotrace"),
        (["tree", "nowhere.algotrace"], 66, "no such file: nowhere.algotrace"),
        (["record"], 64, "no program to run"),
        (["record", "-m"], 64, "-m needs a value"),
        (["record", "--limit-events", "many", "x.py"], 64, "invalid int value"),
        (["record", "--python", "/nowhere/python", "{program}"], 66, "no such interpreter"),
        (["debug", "{trace}", "--strategy", "guess"], 64, "invalid choice"),
        (["debug", "{trace}", "--root", "4711"], 65, "no node 4711"),
        (["debug", "{trace}", "--root", "-1"], 65, "no node -1"),
        (["debug", "{trace}", "--answers", "nowhere"], 66, "no such file: nowhere"),
        (["debug", "{trace}", "--reference", "nowhere"], 66, "no such file: nowhere"),
        (["debug", "{trace}", "--answers", "{trace}"], 65, "not a file of answers"),
        (["debug", "{program}"], 65, ""),
        (["debug", "."], 65, ""),
        (["tree", "{trace}", "--kind", "loops"], 64, "no such kind"),
        (["bogus"], 64, "invalid choice"),
        (["--bogus"], 64, ""),
    ],
)
def test_a_bad_command_is_one_line_and_an_exit_code(
    arguments: list[str], code: int, message: str, tmp_path: Path
) -> None:
    program = EXAMPLES / "isprime.py"
    if "{trace}" in arguments:
        record(program, tmp_path)
    places = {"{trace}": str(tmp_path / "isprime.algotrace"), "{program}": str(program)}
    ended = algodebug(*(places.get(word, word) for word in arguments), cwd=tmp_path)
    assert ended.returncode == code
    assert message in complaint(ended)
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("kept", [0, 1, 100, 5000])
def test_a_truncated_trace_is_said_to_be_bad(kept: int, tmp_path: Path) -> None:
    trace = record(EXAMPLES / "isprime.py", tmp_path)
    trace.write_bytes(trace.read_bytes()[:kept])
    for command in (["tree", trace], ["debug", trace, "--json"]):
        ended = algodebug(*command, cwd=tmp_path)
        assert ended.returncode == 65
        assert complaint(ended)
    assert "error" in messages(ended)[-1]


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_trace_is_read_or_said_to_be_bad(seed: int, tmp_path: Path) -> None:
    trace = record(EXAMPLES / "isprime.py", tmp_path)
    rng = random.Random(seed)
    whole = bytearray(trace.read_bytes())
    for at in rng.sample(range(100, len(whole)), 200):
        whole[at] ^= 1 << rng.randrange(8)
    trace.write_bytes(whole)
    for command in (["tree", trace], ["debug", trace, "--json"]):
        ended = algodebug(*command, cwd=tmp_path)
        assert ended.returncode in (0, 1, 65), ended.stderr
        assert "Traceback" not in ended.stderr


def test_a_syntax_error_is_the_programs_own(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n    pass\n")
    plain = subprocess.run(
        [sys.executable, "broken.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    ended = algodebug("record", "broken.py", cwd=tmp_path)
    assert ended.returncode == plain.returncode == 1
    assert plain.stderr in ended.stderr
    assert complaint(ended)
    assert algodebug("run", "broken.py", cwd=tmp_path).returncode != 0


@pytest.mark.parametrize(
    ("code", "status"),
    [("import sys; sys.exit(7)", 7), ("raise SystemExit('no')", 1), ("1 / 0", 1), ("pass", 0)],
)
def test_record_exits_like_the_program(code: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text(code)
    ended = algodebug("record", "p.py", cwd=tmp_path)
    assert ended.returncode == status
    assert ".algotrace" in complaint(ended)


def test_a_program_killed_by_a_signal_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    ended = algodebug("record", "p.py", cwd=tmp_path)
    assert ended.returncode == 137
    assert "SIGKILL" in complaint(ended)
    ended = algodebug("run", "--json", "p.py", cwd=tmp_path)
    assert ended.returncode == 137
    assert "error" in messages(ended)[-1]


def test_a_program_runs_when_the_trace_cannot_go_where_it_should(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = algodebug("record", "-o", "file/t.algotrace", EXAMPLES / "isprime.py", cwd=tmp_path)
    assert ended.returncode == 0
    assert ended.stdout == "True\n"
    assert "cannot write file/t.algotrace" in ended.stderr
    trace = ended.stderr.strip().splitlines()[-1].partition("trace: ")[2]
    assert Path(trace).exists()
    (tmp_path / ".algodebug").write_text("")
    ended = algodebug("run", "--json", EXAMPLES / "isprime.py", cwd=tmp_path)
    assert "question" in messages(ended)[0]
    assert "cannot write" in ended.stderr


def test_a_bad_answer_is_replied_to_and_nothing_is_lost(tmp_path: Path) -> None:
    trace = record(EXAMPLES / "sqrtest.py", tmp_path)
    stdin = '{"answer": "wrong"}\n{"answer": \n{"answer": "correct", "node": 999}\n{"answer": "perhaps"}\n'
    ended = algodebug("debug", trace, "--json", stdin=stdin, cwd=tmp_path)
    assert [next(iter(m)) for m in messages(ended)] == ["question", "question", "error", "error", "error"]
    assert all(m["hint"] for m in messages(ended)[2:])
    assert ended.returncode == 1
    kept = [json.loads(line) for line in trace.with_suffix(".session.jsonl").read_text().splitlines()]
    assert [line["answer"] for line in kept[1:]] == ["wrong"]


def test_a_killed_debugger_has_kept_the_answers(tmp_path: Path) -> None:
    trace = record(EXAMPLES / "sqrtest.py", tmp_path)
    command = [*ALGODEBUG, "debug", str(trace), "--json"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdin and process.stdout
    with process:
        process.stdout.readline()
        process.stdin.write('{"answer": "wrong"}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.kill()
    lines = trace.with_suffix(".session.jsonl").read_text().splitlines()
    assert json.loads(lines[-1])["answer"] == "wrong"


def test_a_termination_is_passed_on_to_the_program(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("import time\nprint('up', flush=True)\ntime.sleep(60)\n")
    command = [*ALGODEBUG, "record", "p.py"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "up\n"
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    assert time.monotonic() - started < 30
    assert process.returncode == 143
    assert "algodebug: " in errors


def test_nobody_reading_the_tree_is_no_error(tmp_path: Path) -> None:
    trace = record(EXAMPLES / "minmaxhits.py", tmp_path)
    command = " ".join([*ALGODEBUG, "tree", str(trace), "--json"])
    ended = subprocess.run(
        f"{command} | head -n 1", shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["terminal", "json"])
@pytest.mark.parametrize(
    ("redirection", "code", "said"),
    [
        (">&-", 73, "standard output is closed"),
        ("<&-", 1, ""),
        ("< garbage", 1, "the answers are kept"),
        # (who reads is gone before the first answer comes)
        ("< <(sleep 1; cat answers) | head -n 1 > /dev/null; exit ${PIPESTATUS[0]}", 1, ""),
    ],
)
def test_a_stream_that_is_closed_or_garbage_ends_the_dialogue_in_order(
    redirection: str, code: int, said: str, options: list[str], tmp_path: Path
) -> None:
    trace = record(EXAMPLES / "sqrtest.py", tmp_path)
    answer = b'{"answer": "wrong"}\n' if options else b"n\n"
    (tmp_path / "garbage").write_bytes(
        answer + b"\xff\xfe\x00\n\xc3\x28\n" + "\ud800".encode("utf-8", "surrogatepass")
    )
    (tmp_path / "answers").write_bytes(answer * 100)
    command = " ".join([*ALGODEBUG, "debug", str(trace), "--root", "1", *options, redirection])
    ended = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == code, ended.stderr
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr and "internal" not in ended.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("options", [[], ["--json"]], ids=["terminal", "json"])
def test_an_interrupt_loses_nothing(options: list[str], tmp_path: Path) -> None:
    trace = record(EXAMPLES / "sqrtest.py", tmp_path)
    kept = trace.with_suffix(".session.jsonl")
    process = subprocess.Popen(
        [*ALGODEBUG, "debug", str(trace), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdin and process.stderr
    with process:
        process.stdin.write('{"answer": "wrong"}\n' if options else "n\n")
        process.stdin.flush()
        while not kept.exists() or '"wrong"' not in kept.read_text():
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read()
    assert process.returncode == 130
    assert "the answers are kept" in errors and "interrupted" in errors
    assert "Traceback" not in errors


def test_where_nothing_is_recorded_nothing_is_asked(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("print('hi')\n")
    algodebug("record", "--exclude", "*", "-o", "run", "program.py", cwd=tmp_path)
    ended = algodebug("debug", "run", "--json", cwd=tmp_path)
    assert ended.returncode == 65
    assert json.loads(ended.stdout) == {
        "error": "none of the program's own code is recorded",
        "hint": "algodebug tree run --reasons says why",
    }
