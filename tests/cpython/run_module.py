"""Run the tests of one module as `python -m unittest -v MODULE` does, and log each test's outcome (see `outcomes`).

    python run_module.py LOG MODULE

Run by the interpreter under test, recorded or not: standard library only, and nothing the tests could notice.
"""

import sys
import unittest

log = open(sys.argv[1], "w", encoding="utf-8")  # noqa: SIM115 (until the process ends)


def note(step, test=""):
    log.write(f"{step}\t{' '.join(test.split())}\n" if test else f"{step}\n")
    log.flush()


class Result(unittest.TextTestResult):
    outcome = ""

    def startTest(self, test):
        self.outcome = "passed"
        note("start", test.id())
        super().startTest(test)

    def stopTest(self, test):
        super().stopTest(test)
        if self.outcome:  # some versions do not start a test that is skipped
            note(self.outcome, test.id())
        self.outcome = ""

    def _ended(self, test, outcome):
        if not self.outcome:
            note(outcome, test.id())  # not a test: `setUpClass`, `setUpModule`, an import
        elif self.outcome in ("passed", "skipped"):
            self.outcome = outcome

    def addError(self, test, err):
        self._ended(test, "error")
        super().addError(test, err)

    def addFailure(self, test, err):
        self._ended(test, "failed")
        super().addFailure(test, err)

    def addSkip(self, test, reason):
        self._ended(test, "skipped")
        super().addSkip(test, reason)

    def addUnexpectedSuccess(self, test):
        self._ended(test, "failed")
        super().addUnexpectedSuccess(test)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._ended(test, "failed" if issubclass(err[0], test.failureException) else "error")
        super().addSubTest(test, subtest, err)


class Loader(unittest.TestLoader):
    """In older versions some modules have nothing but doctests, which `unittest` does not find."""

    def loadTestsFromName(self, name, module=None):
        tests = super().loadTestsFromName(name, module)
        if not tests.countTestCases():
            import doctest

            tests = doctest.DocTestSuite(sys.modules[name])
        return tests


arguments = ["python -m unittest", "-v", sys.argv[2]]
sys.argv = arguments[:1]
runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
program = unittest.main(module=None, argv=arguments, testRunner=runner, testLoader=Loader(), exit=False)
note("end")
log.close()
