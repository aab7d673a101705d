"""Reads questions from standard input, writes one JSON line a reply. Every call runs in a fork of this process: one
call cannot spoil the globals for the next, hang it or take it down. There is no standard input, and nothing is changed
outside of the process (`effects`).
"""

from __future__ import annotations

import faulthandler
import json
import os
import pickle
import select
import signal
import sys
import time
from typing import Any

from . import effects
from .fragments import judge_fragment
from .imports import judge_import
from .judging import describe, judge
from .modules import Reference
from .rows import CannotJudge

_LOADING = 30.0  # seconds that importing the reference may take besides
_NOWHERE = open(os.devnull, "wb")  # noqa: SIM115  # for as long as the process lives


def _end_after(seconds: float) -> None:
    """Whatever the program does, and whether or not the oracle is still there: this process ends by then."""
    faulthandler.dump_traceback_later(seconds + 5, exit=True, file=_NOWHERE)


def in_a_fork(reference: Reference, question: dict[str, Any], timeout: float) -> tuple[str | None, str]:
    """Judges in a child process; unknown when it takes too long or dies."""
    _end_after(timeout + _LOADING)
    try:
        reference.load(question["module"], question["file"])
    finally:
        faulthandler.cancel_dump_traceback_later()  # its thread does not survive a fork
    answer = describe if question["describe"] else judge
    if "fragment" in question or "import" in question:
        answer = judge_fragment if "fragment" in question else judge_import
    if not hasattr(os, "fork"):
        return _without_effects(answer, reference, question)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            _end_after(timeout)
            reply = _guarded(_without_effects, answer, reference, question)
            os.write(writer, json.dumps(reply).encode())
        finally:
            os._exit(0)
    os.close(writer)
    data, end = b"", time.monotonic() + timeout
    try:
        while True:
            ready, _, _ = select.select([reader], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                os.kill(child, signal.SIGKILL)
                return "unknown", f"the reference took longer than {timeout:g} s"
            piece = os.read(reader, 65536)
            if not piece:
                break
            data += piece
    finally:
        os.close(reader)
        os.waitpid(child, 0)
    if not data:
        return "unknown", "the reference crashed"
    verdict, reason = json.loads(data)
    return verdict, reason


def _without_effects(answer: Any, reference: Reference, question: dict[str, Any]) -> tuple[str | None, str]:
    effects.denied.clear()
    try:
        verdict: tuple[str | None, str] = answer(reference, question)
    finally:
        if effects.denied:
            raise CannotJudge(f"it would change something outside: {effects.denied[0]}")
    return verdict


def _guarded(function: Any, *arguments: Any) -> tuple[str | None, str]:
    try:
        verdict: tuple[str | None, str] = function(*arguments)
        return verdict
    except CannotJudge as reason:
        return None, str(reason)
    except BaseException as error:
        return None, f"{type(error).__name__}: {error}"


def serve() -> None:
    questions = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # The program's code must not write into the dialogue, nor read from it.
    questions = os.fdopen(os.dup(0), "rb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
    setup = pickle.load(questions)
    effects.deny()
    reference = Reference(setup["paths"], setup["main"], setup["overrides"])
    sys.argv = [setup["main"][1] if setup["main"] else ""]
    while True:
        try:
            question = pickle.load(questions)
        except EOFError:
            return
        verdict, reason = _guarded(in_a_fork, reference, question, setup["timeout"])
        replies.write(json.dumps({"verdict": verdict, "reason": reason}) + "\n")
        replies.flush()
