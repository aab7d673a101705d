"""Who changed a value: writes to attributes, items, variables and whole containers, in order, up to the moment shown."""

from __future__ import annotations

import pytest
from recorded_programs import find, record

from algodebug.about_values import AboutValues, NoSuchValue
from algodebug.execution_tree import ExecutionTree
from algodebug.slicing import parse_criterion, slicer_of
from algodebug.slicing.origin import origin
from algodebug.value_texts import writes_body, writes_lines
from algotrace.trace import Trace

PROGRAM = """
LIMIT = 1
class Account:
    def __init__(self, owner):
        self.owner = owner
        self.balance = 0
        self.log = []
    def deposit(self, amount):
        self.log.append(amount)
        self.balance += amount
    def peek(self):
        return self.balance
def rename(account, name):
    account.owner = name
    setattr(account, "owner", name.upper())
def limit():
    global LIMIT
    LIMIT = 2
    LIMIT += 1
    return LIMIT
def tally(table, key):
    table[key] = table.get(key, 0) + 1
    return table
def grid(n):
    rows = [[0] * n for _ in range(n)]
    fill(rows)
    rows.reverse()
    return rows
def fill(rows):
    rows[0][1] = 7
    rows[0][1] = 8
    rows[1][0] = 9
def nothing(xs):
    return xs
def main():
    account = Account("Ann")
    account.deposit(5)
    seen = account.peek()
    rename(account, "Eve")
    account.deposit(-3)
    table = {"a": 1}
    tally(table, "a")
    tally(table, "b")
    account.log.sort()
    total = 0
    for i in range(3):
        total += i
    return account, table, grid(2), limit(), nothing([1]), seen
main()
"""
# mark, call: (target, before, after) of each write; "made" first where no write made it.
CASES: dict[tuple[str, str, int], list[tuple[str, str | None, str | None]]] = {
    ("result[0].balance", "main", 0): [("=", None, "0"), ("=", "0", "5"), ("=", "5", "2")],
    ("result[0].owner", "main", 0): [("=", None, "'Ann'"), ("=", "'Ann'", "'Eve'"), ("=", "'Eve'", "'EVE'")],
    ("self.balance", "Account.deposit", 0): [("=", None, "0"), ("=", "0", "5")],
    ("argument self.balance", "Account.deposit", 1): [
        ("self.balance", None, "0"),
        ("self.balance", "0", "5"),
    ],
    ("result[0].log", "main", 0): [
        ("=", None, "[]"),
        ("result[0].log[0]", None, "5"),
        ("result[0].log[1]", None, "-3"),
        ("=", "[5, -3]", "[-3, 5]"),
    ],
    ("result[0].log[0]", "main", 0): [("=", None, "5"), ("=", "5", "-3")],
    ("result[1]['a']", "main", 0): [("=", None, "1"), ("=", "1", "2")],
    ("result['b']", "tally", 1): [("=", None, "1")],
    ("table['a']", "tally", 0): [("=", None, "1"), ("=", "1", "2")],
    ("result[1][1]", "grid", 0): [("=", None, "0"), ("=", "0", "7"), ("=", "7", "8")],
    ("global LIMIT", "limit", 0): [("LIMIT", None, "1"), ("LIMIT", "1", "2"), ("LIMIT", "2", "3")],
    ("result", "nothing", 0): [("it", None, None)],
}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return record(tmp_path_factory.mktemp("writes"), PROGRAM)


@pytest.fixture(scope="module")
def tree(trace: Trace) -> ExecutionTree:
    return ExecutionTree.from_trace(trace)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} of {case[1]} {case[2]}")
def test_the_writes_to_a_value_in_order(
    trace: Trace, tree: ExecutionTree, case: tuple[str, str, int]
) -> None:
    mark, function, occurrence = case
    found = AboutValues(tree, trace).writes(find(trace, function, occurrence), mark)
    told = [
        (
            "=" if write.target == mark else write.target,
            None if write.before is None else write.before.text().text,
            None if write.after is None else write.after.text().text,
        )
        for write in found
    ]
    assert told == CASES[case]


def test_a_write_says_which_call_wrote_and_where(trace: Trace, tree: ExecutionTree) -> None:
    found = AboutValues(tree, trace).writes(find(trace, "main"), "result[0].owner")
    assert [write.function for write in found] == ["Account.__init__", "rename", "rename"]
    assert [write.text for write in found][:2] == ["self.owner = owner", "account.owner = name"]
    assert all(write.range is not None and write.range[0] == write.line for write in found)


def test_a_value_in_a_literal_is_made_there(trace: Trace, tree: ExecutionTree) -> None:
    first = AboutValues(tree, trace).writes(find(trace, "main"), "result[1]['a']")[0]
    assert (first.what, first.function, first.text) == ("made", "main", 'table = {"a": 1}')


def test_the_variables_of_code_inside_a_call(trace: Trace, tree: ExecutionTree) -> None:
    code = tree.code_of(find(trace, "main"))
    assert code is not None
    todo, loop = [code.top], None
    while loop is None:
        part = todo.pop()
        todo += part.children
        loop = part if part.kind == "loop" else None
    found = AboutValues(tree, trace).writes(loop.id, "total")
    assert [(w.before and w.before.text().text, w.after and w.after.text().text) for w in found] == [
        (None, "0"),
        ("0", "0"),
        ("0", "1"),
        ("1", "3"),
    ]


@pytest.mark.parametrize("mark", ["result[9]", "nobody", "", "printed"])
def test_a_mark_that_names_nothing_is_told_so(trace: Trace, tree: ExecutionTree, mark: str) -> None:
    with pytest.raises(NoSuchValue):
        AboutValues(tree, trace).writes(find(trace, "main"), mark)


def test_they_read_as_lines(trace: Trace, tree: ExecutionTree) -> None:
    body = writes_body(AboutValues(tree, trace), find(trace, "main"), "result[0].balance")
    lines = writes_lines("result[0].balance", body["writes"])
    assert "result[0].balance: 5 → 2" in lines[-1] and "self.balance += amount" in lines[-1]
    assert writes_lines("x", []) == ["Nothing that was recorded changed x."]


@pytest.mark.parametrize(
    ("function", "mark", "functions", "made"),
    [
        ("fill", "argument rows", ["grid", "fill"], "rows = [[0] * n for _ in range(n)]"),
        ("tally", "table", ["main", "tally"], 'table = {"a": 1}'),
        ("rename", "argument account", ["main", "rename"], 'account = Account("Ann")'),
        ("Account.peek", "argument self", ["main", "Account.peek"], 'account = Account("Ann")'),
        (
            "main",
            "result[4]",
            ["main", "nothing", "main"],
            "return account, table, grid(2), limit(), nothing([1]), seen",
        ),
    ],
)
def test_the_way_of_a_container_goes_on_to_its_creation(
    trace: Trace, function: str, mark: str, functions: list[str], made: str
) -> None:
    chain = origin(slicer_of(trace), parse_criterion(trace, find(trace, function), mark))
    passed = [trace.routines[trace.routine[station.node]].qualname for station in chain]
    assert [name for at, name in enumerate(passed) if at == 0 or passed[at - 1] != name] == functions
    assert chain[0].what == "made" and chain[0].place is not None
    assert trace.sources[0].text.split("\n")[chain[0].place[0] - 1].strip() == made
