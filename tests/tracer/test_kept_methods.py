"""Methods of containers that are kept and called later, in whatever way: what there is in between is told, or not certain."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import run

from algotrace.explained import CHANGING
from algotrace.mutators import METHOD_NAMES
from algotrace.trace import Trace

HEAD = """
import asyncio, collections, functools, operator, sched
from dataclasses import dataclass
def look(xs): print(list(xs))
def call(f, *a): f(*a)
def reads(value):
    look(xs)
    return value
class P:
    def __init__(self, xs):
        self.put = xs.append
        self.table = {"pop": xs.pop, "all": [xs.append, xs.clear]}
@dataclass
class Q:
    go: object
def get(): return xs.append
"""
KEPT = """
p.put(3); look(xs)
p.put(4); look(xs)
p.table["pop"](); look(xs)
p.table["all"][0](9); look(xs)
for f in (p.put, xs.append):
    f(1); look(xs)
(xs.append if xs else xs.pop)(7); look(xs)
get()(8); look(xs)
call(xs.append, 5); look(xs)
[f(5) for f in [xs.append]]; look(xs)
(lambda f: f(6))(xs.append); look(xs)
Q(xs.append).go(2); look(xs)
p.put(reads(5)); look(xs)
call(xs.insert, 0, reads(5)); look(xs)
put = xs.append
put(reads(put(1) or 6)); look(xs)
f = xs.extend
f([reads(n) for n in (1,)]); look(xs)
p.table["all"][1](); look(xs)
p.put(1); look(xs)
"""
UNSEEN = """
p = P(xs)
setattr(p, "somewhere", xs.append)
look(xs)
list(map(operator.methodcaller("somewhere", 3), [p]))
look(xs)
list(map(operator.methodcaller("somewhere", 4), [p]))
look(xs)
"""
SEEN = """
setattr(p, "somewhere", xs.append)
look(xs)
p.somewhere(3)
look(xs)
p.somewhere(4)
look(xs)
"""
MODULE = """
class Stack:
    def __init__(self):
        self.items = []
        self.push = self.items.append
        self.pop = self.items.pop
        self.take = self.items.pop
"""
OF_ANOTHER_MODULE = """
import stacks
s = stacks.Stack()
def main():
    s.push(1); look(s.items); s.pop(); look(s.items)
    s.push(1); look(s.items); s.take(); look(s.items)
    [s][0].push(1); look(s.items); [s][0].pop(); look(s.items)
    (s if s else None).push(5); look(s.items)
    (s if s else None).take(); look(s.items)
    for i in range(3): s.push(i); look(s.items)
    while s.items: s.pop(); look(s.items)
main()
s.push(1); look(s.items); s.pop(); look(s.items)
"""
# What takes out as much as others put in leaves no trace: from there on nothing is certain.
PUT_IN_AND_TAKEN_OUT = {
    "at some time": """
s = sched.scheduler(lambda: 0, lambda n: None)
s.enter(0, 1, xs.append, (3,))
s.enter(0, 2, look, (xs,))
s.enter(0, 3, xs.pop)
s.enter(0, 4, look, (xs,))
s.run()
""",
    "in lists": """
def go(fs): list(map(lambda f: (f(), look(xs)), fs))
go([functools.partial(xs.append, 9), xs.pop])
go(fs=(functools.partial(xs.insert, 0, 9), functools.partial(xs.pop, 0)))
""",
    "in tuples": """
async def main():
    loop = asyncio.get_running_loop()
    for f, *a in [(xs.append, 3), (look, xs), (xs.pop,)]: loop.call_soon(f, *a)
    await asyncio.sleep(0)
    look(xs)
asyncio.run(main())
""",
    "of a dict": """
xs = {1: 2}
for f in [functools.partial(xs.setdefault, "y", 2), functools.partial(xs.pop, "y")]:
    list(map(operator.methodcaller("__call__"), [f])); look(xs)
""",
    "of a set": """
xs = {1}
for f in [functools.partial(xs.add, 2), functools.partial(xs.discard, 2)]:
    list(map(operator.methodcaller("__call__"), [f])); look(xs)
""",
    "of a deque with an end": """
xs = collections.deque([1], maxlen=1)
for n in (2, 1):
    list(map(operator.methodcaller("__call__"), [functools.partial(xs.append, n)])); look(xs)
""",
}
PLACES = {
    "module": "{body}",
    "function": "def main():\n    global put, p, f\n{indented}\nmain()",
    "sees its locals": "def main():\n    global put, p, f\n    locals()\n{indented}\nmain()",
}


def states(folder: Path, source: str) -> list[tuple[str, str, bool]]:
    """What was there, what the trace says was there, and whether it is sure."""
    process, path, _ = run(folder, source, "--quiet")
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    looks = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "look"]
    values = [trace.arguments(node)[0].value for node in looks]
    return [
        (line, value.text(200).text, value.certain)
        for line, value in zip(process.stdout.splitlines(), values, strict=True)
    ]


def program(body: str, place: str) -> str:
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    return f"{HEAD}xs = [1, 2]\np = P(xs)\n" + PLACES[place].format(body=body, indented=indented)


@pytest.mark.parametrize("place", PLACES)
def test_calls_by_another_name_are_seen(place: str, tmp_path: Path) -> None:
    told = states(tmp_path, program(KEPT, place))
    assert [(line, True) for line, _, _ in told] == [(text, certain) for _, text, certain in told]


def test_large_containers_are_known_too(tmp_path: Path) -> None:
    source = "def look(xs): print(sorted(xs)[-2:])\nseen = set(range(1000))\nadd = seen.add\nfor i in range(1000, 1005):\n    add(i); look(seen)"
    _process, path, _ = run(tmp_path, source, "--quiet")
    trace = Trace.open(path)
    looks = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "look"]
    values = [trace.arguments(node)[0].value for node in looks]
    assert [(value.certain, value.length) for value in values] == [(True, 1001 + n) for n in range(5)]


@pytest.mark.parametrize("place", PLACES)
def test_what_is_called_unseen_is_told_as_it_was_or_not_certain(place: str, tmp_path: Path) -> None:
    told = states(tmp_path, program(UNSEEN, place))
    assert len(told) == 3
    assert not [each for each in told if each[2] and each[0] != each[1]]


@pytest.mark.parametrize("place", PLACES)
def test_methods_that_an_object_has_by_other_names_are_seen(place: str, tmp_path: Path) -> None:
    told = states(tmp_path, program(SEEN, place))
    assert [(line, True) for line, _, _ in told] == [(text, certain) for _, text, certain in told]


def test_methods_that_an_object_of_another_module_has_are_seen(tmp_path: Path) -> None:
    (tmp_path / "stacks.py").write_text(MODULE)
    told = states(tmp_path, f"{HEAD}xs = []{OF_ANOTHER_MODULE}")
    assert len(told) == 16
    assert [(line, True) for line, _, _ in told] == [(text, certain) for _, text, certain in told]


@pytest.mark.parametrize("way", PUT_IN_AND_TAKEN_OUT)
def test_what_is_put_in_and_taken_out_unseen_leaves_nothing_certain(way: str, tmp_path: Path) -> None:
    told = states(tmp_path, f"{HEAD}xs = [1, 2]\n{PUT_IN_AND_TAKEN_OUT[way]}")
    assert told
    assert not [each for each in told if each[2]]


def test_methods_that_change_containers_are_the_same_where_a_trace_is_read() -> None:
    assert METHOD_NAMES | {"__init__", "__setstate__"} == CHANGING


def test_a_method_that_is_used_at_once_leaves_all_certain(tmp_path: Path) -> None:
    told = states(
        tmp_path,
        f"{HEAD}xs = []\nlook(xs)\nlist(map(xs.append, [1, 2]))\nlook(xs)\nxs.append(3)\nlook(xs)",
    )
    assert told == [("[]", "[]", True), ("[1, 2]", "[1, 2]", True), ("[1, 2, 3]", "[1, 2, 3]", True)]


def test_a_method_that_getattr_reads_by_a_variable_name(tmp_path: Path) -> None:
    told = states(
        tmp_path,
        "def look(xs): print(list(xs))\ndef put(xs, name, *more):\n    getattr(xs, name)(*more)\n"
        'xs = [1]\nlook(xs)\nput(xs, "append", 4)\nlook(xs)\nput(xs, "pop")\nput(xs, "clear")\nlook(xs)\n',
    )
    assert [text for _, text, _ in told] == [line for line, _, _ in told] == ["[1]", "[1, 4]", "[]"]
    assert told[0][2]


# What is there, methods that a scheduler is handed, and what is done before it calls them: as many parts as were added are
# there then, but others.
EXCHANGED = {
    "pop, append": ("[1, 2]", "xs.pop; xs.append, 9", "xs.append(3)"),
    "pop, append under names": ("[1, 2]", "f; g, 9", "xs.append(3)"),
    "pop, append of a table": ("[1, 2]", "table['pop']; table['all'][0], 9", "xs.append(3)"),
    "pop, append, insert": ("[1, 2]", "xs.pop; xs.append, 9", "xs.insert(2, 3)"),
    "pop, append, extend": ("[1, 2]", "xs.pop; xs.append, 9", "xs.extend([3])"),
    "pop, append, +=": ("[1, 2]", "xs.pop; xs.append, 9", "xs += [3]"),
    "setitem": ("[1, 2]", "xs.__setitem__, 2, 9", "xs.append(3)"),
    "sort": ("[]", "xs.sort", "xs.append(4); xs.append(3)"),
    "sort, extend": ("[]", "xs.sort", "xs.extend([4, 3])"),
    "reverse": ("[]", "xs.reverse", "xs.append(4); xs.append(3)"),
    "a deque": ("deque([1, 2])", "xs.pop; xs.append, 9", "xs.append(3)"),
    "a deque that rotates": ("deque()", "xs.rotate", "xs.append(4); xs.append(3)"),
    "a bytearray": ("bytearray(b'a')", "xs.pop; xs.append, 5", "xs.append(1)"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", EXCHANGED)
def test_parts_that_others_may_have_been_put_in_place_of_are_not_certain(
    name: str, place: str, tmp_path: Path
) -> None:
    parts, handed, added = EXCHANGED[name]
    entered = "".join(
        f"s.enter(0, {n}, {method}, ({', '.join(given)}{',' if given else ''}))\n"
        for n, (method, *given) in enumerate(each.split(", ") for each in handed.split("; "))
    )
    body = f"f, g = xs.pop, xs.append\ntable = {{'pop': f, 'all': [g]}}\nlook(xs)\n{entered}{added}\nlook(xs)\ns.run()\nlook(xs)"
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    body = PLACES[place].format(body=body, indented=indented).replace("global put, p, f", "global xs")
    told = states(
        tmp_path,
        f"from collections import deque\nfrom sched import scheduler\ndef look(xs): print(list(xs))\nxs, s = {parts}, scheduler()\n{body}",
    )
    assert not told[1][2]
