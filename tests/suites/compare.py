"""The test suites of packages from PyPI, run plain and recorded: the outcome of every single test must be the same.

    python tests/suites/compare.py [--rewrite] [NAME…]

The package and its tests are user code, pytest and everything else is not. pytest's rewriting of assertions is switched
off in both runs, which makes them faster; `--rewrite` leaves it on. Source distributions and environment are kept in .build/suites, with what the runs print.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cpython"))

import outcomes  # noqa: E402

SUITES = outcomes.BUILD / "suites"
LONGEST = 900.0  # seconds one plain run may take
NOT_INSTALLED = 75  # exit code
TOOLS = ["pytest==8.3.4", "hypothesis==6.115.0"]


class Suite(NamedTuple):
    version: str
    packages: tuple[str, ...]  # import names: user code
    tests: tuple[str, ...] = ("tests",)  # what pytest is given, relative to the sources
    needs: tuple[str, ...] = ()  # what else the tests import
    options: tuple[str, ...] = ()


PACKAGES = {
    name: Suite(**{key: value if key == "version" else tuple(value) for key, value in fields.items()})
    for name, fields in outcomes.read_toml(HERE / "suites.toml").items()
}


def pip(python: Path, *arguments: str | Path) -> None:
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        print(f"pip {' '.join(map(str, arguments))} failed:\n{done.stdout}{done.stderr}")
        raise SystemExit(NOT_INSTALLED)


def environment() -> Path:
    """The interpreter of an environment with pytest."""
    folder = SUITES / f"environment-{sys.version_info[0]}.{sys.version_info[1]}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip(python, "install", *TOOLS)
        (folder / "ready").touch()
    return python


def sources(python: Path, name: str, suite: Suite) -> tuple[Path, Path]:
    """(the unpacked source distribution, a folder where the package and what its tests need are installed)."""
    folder = SUITES / f"{name}-{suite.version}-{sys.version_info[0]}.{sys.version_info[1]}"
    installed = folder / "site-packages"
    ready = folder / "ready"
    made_of = repr((suite.version, suite.needs))
    if not ready.exists() or ready.read_text() != made_of:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pip(
            python, "download", "--no-binary", name, "--no-deps", "--dest", folder, f"{name}=={suite.version}"
        )
        archive = next(folder.glob("*.tar.gz"))
        with tarfile.open(archive) as content:
            content.extractall(folder)
        pip(python, "install", "--target", installed, *suite.needs, archive)
        ready.write_text(made_of)
    return next(path.parent for path in folder.glob("*/PKG-INFO")), installed


def compare(name: str, expected: outcomes.Expected, rewrite: bool) -> outcomes.Comparison:
    """Run one suite twice; where something differs that is not listed, once more each: it must show twice."""
    comparison = _compare(name, expected, rewrite)
    if any(not difference.reason for difference in comparison.differences):
        again = _compare(name, expected, rewrite)
        once = {difference.test for difference in comparison.differences}
        kept = [found for found in again.differences if found.reason or found.test in once]
        comparison = again._replace(differences=kept)
    return comparison


def _compare(name: str, expected: outcomes.Expected, rewrite: bool) -> outcomes.Comparison:
    suite = PACKAGES[name]
    python = environment()
    folder, installed = sources(python, name, suite)
    temporary = Path(tempfile.mkdtemp(prefix="algotrace-suite-"))
    variables = {
        **os.environ,
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": f"{installed}{os.pathsep}{HERE / 'plugin'}",
    }
    variables.pop("PYTEST_ADDOPTS", None)
    pytest = [
        "-p",
        "outcome_log",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
        "-o",
        "addopts=",
        "-q",
        f"--rootdir={folder}",
        f"--basetemp={temporary / 'tests'}",
    ]
    pytest += [] if rewrite else ["--assert=plain"]
    pytest += [*suite.options, *suite.tests]
    include = [part for package in suite.packages for part in ("--include", package)]
    trace = temporary / "run.algotrace"
    try:
        runs = []
        for kind in ("plain", "recorded"):
            log = SUITES / f"{name}.{kind}.log"
            variables["OUTCOME_LOG"] = str(log)
            start: list[str | Path] = [python, "-m", "pytest"]
            limit = LONGEST
            if runs:
                start = [
                    python,
                    outcomes.TRACER,
                    "--trace",
                    trace,
                    *include,
                    "--exclude",
                    "outcome_log",
                    "-m",
                    "pytest",
                ]
                limit = 20 * (runs[0].seconds + runs[0].writing) + 600
            runs.append(outcomes.run([*map(str, start), *pytest], log, folder, variables, limit))
        listed = [test.removeprefix(name + ": ") for test in expected.reasons if test.startswith(name + ": ")]
        mine = expected.of(name)
        return outcomes.compare(name, runs[0], runs[1], mine, listed, trace)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the outcomes of packages' tests, recorded and not.")
    parser.add_argument(
        "--rewrite",
        action="store_true",
        help="let pytest rewrite assertions, as it does by default",
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(PACKAGES)} (all)")
    arguments = parser.parse_args()
    python_version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    expected = outcomes.Expected(HERE / "expected_differences.toml", python_version)
    print(f"{f'Python {python_version}':<32}{outcomes.HEADING[32:]}")
    comparisons = []
    for name in arguments.names or PACKAGES:
        comparison = compare(name, expected, arguments.rewrite)
        if comparison.plain.ending:
            print(f"{name:<32}     – the plain run {comparison.plain.ending}", flush=True)
        comparisons.append(comparison)
        print(outcomes.row(comparison), flush=True)
    return outcomes.report(comparisons)


if __name__ == "__main__":
    sys.exit(main())
