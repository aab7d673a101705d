"""Shows work as progress when it takes long, and takes the wish to cancel it: for clients that show progress only.

What is to be done about that wish is said by who does the work; without an answer to it, it cannot be cancelled.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from algodebug.dap.channel import Channel

SECONDS = 0.5
"""Shorter work than this needs no progress shown."""


class Work:
    """One piece of work. `begin` and `end` once each, by any thread."""

    def __init__(
        self, number: int, title: str, client: Channel | None, cancel: Callable[[], None] | None
    ) -> None:
        self.id = f"algodebug-work-{number}"
        self.cancel = cancel
        self._title = title
        self._client = client
        self._lock = threading.Lock()
        self._shown = self._over = False
        self._message = ""
        self._timer: threading.Timer | None = None

    def show_in(self, seconds: float) -> None:
        """… if it is not over by then."""
        if self._client is not None:
            self._timer = threading.Timer(seconds, self.show)
            self._timer.daemon = True
            self._timer.start()

    def show(self) -> None:
        """It takes long by now."""
        with self._lock:
            if self._client is None or self._shown or self._over:
                return
            self._shown = True
            begun: dict[str, Any] = {
                "progressId": self.id,
                "title": self._title,
                "cancellable": self.cancel is not None,
            }
            if self._message:
                begun["message"] = self._message
            self._client.send_event("progressStart", begun)

    def tell(self, message: str) -> None:
        """How far it is."""
        with self._lock:
            self._message = message
            if self._client is not None and self._shown and not self._over:
                self._client.send_event("progressUpdate", {"progressId": self.id, "message": message})

    def end(self) -> None:
        """It is over, well or badly."""
        with self._lock:
            if self._client is not None and self._shown and not self._over:
                self._client.send_event("progressEnd", {"progressId": self.id})
            self._over = True
        if self._timer is not None:
            self._timer.cancel()


class LongWork:
    """All the work of a session that is under way."""

    def __init__(self, client: Channel, shows_progress: bool) -> None:
        self._client = client if shows_progress else None
        self._lock = threading.Lock()
        self._under_way: dict[str, Work] = {}
        self._count = 0

    def begin(self, title: str, cancel: Callable[[], None] | None = None, seconds: float = SECONDS) -> Work:
        """Shown in a moment, if it is not over by then."""
        with self._lock:
            self._count += 1
            work = Work(self._count, title, self._client, cancel)
            self._under_way[work.id] = work
        work.show_in(seconds)
        return work

    def end(self, work: Work) -> None:
        """It is over."""
        with self._lock:
            self._under_way.pop(work.id, None)
        work.end()

    def cancel(self, progress: str) -> None:
        """The user does not want to wait for it any longer."""
        with self._lock:
            work = self._under_way.get(progress)
        if work is not None and work.cancel is not None:
            work.cancel()
