"""A real VS Code: the built .vsix in code-server, driven in headless Chromium by the scripts of this folder.

`e2e.mjs` does the main job, `inside.mjs` looks inside a call. One window does all steps of a script in order; each step
is a test here. What the editor needs (Node, Chromium, code-server, the
.vsix) is made by `make editor`. Where it is missing these tests are skipped with the reason, but fail in CI.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EXTENSION = ROOT / "vscode-extension"
VSIX = EXTENSION / "algorithmic-debug.vsix"
ARTEFACTS = HERE / "artefacts"
SCRIPTS = ("e2e.mjs", "inside.mjs")
STEPS = [
    (script, step)
    for script in SCRIPTS
    for step in re.findall(r"^  async '(.+)'\(\)", (HERE / script).read_text(encoding="utf-8"), re.MULTILINE)
]
SECONDS = 900


def code_server() -> Path:
    return Path(os.environ.get("CODE_SERVER_DIR") or ROOT / ".build" / "code-server")


def what_is_missing() -> str | None:
    """Why the editor cannot be started here, or None."""
    if not shutil.which("node"):
        return "Node is not installed"
    if not Path(os.environ.get("CHROMIUM", "/usr/bin/chromium")).exists():
        return "Chromium is not installed (or say where it is in CHROMIUM)"
    if not (code_server() / "node_modules" / "code-server" / "out" / "node" / "entry.js").exists():
        return f"code-server is not in {code_server()}: make editor"
    if not (EXTENSION / "node_modules" / "playwright-core").exists():
        return "the extension's npm packages are not installed: make editor"
    if not VSIX.exists():
        return f"{VSIX.name} has not been built: make vsix"
    return None


def skip_or_fail() -> None:
    missing = what_is_missing()
    if missing is None:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"the editor tests cannot run: {missing}")
    pytest.skip(missing)


Outcomes = dict[str, dict[str, object]]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare environment: whatever of ours is used comes out of the .vsix."""
    skip_or_fail()
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    shutil.rmtree(ARTEFACTS, ignore_errors=True)
    return folder


@pytest.fixture(scope="module")
def outcomes_of(bare: Path) -> Callable[[str], Outcomes]:
    """What became of each step of a script, which is run once."""

    @cache
    def run(script: str) -> Outcomes:
        arguments = [code_server(), VSIX, ROOT / "examples", bare / "bin" / "python", ARTEFACTS]
        environment = {
            name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "COV_"))
        }
        done = subprocess.run(
            ["node", HERE / script, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            pytest.fail(f"the editor did not start:\n{done.stdout}{done.stderr}")
        return {line["step"]: line for line in lines}

    return run


@pytest.mark.parametrize(("script", "step"), STEPS)
def test_editor(script: str, step: str, outcomes_of: Callable[[str], Outcomes]) -> None:
    outcomes = outcomes_of(script)
    outcome = outcomes.get(step)
    if outcome is None:
        failed = [name for name, other in outcomes.items() if not other["ok"]]
        pytest.fail(f"not reached, because of: {', '.join(failed) or 'the end of the editor'}")
    assert outcome["ok"], outcome["error"]


def test_the_vsix_holds_our_packages_and_no_leftovers() -> None:
    if not VSIX.exists():
        skip_or_fail()
    with zipfile.ZipFile(VSIX) as vsix:
        names = vsix.namelist()
    for needed in (
        "extension/dist/extension.js",
        "extension/dist/page.js",
        "extension/bundled/algodebug_server.py",
        "extension/bundled/tool/algodebug/cli.py",
        "extension/bundled/tool/algotrace/__main__.py",
        "extension/bundled/libs/debugpy/__init__.py",
        "extension/bundled/libs/pygls/__init__.py",
    ):
        assert needed in names
    assert not [name for name in names if re.search(r"__pycache__|\.pyc$|\.ts$|\.map$|node_modules", name)]
