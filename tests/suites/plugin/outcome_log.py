"""A pytest plugin that logs the outcome of every test to the file named by OUTCOME_LOG (format: tests/cpython/outcomes.py).

It also takes out what depends on the time a test needs: hypothesis' deadlines and health checks, and its random choices.
"""

import os

import pytest

log = open(os.environ["OUTCOME_LOG"], "w", encoding="utf-8")  # noqa: SIM115 (until pytest ends)


def note(step, test=""):
    log.write(f"{step}\t{ascii(test)[1:-1]}\n" if test else f"{step}\n")
    log.flush()


@pytest.hookimpl(tryfirst=True)
def pytest_collection():
    _settle_hypothesis()  # tests take what holds when they are imported


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems():
    _settle_hypothesis()  # others what holds when they run, which a conftest may have changed


def _settle_hypothesis():
    try:
        import hypothesis
    except ImportError:
        return
    hypothesis.settings.register_profile(
        "outcomes", hypothesis.settings.default, derandomize=True, database=None, deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    hypothesis.settings.load_profile("outcomes")


def pytest_collectreport(report):
    if report.failed or report.skipped:
        note("error" if report.failed else "skipped", f"collecting {report.nodeid}")


def pytest_runtest_logstart(nodeid):
    note("start", nodeid)


def pytest_runtest_logreport(report):
    if report.when == "call" or not report.passed:
        failed = "failed" if report.when == "call" else "error"
        note(failed if report.failed else report.outcome, report.nodeid)


def pytest_unconfigure():
    if not log.closed:
        note("end")
        log.close()
