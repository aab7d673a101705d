"""The dialogue for scripts: one JSON object a line, questions and results out, answers in.

An answer that cannot be taken is replied to with {"error", "hint"}; the question stays open. Besides answers,
{"ask": NODE} opens the question about a node, {"strategy": NAME} changes how questions are chosen and {"depth": DEPTH}
how far the search goes ("function", "code"; {"answer": "stop"} ends it at the function, too).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TextIO

from algodebug.session import AnswerError, Session


def converse(session: Session, answers: TextIO, out: TextIO) -> bool:
    """Asks until the search is over (True) or no more answers come (False)."""
    told = 0
    while True:
        state = session.state()
        for note in session.notes[told:]:
            write(out, {"note": note})
        told = len(session.notes)
        if state["result"] is not None:
            write(out, {"result": state["result"]})
            return True
        write(out, {"question": state["question"]})
        while True:
            line = answers.readline()
            if not line:
                return False
            if not line.strip():
                continue
            try:
                _take(session, line)
            except AnswerError as error:
                write(out, {"error": error.message, "hint": error.hint})
                continue
            break


def _take(session: Session, line: str) -> None:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise AnswerError(
            "the answer is not JSON", 'one object a line, such as {"answer": "correct"}'
        ) from None
    if not isinstance(given, dict):
        raise AnswerError("the answer is not an object", 'such as {"answer": "correct"}')
    if "ask" in given:
        session.ask(given["ask"])
    elif "strategy" in given:
        session.strategy = given["strategy"]
    elif "depth" in given:
        session.depth = given["depth"]
    elif "answer" in given:
        session.answer(given)
    else:
        raise AnswerError("there is no answer in it", 'such as {"answer": "correct"}')


def write(out: TextIO, message: Mapping[str, Any]) -> None:
    """One message, at once: the other side may be waiting for it."""
    out.write(json.dumps(message, ensure_ascii=True) + "\n")
    out.flush()
