"""Many searches of recorded programs, over several processes, with progress: `make soundness`.

    python tests/properties/soundness.py [--programs N] [--seed SEED] [--jobs N] [--keep FOLDER]

Ends with 1 if one of them blames a call without a defect, or finds anything else that must not be; each such program is
shown with its seed. `search_batch(SEED, …)` of `recorded_searches` repeats a batch.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from recorded_cases import Tally
from recorded_searches import search_batch

BATCH = 50


def _batch(seed: str) -> tuple[Tally, float]:
    """The searches, and the processor time that they took."""
    tally, before = Tally(), _cpu()
    with tempfile.TemporaryDirectory() as folder:
        search_batch(seed, BATCH, Path(folder), tally, most_failures=BATCH)
    return tally, _cpu() - before


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", type=int, default=100_000)
    parser.add_argument("--seed", default=str(int(time.time())))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, help="a folder for the programs that fail")
    options = parser.parse_args()
    print(f"seed {options.seed}: {options.programs:,} programs", flush=True)
    started, total, used = time.time(), Tally(), 0.0
    seeds = (f"{options.seed} {number}" for number in range(-(-options.programs // BATCH)))
    # Each worker is made anew now and then: what it has read of traces is let go.
    context = multiprocessing.get_context("spawn")
    with context.Pool(options.jobs, maxtasksperchild=20) as pool:
        for number, (tally, seconds) in enumerate(pool.imap_unordered(_batch, seeds), 1):
            total.add(tally)
            used += seconds
            for failure in tally.failures:
                print(f"\n{str(failure)[:400]}\n…", flush=True)
                if options.keep is not None:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    (options.keep / f"{len(total.failures)}-{number}.txt").write_text(str(failure))
            done = total.programs + total.undecided + len(total.failures)
            if number % 10 == 0 or done >= options.programs:
                rate = done / (time.time() - started)
                left = max(options.programs - done, 0) / rate / 60
                print(
                    f"{done:,} programs, {total.calls:,} calls, {total.questions:,} questions, {total.undecided} undecided, "
                    f"{len(total.failures)} failures; {rate:.1f} a second, {1000 * used / done:.0f} ms of processor time each, "
                    f"{left:.0f} minutes left",
                    flush=True,
                )
    print(f"seed {options.seed}: {total.programs:,} searches, {len(total.failures)} failures", flush=True)
    return 1 if total.failures else 0


if __name__ == "__main__":
    sys.exit(main())
