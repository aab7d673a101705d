"""The dialogue for scripts: one JSON object a line, questions and results out, answers in.

An answer that cannot be taken is replied to with {"error", "hint"}; the question stays open. Besides answers,
{"ask": NODE} opens the question about a node, {"strategy": NAME} changes how questions are chosen and {"depth": DEPTH}
how far the search goes ("function", "code"; {"answer": "stop"} ends it at the function, too). {"answer": "wrong",
"printed": LINE} says which line of the program's output is wrong: its number from 1, or a text in it.

Where answers cannot both be true, the question or result has "contradictions": [{"text", "answers": [{"node", …}, …]}]. An
answer with the "node" of an earlier one replaces that.

About values, with the question left open: {"origin": MARK, "node"?: NODE} is replied to with the places a value passed,
{"writes": MARK, "node"?: NODE} with who changed it, {"printed": START} with the lines of output from a number on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TextIO

from algodebug.about_values import AboutValues, NoSuchValue
from algodebug.session import AnswerError, Session
from algodebug.value_texts import origin_body, writes_body
from algodebug.wrong_output import call_wrong


def converse(session: Session, answers: TextIO, out: TextIO) -> bool:
    """Asks until the search is over (True) or no more answers come (False)."""
    told = 0
    while True:
        state = session.state()
        for note in session.notes[told:]:
            write(out, {"note": note})
        told = len(session.notes)
        more = {"contradictions": state["contradictions"]} if state["contradictions"] else {}
        if state["result"] is not None:
            write(out, {"result": {**state["result"], **more}})
            return True
        write(out, {"question": {**state["question"], **more}})
        while True:
            line = answers.readline()
            if not line:
                return False
            if not line.strip():
                continue
            try:
                reply = _take(session, line)
            except AnswerError as error:
                reply = {"error": error.message, "hint": error.hint}
            if reply is None:
                break
            write(out, reply)


def _take(session: Session, line: str) -> dict[str, Any] | None:
    """Acts on a line; what it asked for, where the question stays open."""
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        raise AnswerError(
            "the answer is not JSON", 'one object a line, such as {"answer": "correct"}'
        ) from None
    if not isinstance(given, dict):
        raise AnswerError("the answer is not an object", 'such as {"answer": "correct"}')
    if "answer" in given and "printed" in given:
        if given["answer"] != "wrong":
            raise AnswerError(
                "a line of output can be called wrong only", '{"answer": "wrong", "printed": 3}'
            )
        call_wrong(session, str(given["printed"]))
    elif not given.keys().isdisjoint(("origin", "writes", "printed")):
        return _about(session, given)
    elif "ask" in given:
        session.ask(given["ask"])
    elif "strategy" in given:
        session.strategy = given["strategy"]
    elif "depth" in given:
        session.depth = given["depth"]
    elif "answer" in given:
        session.answer(given)
    else:
        raise AnswerError("there is no answer in it", 'such as {"answer": "correct"}')
    return None


def _about(session: Session, given: Mapping[str, Any]) -> dict[str, Any]:
    tree, node = session.tree, given.get("node", session.current())
    if tree.trace is None or node not in tree:
        raise AnswerError(f"there is no node {node!r}", f"nodes are numbered 0 to {len(tree) - 1}")
    about = AboutValues(tree, tree.trace)
    try:
        if "origin" in given:
            return {"origin": origin_body(about, node, str(given["origin"]))}
        if "writes" in given:
            return {"writes": writes_body(about, node, str(given["writes"]))}
    except NoSuchValue as error:
        raise AnswerError(str(error).rstrip("."), "such as result[1] or argument x[0]") from None
    start = given["printed"] if type(given["printed"]) is int else 1
    lines, more = about.lines(given.get("node", session.root), max(start - 1, 0))
    numbered = [
        {"line": line.number + 1, "text": line.text, "certain": line.certain, "mark": line.mark}
        for line in lines
    ]
    return {"printed": {"lines": numbered, "more": more}}


def write(out: TextIO, message: Mapping[str, Any]) -> None:
    """One message, at once: the other side may be waiting for it."""
    out.write(json.dumps(message, ensure_ascii=True) + "\n")
    out.flush()
