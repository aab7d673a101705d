"""One debug session: between the client and debugpy's adapter while the program runs, with the client alone after it.

Everything passes unchanged in both directions except: a `launch` that is recorded starts the recorder; what the
recorder adds is trimmed from what is shown; telemetry is dropped; children that nobody debugs are let go; and when a
recorded program has ended, its `exited` and `terminated` are held back while `Postmortem` asks the questions.

No handler waits. The channel's threads are client's and debugpy's; `_lock` guards the few fields both touch.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import algotrace
from algodebug.dap import debug_adapter, frames, launch, orphans, protocol
from algodebug.dap.arguments import BadArguments, LaunchOptions, read
from algodebug.dap.channel import Answer, Body, Channel, Request
from algodebug.dap.debug_adapter import DebugAdapter
from algodebug.dap.launch import Recorder
from algodebug.dap.postmortem import Postmortem
from algodebug.dap.run import Run
from algodebug.dap.writing import Writing

IMPORTANT = "important"


class Proxy:
    """A debug session, from the client's first message to its last."""

    def __init__(self, stream: Any, log_folder: str | None, answers_of: Path | None = None) -> None:
        self._log_folder = log_folder
        self._answers_of = answers_of
        self._recorder = Recorder(Path(algotrace.__file__).parent)
        self._lock = threading.Lock()
        self._over = threading.Event()

        self._client_features: Body = {}
        self._launch: Body = {}
        """The launch attributes as the user wrote them; empty before a recorded launch."""
        self._run: Run | None = None
        self._exited: Body | None = None
        self._told = False
        self._stopping = False
        self._postmortem: Postmortem | None = None
        self._writing: Writing | None = None

        self._client = Channel(
            stream, on_request=self._from_client, on_event=self._client_event, on_close=self._over.set
        )
        self._adapters = 0
        self._debugpy = DebugAdapter.spawn(log_folder, **self._debugpy_handlers())

    def serve(self) -> None:
        """Runs the session to its end; then nothing that it started is left."""
        try:
            self._debugpy.channel.start()
            self._client.start()
            self._over.wait()
        finally:
            self.close()

    def close(self) -> None:
        """Ends the session from our side."""
        self._stopping = True
        self._over.set()
        if self._writing is not None:
            self._writing.stop()
        if self._postmortem is not None:
            self._postmortem.stop()
        self._client.close()
        self._debugpy.end()

    # From the client

    def _from_client(self, request: Request) -> None:
        handler = self._REQUESTS.get(request.command)
        if handler is not None:
            handler(self, request)
        elif self._postmortem is not None:
            self._postmortem.handle(request)
        elif request.command.startswith(protocol.PREFIX):
            self._answer_while_running(request)
        else:
            self._forward(request)

    def _client_event(self, name: str, body: Body) -> None:
        if self._postmortem is None:
            self._debugpy.channel.send_event(name, body)

    def _forward(self, request: Request, edit: Callable[[Body], Body] | None = None) -> None:
        def answered(answer: Answer) -> None:
            if edit is not None and answer.error is None:
                answer.body = edit(answer.body)
            request.pass_on(answer)

        self._debugpy.channel.send_request(request.command, request.arguments, answered)

    def _initialize(self, request: Request) -> None:
        self._client_features = request.arguments

        def add_ours(body: Body) -> Body:
            return {**body, "supportsAlgorithmicDebugging": True, "supportsCancelRequest": True}

        self._forward(request, add_ours)

    def _start_recorded(self, request: Request) -> None:
        arguments = request.arguments
        try:
            options = read(LaunchOptions, arguments)
            if not launch.is_recorded(arguments, options):
                self._forward(request)
                return
            trace, note = launch.place_for_trace(arguments, options, datetime.now())
        except BadArguments as error:
            request.fail(f"This launch configuration cannot be used: {error}.")
            return
        except OSError as error:
            self._say(
                f"The run is not recorded, because there is no place for the recording: {error}", IMPORTANT
            )
            self._forward(request)
            return
        if note is not None:
            self._say(note)
        self._launch = arguments
        self._run = Run(trace, options, launch.working_folder(arguments), self._answers_of)
        request.arguments = launch.rewrite(arguments, options, self._recorder, trace)
        if self._client_features.get("supportsProgressReporting") is True:
            self._writing = Writing(trace, self._client)
            self._writing.start()
        self._forward(request)

    def _attach(self, request: Request) -> None:
        place = debug_adapter.address(request.arguments)
        if place is None:
            self._forward(request)
        else:
            # Connecting takes its time, which is not this thread's.
            threading.Thread(target=self._join, args=[request, *place], name="attach", daemon=True).start()

    def _join(self, request: Request, host: str, port: int) -> None:
        """Goes on with the adapter of a program under debugpy already: a child of ours, or one that listens."""
        try:
            joined = DebugAdapter.connect(host, port, **self._debugpy_handlers())
        except OSError as error:
            request.fail(f"Nothing to attach to at {host}:{port}: {error.strerror or error}.")
            return
        with self._lock:
            spawned, self._debugpy = self._debugpy, joined
        threading.Thread(target=spawned.end, name="end of the unused adapter", daemon=True).start()
        joined.channel.start()
        # The client introduced itself to the other adapter and got its answer there.
        joined.channel.send_request("initialize", self._client_features)
        self._forward(request)

    def _stack_trace(self, request: Request) -> None:
        if self._postmortem is not None:
            self._postmortem.handle(request)
            return
        # All of it, because what is trimmed counts in what the client pages by. debugpy looks at all of it anyway.
        start, levels = request.arguments.get("startFrame"), request.arguments.get("levels")
        request.arguments = {
            name: value for name, value in request.arguments.items() if name not in ("startFrame", "levels")
        }

        def trim(body: Body) -> Body:
            kept = frames.trim_stack(body.get("stackFrames", []), self._recorder.folder)
            return frames.page(kept, start, levels)

        self._forward(request, trim)

    def _variables(self, request: Request) -> None:
        if self._postmortem is not None:
            self._postmortem.handle(request)
            return
        self._forward(
            request, lambda body: {**body, "variables": frames.trim_variables(body.get("variables", []))}
        )

    def _completions(self, request: Request) -> None:
        if self._postmortem is not None:
            self._postmortem.handle(request)
            return
        self._forward(
            request, lambda body: {**body, "targets": frames.trim_completions(body.get("targets", []))}
        )

    def _exception_info(self, request: Request) -> None:
        if self._postmortem is not None:
            self._postmortem.handle(request)
            return

        def trim(body: Body) -> Body:
            details = body.get("details")
            if isinstance(details, dict) and isinstance(text := details.get("stackTrace"), str):
                details = {**details, "stackTrace": frames.trim_traceback(text, self._recorder.folder)}
                return {**body, "details": details}
            return body

        self._forward(request, trim)

    def _terminate(self, request: Request) -> None:
        if self._postmortem is None:
            # A program that is stopped by its user has no questions to be asked about. With `onTerminate` this is
            # only a Ctrl+C to it; what it does then is still its own end, and is asked about.
            if self._launch.get("onTerminate") != "KeyboardInterrupt":
                self._stopping = True
            self._forward(request)
            return
        request.reply()
        self._postmortem.stop()
        self._send_end({})

    def _disconnect(self, request: Request) -> None:
        self._stopping = True
        if self._postmortem is None:

            def done(answer: Answer) -> None:
                # An adapter that hung up instead of answering did what it was asked.
                request.reply(answer.body)
                self._over.set()

            self._debugpy.channel.send_request(request.command, request.arguments, done)
            return
        request.reply()
        self._over.set()

    def _cancel(self, request: Request) -> None:
        if self._postmortem is not None:
            self._postmortem.handle(request)
        else:
            request.reply()  # debugpy does not know it; whoever waits gets the answer

    def _answer_while_running(self, request: Request) -> None:
        if self._run is None:
            request.fail("Nothing is recorded in this session.")
        elif request.command == protocol.PREFIX + "state":
            request.reply(self._run.state("recording"))
        else:
            request.fail("The program is still running; the questions come when it has ended.")

    _REQUESTS: ClassVar[dict[str, Callable[[Proxy, Request], None]]] = {
        "initialize": _initialize,
        "launch": _start_recorded,
        "attach": _attach,
        "stackTrace": _stack_trace,
        "variables": _variables,
        "completions": _completions,
        "exceptionInfo": _exception_info,
        "cancel": _cancel,
        "terminate": _terminate,
        "disconnect": _disconnect,
    }

    # From debugpy

    def _debugpy_handlers(self) -> dict[str, Any]:
        self._adapters += 1
        number = self._adapters
        return {
            "on_request": self._from_debugpy,
            "on_event": self._debugpy_event,
            # An adapter that was left for another one may go.
            "on_close": lambda: self._debugpy_gone() if number == self._adapters else None,
        }

    def _from_debugpy(self, request: Request) -> None:
        if request.command != "startDebugging":
            self._client.send_request(request.command, request.arguments, request.pass_on)
            return
        configuration = self._restored(request.arguments.get("configuration"))
        request.arguments = {**request.arguments, "configuration": configuration}

        def started(answer: Answer) -> None:
            if answer.error is not None:
                threading.Thread(target=orphans.release, args=[configuration], daemon=True).start()
            request.pass_on(answer)

        self._client.send_request(request.command, request.arguments, started)

    def _debugpy_event(self, name: str, body: Body) -> None:
        if name == "output" and body.get("category") == "telemetry":
            return
        if name == "debugpyAttach":
            body = self._restored(body)
            orphans.release_later(body)
        elif name == "process" and self._run is not None and body.get("name") == self._recorder.runner:
            body = {**body, "name": launch.target_name(self._launch)}
        elif name == "exited" and self._run is not None:
            self._exited = body
            return
        elif name == "terminated" and self._run is not None:
            self._ended(body)
            return
        self._client.send_event(name, body)

    def _restored(self, configuration: object) -> Body:
        if not isinstance(configuration, dict):
            return {}
        return launch.restore(dict(configuration), self._launch, self._recorder)

    def _debugpy_gone(self) -> None:
        if self._stopping or self._over.is_set() or self._postmortem is not None:
            return
        self._say("The Python debugger (debugpy) ended unexpectedly.", IMPORTANT)
        self._send_end({})
        self._over.set()

    # The end of the program

    def _ended(self, terminated: Body) -> None:
        run = self._run
        if self._writing is not None:
            self._writing.stop()
        if run is None or self._stopping:
            self._send_end(terminated)
            return
        run.exit_code = (self._exited or {}).get("exitCode")
        if not run.trace.exists():
            self._say(run.why_no_trace(), IMPORTANT)
            self._send_end(terminated)
            return
        self._postmortem = Postmortem(
            run, self._client, self._client_features, give_up=lambda: self._send_end(terminated)
        )
        self._postmortem.start()

    def _send_end(self, terminated: Body) -> None:
        """Tells the client, once, what debugpy told us when the program ended."""
        with self._lock:
            if self._told:
                return
            self._told = True
        exited = self._exited
        if exited is not None:
            self._client.send_event("exited", exited)
        self._client.send_event("terminated", terminated)

    def _say(self, text: str, category: str = "console") -> None:
        self._client.send_event("output", {"category": category, "output": text + "\n"})
