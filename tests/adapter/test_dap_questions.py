"""When the program has ended: the questions, for our own client and for any debugger."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dap_client import OURS, Client, RequestFailed

PROGRAM = """\
class Cart:
    def __init__(self):
        self.items = []

    def add(self, item, price):
        self.items.append((item, price))
        return self

    def total(self):
        return sum_up([price for _, price in self.items])


def sum_up(prices):
    result = 0
    for price in prices[1:]:
        result = plus(result, price)
    return result


def plus(a, b):
    return a + b


def main():
    cart = Cart()
    cart.add("tea", 3).add("milk", 2).add("cake", 7)
    return cart.total()


print(main())
"""

# What is right: every call but `total` and `sum_up`, whose results lack the first price, and `main`.
WRONG = ("main", "Cart.total", "sum_up")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    client = Client.start(OURS, cwd=tmp_path)
    yield client
    client.close()


def ask(
    client: Client, program: Path, features: dict[str, Any] | None = None, **launch: Any
) -> dict[str, Any]:
    """Runs the program and gives the body of the stop at the first question."""
    client.initialize(**(features or {}))
    client.launch(program=str(program), **launch)
    stop = client.stopped()
    assert client.output("stdout") == "9\n"
    return stop


def state(client: Client) -> dict[str, Any]:
    return client.request("algodebug/state")


def right_answer(asked: dict[str, Any]) -> str:
    return "wrong" if asked["function"] in WRONG else "correct"


def answer_all(client: Client) -> dict[str, Any]:
    """Answers until a verdict is reached."""
    now = state(client)
    for _ in range(20):
        if now["question"] is None:
            return now
        now = client.request("algodebug/answer", {"answer": right_answer(now["question"])})
    raise AssertionError("no verdict after 20 answers")


def ask_about(client: Client, function: str) -> dict[str, Any]:
    """Makes the first call of a function the open question."""
    line = next(
        n for n, text in enumerate(PROGRAM.split("\n"), 1) if text.strip().startswith(f"def {function}(")
    )
    asked = client.request("algodebug/ask", {"file": client.shop, "line": line})["question"]  # type: ignore[attr-defined]
    assert asked["line"] == line
    return asked


@pytest.mark.parametrize("strategy", ["divide-and-query", "top-down", "heaviest-first", "single-stepping"])
def test_answers_lead_to_the_buggy_call(client: Client, program: Path, strategy: str) -> None:
    ask(client, program, strategy=strategy)
    first = state(client)
    assert (first["status"], first["strategy"], first["answered"]) == ("asking", strategy, 0)
    last = answer_all(client)
    assert last["status"] == "found"
    result = last["result"]
    assert (result["function"], result["file"], result["line"]) == ("sum_up", str(program), 13)
    lines = {span[0] for span in [*result["bright"], *result["faint"]]}
    assert lines == {14, 15, 16, 17}
    client.disconnect()
    assert client.wait_for_exit() == 0


def test_each_change_is_told_in_both_languages(client: Client, program: Path) -> None:
    ask(client, program)
    answer_all(client)
    changes = [body["status"] for body in client.events("algodebug/changed")]
    stops = client.events("stopped")
    assert changes[0] == "asking" and changes[-1] == "found" and len(changes) == len(stops)
    assert {stop["reason"] for stop in stops} == {"algorithmic debugging"}
    # Only the first takes the user to where it happened.
    assert [stop.get("preserveFocusHint", False) for stop in stops] == [False] + [True] * (len(stops) - 1)
    assert stops[0]["description"] == stops[0]["text"] and stops[0]["description"].endswith("right?")


def test_typed_answers_do_as_well(client: Client, program: Path) -> None:
    ask(client, program)
    assert "yes" in client.type_in("help") and "wrong" in client.type_in("help")
    for _ in range(20):
        asked = state(client)["question"]
        if asked is None:
            break
        reply = client.type_in("yes" if right_answer(asked) == "correct" else "no")
    assert "sum_up" in reply and f"{program}: lines 14-17" in reply
    assert "[buggy]" in client.type_in("tree")
    client.type_in("undo")
    assert state(client)["status"] == "asking"


@pytest.mark.parametrize(
    ("typed", "answer", "verdict"),
    [
        ("don't know", "unknown", "unknown"),
        ("trust", "trust-function", "trusted"),
        ("inadmissible", "inadmissible", "inadmissible"),
        ("yes", "correct", "correct"),
    ],
)
def test_a_typed_answer_is_that_answer(
    client: Client, program: Path, typed: str, answer: str, verdict: str
) -> None:
    ask(client, program)
    node = state(client)["question"]["id"]
    client.type_in(typed)
    assert state(client)["history"][0]["answer"] == answer
    assert client.request("algodebug/node", {"node": node})["verdict"] == verdict


def test_what_else_can_be_typed(client: Client, program: Path) -> None:
    ask(client, program)
    asked = state(client)["question"]
    assert client.type_in("question") == asked["text"]
    assert asked["why"] in client.type_in("why")
    assert "* divide-and-query" in client.type_in("strategy")
    assert client.type_in("strategy top-down").startswith("main()")
    assert client.type_in("ask 2").startswith("Cart.__init__(")
    with pytest.raises(RequestFailed, match="There is no strategy"):
        client.type_in("strategy best")
    with pytest.raises(RequestFailed, match="no node 999"):
        client.type_in("ask 999")
    with pytest.raises(RequestFailed, match="Type help"):
        client.type_in("open the pod bay doors")
    targets = client.request("completions", {"text": "tru", "column": 4})["targets"]
    assert [target["label"] for target in targets] == ["trust", "trust module"]


def test_the_path_to_the_call_is_its_stack(client: Client, program: Path) -> None:
    stop = ask(client, program)
    client.shop = str(program)  # type: ignore[attr-defined]
    ask_about(client, "plus")
    threads = client.request("threads")["threads"]
    assert [thread["id"] for thread in threads] == [stop["threadId"]]
    frames = client.stack(stop["threadId"])
    assert [(frame["name"].partition("(")[0], frame["line"]) for frame in frames] == [
        ("plus", 20),
        ("sum_up", 13),
        ("Cart.total", 9),
        ("main", 24),
        ("<module> shop.py", 1),
    ]
    assert {frame["source"]["path"] for frame in frames} == {str(program)}
    page = client.request("stackTrace", {"threadId": stop["threadId"], "startFrame": 1, "levels": 2})
    assert (page["totalFrames"], page["stackFrames"]) == (5, frames[1:3])
    answer_all(client)
    top = client.stack(stop["threadId"])[0]
    # At its definition, not at a line to blame, which editors would paint over.
    assert (top["name"], top["line"]) == ("sum_up([3, 2, 7])", 13)


def test_scopes_show_before_after_and_changes(client: Client, program: Path) -> None:
    stop = ask(client, program)
    client.shop = str(program)  # type: ignore[attr-defined]
    asked = ask_about(client, "sum_up")
    frames = client.stack(stop["threadId"])
    scopes = client.scopes(frames[0]["id"])
    assert list(scopes) == ["Before", "After", "Changes"]
    assert [variable["value"] for variable in scopes["Before"].values()] == ["[3, 2, 7]"]
    assert scopes["After"]["result"]["value"] == "9"
    parts = client.variables(scopes["Before"]["prices"]["variablesReference"])
    assert {name: part["value"] for name, part in parts.items()} == {"0": "3", "1": "2", "2": "7"}
    assert parts["1"]["evaluateName"] == "prices[1]"
    assert client.variables(scopes["Before"]["prices"]["variablesReference"], start=1, count=1).keys() == {
        "1"
    }
    for context in ("hover", "watch", "repl"):
        looked_at = {"expression": "prices[1]", "frameId": frames[0]["id"], "context": context}
        assert client.request("evaluate", looked_at)["result"] == "2"
    assert asked["inputs"][0]["name"] == "prices"

    ask_about(client, "add")
    changes = client.scopes(client.stack(stop["threadId"])[0]["id"])["Changes"]
    ((target, change),) = changes.items()
    assert target.startswith("self.items") and "→" in change["value"]
    assert list(client.variables(change["variablesReference"])) == ["before", "after"]


def test_frames_of_an_earlier_question_are_still_told_handles_are_refused(
    client: Client, program: Path
) -> None:
    stop = ask(client, program)
    client.shop = str(program)  # type: ignore[attr-defined]
    ask_about(client, "plus")
    frame = client.stack(stop["threadId"])[0]
    client.scopes(frame["id"])
    ask_about(client, "add")
    assert "b" in client.scopes(frame["id"])["Before"]
    with pytest.raises(RequestFailed, match="no such frame"):
        client.scopes(100_000)
    with pytest.raises(RequestFailed, match="earlier question"):
        client.variables(100)


def test_vs_code_is_led_to_each_question_by_the_exit_of_the_thread_it_looks_at(
    client: Client, program: Path
) -> None:
    first = ask(client, program, {"clientID": "vscode"})["threadId"]
    client.stack(first)
    client.request("algodebug/answer", {"answer": "unknown"})
    stop = client.stopped()
    assert stop["preserveFocusHint"] and stop["threadId"] != first
    # It looks at the first thread until it has seen the stack of the second.
    assert [thread["id"] for thread in client.request("threads")["threads"]] == [first, stop["threadId"]]
    assert {body["threadId"] for body in client.events("thread")} == {1}  # the program's own
    frame = client.stack(stop["threadId"])[0]
    assert client.event("thread") == {"reason": "exited", "threadId": first}
    assert client.event("continued") == {"threadId": first, "allThreadsContinued": False}
    assert frame["line"] == state(client)["question"]["line"]
    assert [thread["id"] for thread in client.request("threads")["threads"]] == [stop["threadId"]]


def test_other_clients_see_one_thread_to_the_end(client: Client, program: Path) -> None:
    stop = ask(client, program)
    answer_all(client)
    assert {later["threadId"] for later in client.events("stopped")} == {stop["threadId"]}
    assert not [body for body in client.events("thread") if body["threadId"] == stop["threadId"]]


@pytest.mark.parametrize("command", ["continue", "next", "stepIn", "stepOut"])
def test_there_is_nowhere_to_go_on_to(client: Client, program: Path, command: str) -> None:
    stop = ask(client, program)
    client.request(command, {"threadId": stop["threadId"]})
    assert client.stopped()["threadId"] == stop["threadId"]
    assert "a question about it is open" in client.output("console")
    client.request("pause", {"threadId": stop["threadId"]})
    assert state(client)["status"] == "asking"


def test_breakpoints_can_be_set_for_the_next_run(client: Client, program: Path) -> None:
    ask(client, program)
    wanted = {"source": {"path": str(program)}, "breakpoints": [{"line": 3}, {"line": 4}]}
    assert [b["verified"] for b in client.request("setBreakpoints", wanted)["breakpoints"]] == [False, False]
    client.request("setExceptionBreakpoints", {"filters": []})


def test_the_tree_is_paged(client: Client, program: Path) -> None:
    ask(client, program)
    root = client.request("algodebug/tree")
    assert root["node"]["id"] == 0 and root["total"] == 1
    main = client.request("algodebug/tree", {"node": 1})
    assert [child["function"] for child in main["children"]] == [
        "Cart.__init__",
        "Cart.add",
        "Cart.add",
        "Cart.add",
        "Cart.total",
    ]
    assert [child["children"] for child in main["children"]] == [0, 0, 0, 0, 1]
    page = client.request("algodebug/tree", {"node": 1, "start": 1, "count": 2})
    assert (page["total"], page["children"]) == (5, main["children"][1:3])
    answer_all(client)
    total = client.request("algodebug/tree", {"node": 6})
    assert (total["node"]["verdict"], total["node"]["outcome"]) == ("wrong", "returned 9")
    (buggy,) = total["children"]
    assert (buggy["buggy"], buggy["verdict"], buggy["source"]) == (True, "wrong", "user")


def test_values_are_paged(client: Client, program: Path) -> None:
    ask(client, program)
    client.shop = str(program)  # type: ignore[attr-defined]
    ref = ask_about(client, "sum_up")["inputs"][0]["value"]["ref"]
    body = client.request("algodebug/value", {"ref": ref, "start": 1, "count": 1})
    assert (body["value"]["text"], body["length"]) == ("[3, 2, 7]", 3)
    assert [(part["label"], part["path"], part["value"]["text"]) for part in body["parts"]] == [
        ("1", "[1]", "2")
    ]


REFUSED: list[tuple[str, Any, str]] = [
    ("answer", {"answer": "maybe"}, "unknown answer"),
    ("answer", {}, '"answer" is missing'),
    ("answer", {"answer": "correct", "node": 999}, "no node 999"),
    ("answer", {"answer": "correct", "node": "1"}, "whole number"),
    ("answer", 5, '"answer" is missing'),
    ("undo", {}, "no answer to undo"),
    ("strategy", {"name": "best"}, "There is no strategy"),
    ("strategy", {}, '"name" is missing'),
    ("ask", {}, "Say what to ask about"),
    ("ask", {"node": -1}, "no node -1"),
    ("ask", {"node": 0}, "taken as wrong"),
    ("ask", {"file": "/none.py", "line": 3}, "No call of a function"),
    ("tree", {"node": 999}, "no node 999"),
    ("tree", {"start": "x"}, "whole number"),
    ("node", {}, '"node" is missing'),
    ("value", {"ref": "nonsense"}, "There is no value"),
    ("value", {"ref": "9999@9999"}, "There is no value"),
    ("no-such-thing", {}, "no-such-thing"),
]


def test_what_cannot_be_is_refused_in_one_sentence(client: Client, program: Path) -> None:
    ask(client, program)
    before = state(client)
    for command, arguments, reason in REFUSED:
        with pytest.raises(RequestFailed) as caught:
            client.request(f"algodebug/{command}", arguments)
        assert reason in str(caught.value) and "\n" not in str(caught.value), (command, arguments)
        assert state(client) == before


def test_malformed_arguments_end_nothing(client: Client, program: Path) -> None:
    ask(client, program)
    for command in (
        "stackTrace",
        "scopes",
        "variables",
        "source",
        "evaluate",
        "completions",
        "setBreakpoints",
    ):
        for arguments in (None, 5, {"frameId": "x"}, {"variablesReference": 10**9}, {"source": 1, "text": 2}):
            client.send(command, arguments)
    assert state(client)["status"] == "asking"


def test_trusted_functions_are_not_asked_about(client: Client, program: Path) -> None:
    ask(client, program, trust=["sum_up", "plus"])
    assert client.request("algodebug/node", {"node": 7})["verdict"] == "trusted"
    assert answer_all(client)["result"]["function"] == "Cart.total"


def test_a_corrected_copy_answers_what_it_can(client: Client, program: Path, tmp_path: Path) -> None:
    reference = tmp_path / "right" / "shop.py"
    reference.parent.mkdir()
    reference.write_text(PROGRAM.replace("prices[1:]", "prices"))
    ask(client, program, reference=str(reference))
    last = answer_all(client)
    assert last["result"]["function"] == "sum_up"
    assert "reference" in last["result"]["answered_by"]


def test_options_that_cannot_be_end_the_session_with_a_reason(client: Client, program: Path) -> None:
    client.initialize()
    client.launch(program=str(program), strategy="best")
    client.event("terminated")
    assert "there is no strategy 'best'" in client.output("important")
    assert client.events("exited") == [{"exitCode": 0}]


def test_a_corrected_copy_that_is_not_there_is_said(client: Client, program: Path) -> None:
    client.initialize()
    client.launch(program=str(program), reference="none.py")
    client.event("terminated")
    assert "none.py does not exist" in client.output("important")


def test_opening_is_shown_as_progress_where_that_is_supported(client: Client, program: Path) -> None:
    ask(client, program, {"supportsProgressReporting": True})
    (opening,) = (b for b in client.events("progressStart") if b["title"] == "Opening the recording")
    ended = {"progressId": opening["progressId"]}
    client.wait(lambda m: m.get("event") == "progressEnd" and m["body"] == ended, consume=False)


def test_writing_is_shown_as_progress_while_it_goes_on(client: Client, tmp_path: Path) -> None:
    # The program stands in for the recorder at its end.
    text = f"""
import pathlib, time
partial = pathlib.Path({str(tmp_path)!r}, "x[1].algotrace.77.partial")
partial.touch()
time.sleep(1)
partial.unlink()
time.sleep(1)
"""
    program = tmp_path / "slow.py"
    program.write_text(text)
    client.initialize(supportsProgressReporting=True)
    client.launch(program=str(program), traceFile="x[1].algotrace")
    client.wait(lambda m: m.get("event") == "progressStart")
    assert client.event("progressEnd") == {"progressId": "algodebug-writing"}
    client.stopped()
    titles = [start["title"] for start in client.events("progressStart")]
    assert titles[0] == "Writing the recording" and titles[-1] == "Opening the recording"


def test_lenses_follow_the_answers(client: Client, program: Path) -> None:
    ask(client, program)
    answer_all(client)
    client.disconnect()
    client.wait_for_exit()
    index = json.loads((program.parent / ".algodebug" / "lenses.json").read_text())
    functions = {function["qualname"]: function for function in index["files"][str(program)]["functions"]}
    assert functions["Cart.add"]["calls"] == 3
    assert (functions["sum_up"]["wrong"], functions["sum_up"]["buggy"]) == (1, True)


def test_lenses_are_where_the_editor_looks_for_them(client: Client, program: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    ask(client, program, cwd=str(elsewhere), workspaceFolder=str(tmp_path))
    answer_all(client)
    assert (tmp_path / ".algodebug" / "lenses.json").exists()
    assert [path.suffix for path in (elsewhere / ".algodebug").glob("*.algotrace")] == [".algotrace"]
    assert not (elsewhere / ".algodebug" / "lenses.json").exists()


def test_a_source_that_is_gone_is_shown_as_it_ran(client: Client, program: Path) -> None:
    stop = ask(client, program)
    program.unlink()
    source = client.stack(stop["threadId"])[0]["source"]
    assert (
        client.request("source", {"source": source, "sourceReference": source["sourceReference"]})["content"]
        == PROGRAM
    )
