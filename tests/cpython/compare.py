"""CPython's own tests, run plain and recorded: the outcome of every single test must be the same.

    python tests/cpython/compare.py [--python PYTHON] [MODULE…]

Of each module `test.X` only the file itself is user code; the rest of the standard library is not recorded. What may
differ, and why, is listed in expected_differences.toml. What the runs print is left in .build/cpython.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import outcomes

HERE = Path(__file__).resolve().parent
LONGEST = 400.0  # seconds one plain run may take

MODULES = [
    name
    for line in (HERE / "modules.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
    for name in line.split()
]


def available(python: str, modules: list[str]) -> dict[str, bool]:
    """Which of the modules that interpreter has."""
    ask = (
        "import sys, importlib.util\n"
        "def has(name):\n"
        "    try: return importlib.util.find_spec(name) is not None\n"
        "    except ModuleNotFoundError: return False\n"
        "print(*[int(has(name)) for name in sys.argv[1:]])"
    )
    answered = subprocess.run([python, "-c", ask, *modules], capture_output=True, text=True, check=True)
    return {name: flag == "1" for name, flag in zip(modules, answered.stdout.split(), strict=True)}


def version(python: str) -> str:
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()


def compare(python: str, module: str, expected: outcomes.Expected) -> outcomes.Comparison:
    """Run one module twice; where something differs that is not listed, once more each: it must show twice."""
    comparison = _compare(python, module, expected)
    if any(not difference.reason for difference in comparison.differences):
        again = _compare(python, module, expected)
        once = {difference.test for difference in comparison.differences}
        kept = [found for found in again.differences if found.reason or found.test in once]
        comparison = again._replace(differences=kept)
    return comparison


def _compare(python: str, module: str, expected: outcomes.Expected) -> outcomes.Comparison:
    results = outcomes.BUILD / "cpython" / Path(python).absolute().as_posix().strip("/").replace("/", "-")
    results.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="algotrace-cpython-"))
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONPATH", None)
    program = HERE / "run_module.py"
    trace = folder.with_suffix(".algotrace")
    try:
        log = results / f"{module}.plain.log"
        plain = outcomes.run([python, str(program), str(log), module], log, folder, environment, LONGEST)
        log = results / f"{module}.recorded.log"
        recorder = [
            python,
            str(outcomes.TRACER),
            "--trace",
            str(trace),
            "--include",
            module,
            "--exclude",
            str(program),
        ]
        limit = 20 * (plain.seconds + plain.writing) + 600
        recorded = outcomes.run([*recorder, str(program), str(log), module], log, folder, environment, limit)
        listed = [test for test in expected.reasons if test.startswith(module + ".")]
        return outcomes.compare(module, plain, recorded, expected, listed, trace)
    finally:
        trace.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the outcomes of CPython's tests, recorded and not.")
    parser.add_argument(
        "--python", default=sys.executable, help="the interpreter whose tests are run (this one)"
    )
    parser.add_argument("modules", metavar="MODULE", nargs="*", help="such as test_generators (all)")
    arguments = parser.parse_args()
    names = [name if name.startswith("test") else f"test_{name}" for name in arguments.modules or MODULES]
    modules = [name if name.startswith("test.") else f"test.{name}" for name in names]
    present = available(arguments.python, modules)
    if not any(present.values()):
        print(f"skipped: {arguments.python} comes without its tests (the package `test`)")
        return 0
    python_version = version(arguments.python)
    expected = outcomes.Expected(HERE / "expected_differences.toml", python_version)
    print(f"{f'Python {python_version}':<32}{outcomes.HEADING[32:]}")
    comparisons = []
    for module, is_there in present.items():
        if not is_there:
            print(f"{module:<32}     – not in this Python", flush=True)
            continue
        comparison = compare(arguments.python, module, expected)
        if comparison.plain.ending:
            print(f"{module:<32}     – the plain run {comparison.plain.ending}", flush=True)
            continue
        if not comparison.plain.outcomes:
            print(f"{module:<32}     – has no tests that unittest finds", flush=True)
            continue
        comparisons.append(comparison)
        print(outcomes.row(comparison), flush=True)
    return outcomes.report(comparisons)


if __name__ == "__main__":
    sys.exit(main())
