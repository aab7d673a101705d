"""What the client talks to once the recorded program has ended: it looks stopped, at the call that is asked about.

All that needs the trace is done by one thread, in the order in which it was asked for, so that the threads that carry
messages never wait and the session is never used by two at a time. What takes long is shown as progress; meanwhile
the last state is told, and what waits can be cancelled. `stop` waits for that thread only shortly.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar

from algodebug.dap import console, protocol
from algodebug.dap.arguments import (
    AnswerArguments,
    AskArguments,
    BadArguments,
    CancelArguments,
    DepthArguments,
    ExecutableArguments,
    NodeArguments,
    OriginArguments,
    PrintedArguments,
    SliceArguments,
    StrategyArguments,
    TreeArguments,
    ValueArguments,
    read,
)
from algodebug.dap.channel import Body, Channel, Request
from algodebug.dap.long_work import SECONDS, LongWork
from algodebug.dap.pseudo_stack import NoSuchHandle, PseudoStack
from algodebug.dap.questions import Questions, Refused
from algodebug.dap.reductions import Reductions
from algodebug.dap.run import Run
from algodebug.slicing import Interrupted
from algodebug.value_texts import origin_lines, writes_lines
from algotrace.trace import TraceError

FIRST_THREAD = 0x7FFF_FFFF
"""The thread of the ended program; far from the numbers of debugpy, which counts from 1."""

FOLLOWS_EXITS = "vscode"
"""The client that shows another call only on another thread: `Postmortem._stop_here` says how."""

PROGRESS = "algodebug-opening"
CANCELLED = "cancelled"
"""What DAP says of a request that nobody waits for any more."""
REASON = "algorithmic debugging"
STOP_SECONDS = 1.0
LONGEST_DESCRIPTION = 200
TREE_LINES = 40

ENDED = "The program has ended"
SEARCHING = "Choosing the next question"
EXECUTABLE = protocol.PREFIX + "executableSlice"

_SEARCHING = frozenset(
    protocol.PREFIX + name for name in ("state", "answer", "undo", "strategy", "ask", "depth")
) | {"evaluate"}
_FOLLOWING = frozenset(
    protocol.PREFIX + name for name in ("slice", "origin", "writes", "printed", "executableSlice")
)


class Postmortem:
    """Questions about a run, for the client of its debug session."""

    def __init__(self, run: Run, client: Channel, features: Body, give_up: Callable[[], None]) -> None:
        self._run = run
        self._client = client
        self._shows_progress = features.get("supportsProgressReporting") is True
        self._follows_exits = features.get("clientID") == FOLLOWS_EXITS
        self._give_up = give_up
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._worker = threading.Thread(target=self._run_worker, name="questions", daemon=True)
        self._stopped = False
        self._long_work = LongWork(client, self._shows_progress)
        self._reductions = Reductions(self._work.put, self._long_work)
        self._lock = threading.Lock()
        self._waiting: dict[int, Request] = {}
        """By number, the requests whose turn has not come."""
        self._served: int | None = None
        """The number of the request whose turn it is, and what ends the work on it."""
        self._end_served: Callable[[], None] | None = None
        self._busy_since: float | None = None
        self._last_state: Body | None = None

        # Of the worker's thread only.
        self._questions: Questions | None = None
        self._stack: PseudoStack | None = None
        self._thread_ids = [FIRST_THREAD]
        self._status = "loading"
        self._error: dict[str, str] | None = None

    def start(self) -> None:
        """Opens the trace, then asks."""
        self._worker.start()
        self._work.put(self._open)

    def stop(self) -> None:
        """Asks no more. What was answered is in the session file already."""
        self._stopped = True
        self._reductions.cancel()
        if (questions := self._questions) is not None:
            questions.patience.lose()
        self._work.put(None)
        self._worker.join(STOP_SECONDS)
        if self._questions is not None:
            # Even under a worker that is still at it: what it waits for may be a process that this ends.
            self._questions.close()

    def handle(self, request: Request) -> None:
        """Answers a request of the client, at once or when its turn comes."""
        immediate = self._IMMEDIATE.get(request.command)
        if immediate is not None:
            request.reply(immediate)
            return
        if request.command == "cancel":
            self._cancel(request)
            return
        handler = self._HANDLERS.get(request.command)
        if handler is None and request.command != EXECUTABLE:
            request.fail(f"{ENDED}; {request.command!r} needs a running one.")
            return
        if request.command == protocol.PREFIX + "state" and (known := self._known_state()) is not None:
            request.reply(known)
            return
        with self._lock:
            self._waiting[request.seq] = request
        self._work.put(lambda: self._serve(handler, request))

    def _known_state(self) -> Body | None:
        """The state while the trace is being opened, or while something else takes long; None where it is to be asked for."""
        if not self._questions:
            return self._run.state(self._status, self._error)
        since = self._busy_since
        if since is not None and time.monotonic() - since > SECONDS:
            return self._last_state or self._run.state(self._status, self._error)
        return None

    def _cancel(self, request: Request) -> None:
        """A request whose turn has not come is answered with that; work that is under way ends where it can."""
        try:
            wanted = read(CancelArguments, request.arguments)
        except BadArguments as error:
            request.fail(f"{request.command!r} was not understood: {error}.")
            return
        if wanted.requestId is not None:
            with self._lock:
                waiting = self._waiting.pop(wanted.requestId, None)
                end = self._end_served if self._served == wanted.requestId else None
            if waiting is not None:
                waiting.fail(CANCELLED)
            elif end is not None:
                end()
            else:
                self._reductions.cancel(wanted.requestId)
        if wanted.progressId is not None:
            self._long_work.cancel(wanted.progressId)
        request.reply()

    # The worker

    def _run_worker(self) -> None:
        while (job := self._work.get()) is not None and not self._stopped:
            self._busy_since = time.monotonic()
            job()
            self._busy_since = None

    def _serve(self, handler: Callable[[Postmortem, Body], Body] | None, request: Request) -> None:
        with self._lock:
            if self._waiting.pop(request.seq, None) is None:
                return  # cancelled
            self._served = request.seq
        work = self._long_work.begin(*self._kind_of_work(request.command))
        with self._lock:
            self._end_served = work.cancel
        try:
            if handler is None:
                arguments = read(ExecutableArguments, request.arguments)
                self._reductions.start(self._open_questions(), request, arguments)
            else:
                request.reply(handler(self, request.arguments))
        except (Refused, NoSuchHandle) as error:
            request.fail(str(error))
        except BadArguments as error:
            request.fail(f"{request.command!r} was not understood: {error}.")
        except Interrupted:
            request.fail(CANCELLED)
        except TraceError as error:
            request.fail(f"The recording cannot be read any further: {error.message}")
        except Exception as error:
            # A defect of ours must not take the answers given so far with it.
            request.fail(
                f"{request.command!r} failed in the debugger itself: {type(error).__name__}: {error}"
            )
        finally:
            with self._lock:
                self._served, self._end_served = None, None
            self._long_work.end(work)

    def _kind_of_work(self, command: str) -> tuple[str, Callable[[], None] | None]:
        """What a request makes us do, in the words of a progress; what ends it, where something can."""
        if command in _SEARCHING:
            return self._search()
        if command not in _FOLLOWING:
            return "Reading the recording", None
        questions = self._questions
        return "Following the value", None if questions is None else questions.follow()

    def _search(self) -> tuple[str, Callable[[], None] | None]:
        """What the search for a question is called; what ends it: oracles that answer are not asked any more."""
        questions = self._questions
        if questions is None or not questions.session.oracles:
            return SEARCHING, None
        questions.patience.gain()
        return SEARCHING, questions.patience.lose

    def _open(self) -> None:
        if self._shows_progress:
            begun = {"progressId": PROGRESS, "title": "Opening the recording", "cancellable": False}
            self._client.send_event("progressStart", begun)
        try:
            self._questions = Questions(self._run)
            work = self._long_work.begin(*self._search())
            try:
                self._changed(first=True)
            finally:
                self._long_work.end(work)
        except (TraceError, Refused) as error:
            hint = getattr(error, "hint", "")
            self._fail(getattr(error, "message", str(error)), hint)
        except Exception as error:
            self._fail(f"{type(error).__name__}: {error}", "This is a defect of the debugger itself.")
        finally:
            if self._shows_progress:
                self._client.send_event("progressEnd", {"progressId": PROGRESS})

    def _fail(self, message: str, hint: str) -> None:
        self._questions = None
        self._status, self._error = "failed", {"error": message, "hint": hint}
        self._client.send_event(protocol.CHANGED, {"status": "failed"})
        text = f"No questions: {message.rstrip('.')}. {hint}".rstrip()
        self._client.send_event("output", {"category": "important", "output": text + "\n"})
        self._give_up()

    def _open_questions(self) -> Questions:
        if self._questions is None:
            raise Refused("There are no questions: the recording could not be opened.")
        return self._questions

    def _current_stack(self) -> PseudoStack:
        if self._stack is None:
            self._stack = self._open_questions().stack()
        return self._stack

    def _changed(self, first: bool = False) -> None:
        """Tells the client that something is asked, or was found: in our words, and in those of any debugger."""
        questions = self._open_questions()
        self._stack = None
        state = self._last_state = questions.state()
        self._client.send_event(protocol.CHANGED, {"status": state["status"]})
        self._stop_here(focus=first)
        if first:
            self._say(f"{self._headline()}  [type yes, no, … or help]")
            for note in state.get("notes", []):
                self._say(note)
        questions.write_lenses()

    def _stop_here(self, focus: bool) -> None:
        """Tells a debugger that the thread stopped where the current stack is.

        VS Code looks at the new stack only if it may take the keyboard, too, away from the view in which the user is
        about to give the next answer. But it also moves on, without the keyboard, when the thread it looks at exits.
        So there each question gets a thread of its own, and the earlier one exits as soon as the new stack is known.
        """
        if self._follows_exits and not focus:
            self._thread_ids.append(self._thread_ids[-1] - 1)
        text = _first_line(self._headline())
        stopped: Body = {
            "reason": REASON,
            "description": text,
            "text": text,
            "threadId": self._thread_ids[-1],
            "allThreadsStopped": True,
        }
        if not focus:
            # The user is in the view or the console with which they answered.
            stopped["preserveFocusHint"] = True
        self._client.send_event("stopped", stopped)

    def _say(self, text: str) -> None:
        self._client.send_event("output", {"category": "console", "output": text + "\n"})

    # Our requests

    def _state(self, _: Body) -> Body:
        self._last_state = self._open_questions().state()
        return self._last_state

    def _answer(self, arguments: Body) -> Body:
        self._open_questions().answer(read(AnswerArguments, arguments))
        return self._after_change()

    def _undo(self, _: Body) -> Body:
        self._open_questions().undo()
        return self._after_change()

    def _strategy(self, arguments: Body) -> Body:
        self._open_questions().use_strategy(read(StrategyArguments, arguments).name)
        return self._after_change()

    def _ask(self, arguments: Body) -> Body:
        self._open_questions().ask(read(AskArguments, arguments))
        return self._after_change()

    def _depth(self, arguments: Body) -> Body:
        self._open_questions().use_depth(read(DepthArguments, arguments).depth)
        return self._after_change()

    def _after_change(self) -> Body:
        self._changed()
        return self._open_questions().state()

    def _tree(self, arguments: Body) -> Body:
        return self._open_questions().page_of_tree(read(TreeArguments, arguments))

    def _node(self, arguments: Body) -> Body:
        return self._open_questions().node(read(NodeArguments, arguments).node)

    def _value(self, arguments: Body) -> Body:
        return self._open_questions().value(read(ValueArguments, arguments))

    def _slice(self, arguments: Body) -> Body:
        return self._open_questions().slice(read(SliceArguments, arguments))

    def _origin(self, arguments: Body) -> Body:
        return self._open_questions().origin(read(OriginArguments, arguments))

    def _writes(self, arguments: Body) -> Body:
        return self._open_questions().writes(read(OriginArguments, arguments))

    def _printed(self, arguments: Body) -> Body:
        return self._open_questions().printed(read(PrintedArguments, arguments))

    def _values(self, arguments: Body) -> Body:
        return self._open_questions().values(read(NodeArguments, arguments).node)

    # The requests of a debugger

    def _threads(self, _: Body) -> Body:
        threads = self._thread_ids if self._questions else []
        return {"threads": [{"id": thread, "name": "Algorithmic debugging"} for thread in threads]}

    def _stack_trace(self, arguments: Body) -> Body:
        if (thread := _count(arguments, "threadId")) in self._thread_ids[1:]:
            # When this request is answered.
            self._work.put(lambda: self._leave_threads_before(thread))
        return self._current_stack().frames(_count(arguments, "startFrame"), _count(arguments, "levels"))

    def _leave_threads_before(self, thread: int) -> None:
        while self._thread_ids[0] > thread:
            left = self._thread_ids.pop(0)
            self._client.send_event("thread", {"reason": "exited", "threadId": left})
            # Or the question it stopped with stays the title of the call stack.
            self._client.send_event("continued", {"threadId": left, "allThreadsContinued": False})

    def _scopes(self, arguments: Body) -> Body:
        return self._current_stack().scopes(_count(arguments, "frameId"))

    def _variables(self, arguments: Body) -> Body:
        return self._current_stack().variables(
            _count(arguments, "variablesReference"), _count(arguments, "start"), _count(arguments, "count")
        )

    def _source(self, arguments: Body) -> Body:
        source = arguments.get("source")
        number = _count(source if isinstance(source, dict) else {}, "sourceReference")
        number = number or _count(arguments, "sourceReference")
        return {"content": self._open_questions().source(number - 1), "mimeType": "text/x-python"}

    def _move(self, _: Body) -> Body:
        """Any request to go on: there is nowhere to go but through the questions."""
        asking = self._open_questions().state()["question"] is not None
        self._say(
            f"{ENDED}, and a question about it is open. Answer it (type help for how), or stop the session."
            if asking
            else f"{ENDED}, and the search is over. Stop the session when you have seen enough."
        )
        # The client believes that the thread runs now.
        self._stop_here(focus=False)
        return {}

    def _evaluate(self, arguments: Body) -> Body:
        text = arguments.get("expression")
        if not isinstance(text, str):
            raise Refused("There is nothing to evaluate.")
        questions, stack = self._open_questions(), self._current_stack()
        frame = arguments.get("frameId")
        node = stack.frame_node(frame if isinstance(frame, int) and frame > 0 else None)
        if arguments.get("context") in ("repl", None):
            command = console.parse(text)
            if not isinstance(command, console.Unknown):
                return {"result": self._carry_out(command), "variablesReference": 0}
        value = questions.named_value(node, text)
        if value is not None:
            body = stack.summary(value, text.strip())
            return {"result": body.pop("value"), **body}
        if arguments.get("context") in ("repl", None):
            raise Refused(f"Not understood: {text.strip()}. Type help to see what can be said.")
        raise Refused(f"{text.strip()} is no argument or result of this call.")

    def _complete(self, arguments: Body) -> Body:
        typed = str(arguments.get("text", ""))[: max(_count(arguments, "column") - 1, 0)]
        matching = [word for word in console.WORDS if word.startswith(typed.lower())]
        return {"targets": [{"label": word, "start": 0, "length": len(typed)} for word in matching]}

    def _set_breakpoints(self, arguments: Body) -> Body:
        wanted = arguments.get("breakpoints")
        unused = {"verified": False, "message": f"{ENDED}; this is for its next run."}
        return {"breakpoints": [dict(unused) for _ in wanted] if isinstance(wanted, list) else []}

    # Typed answers

    def _carry_out(self, command: console.Command) -> str:
        questions = self._open_questions()
        match command:
            case console.Answer(answer, mark, argument, expected):
                questions.answer(AnswerArguments(answer, mark=mark, argument=argument, expected=expected))
            case console.Depth(depth):
                questions.use_depth(depth)
            case console.Zoom(direction):
                questions.ask(AskArguments(zoom=direction))
            case console.Where(mark):
                return self._where(mark)
            case console.Who(mark):
                found = questions.writes(OriginArguments(questions.asked(), mark))["writes"]
                return "\n".join(writes_lines(mark, found))
            case console.Printed(None):
                return "\n".join(questions.output())
            case console.Printed(str(line)):
                questions.call_line_wrong(line)
            case console.Lines(mark):
                return self._lines(mark)
            case console.Parts(name, start):
                return "\n".join(questions.value_lines(name, start))
            case console.Undo():
                questions.undo()
            case console.Ask(node):
                questions.ask(AskArguments(node=node))
            case console.Revise(number):
                questions.revise(number)
            case console.Strategy(str(name)):
                questions.use_strategy(name)
            case console.Strategy(None):
                state = questions.state()
                lines = [
                    f"{'*' if strategy['name'] == state['strategy'] else ' '} {strategy['name']}  {strategy['label']}"
                    for strategy in state["strategies"]
                ]
                return "\n".join(lines)
            case console.Show("help"):
                return console.HELP
            case console.Show("tree"):
                return self._tree_text()
            case console.Show("why"):
                return self._why()
            case console.Show("history"):
                return "\n".join(questions.history()) or "Nothing is answered yet."
            case _:
                return self._headline()
        self._changed()
        return self._headline()

    def _headline(self) -> str:
        """The question, or the verdict, in words."""
        state = self._open_questions().state()
        if state["question"] is not None:
            text: str = state["question"]["text"]
            return text
        if state["result"] is None:
            return "There is nothing left to ask."
        lines = [state["result"]["text"]]
        spans = sorted({span[0] for span in state["result"]["bright"]})
        if spans:
            lines.append(f"{state['result']['file']}: line{'s' if len(spans) > 1 else ''} {_ranges(spans)}")
        return "\n".join(lines)

    def _why(self) -> str:
        asked = self._open_questions().state()["question"]
        if asked is None:
            return self._headline()
        return f"{asked['why']}; about {asked['remaining']} question(s) left."

    def _where(self, mark: str) -> str:
        questions = self._open_questions()
        stations = questions.origin(OriginArguments(questions.asked(), mark))["stations"]
        return "\n".join(origin_lines(mark, stations))

    def _lines(self, mark: str) -> str:
        questions = self._open_questions()
        kind = "relevant" if mark else "buggy"
        found = questions.slice(SliceArguments(questions.asked(), mark, kind))
        told = []
        for file in found["files"]:
            if lines := sorted({number for span in file["bright"] for number in range(span[0], span[2] + 1)}):
                told.append(f"{file['file']}: line{'s' if len(lines) > 1 else ''} {_ranges(lines)}")
        return "\n".join(told) or "It depends on no line that was recorded."

    def _tree_text(self) -> str:
        questions = self._open_questions()
        stack = self._current_stack()
        above = list(reversed(stack.path))
        lines = [_line(questions, node, depth) for depth, node in enumerate(above)]
        page = questions.page_of_tree(TreeArguments(node=stack.node, count=TREE_LINES))
        lines += [_line(questions, child["id"], len(above)) for child in page["children"]]
        left = page["total"] - len(page["children"])
        if left:
            lines.append("  " * len(above) + f"… and {left} more")
        if len(lines) > 3 * TREE_LINES:
            lines[TREE_LINES:-TREE_LINES] = ["…"]
        return "\n".join(lines)

    _IMMEDIATE: ClassVar[dict[str, Body]] = {
        "configurationDone": {},
        "setExceptionBreakpoints": {},
        "pause": {},
        "modules": {"modules": [], "totalModules": 0},
        "loadedSources": {"sources": []},
    }

    _HANDLERS: ClassVar[dict[str, Callable[[Postmortem, Body], Body]]] = {
        "algodebug/state": _state,
        "algodebug/answer": _answer,
        "algodebug/undo": _undo,
        "algodebug/strategy": _strategy,
        "algodebug/ask": _ask,
        "algodebug/depth": _depth,
        "algodebug/slice": _slice,
        "algodebug/origin": _origin,
        "algodebug/writes": _writes,
        "algodebug/printed": _printed,
        "algodebug/values": _values,
        "algodebug/tree": _tree,
        "algodebug/node": _node,
        "algodebug/value": _value,
        "threads": _threads,
        "stackTrace": _stack_trace,
        "scopes": _scopes,
        "variables": _variables,
        "source": _source,
        "evaluate": _evaluate,
        "completions": _complete,
        "setBreakpoints": _set_breakpoints,
        "setFunctionBreakpoints": _set_breakpoints,
        "setDataBreakpoints": _set_breakpoints,
        **dict.fromkeys(
            ("continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue", "goto"), _move
        ),
    }


def _line(questions: Questions, node: int, depth: int) -> str:
    entry = questions.tree_node(node)
    mark = "buggy" if entry.buggy else "asked" if entry.current else entry.verdict or ""
    return f"{'  ' * depth}#{node} {entry.title} {entry.outcome}{f'  [{mark}]' if mark else ''}"


def _count(arguments: Body, name: str) -> int:
    value: Any = arguments.get(name, 0)
    return value if isinstance(value, int) and value > 0 else 0


def _first_line(text: str) -> str:
    line = text.split("\n", 1)[0]
    return line if len(line) <= LONGEST_DESCRIPTION else line[: LONGEST_DESCRIPTION - 1] + "…"


def _ranges(lines: list[int]) -> str:
    """1, 2, 3, 7 as "1-3, 7"."""
    ranges: list[list[int]] = []
    for line in lines:
        if ranges and line == ranges[-1][1] + 1:
            ranges[-1][1] = line
        else:
            ranges.append([line, line])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
