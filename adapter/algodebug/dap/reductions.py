"""Reduced programs under way: each is run by a thread of its own, so that other requests are served meanwhile.

What reads the trace is done where the session's work is done; between two runs of a reduction that comes back there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from algodebug.dap.arguments import ExecutableArguments
from algodebug.dap.channel import Request
from algodebug.dap.long_work import LongWork, Work
from algodebug.dap.questions import Questions
from algodebug.reduced_program import NotReproduced, Reducing
from algodebug.reduced_run import ReducedRun

TITLE = "Running reduced programs"
CANCELLED = "Cancelled: no reduced program was made."
BUSY = "A reduced program is being made already; cancel that first."


class Reductions:
    """At most one at a time. `put` hands work to the thread that may read the trace; all but `cancel` run there."""

    def __init__(self, put: Callable[[Callable[[], None]], None], long_work: LongWork) -> None:
        self._put = put
        self._long_work = long_work
        self._under_way: _Reduction | None = None

    def start(self, questions: Questions, request: Request, arguments: ExecutableArguments) -> None:
        """Begins one; the request is answered when it is over. Raises Refused where there can be none."""
        if self._under_way is not None:
            request.fail(BUSY)
            return
        reducing = questions.reducing(arguments)
        reduction = _Reduction(questions, request, arguments, reducing)
        reduction.work = self._long_work.begin(TITLE, reduction.cancel, seconds=0)
        self._under_way = reduction
        self._go_on(reduction)

    def cancel(self, seq: int | None = None) -> bool:
        """Ends the one under way, if it is the one that was asked for by that request; by any thread."""
        reduction = self._under_way
        if reduction is None or (seq is not None and reduction.request.seq != seq):
            return False
        reduction.cancel()
        return True

    def _go_on(self, reduction: _Reduction) -> None:
        if reduction.cancelled:
            self._over(reduction, lambda: reduction.request.fail(CANCELLED))
            return
        try:
            run = reduction.reducing.following()
        except NotReproduced as error:
            reason = str(error)
            self._over(reduction, lambda: reduction.request.fail(reason))
            return
        reduction.run = run
        if reduction.work is not None:
            reduction.work.tell(f"attempt {reduction.reducing.attempts}")
        thread = threading.Thread(
            target=self._run, args=[reduction, run], name="reduced program", daemon=True
        )
        thread.start()

    def _run(self, reduction: _Reduction, run: ReducedRun) -> None:
        if reduction.cancelled:
            run.cancel()
        try:
            run.run(reduction.reducing.limit)
        except OSError as error:
            run.why = f"it cannot be run: {error.strerror or error}"
        self._put(lambda: self._judge(reduction, run))

    def _judge(self, reduction: _Reduction, run: ReducedRun) -> None:
        if reduction.cancelled:
            run.close()
            self._go_on(reduction)
            return
        try:
            found = reduction.reducing.judged(run)
        except Exception as error:
            reason = f"The reduced program cannot be judged: {type(error).__name__}: {error}"
            self._over(reduction, lambda: reduction.request.fail(reason))
            return
        if found is None:
            self._go_on(reduction)
            return
        body = reduction.questions.reduced(reduction.arguments, found)
        self._over(reduction, lambda: reduction.request.reply(body))

    def _over(self, reduction: _Reduction, answer: Callable[[], None]) -> None:
        self._under_way = None
        if reduction.work is not None:
            self._long_work.end(reduction.work)
        answer()


class _Reduction:
    """One that is under way."""

    def __init__(
        self, questions: Questions, request: Request, arguments: ExecutableArguments, reducing: Reducing
    ) -> None:
        self.questions = questions
        self.request = request
        self.arguments = arguments
        self.reducing = reducing
        self.run: ReducedRun | None = None
        self.work: Work | None = None
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True
        if self.run is not None:
            self.run.cancel()
