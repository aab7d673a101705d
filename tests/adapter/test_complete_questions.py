"""Questions tell all that a call depended on; two of them are equal only where all of that is."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from test_cli_examples import record

from algodebug.execution_tree import ExecutionTree
from algodebug.question import visible_leaves
from algotrace.trace import Trace


def calls(folder: Path, program: str, function: str) -> tuple[ExecutionTree, list[int]]:
    (folder / "program.py").write_text(dedent(program))
    tree = ExecutionTree.from_trace(Trace.open(record(folder / "program.py", folder)))
    return tree, [node for node in range(1, len(tree)) if tree.place(node).function == function]


def test_what_was_read_and_shared_is_told(tmp_path: Path) -> None:
    tree, (first, second) = calls(
        tmp_path,
        """
        LIMIT = 3
        SEEN = []
        def f(xs):
            return xs if len(SEEN) < LIMIT else []
        f([1]); SEEN.append(7); f([2])
        """,
        "f",
    )
    body = tree.question(second)
    assert [(r["name"], r["kind"], r["value"]["text"]) for r in body["reads"]] == [
        ("SEEN", "global", "[7]"),
        ("LIMIT", "global", "3"),
    ]
    assert body["sharing"] == ["result is xs"]
    # A constant is not worth a word, what changes from call to call is.
    assert body["text"] == "f([2]) returned [2] (read SEEN = [7]; result is xs): right?"
    assert tree.question(first)["text"] == "f([1]) returned [1] (read SEEN = []; result is xs): right?"


def test_large_changes_are_told_by_what_is_other(tmp_path: Path) -> None:
    tree, (node,) = calls(
        tmp_path, "def f(xs):\n    xs.reverse(); xs.reverse(); xs.append(5)\nf(list(range(200)))\n", "f"
    )
    body = tree.question(node)
    assert "changed xs + [5]" in body["text"]
    assert body["changes"][0]["difference"] == ["+ [5]"]
    # One of the argument's own, cut text; the change counts as one value.
    assert visible_leaves({**body, "inputs": []}) == 2


def test_equal_questions_are_equal_in_all_of_that(tmp_path: Path) -> None:
    tree, nodes = calls(
        tmp_path,
        """
        N = 1
        class A:
            def __init__(self): self.x = [1]
        def f(a, b, o): return (len(a), N)
        one = [1]
        f(one, one, A()); f([1], [1], A()); f([1], [1], A()); N = 2
        f([1], [1], A())
        """,
        "f",
    )
    shared, apart, again, later = (tree.fingerprint(node) for node in nodes)
    assert apart == again and apart is not None
    assert len({shared, apart, later}) == 3


def test_what_was_not_looked_at_is_left_out(tmp_path: Path) -> None:
    program = """
        import json
        class Account:
            def __init__(self, owner, balance):
                self.owner = owner; self.balance = balance; self.__pin = 7
            def deposit(self, amount): self.balance += amount
            def name(self, unused=None): return self.owner
            def pin(self): return self.__pin
        def dump(account): return json.dumps(vars(account))
        def named(account, name): return getattr(account, name)
        def kind(account): return getattr(account, "kind", 1) if hasattr(account, "kind") else 2
        def total(accounts): return sum(account.balance for account in accounts)
        a = Account("x", 10)
        a.deposit(3); a.name(); a.pin(); total([a]); dump(a); named(a, "owner"); kind(a)
        """
    tree, nodes = calls(tmp_path, program, "Account.deposit")
    questions = [tree.question(node) for node in range(nodes[0], len(tree))]
    shown = [[i["value"].get("shown", "") for i in q["inputs"]] for q in questions]
    assert shown == [
        ["Account(balance=10, …)", ""],
        ["Account(owner='x', …)", "…"],
        ["Account(_Account__pin=7, …)"],
        ["[Account(balance=13, …)]"],
        [""],  # it hands the object to a library, and looks an attribute up by a name of its own
        ["", ""],
        ["Account(…)"],
    ]
    whole = "Account(owner='x', balance=10, _Account__pin=7)"
    assert questions[0]["inputs"][0]["value"]["text"] == whole
    assert questions[1]["text"] == "Account.name(Account(owner='x', …), …) returned 'x': right?"
    assert visible_leaves(questions[1]) == 2
    assert visible_leaves(questions[1], folded=False) == 5


def test_attributes_of_classes_are_changed(tmp_path: Path) -> None:
    program = "class A:\n    n = 1\ndef f(): A.n += 1\nf(); f()\n"
    tree, (first, last) = calls(tmp_path, program, "f")
    assert "changed A.n: 1 → 2" in tree.question(first)["text"]
    assert "changed A.n: 2 → 3" in tree.question(last)["text"]


def test_equal_questions_of_methods_are_equal_by_structure(tmp_path: Path) -> None:
    tree, nodes = calls(
        tmp_path,
        """
        class Box:
            def __init__(self, items, other=None): self.items = items; self.other = other
            def size(self): return len(self.items)
        one = [1, 2]
        Box([1, 2]).size(); Box([1, 2]).size(); Box([1, 3]).size()
        Box(one, one).size(); Box([1, 2], [1, 2]).size(); Box([2], Box([1])).size(); Box([2], Box([1])).size()
        """,
        "Box.size",
    )
    prints = [tree.fingerprint(node) for node in nodes]
    assert None not in prints
    assert prints[0] == prints[1] and prints[5] == prints[6]
    assert len({prints[n] for n in (0, 2, 3, 4, 5)}) == 5
