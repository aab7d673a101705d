"""Arguments as clients send them, good and bad."""

from __future__ import annotations

from typing import Any

import pytest

from algodebug.dap import console
from algodebug.dap.arguments import (
    AnswerArguments,
    AskArguments,
    BadArguments,
    LaunchOptions,
    Limits,
    TreeArguments,
    ValueArguments,
    read,
)


@pytest.mark.parametrize(
    ("kind", "arguments", "expected"),
    [
        (
            AnswerArguments,
            {"answer": "wrong", "mark": "result[1]"},
            AnswerArguments("wrong", mark="result[1]"),
        ),
        (AnswerArguments, {"answer": "wrong", "node": None}, AnswerArguments("wrong")),
        (AskArguments, {"file": "/a.py", "line": 3, "later": 1}, AskArguments(file="/a.py", line=3)),
        (TreeArguments, {}, TreeArguments(None, 0, 100)),
        (ValueArguments, {"ref": "1@2", "count": 5}, ValueArguments("1@2", 0, 5)),
        (LaunchOptions, {"program": "x", "limits": {"events": 9}}, LaunchOptions(limits=Limits(9))),
        (LaunchOptions, {"include": ["a"], "trust": None}, LaunchOptions(include=["a"])),
    ],
)
def test_arguments_are_read(kind: type, arguments: dict[str, Any], expected: object) -> None:
    assert read(kind, arguments) == expected


@pytest.mark.parametrize(
    ("kind", "arguments", "sentence"),
    [
        (AnswerArguments, {}, '"answer" is missing'),
        (AnswerArguments, {"answer": 1}, '"answer" must be a text'),
        (AnswerArguments, {"answer": "wrong", "node": "3"}, '"node" must be a whole number'),
        (AnswerArguments, {"answer": "wrong", "node": True}, '"node" must be a whole number'),
        (LaunchOptions, {"recording": "no"}, '"recording" must be true or false'),
        (LaunchOptions, {"include": "a"}, '"include" must be a list of texts'),
        (LaunchOptions, {"trust": [1]}, '"trust" must be a list of texts'),
        (LaunchOptions, {"limits": {"events": -1}}, '"limits" must be an object such as {"events": 1000000}'),
    ],
)
def test_bad_arguments_are_named_in_one_sentence(
    kind: type, arguments: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadArguments) as caught:
        read(kind, arguments)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("yes", console.Answer("correct")),
        ("  Y ", console.Answer("correct")),
        ("No.", console.Answer("wrong")),
        ("wrong result[1]", console.Answer("wrong", mark="result[1]")),
        ("don't know", console.Answer("unknown")),
        ("Don’t  know", console.Answer("unknown")),
        ("inadmissible xs", console.Answer("inadmissible", argument="xs")),
        ("show argument xs[1]", console.Parts("xs[1]")),
        ("show self.items 41", console.Parts("self.items", 41)),
        ("trust", console.Answer("trust-function")),
        ("trust module", console.Answer("trust-module")),
        ("undo", console.Undo()),
        ("ask 12", console.Ask(12)),
        ("ask #12", console.Ask(12)),
        ("strategy", console.Strategy(None)),
        ("strategy top-down", console.Strategy("top-down")),
        ("tree", console.Show("tree")),
        ("why", console.Show("why")),
        ("", console.Show("question")),
        ("help", console.Show("help")),
        ("result[0]", console.Unknown("result[0]")),
        ("ask it", console.Unknown("ask it")),
    ],
)
def test_typed_answers_are_understood(text: str, command: console.Command) -> None:
    assert console.parse(text) == command
