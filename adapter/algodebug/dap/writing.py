"""Shows as progress that the program is through and its recording is being written: after a long run, that takes time.

The recorder tells of it by the file that it writes before it is given its name. For clients that show progress only.
"""

from __future__ import annotations

import glob
import threading
from pathlib import Path

from algodebug.dap.channel import Channel

PROGRESS = "algodebug-writing"
SECONDS = 0.3
"""Shorter writing than this needs no progress shown."""


class Writing:
    """Looks out for a recording that is being written, until `stop`."""

    def __init__(self, trace: Path, client: Channel) -> None:
        self._folder = trace.parent
        self._pattern = f"{glob.escape(trace.name)}.*.partial"
        self._client = client
        self._over = threading.Event()

    def start(self) -> None:
        """Begins to look."""
        threading.Thread(target=self._watch, name="writing", daemon=True).start()

    def stop(self) -> None:
        """The run has ended, well or badly."""
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(SECONDS):
            if self._is_written():
                begun = {"progressId": PROGRESS, "title": "Writing the recording", "cancellable": False}
                self._client.send_event("progressStart", begun)
                while not self._over.wait(SECONDS) and self._is_written():
                    pass
                self._client.send_event("progressEnd", {"progressId": PROGRESS})

    def _is_written(self) -> bool:
        return next(self._folder.glob(self._pattern), None) is not None
