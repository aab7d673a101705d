"""Talking DAP to one party: framed JSON messages, numbered requests and their answers, in both directions.

The only module that knows `debugpy.common.messaging`, which is not a public API of debugpy: everything taken from it
is wrapped here. Two things are added to it. A broken message or a failing handler never ends the process (debugpy's
own answer to both is to exit), and a request is answered exactly once, whether or not the other party is still there.

A handler must never wait for an answer: the thread that runs it is the one that would deliver the answer.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import threading
from collections.abc import Callable
from io import FileIO
from typing import Any

from debugpy.common import log, messaging

Body = dict[str, Any]
"""What a message carries: `arguments` of a request, `body` of an event or of an answer."""


class Answer:
    """What came back for a request we sent: a body, or one sentence that says why there is none."""

    def __init__(self, body: Body, error: str | None) -> None:
        self.body = body
        self.error = error


class Request:
    """A request somebody sent us. It must be answered once; further answers are dropped."""

    def __init__(self, message: Any) -> None:
        # Answered through a copy: the message loop checks, unlocked, that a message whose handler left it unanswered
        # is still without an answer, and that may come from another thread at that very moment.
        self._message = messaging.Request(message.channel, message.seq, message.command, message.arguments)
        self._lock = threading.Lock()
        self._answered = False
        self.seq: int = message.seq
        self.command: str = message.command
        self.arguments: Body = _as_body(message.arguments)

    def reply(self, body: Body | None = None) -> None:
        """Answers with success."""
        self._respond(body or {})

    def fail(self, sentence: str) -> None:
        """Answers with failure and the reason, which clients show to their user."""
        self._respond(messaging.MessageHandlingError(sentence, silent=True))

    def pass_on(self, answer: Answer) -> None:
        """Answers with what another party answered."""
        if answer.error is None:
            self.reply(answer.body)
        else:
            self.fail(answer.error)

    def _respond(self, body: Any) -> None:
        with self._lock:
            if self._answered:
                return
            self._answered = True
        try:
            self._message.respond(body)
        except OSError:
            # The party hung up without waiting for its answer.
            log.debug("Nobody left to answer {0!r} to", self.command)


class Channel:
    """A conversation with one party. The handlers run one after the other, on a thread of the channel."""

    def __init__(
        self,
        stream: Any,
        *,
        on_request: Callable[[Request], None],
        on_event: Callable[[str, Body], None],
        on_close: Callable[[], None],
    ) -> None:
        self._on_request = on_request
        self._on_event = on_event
        self._on_close = on_close
        self._channel = messaging.JsonMessageChannel(stream, _Handlers(self))

    def start(self) -> None:
        """Begins to listen; nothing is received before."""
        self._channel.start()

    def close(self) -> None:
        """Hangs up. Requests still open are answered with an error on this side."""
        try:
            self._channel.close()
        except Exception:
            log.swallow_exception("Could not close {0} properly", self._channel, level="info")

    def send_event(self, name: str, body: Body | None = None) -> None:
        """Sends an event; a party that hung up misses it."""
        try:
            self._channel.send_event(name, body or {})
        except OSError:
            log.debug("Nobody left to tell {0!r}", name)

    def send_request(
        self, command: str, arguments: Body | None = None, on_answer: Callable[[Answer], None] | None = None
    ) -> None:
        """Sends a request; `on_answer` is called when the answer is there, in order with the party's events."""

        def answered(response: Any) -> None:
            if on_answer is None:
                return
            try:
                if response.success:
                    on_answer(Answer(_as_body(response.body), None))
                else:
                    on_answer(Answer({}, str(response.body) or f"{command!r} failed"))
            except Exception:
                log.swallow_exception("Failed on the answer to {0!r}", command)

        try:
            # Registered before it is sent: registered later, the answer could be handled after events that followed it.
            self._channel.send_request(
                command, arguments or {}, on_before_send=lambda request: request.on_response(answered)
            )
        except OSError as error:
            if on_answer is not None:
                on_answer(Answer({}, f"{command!r} could not be sent: {error}"))

    def handle_request(self, message: Any) -> object:
        """Runs the request handler for a message."""
        request = Request(message)
        try:
            self._on_request(request)
        except Exception as error:
            log.swallow_exception("Failed on request {0!r}", request.command)
            request.fail(
                f"{request.command!r} failed in the debugger itself: {type(error).__name__}: {error}"
            )
        return messaging.NO_RESPONSE

    def handle_event(self, message: Any) -> None:
        """Runs the event handler for a message."""
        try:
            self._on_event(message.event, _as_body(message.body))
        except Exception:
            log.swallow_exception("Failed on event {0!r}", message.event)

    def handle_disconnect(self) -> None:
        """Runs the handler for the end of the conversation."""
        try:
            self._on_close()
        except Exception:
            log.swallow_exception("Failed on the end of {0}", self._channel)


class _Handlers:
    """What the message loop looks for, by name."""

    def __init__(self, channel: Channel) -> None:
        self.request = channel.handle_request
        self.event = channel.handle_event
        self.disconnect = channel.handle_disconnect


class _Stream(messaging.JsonIOStream):  # type: ignore[misc]
    """A stream that skips what is no message instead of giving up on the conversation."""

    def read_json(self, decoder: Any = None) -> Any:
        while True:
            try:
                message = super().read_json(decoder)
            except messaging.NoMoreMessages:
                raise
            except OSError as error:
                # Without a length there is no telling where the next message starts.
                raise messaging.NoMoreMessages(str(error), stream=self) from error
            except Exception:
                log.swallow_exception("Skipped a message that is not JSON", level="warning")
                continue
            if _is_message(message):
                return message
            log.warning("Skipped what is not a DAP message: {0!r}", message)


def over_pipes(reader: FileIO, writer: FileIO, name: str) -> Any:
    """A stream over two pipes, without buffers."""
    return _Stream(reader, writer, name)


def over_process(process: subprocess.Popen[bytes], name: str) -> Any:
    """A stream over the standard input and output of a process."""
    assert process.stdin is not None and process.stdout is not None
    return _Stream(process.stdout, process.stdin, name)


def over_socket(sock: socket.socket, name: str) -> Any:
    """A stream over a connected socket."""
    sock.settimeout(None)
    reader, writer = sock.makefile("rb", buffering=0), sock.makefile("wb", buffering=0)

    def hang_up() -> None:
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)
        sock.close()

    return _Stream(reader, writer, name, hang_up)


def log_to(folder: str | None) -> None:
    """Keeps the conversation in a file of `folder`; nothing is ever logged to standard error."""
    log.stderr.levels = frozenset()
    if folder is not None:
        log.log_dir = folder
        log.to_file(prefix="algodebug.dap")


def _as_body(value: Any) -> Body:
    # Whatever a party sends where an object belongs is taken for an empty one: the handlers then miss what they need.
    return dict(value) if isinstance(value, dict) else {}


_WORD_OF_KIND = {"request": "command", "event": "event", "response": "command"}


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    word = _WORD_OF_KIND.get(value.get("type", ""))
    if word is None or not isinstance(value.get(word), str) or not isinstance(value.get("seq"), int):
        return False
    if value["type"] == "response":
        success = value.get("success")
        if not isinstance(success, bool) or not isinstance(value.get("request_seq"), int):
            return False
        return success or isinstance(value.get("message"), str)
    return True
