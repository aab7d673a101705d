"""Code of the program that runs amid a write, and sees a container half changed: a generator that `extend` asks, the key of a
`sort`, an `__eq__` of a key. And what comes right after a write, which sees it changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import looked_at, run

from algotrace.trace import Trace

HEAD = """
import array, bisect, collections, heapq, operator
def look(x): print([repr(each) for each in x] if not isinstance(x, dict) else [f"{k!r}: {v!r}" for k, v in x.items()])
def gen(x, n=3):
    for i in range(n): look(x); yield i + 10
def pairs(x):
    for i in range(3): look(x); yield i + 10, i
def seen(x, value): look(x); return value
class L:
    of = ()
    def __init__(self, v): self.v = v
    def __lt__(self, other): look(L.of); return self.v < other.v
    def __eq__(self, other): look(L.of); return self.v == other.v
    def __hash__(self): look(L.of); return hash(self.v)
    def __repr__(self): return f"L(v={self.v})"
def ls(*some):
    L.of = [L(v) for v in some]
    return L.of
class Bag(list):
    def __init__(self, some): self.append(1); super().__init__(self.norm(each) for each in some)
    def norm(self, each): look(self); return each
class Box:
    def __init__(self): self.xs = [3, 1, 2]
    def keep(self, x): look(self.xs); return x != 1
    def run(self):
        self.xs[:] = (x for x in self.xs if self.keep(x)); look(self.xs)
        self.xs.sort(key=self.keep); look(self.xs)
        self.xs.extend(x for x in (1, 2) if self.keep(x)); look(self.xs)
        self.xs += (x for x in (1, 2) if self.keep(x)); look(self.xs)
class K:
    def __index__(self): look(L.of); return 1
"""
AMID = {
    "extend": "xs = [1, 2]; xs.extend(gen(xs)); look(xs)",
    "special methods": "xs = [1, 2]; xs.__iadd__(gen(xs)); look(xs); xs.__setitem__(slice(0, 1), gen(xs)); look(xs); operator.setitem(xs, slice(1), gen(xs)); look(xs)",
    "extend with a generator expression": "xs = [1, 2]; xs.extend(seen(xs, x) for x in (3, 4)); look(xs)",
    "extend with a map": "xs = [1, 2]; xs.extend(map(lambda x: seen(xs, x), (3, 4))); look(xs)",
    "extend within extend": "xs = [1]; xs.extend(xs.extend(gen(xs)) or seen(xs, x) for x in (3, 4)); look(xs)",
    "+=": "xs = [1, 2]; xs += gen(xs); look(xs)",
    "+= of an item": "d = {1: [1]}; d[1] += gen(d[1]); look(d[1])",
    "a slice": "xs = [1, 2]; xs[1:] = gen(xs); look(xs); xs[:0] = (seen(xs, x) for x in (5, 6)); look(xs)",
    "a sort": "xs = [3, 1, 2]; xs.sort(key=lambda x: seen(xs, x)); look(xs)",
    "a sort by comparing": "xs = ls(3, 1, 2); xs.sort(); look(xs)",
    "a set": "xs = {1}; xs.update(gen(xs)); look(xs); xs.difference_update(gen(xs)); look(xs); xs.symmetric_difference_update(gen(xs))",
    "a deque": "xs = collections.deque([1, 2], 4); xs.extendleft(gen([0])); look(xs)",
    "a dict": "d = {1: 2}; d.update(pairs(d)); look(d); d |= pairs(d); look(d)",
    "a dict of a mapping": "class M:\n    def keys(self): look(d); return [7]\n    def __getitem__(self, key): look(d); return 3\n"
    "d = {1: 2}; d.update(M()); look(d); d.update(M(), a=1); look(d)",
    "a counter": "c = collections.Counter([1]); c.update(gen(list(c))); look(c)",
    "a bytearray": "b = bytearray(b'ab'); b.extend(gen(b)); look(b)",
    "an array": "a = array.array('i', [1]); a.extend(gen(a)); look(a)",
    "heaps": "xs = ls(3, 1, 2); heapq.heapify(xs); look(xs); heapq.heappush(xs, L(0)); look(xs); heapq.heappop(xs); look(xs)",
    "an insort": "xs = ls(1, 3); bisect.insort(xs, L(2)); look(xs); ys = [1, 3]; bisect.insort(ys, 2, key=lambda y: seen(ys, y)); look(ys)",
    "compared by a function": "def less(a, b): look(xs); return a.v < b.v\nglobal A\nclass A(L):\n    __lt__ = less\n    def __repr__(self): return f'A(v={self.v})'\n"
    "xs = [A(3)]; heapq.heappush(xs, A(1)); look(xs); heapq.heappush(xs, A(2)); bisect.insort(xs, A(0)); look(xs)",
    "compared by a lambda": "global A\nclass A:\n    def __init__(self, v): self.v = v\n    def __repr__(self): return f'A(v={self.v})'\n"
    "A.__lt__ = lambda a, b: seen(xs, a.v < b.v)\n"
    "xs = [A(3)]; heapq.heappush(xs, A(1)); look(xs); heapq.heappush(xs, A(2)); bisect.insort(xs, A(0)); look(xs)",
    "compared by what a decorator gives": "def noted(f): return lambda *given: seen(xs, f(*given))\nglobal A\nclass A(L):\n    @noted\n"
    "    def __eq__(self, other): return self.v == other.v\n    def __repr__(self): return f'A(v={self.v})'\nxs = [A(1), A(2), A(3)]; xs.remove(A(2)); look(xs)",
    "compared by an object": "class C:\n    def __call__(self, other): look(xs); return True\nglobal A\nclass A:\n    __eq__ = C()\n    def __repr__(self): return 'A()'\n"
    "xs = [0, A(), 2]; xs.remove(5); look(xs)",
    "by what names a method": "xs = [1, 2]; operator.methodcaller('extend', gen(xs))(xs); look(xs)",
    "by a map of methods": "xs = [1, 2]; list(map(xs.extend, [gen(xs), gen(xs)])); look(xs)",
    "by its class, of an attribute": "b = Box(); list.extend(b.xs, gen(b.xs)); look(b.xs); list.extend(b.xs, [seen(b.xs, 5)]); look(b.xs)",
    "written to amid it": "xs = ls(3, 1, 2); heapq.heappush(xs, L(0)); xs.extend(xs.insert(0, L(5)) or seen(xs, 4) for i in (1, 2)); look(xs)",
    "a remove": "xs = ls(1, 2, 3); xs.remove(L(3)); look(xs)",
    "keys": "d = {}; a, b, c = L(1), L(1), L(2); L.of = d; d[a] = 1; d[b] = 2; d[c] = 3; L.of = d; d.pop(L(1)); del d[L(2)]; look(d)",
    "members": "s = {L(1)}; xs = L.of = []; s.add(L(2)); s.discard(L(1))",
    "an index": "xs = L.of = [1, 2, 3]; xs[K()] = 5; look(xs); del xs[K()]; look(xs); xs.insert(K(), 4); look(xs); xs.pop(K()); look(xs)",
    "a default": "d = collections.defaultdict(lambda: seen(list(d), [])); d[1].append(2); d[2] += [3]; look(d)",
    "a default that sees the dict": "d = collections.defaultdict(lambda: seen(d, 5)); d[1]; look(d); d[2] += 1; look(d)",
    "what is made": "Bag([3, 4]); Bag(x for x in (1, 2))",
    "what is made again": "xs = [1, 2]; xs.__init__(gen(xs)); look(xs)",
    "attributes of it": "Box().run()",
    "by an alias": "xs = [1, 2]; more = xs.extend; more(gen(xs)); look(xs)",
    "out of a table": "xs = [1, 2]; d = {1: xs.extend}; d[1](gen(xs)); look(xs)\nfor f in (xs.extend,): f(gen(xs))",
    "by its class": "xs = [1, 2]; list.extend(xs, gen(xs)); look(xs)",
    "by an operator": "xs = [1, 2]; operator.iadd(xs, gen(xs)); look(xs)",
    "in a generator": "def g(xs):\n    yield 1\n    xs.extend(gen(xs))\n    yield 2\nxs = []\nfor x in g(xs): look(xs)",
    "a generator that has begun": "xs = [1]; g = gen(xs); next(g); xs.extend(g); look(xs)",
}  # fmt: skip
# What comes after a write sees it, also where nothing else is noted in between.
AFTER = {
    "methods": "xs.extend((3, 4)); h(); xs.extend(each for each in (5, 6)); h(); xs.sort(); h(); xs.sort(key=lambda x: -x); h(); "
    "xs.append(1); h(); xs.insert(0, 5); h(); xs.remove(5); h(); xs.pop(); h(); xs.reverse(); h(); xs.clear(); h()",
    "operators": "xs += (3, 4); h(); xs += [5]; h(); xs *= 2; h(); xs += (x for x in (1, 2)); h()",
    "slices": "xs[1:] = [3, 4]; h(); xs[:0] = (x for x in (1, 2)); h(); del xs[:1]; h(); xs[:1] += [3]; h(); a, xs[1:] = 1, [2]; h()",
    "items": "xs[0] = 4; h(); del xs[0]; h()",
    "in conditions": "if xs.extend((3,)): pass\nh()\nif not xs.pop() and h(): pass\nh()\nxs.extend([4]) or h()",
    "in comprehensions": "[h() for x in (1, 2) if not xs.append(x)]; h(); [h() for x in (1, 2) if not xs.extend(y for y in (x,))]; h()",
    "by other names": "more = xs.extend; more([1]); h(); put = xs.append; put(3); h(); d = {1: xs.append}; d[1](4); h(); "
    "list.extend(xs, [4]); h(); list.append(xs, 3); h()",
    "functions": "operator.iadd(xs, [3]); h(); xs.__init__([2, 3]); h()",
    "heaps": "heapq.heappush(xs, 0); h(); heapq.heappop(xs); h(); heapq.heapify(xs); h(); bisect.insort(xs, 2); h()",
}  # fmt: skip
AFTER_IN = {
    "a module": "xs = [1, 2]\nL.of = xs\ndef h(): look(xs)\n{}",
    "a function": "xs = [1, 2]\ndef h(): look(xs)\ndef f():\n    global xs\n    {}\nf()",
    "a function that sees its locals": "xs = [1, 2]\ndef h(): look(xs)\ndef f():\n    global xs\n    locals()\n    {}\nf()",
}


def states(folder: Path, source: str) -> list[tuple[str, str, bool]]:
    """What was there, what the trace says was there, and whether it is sure."""
    process, path, _ = run(folder, HEAD + source, "--quiet")
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    values = looked_at(trace)
    found = []
    for line, value in zip(process.stdout.splitlines(), values, strict=True):
        parts = [(part, part.value) for part in value.parts(0, 100) if not part.path.startswith(".")]
        if value.type_name == "bytearray":
            told = [str(each) for each in eval(value.text(100).text)]
        elif value.kind == "dict":
            told = [f"{part.label}: {each.text(100).text}" for part, each in parts]
        else:
            told = [each.text(100).text for _, each in parts]
        found.append((line, str(told), value.certain and all(each.certain for _, each in parts)))
    return found


@pytest.mark.parametrize("place", ["module", "function"])
@pytest.mark.parametrize("way", AMID)
def test_what_is_seen_amid_a_write_is_not_certain(way: str, place: str, tmp_path: Path) -> None:
    source = AMID[way]
    if place == "function":
        source = "def f():\n    " + source.replace("\n", "\n    ") + "\nf()"
    found = states(tmp_path, source)
    assert found
    wrong = [state for state in found if state[2] and sorted(state[0]) != sorted(state[1])]
    assert wrong == []


@pytest.mark.parametrize("place", AFTER_IN)
@pytest.mark.parametrize("way", AFTER)
def test_what_is_seen_after_a_write_is_certain(way: str, place: str, tmp_path: Path) -> None:
    indent = "\n    " if "def f" in AFTER_IN[place] else "\n"
    found = states(tmp_path, AFTER_IN[place].replace("{}", AFTER[way].replace("\n", indent)))
    assert [(line, True) for line, _, _ in found] == [(told, sure) for _, told, sure in found]


def test_names_of_a_module_are_not_certain_while_they_are_updated(tmp_path: Path) -> None:
    source = """
n = m = 1
def put(k): return n + len(k)
def get(): return n, m
def main():
    globals().update((k, put(k)) for k in ("n", "m"))
    get()
    globals().update({"n": put("a"), "m": 3})
    get()
main()
"""
    process, path, _ = run(tmp_path, source, "--quiet")
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    reads = [
        (name, read.name, read.value.text(20).text if read.value else "?")
        for node in range(1, len(trace.parent))
        if (name := trace.routines[trace.routine[node]].name) in ("put", "get")
        for read in trace.reads(node)
    ]
    assert reads == [
        *[("put", "n", "?")] * 2, ("get", "n", "2"), ("get", "m", "3"), ("put", "n", "2"), ("get", "n", "3"), ("get", "m", "3")
    ]  # fmt: skip
