"""What a debug session tells about values: who changed them, the lines of output, a program reduced to one of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dap_client import OURS, Client, RequestFailed

PROGRAM = """\
class Account:
    def __init__(self):
        self.balance = 0

    def pay(self, amount):
        self.balance -= amount

    def get(self, amount):
        self.balance = amount + 1


def unrelated(xs):
    return [x * 2 for x in xs]


def main():
    account = Account()
    account.get(10)
    account.pay(3)
    account.get(5)
    print("doubled", unrelated([1, 2]))
    print("balance", account.balance)
    return account


main()
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("values")
    program = folder / "bank.py"
    program.write_text(PROGRAM)
    client = Client.start(OURS, cwd=folder)
    client.initialize()
    client.launch(program=str(program))
    client.stopped()
    yield client
    client.close()


def test_the_state_has_the_output_to_start_from(client: Client) -> None:
    state = client.request("algodebug/state")
    assert state["printed"] == {"text": "doubled [2, 4]\nbalance 6\n", "certain": True, "more": 0}
    page = client.request("algodebug/printed", {"start": 1})
    assert [(line["number"], line["text"], line["mark"]) for line in page["lines"]] == [
        (1, "balance 6", "printed[1]")
    ]
    assert not page["more"] and page["node"] == state["root"]


def test_a_line_of_it_called_wrong_leads_to_who_made_the_value(client: Client) -> None:
    root = client.request("algodebug/state")["root"]
    state = client.request("algodebug/answer", {"answer": "wrong", "node": root, "mark": "printed[1]"})
    assert state["question"]["function"] == "Account.get"
    assert state["question"]["inputs"][1]["value"]["text"] == "5"
    assert state["history"][0]["mark"] == "printed[1]"
    assert client.request("algodebug/undo")["history"] == []


def test_who_changed_a_value(client: Client) -> None:
    found = client.request("algodebug/writes", {"node": 1, "mark": "result.balance"})
    changes = [
        (w["function"], w["line"], w["before"] and w["before"]["text"], w["after"]["text"])
        for w in found["writes"]
    ]
    assert changes == [
        ("Account.__init__", 3, None, "0"),
        ("Account.get", 9, "0", "11"),
        ("Account.pay", 6, "11", "8"),
        ("Account.get", 9, "8", "6"),
    ]


def test_a_program_reduced_to_a_value(client: Client, tmp_path: Path) -> None:
    found = client.request("algodebug/executableSlice", {"node": 0, "marks": ["printed[1]"]})
    text = found["files"][0]["text"]
    assert "unrelated" not in text and found["lines"] < found["linesBefore"]
    (tmp_path / "reduced.py").write_text(text)
    done = subprocess.run([sys.executable, tmp_path / "reduced.py"], capture_output=True, text=True)
    assert done.stdout == "balance 6\n"


@pytest.mark.parametrize(
    ("request_", "arguments", "message"),
    [
        ("writes", {"node": 1, "mark": "result.nothing"}, "there is no part"),
        ("writes", {"node": 99, "mark": "result"}, "There is no node 99"),
        ("printed", {"node": 99}, "There is no node 99"),
        ("executableSlice", {"node": 1, "marks": ["nobody"]}, "no part of this call"),
        ("executableSlice", {"node": 1, "marks": "result"}, "must be a list of texts"),
        ("answer", {"answer": "wrong", "node": 0, "mark": "printed[7]"}, "there is no line 7"),
    ],
)
def test_what_names_nothing_is_refused(
    client: Client, request_: str, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(RequestFailed, match=message):
        client.request(f"algodebug/{request_}", arguments)


def test_it_can_be_asked_for_in_the_console(client: Client) -> None:
    def typed(text: str) -> str:
        answer = client.request("evaluate", {"expression": text, "context": "repl"})
        return str(answer["result"])

    assert typed("printed").split("\n") == ["   1  doubled [2, 4]", "   2  balance 6"]
    client.request("algodebug/ask", {"node": 1})
    assert "result.balance: 11 → 8" in typed("who result.balance")
    typed("printed balance")
    assert client.request("algodebug/state")["question"]["function"] == "Account.get"
