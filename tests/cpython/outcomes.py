"""The outcome of every test of two runs, one recorded and one not, compared: what differs must be listed with a reason.

A log has one line per step, `start|passed|failed|error|skipped<TAB>test` or `end`, written as the run goes, so that a run that
crashes or hangs still says where. A list of expected differences is a TOML file:

    [[differences]]
    reason = "what of recording makes the outcome differ"
    pythons = ["3.10"]      # only there; everywhere if left out
    sometimes = true        # the outcome depends on timing too: may differ, need not
    tests = ["module.Class.test"]
"""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from algotrace.trace import Trace, TraceError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[2]
TRACER = REPOSITORY / "tracer" / "algotrace" / "__main__.py"
BUILD = REPOSITORY / ".build"
MEMORY = 8 << 30  # bytes of address space a run may have
MISSING, UNFINISHED = "missing", "unfinished"
_SEVERITY = ("passed", "skipped", "failed", "error")


class Run(NamedTuple):
    outcomes: dict[str, str]
    seconds: float  # until the last test had ended
    writing: float  # from there to the end of the process
    processor: float  # seconds of processor time, with the processes it waited for
    memory: int  # bytes, the largest process at its largest
    ending: str  # empty, or how the process ended other than with its tests


class Difference(NamedTuple):
    test: str
    plain: str
    recorded: str
    reason: str  # empty: nobody has explained it

    def __str__(self) -> str:
        explanation = f"expected: {self.reason}" if self.reason else "NOT EXPECTED"
        return f"  {self.test}: {self.plain} → {self.recorded} ({explanation})"


class Comparison(NamedTuple):
    name: str
    plain: Run
    recorded: Run
    differences: list[Difference]
    obsolete: list[str]  # listed as different, but the same
    trace: int  # bytes
    not_recorded: list[str]  # files of which the recorder says that it cannot instrument them

    @property
    def complaints(self) -> list[str]:
        lines = [str(difference) for difference in self.differences if not difference.reason]
        lines += [f"  {test}: listed as different, but it is the same" for test in self.obsolete]
        lines += [f"  {file}: not recorded, it could not be instrumented" for file in self.not_recorded]
        if not self.plain.outcomes:
            lines.append("  there are no tests")
        if self.recorded.ending:
            lines.append(f"  the recorded run {self.recorded.ending}")
        if not self.trace:
            lines.append("  no trace was written")
        return lines


def read_toml(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


class Expected:
    """What a file of expected differences says for one version of Python."""

    def __init__(self, file: Path, python: str) -> None:
        self.reasons: dict[str, str] = {}
        self.sometimes: set[str] = set()
        content = read_toml(file) if file.exists() else {}
        for entry in content.get("differences", []):
            if python not in entry.get("pythons", [python]):
                continue
            for test in entry["tests"]:
                self.reasons[test] = entry["reason"]
                if entry.get("sometimes"):
                    self.sometimes.add(test)

    def of(self, suite: str) -> Expected:
        """The entries of one suite, whose names start with `suite: `."""
        mine = Expected.__new__(Expected)
        prefix = suite + ": "
        mine.reasons = {
            test[len(prefix) :]: why for test, why in self.reasons.items() if test.startswith(prefix)
        }
        mine.sometimes = {test[len(prefix) :] for test in self.sometimes if test.startswith(prefix)}
        return mine


def read_log(log: Path) -> tuple[dict[str, str], bool]:
    """Outcome by test (the worst of its steps), and whether the run came to its end."""
    outcomes: dict[str, str] = {}
    seen: Counter[str] = Counter()
    ended = False
    if not log.exists():
        return outcomes, False
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        step, _, test = line.partition("\t")
        if step == "end":
            ended = True
            continue
        if step == "start":
            seen[test] += 1  # one name may stand for several tests
        name = test if seen[test] < 2 else f"{test} #{seen[test]}"
        before = outcomes.get(name, "")
        if step == "start":
            outcomes[name] = UNFINISHED
        elif before not in _SEVERITY or _SEVERITY.index(step) > _SEVERITY.index(before):
            outcomes[name] = step
    return outcomes, ended


def _as_from_a_terminal() -> None:
    """Ctrl+C works (a shell's background jobs ignore it, and tests that interrupt themselves then never end)."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(command: Sequence[str], log: Path, folder: Path, environment: Mapping[str, str], limit: float) -> Run:
    """Run `command`, which leaves `log`; what it prints goes to a file beside that."""
    log.unlink(missing_ok=True)
    started = time.time()
    ending = ""
    with open(log.with_suffix(".out"), "wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True, preexec_fn=_as_from_a_terminal,
        )  # fmt: skip
        code, used = _wait(process, started + limit)
        if code is None:
            ending = f"had not ended after {limit:.0f} s"
            os.killpg(process.pid, signal.SIGKILL)
            code, used = _wait(process)
    ended_at = time.time()
    outcomes, complete = read_log(log)
    tests_ended = log.stat().st_mtime if log.exists() else ended_at
    if not complete and not ending:
        ending = f"ended early with exit code {code}"
    seconds, writing = tests_ended - started, ended_at - tests_ended
    return Run(outcomes, seconds, writing, used.ru_utime + used.ru_stime, used.ru_maxrss << 10, ending)


def _wait(
    process: subprocess.Popen[bytes], until: float | None = None
) -> tuple[int | None, resource.struct_rusage]:
    """Its exit code (none: it still runs at that time) and what it used."""
    while True:
        pid, status, used = os.wait4(process.pid, 0 if until is None else os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used
        if until is not None and time.time() > until:
            return None, used
        time.sleep(0.02)


def compare(
    name: str, plain: Run, recorded: Run, expected: Expected, listed: Iterable[str], trace: Path
) -> Comparison:
    """`listed`: the tests of `expected` that belong to these runs."""
    differences = []
    for test in plain.outcomes.keys() | recorded.outcomes.keys():
        one, other = plain.outcomes.get(test, MISSING), recorded.outcomes.get(test, MISSING)
        if one != other:
            differences.append(Difference(test, one, other, expected.reasons.get(test, "")))
    different = {difference.test for difference in differences}
    obsolete = [test for test in listed if test not in different and test not in expected.sometimes]
    size = trace.stat().st_size if trace.exists() else 0
    return Comparison(
        name, plain, recorded, sorted(differences), sorted(obsolete), size, _not_instrumented(trace)
    )


def _not_instrumented(trace: Path) -> list[str]:
    """Files that Python takes and the recorder does not: what their tests do says nothing then."""
    if not trace.exists():
        return []
    try:
        reasons = Trace.open(trace).reasons
    except TraceError:  # of a run that was killed, which is told elsewhere
        return []
    return sorted(file for file, reason in reasons.items() if "could not be instrumented" in reason)


def row(comparison: Comparison) -> str:
    plain, recorded = comparison.plain, comparison.recorded
    counts = Counter(plain.outcomes.values())
    explained = sum(bool(difference.reason) for difference in comparison.differences)
    return (
        f"{comparison.name:<32}{len(plain.outcomes):>6}{counts['passed']:>7}{counts['failed'] + counts['error']:>6}"
        f"{counts['skipped']:>6}{len(comparison.differences):>8}{explained:>10}{plain.seconds:>8.1f}{recorded.seconds:>9.1f}"
        f"{recorded.processor / max(plain.processor, 0.001):>7.2f}{recorded.writing:>7.1f}{comparison.trace / 1e6:>8.1f}"
        f"{plain.memory / 1e6:>9.0f}{recorded.memory / 1e6:>10.0f}"
    )


HEADING = (
    f"{'':<32}{'tests':>6}{'passed':>7}{'fail':>6}{'skip':>6}{'differ':>8}{'explained':>10}{'plain s':>8}{'record s':>9}"
    f"{'ratio':>7}{'write':>7}{'MB':>8}{'plain MB':>9}{'record MB':>10}"
)


def summary(comparisons: Sequence[Comparison]) -> str:
    tests = sum(len(comparison.plain.outcomes) for comparison in comparisons)
    differing = sum(len(comparison.differences) for comparison in comparisons)
    plain = sum(comparison.plain.seconds for comparison in comparisons)
    recorded = sum(comparison.recorded.seconds for comparison in comparisons)
    ratio = sum(c.recorded.processor for c in comparisons) / max(
        sum(c.plain.processor for c in comparisons), 0.001
    )
    return (
        f"{tests} tests compared, {differing} differ ({100 * differing / max(tests, 1):.2f} %); "
        f"{plain:.0f} s plain, {recorded:.0f} s recorded; {ratio:.2f} times the processor time"
    )


def report(comparisons: Sequence[Comparison]) -> int:
    """Print what the table does not show; the exit code."""
    print(summary(comparisons))
    bad = 0
    for comparison in comparisons:
        if comparison.complaints:
            bad = 1
            print(f"{comparison.name}:", *comparison.complaints, sep="\n")
    return bad
