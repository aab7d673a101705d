"""What of a stopped program is the recorder's, and is not shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from algodebug.dap import frames

RECORDER = Path("/opt/it/algotrace")
RUNNER = "/opt/it/algotrace/__main__.py"
LOADER = "/opt/it/algotrace/loader.py"


def stack(*paths: str | None) -> list[dict[str, Any]]:
    return [{"id": at, "source": {"path": path} if path else None} for at, path in enumerate(paths, 1)]


@pytest.mark.parametrize(
    ("paths", "kept"),
    [
        (("/p/a.py", "/p/a.py", RUNNER), [1, 2]),
        (("/p/a.py", RUNNER, RUNNER, "<frozen runpy>", "/x/debugpy/__main__.py"), [1]),
        (("/p/b.py", "<frozen importlib._bootstrap>", LOADER, "/p/a.py", RUNNER), [1, 2, 4]),
        (("/p/a.py", "/lib/threading.py"), [1, 2]),
        (("/opt/it/algotrace_user/x.py", None), [1, 2]),
        ((RUNNER,), []),
        ((), []),
    ],
)
def test_frames_of_the_recorder_are_dropped(paths: tuple[str, ...], kept: list[int]) -> None:
    assert [frame["id"] for frame in frames.trim_stack(stack(*paths), RECORDER)] == kept


@pytest.mark.parametrize(
    ("start", "levels", "ids"),
    [(None, None, [1, 2, 3]), (0, 0, [1, 2, 3]), (1, 1, [2]), (2, 20, [3]), (9, 1, []), ("x", -1, [1, 2, 3])],
)
def test_pages_are_cut_from_what_is_left(start: object, levels: object, ids: list[int]) -> None:
    body = frames.page(stack("a", "b", "c"), start, levels)
    assert ([frame["id"] for frame in body["stackFrames"]], body["totalFrames"]) == (ids, 3)


def test_temporaries_are_dropped_and_keys_that_look_like_them_are_kept() -> None:
    variables = [{"name": name} for name in ("x", "@1", "'@key'", "special variables", "@12")]
    assert [v["name"] for v in frames.trim_variables(variables)] == ["x", "'@key'", "special variables"]
    assert frames.trim_completions([{"label": "@1"}, {"label": "at"}]) == [{"label": "at"}]


def test_entries_of_the_recorder_are_cut_from_a_traceback() -> None:
    text = (
        f'  File "{RUNNER}", line 40, in <module>\n    main()\n    ~~~~^^\n'
        f'  File "{LOADER}", line 7, in run\n'
        '  File "/p/a.py", line 2, in f\n    return 1 / 0\n'
    )
    assert frames.trim_traceback(text, RECORDER) == '  File "/p/a.py", line 2, in f\n    return 1 / 0\n'
