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


# Calls, and what is shown of their arguments; nothing stands for the whole.
LOOKED_AT: list[tuple[str, list[str]]] = [
    # read by index, by iteration until it is left, by slices and by key
    ("first(numbers)", ["[0, …×29]"]),
    ("last(numbers)", ["[…×29, 29]"]),
    ("until(numbers, 2)", ["[0, 1, 2, …×27]", ""]),
    ("middle(numbers)", ["[…×10, 10, 11, …×18]"]),
    ("price(prices, 'pear')", ["{…×3, 'pear': 3, …×3}", ""]),
    ("has(prices, 'fig')", ["{'fig': 0, …×6}", ""]),
    ("corner(grid)", ["[[0, …×3], …×3]"]),
    ("sizes(grid)", ["[[…×4], […×4], […×4], […×4]]"]),
    ("count(numbers)", ["[…×30]"]),
    ("twice(numbers)", ["[…×29, 29]"]),
    # what is not there was looked for in all of it
    ("has(prices, 'plum')", ["", ""]),
    # handed to code that is not recorded, compared, shown, gone round
    ("total(numbers)", [""]),
    ("same(numbers, [1])", ["", ""]),
    ("told(prices)", [""]),
    ("keys(prices)", [""]),
    ("by_iterator(iter(numbers))", [""]),
    ("beyond(numbers)", [""]),
    # moved: places say nothing any more
    ("moved(numbers)", [""]),
    # written
    ("store(numbers, 4)", ["[…×4, 4, …×25]", ""]),
    ("added(numbers)", ["[…×30]"]),
    # a few numbers are not worth a gap
    ("first([1, 2, 3])", [""]),
    ("first([1, 2, 3, 4])", ["[1, …×3]"]),
]
LOOKING = """
from collections import deque
def first(xs): return xs[0]
def last(xs): return xs[-1]
def until(xs, wanted):
    for x in xs:
        if x == wanted: return x
def middle(xs):
    a, b = xs[10:12]
    return a + b
def price(d, name): return d.get(name, 0)
def has(d, name): return name in d
def corner(rows): return rows[0][0]
def sizes(rows): return [len(row) for row in rows]
def count(xs): return len(xs) if xs else 0
def twice(xs): return last(xs) + last(xs)
def total(xs): return sum(xs)
def same(xs, ys): return xs == ys
def told(d): return f"{d}"
def keys(d): return [k for k in d]
def by_iterator(i): return next(i)
def beyond(xs):
    try: return xs[99]
    except IndexError: return None
def moved(xs):
    xs.insert(0, 7)
    return xs[3]
def store(xs, at): xs[at] = -1
def added(xs): xs.append(8)
numbers = list(range(30))
prices = {name: at for at, name in enumerate(["fig", "kiwi", "lime", "pear", "date", "nut", "oat"])}
grid = [[row * column for column in range(4)] for row in range(4)]
"""


def test_items_that_were_not_looked_at_are_left_out(tmp_path: Path) -> None:
    fresh = LOOKING[LOOKING.index("numbers =") :]  # calls change what they are given
    program = LOOKING + "".join(f"{fresh}{call}\n" for call, _ in LOOKED_AT)
    tree, _ = calls(tmp_path, program, "first")
    assert tree.trace is not None
    questions = [tree.question(node) for node in tree.children(0)]
    told = [[given["value"].get("shown", "") for given in question["inputs"]] for question in questions]
    assert dict(zip((call for call, _ in LOOKED_AT), told, strict=True)) == dict(LOOKED_AT)


def test_code_inside_a_call_shows_what_it_looked_at(tmp_path: Path) -> None:
    program = """
        def work(xs, table):
            first = xs[0]
            for at in range(3, 6):
                first += table[xs[at]]
            xs[8] = first
            return first + len(xs)
        work(list(range(10)), {n: n * n for n in range(7)})
        """
    tree, (node,) = calls(tmp_path, program, "work")
    code = tree.code_of(node)
    assert code is not None
    told = {}
    parts = list(code.top.parts)
    while parts:
        part = parts.pop(0)
        body = tree.question(part.id)
        told[body["title"]] = [
            (given["name"], given["value"].get("shown", given["value"]["text"]))
            for given in body["inputs"]
            if given["name"] in ("xs", "table")
        ]
        parts += part.parts
    assert told["line 3: `first = xs[0]`"] == [("xs", "[0, …×9]")]
    looped = [("xs", "[…×3, 3, 4, 5, …×4]"), ("table", "{…×3, 3: 9, 4: 16, 5: 25, 6: 36}")]
    assert dict(told["lines 4–5: `for at in range(3, 6)`"]) == dict(looped)
    assert dict(told["iteration 2 of 3 of `for at in range(3, 6)`"]) == {
        "xs": "[…×4, 4, …×5]",
        "table": "{…×4, 4: 16, 5: 25, 6: 36}",
    }


def test_what_came_in_unread_is_left_out_of_what_comes_out(tmp_path: Path) -> None:
    program = """
        class Box:
            def __init__(self, name, items): self.name = name; self.items = items
        def pick(boxes): return boxes[1]
        def wrap(box): return [box, list(range(5))]
        def fill(box): box.items[0] = "new"; return box
        def make(): return list(range(6))
        boxes = [Box(f"box {n}", list(range(9))) for n in range(4)]
        pick(boxes); wrap(boxes[0]); fill(boxes[2]); make()
        """
    tree, nodes = calls(tmp_path, program, "pick")
    told = [tree.question(node)["outcome"]["value"] for node in range(nodes[0], len(tree))]
    assert [value.get("shown", value["text"]) for value in told] == [
        "Box(name='box 1', …)",  # handed on, not looked at: which one it is
        "[Box(name='box 0', …), [0, 1, 2, 3, 4]]",
        "Box(items=['new', …×8], …)",
        "[0, 1, 2, 3, 4, 5]",
    ]


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


def test_a_generator_that_was_asked_no_further_is_not_one_that_ended(tmp_path: Path) -> None:
    tree, nodes = calls(
        tmp_path,
        """
        def f(xs):
            for x in xs: yield 8
        def g(): yield from f([1])
        next(f([1])); list(f([1])); list(g()); left = f([1]); next(left)
        """,
        "f",
    )
    texts = [tree.question(node)["text"] for node in nodes]
    told, whole = "f([1]) yielded [8] so far: right?", "f([1]) yielded [8]: right?"
    assert texts == [told, whole, whole, told]
    assert [tree.question(node)["outcome"].get("ended", True) for node in nodes] == [False, True, True, False]
    prints = [tree.fingerprint(node) for node in nodes]
    assert prints[0] == prints[3] != prints[1] == prints[2]
