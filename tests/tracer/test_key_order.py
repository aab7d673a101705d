"""A dict's keys have the order they had at the time, whatever went and came since."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from recorded import record, run

from algotrace.marks import PASSED
from algotrace.trace import Trace
from algotrace.values import Value

PRELUDE = """
from collections import OrderedDict, defaultdict
class Sub(dict): pass
def fails(k):
    yield k, 1
    yield "last", 1
    1 / 0
def probe(x): pass
def look():
    print(list(d.items()))
    probe(d)
"""
STATEMENTS = [
    "d[{k}] = {n}", "d[{k}] = {n}", "d[{j}] = {n}", "del d[{k}]", "del d[{k}], d[{j}]", "del [d[{k}]]", "d.pop({k})", "d.pop({k}, None)",
    "d.popitem()", "d.setdefault({k}, {n})", "d.update({{{k}: {n}, {j}: {n}}})", "d.update([({k}, {n}), ({j}, 3)])",
    "d |= {{{k}: {n}}}", "d[{k}] = d.pop({j})", "operator.delitem(d, {k})", "d.__delitem__({k})", "d[{k}] += 1",
    "d.update(fails({k}))", "d.move_to_end({k})", "d.move_to_end({k}, last=False)", "d.popitem(last=False)",
]  # fmt: skip
REBOUND = [
    "d.clear()",
    "d = dict(sorted(d.items(), key=str))",
    "d = OrderedDict(d)",
    "d = defaultdict(int, d)",
    "d = Sub(d)",
]
# Drawn statements may fail, such as deleting a key that is not there: the program goes on, and the keys are compared then.
MOVES = [
    "d.move_to_end({k})", "d.move_to_end({k}, last=False)", "d.move_to_end({j}, False)", "d.move_to_end(*({k},))",
    "d.move_to_end({k}, last=not 1)",
]  # fmt: skip
PLACES = {
    "function": "def f{i}(d):\n    try:\n        {s}\n    except Exception: pass\n    return d\nd = f{i}(d)",
    "module": "try:\n    {s}\nexcept Exception: pass",
    "sees its locals": "def f{i}(d):\n    locals()\n    try:\n        {s}\n    except Exception: pass\n    return d\nd = f{i}(d)",
}


def program(seed: int, ordered: bool) -> str:
    chosen = random.Random(seed)
    keys = [*(repr(f"k{n}") for n in range([3, 20, 40][seed % 3])), "1", "True", "(1, 2)", "None"]
    lines = [PRELUDE, "import operator\nd = {" + ", ".join(f"{key}: 0" for key in keys) + "}"]
    lines += ["d = OrderedDict(d)"] if ordered else []
    rebound, statements = (
        (["d = OrderedDict(d)"], STATEMENTS + 4 * MOVES) if ordered else (REBOUND, STATEMENTS)
    )
    for i in range(150):
        some = rebound if chosen.random() < 0.04 else statements
        statement = chosen.choice(some).format(k=chosen.choice(keys), j=chosen.choice(keys), n=i)
        lines.append(PLACES[chosen.choice(list(PLACES))].format(i=i, s=statement))
        lines.append("look()")
    return "\n".join(lines)


def shown(value: Value) -> str:
    pairs = [
        f"({part.label}, {part.value.text().text})"
        for part in value.parts()
        if not part.label.startswith(".")
    ]
    return f"[{', '.join(pairs)}]"


@pytest.mark.parametrize("seed, ordered", [*((n, False) for n in range(6)), *((n, True) for n in range(4))])
def test_keys_are_shown_in_the_order_they_had(seed: int, ordered: bool, tmp_path: Path) -> None:
    process, path, _ = run(tmp_path, program(seed, ordered), "--quiet")
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    probes = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "probe"]
    seen = process.stdout.splitlines()
    assert len(probes) == len(seen) == 150
    states = [trace.arguments(node)[0].value for node in probes]
    wrong = [(shown(v), text) for v, text in zip(states, seen, strict=True) if v.certain and shown(v) != text]
    assert not wrong, wrong[0]
    assert sum(state.certain for state in states) > 50


def test_a_key_that_is_moved_to_the_end_costs_no_copy(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        """
        from collections import OrderedDict
        def use(d, n): d.move_to_end(n)
        def probe(d): pass
        d = OrderedDict.fromkeys(range(500))
        for n in range(400): use(d, n)
        probe(d)
        for n in range(300): use(d, n)
        """,
    )
    (probe,) = (n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "probe")
    value = trace.arguments(probe)[0].value
    assert value.certain
    assert [part.label for part in value.parts(0, 1000)] == [str(n) for n in [*range(400, 500), *range(400)]]
    told = [trace.row(trace.write_at(time).values[1]) for time in trace.writes_of(value.identity).times]
    moves = [row[2][3] for row in told if trace.row(row[2][0]) == "moved"]
    assert len(moves) == 700
    assert 0 < sum(trace.row(copy) != ["absent"] for copy in moves) < 4


def test_a_large_dict_is_copied_once_for_many_deletions(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        """
        def oldest_goes(d, n):
            del d[n - 1000]
            d[n] = n
        def probe(d): return list(d)[:3]
        d = {n: n for n in range(1000)}
        for n in range(1000, 1500):
            oldest_goes(d, n)
        probe(d)
        for n in range(1500, 1900):
            oldest_goes(d, n)
        """,
    )
    (probe,) = (n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "probe")
    value = trace.arguments(probe)[0].value
    assert value.certain
    assert [part.label for part in value.parts(0, 10_000)] == [str(n) for n in range(500, 1500)]
    copies = [
        write for write in map(trace.write_at, trace.writes_of(value.identity).times) if write.kind == PASSED
    ]
    assert 0 < len(copies) < 3
