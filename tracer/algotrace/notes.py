"""What was part of a run although it is not in its trace, in sentences for people, with what to do about it."""

from __future__ import annotations

import sys

from algotrace import children

_WORKERS = "pytest-xdist ran the tests in processes of its own, which are not recorded: run pytest with -n0 or -p no:xdist"
_COMMANDS = "programs that this one started as commands are not recorded, Python programs neither: record such a program by itself"


def notes(*, forked: bool) -> list[str]:
    """At the end of a run. `forked`: it also had children that leave traces of their own."""
    found = []
    if tests_ran_elsewhere():
        found.append(_WORKERS)
    spawning = False
    for method in ("spawn", "forkserver"):
        if f"multiprocessing.popen_{method}{'_posix' if method == 'spawn' else ''}" in sys.modules:
            spawning = True
            if not children.are_recorded():
                found.append(f"processes started by multiprocessing's {method} method are not recorded")
    if not (found or spawning or forked) and _had_children():
        found.append(_COMMANDS)
    found += [
        f"what {module} changes in place is not seen: its arrays are shown as they were in the end, not as certain"
        for module in ("numpy", "pandas")
        if module in sys.modules
    ]
    return found


def tests_ran_elsewhere() -> bool:
    """Whether pytest handed its tests to workers of pytest-xdist; it loads that module for nothing else."""
    return "xdist.dsession" in sys.modules


def _had_children() -> bool:
    """Processes that have ended; what a command takes is less than a tick of the clock, but some memory in any case."""
    try:
        import resource
    except ImportError:  # not on Windows
        return "subprocess" in sys.modules
    return "subprocess" in sys.modules and resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss > 0
