"""What a launch becomes before debugpy gets it."""

from __future__ import annotations

import os
import shlex
from datetime import datetime
from pathlib import Path

import pytest

from algodebug.dap import launch
from algodebug.dap.arguments import BadArguments, LaunchOptions, Limits
from algodebug.dap.launch import Recorder

RECORDER = Recorder(Path("/opt/it/algotrace"))
RUNNER = "/opt/it/algotrace/__main__.py"
TRACE = Path("/tmp/t.algotrace")
NOON = datetime(2030, 1, 2, 12, 0, 0)


def rewritten(options: LaunchOptions | None = None, **arguments: object) -> dict[str, object]:
    return launch.rewrite(arguments, options or LaunchOptions(), RECORDER, TRACE)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"program": "/p/a.py"}, ["/p/a.py"]),
        ({"program": "/p/a.py", "args": ["-x", "1 2"]}, ["/p/a.py", "-x", "1 2"]),
        ({"module": "pkg.main", "args": ["y"]}, ["-m", "pkg.main", "y"]),
        ({"code": "print(1)"}, ["-c", "print(1)"]),
        ({"code": ["a = 1", "print(a)"]}, ["-c", "a = 1\nprint(a)"]),
    ],
)
def test_the_target_stands_behind_the_recorder(arguments: dict[str, object], words: list[str]) -> None:
    result = rewritten(**arguments)
    assert result["program"] == RUNNER
    assert result["args"] == ["--trace", str(TRACE), *words]
    assert "module" not in result and "code" not in result


def test_recording_options_stand_before_the_target() -> None:
    options = LaunchOptions(include=["a/*"], exclude=["b", "c"], limits=Limits(1000))
    words = rewritten(options, program="p.py")["args"]
    assert words == [
        *("--trace", str(TRACE), "--include", "a/*", "--exclude", "b", "--exclude", "c"),
        *("--limit-events", "1000", "p.py"),
    ]


def test_arguments_for_the_shell_stay_for_the_shell() -> None:
    words = rewritten(program="/p/my file.py", args="*.txt $HOME 'a b'")["args"]
    assert isinstance(words, str) and words.endswith(" *.txt $HOME 'a b'")
    assert shlex.split(words)[:3] == ["--trace", str(TRACE), "/p/my file.py"]


def test_attributes_of_debugpy_are_kept() -> None:
    given = {"justMyCode": False, "env": {"A": "1"}, "python": ["py"], "stopOnEntry": True, "console": "x"}
    result = rewritten(program="/p/a.py", pathMappings=[1], **given)
    assert {name: result[name] for name in given} == given
    assert result["pathMappings"] == [1]


def test_the_debugger_is_told_to_skip_the_recorder_before_the_users_rules() -> None:
    own = {"path": "**/vendored/**", "include": False}
    assert rewritten(program="a.py", rules=[own])["rules"] == [
        {"path": os.path.join("/opt/it/algotrace", "**"), "include": False},
        own,
    ]


@pytest.mark.parametrize(
    ("arguments", "folder"),
    [
        ({"program": "/p/q/a.py"}, "/p/q"),
        ({"program": "/p/q/a.py", "cwd": "/w"}, "/w"),
        ({"program": "a.py"}, os.getcwd()),
        ({"module": "m"}, os.getcwd()),
    ],
)
def test_the_program_starts_in_the_folder_debugpy_would_choose(
    arguments: dict[str, object], folder: str
) -> None:
    assert rewritten(**arguments)["cwd"] == folder


@pytest.mark.parametrize(
    ("arguments", "recording", "expected"),
    [
        ({"program": "a"}, True, True),
        ({"program": "a"}, False, False),
        ({"program": "a", "module": "b"}, True, False),
        ({}, True, False),
    ],
)
def test_only_a_launch_of_one_target_is_recorded(
    arguments: dict[str, object], recording: bool, expected: bool
) -> None:
    assert launch.is_recorded(arguments, LaunchOptions(recording=recording)) is expected


def test_the_trace_goes_where_the_program_runs(tmp_path: Path) -> None:
    arguments = {"program": str(tmp_path / "sums.py")}
    path, note = launch.place_for_trace(arguments, LaunchOptions(), NOON)
    assert (path, note) == (tmp_path / ".algodebug" / "20300102-120000-sums.algotrace", None)
    path.touch()
    second, _ = launch.place_for_trace(arguments, LaunchOptions(), NOON)
    assert second.name == "20300102-120000-sums-2.algotrace"


def test_a_trace_file_can_be_named(tmp_path: Path) -> None:
    options = LaunchOptions(traceFile="out/mine.algotrace")
    place, _ = launch.place_for_trace({"module": "m", "cwd": str(tmp_path)}, options, NOON)
    assert place == tmp_path / "out" / "mine.algotrace"
    place.write_text("an earlier one")
    assert launch.place_for_trace({"module": "m", "cwd": str(tmp_path)}, options, NOON) == (place, None)
    assert not place.exists()


def test_no_other_file_is_overwritten_by_a_trace(tmp_path: Path) -> None:
    program = tmp_path / "a.py"
    program.touch()
    with pytest.raises(BadArguments, match=r"\.algotrace"):
        launch.place_for_trace({"program": str(program)}, LaunchOptions(traceFile=str(program)), NOON)
    assert program.exists()


def test_a_folder_that_cannot_be_written_costs_only_the_place(tmp_path: Path) -> None:
    (tmp_path / ".algodebug").write_text("a file where the folder should be")
    path, note = launch.place_for_trace({"program": str(tmp_path / "a.py")}, LaunchOptions(), NOON)
    assert not path.is_relative_to(tmp_path) and path.parent.is_dir()
    assert note is not None and str(path) in note and str(tmp_path) in note


def test_a_child_process_is_shown_as_the_users_program() -> None:
    configuration = {"program": RUNNER, "subProcessId": 7, "request": "attach"}
    original = {"module": "pkg", "args": ["1"]}
    assert launch.restore(configuration, original, RECORDER) == {
        "module": "pkg",
        "subProcessId": 7,
        "request": "attach",
    }
