"""The symptom of a failed test run is the test: the search starts with its call, not with all that was imported for it.

A test is told by its name, and by who caught its exception: not the program. Left out: what a fixture or an import did
wrong; `--root 0` searches there too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from algotrace.call_sites import decorators, definition

if TYPE_CHECKING:
    from algotrace.trace import Routine, Trace

_RAISED = 1  # of `Trace.outcome_kind`
_KINDS = frozenset({"function", "coroutine"})
_NO_FAILURES = frozenset(
    {"Skipped", "SkipTest", "XFailed", "Exit", "KeyboardInterrupt", "SystemExit", "GeneratorExit"}
)
_EXPECTED_TO_FAIL = frozenset({"xfail", "expectedFailure"})


def failed_tests(trace: Trace) -> list[int]:
    """The calls of tests that failed, in the order in which they ran; of a test that ran often the last that failed."""
    last: dict[int, int] = {}
    tests = {routine.id for routine in trace.routines if _is_test(trace, routine)}
    if not tests:
        return []
    for node, routine in enumerate(trace.routine):
        if routine in tests and _failed(trace, node):
            last[routine] = node
    return sorted(last.values())


def _is_test(trace: Trace, routine: Routine) -> bool:
    if routine.kind not in _KINDS or not routine.name.startswith("test"):
        return False
    function = definition(trace, routine)
    return function is None or not _EXPECTED_TO_FAIL & decorators(function)


def _failed(trace: Trace, node: int) -> bool:
    raised = _exception(trace, node)
    return raised not in _NO_FAILURES and raised != _exception(trace, trace.parent[node])


def _exception(trace: Trace, node: int) -> str:
    """The name of the exception that left a call; "" where none did."""
    if node < 0 or trace.outcome_kind[node] != _RAISED:
        return ""
    value = trace.outcome(node).value
    return "an exception" if value is None else value.type_name


def where_to_start(trace: Trace) -> tuple[int, str]:
    """The node that is known to be wrong, and what to tell the user about it, if anything."""
    failed = failed_tests(trace)
    if not failed:
        return 0, ""
    name = trace.routines[trace.routine[failed[0]]].qualname
    more = ""
    if len(failed) > 1:
        others = [f"{node} {trace.routines[trace.routine[node]].qualname}" for node in failed[1:4]]
        more = f"; {len(failed) - 1} more failed: {', '.join(others)}{', …' if len(failed) > 4 else ''}"
    return failed[0], f"the search starts with {name}, which failed (--root 0 for the whole run{more})"
