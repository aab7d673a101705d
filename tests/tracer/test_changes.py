"""What a call changed, old → new, for every way to write."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import changes, find, record

from algotrace.changes import difference
from algotrace.content import Content, reconcile

BEFORE = (
    "from collections import Counter, defaultdict, deque\ndef vary(p):\n    p.x, p.xs = 5, [5]\n    return p"
)
DEQUE = "__import__('collections').deque([1, 2], maxlen=2)"
ARRAY = "__import__('array').array('d', [1, 2])"
P = "class P:\n    def __init__(self): self.x = 1; self.xs = [1]\n"
# name: (function, arguments, changes); every function is called `f`
CASES: dict[str, tuple[str, str, dict[str, tuple[str | None, str | None]]]] = {
    "append": ("def f(xs): xs.append(3)", "[1]", {"xs": ("[1]", "[1, 3]")}),
    "append of a call that appends": (
        "def g(xs): xs.append(0); return 5\ndef f(xs): xs.append(g(xs))", "[1]", {"xs": ("[1]", "[1, 0, 5]")}
    ),
    "extend": ("def f(xs): xs.extend([3, 4])", "[1]", {"xs": ("[1]", "[1, 3, 4]")}),
    "append by another name": ("def f(xs):\n    put = xs.append\n    put(3); put(4)", "[1]", {"xs": ("[1]", "[1, 3, 4]")}),
    "add by another name, in a comprehension": (
        "def f(s):\n    add = s.add\n    return [add(i) for i in (2, 3)]", "{1}", {"s": ("{1}", "{1, 2, 3}")}
    ),
    "append given away": ("def f(xs): list(map(xs.append, [3, 4]))", "[1]", {"xs": ("[1]", "[1, 3, 4]")}),
    "append kept, called later": (
        "class K: pass\ndef f(xs):\n    k = K()\n    k.put = xs.append\n    k.put(3)", "[1]", {"xs": ("[1]", "[1, 3]")}
    ),
    "a method of ours by another name": (
        "class K(list):\n    def append(self, x): list.append(self, x + 1)\ndef f(xs):\n    put = xs.append\n    put(3)", "K([1])",
        {"xs": ("K([1])", "K([1, 4])")},
    ),
    "insert": ("def f(xs): xs.insert(0, 9)", "[1, 2]", {"xs": ("[1, 2]", "[9, 1, 2]")}),
    "insert from the end": ("def f(xs): xs.insert(-1, 9)", "[1, 2]", {"xs": ("[1, 2]", "[1, 9, 2]")}),
    "pop": ("def f(xs): return xs.pop()", "[1, 2]", {"xs": ("[1, 2]", "[1]")}),
    "pop at": ("def f(xs): return xs.pop(0)", "[1, 2]", {"xs": ("[1, 2]", "[2]")}),
    "pop of nothing": ("def f(xs):\n    try: xs.pop()\n    except IndexError: pass", "[]", {}),
    "remove": ("def f(xs): xs.remove(2)", "[1, 2]", {"xs": ("[1, 2]", "[1]")}),
    "sort": ("def f(xs): xs.sort(key=lambda v: -v)", "[1, 2]", {"xs": ("[1, 2]", "[2, 1]")}),
    "reverse": ("def f(xs): xs.reverse()", "[1, 2]", {"xs": ("[1, 2]", "[2, 1]")}),
    "clear": ("def f(xs): xs.clear()", "[1, 2]", {"xs": ("[1, 2]", "[]")}),
    "item": ("def f(xs): xs[0] = 5", "[1, 2]", {"xs": ("[1, 2]", "[5, 2]")}),
    "item from the end": ("def f(xs): xs[-1] = 5", "[1, 2]", {"xs": ("[1, 2]", "[1, 5]")}),
    "item out of range": ("def f(xs):\n    try: xs[5] = 5\n    except IndexError: pass", "[1]", {}),
    "slice": ("def f(xs): xs[0:1] = [7, 8]", "[1, 2]", {"xs": ("[1, 2]", "[7, 8, 2]")}),
    "swap": ("def f(xs): xs[0], xs[1] = xs[1], xs[0]", "[1, 2]", {"xs": ("[1, 2]", "[2, 1]")}),
    "unpack into items": ("def f(xs): (xs[0], *xs[1:]) = 'abc'", "[1, 2]", {"xs": ("[1, 2]", "['a', 'b', 'c']")}),
    "loop target": ("def f(xs):\n    for xs[0] in (7, 8): pass", "[1]", {"xs": ("[1]", "[8]")}),
    "augmented item": ("def f(xs): xs[0] += 5", "[1, 2]", {"xs": ("[1, 2]", "[6, 2]")}),
    "augmented name in place": ("def f(xs): xs += [3]", "[1]", {"xs": ("[1]", "[1, 3]")}),
    "augmented name of a number": ("def f(n): n += 1; return n", "1", {}),
    "delete item": ("def f(xs): del xs[0]", "[1, 2]", {"xs": ("[1, 2]", "[2]")}),
    "delete slice": ("def f(xs): del xs[:1]", "[1, 2]", {"xs": ("[1, 2]", "[2]")}),
    "delete several": ("def f(xs, d): del xs[-1], d['a']", "[1, 2], {'a': 1}", {"xs": ("[1, 2]", "[1]"), "d": ("{'a': 1}", "{}")}),
    "delete several in brackets": ("def f(xs, d): del (xs[-1], [d['a']])", "[1, 2], {'a': 1}", {"xs": ("[1, 2]", "[1]"), "d": ("{'a': 1}", "{}")}),
    "repeat in place": ("def f(xs): xs *= 2", "[1]", {"xs": ("[1]", "[1, 1]")}),
    "methods behind operators": (
        "def f(q, s):\n    q.__setitem__(0, 5)\n    s.__ior__({3})", "deque([1]), {2}",
        {"q": ("deque([1])", "deque([5])"), "s": ("{2}", "{2, 3}")},
    ),
    "insort into a deque": ("import bisect\ndef f(q): bisect.insort(q, 2)", "deque([1, 3])", {"q": ("deque([1, 3])", "deque([1, 2, 3])")}),
    "a class of ours in place": ("class L(list): pass\ndef f(xs): xs += [2]", "L([1])", {"xs": ("L([1])", "L([1, 2])")}),
    "a class of ours given to the library": (
        "import operator\nclass L(list): pass\ndef f(xs): operator.setitem(xs, 0, 5)", "L([1])", {"xs": ("L([1])", "L([5])")}
    ),
    "a count of what is not there": (
        "def f(c): c['b'] += 1", "Counter('a')", {"c": ("Counter({'a': 1})", "Counter({'a': 1, 'b': 1})")}
    ),
    "counter": (
        "def f(c):\n    c.update('ab')\n    c.subtract(['z'])\n    c -= Counter('a')", "Counter('a')",
        {"c": ("Counter({'a': 1})", "Counter({'a': 1, 'b': 1})")},
    ),
    "a default of a derived class": (
        "class D(defaultdict): pass\ndef f(d): d['k'].append(1)", "D(list)", {"d": ("D({})", "D({'k': [1]})")}
    ),
    "attributes by name": (P + "def f(p):\n    vars(p)['x'] = 2\n    p.__dict__['y'] = 3\n    del p.__dict__['xs']", "P()",
                           {"p.x": ("1", "2"), "p.y": (None, "3"), "p.xs": ("[1]", None)}),
    "attributes updated": (P + "def f(p, **more):\n    p.__dict__.update(more, **{})\n    p.__dict__.update({'x': 2})\n    vars(p).update(y=3)", "P()",
                           {"p.x": ("1", "2"), "p.y": (None, "3")}),
    "attribute by its method": (P + "def f(p):\n    p.__setattr__('x', 2)\n    p.__delattr__('xs')", "P()", {"p.x": ("1", "2"), "p.xs": ("[1]", None)}),
    "made again": (P + "def f(p, xs):\n    p.__init__()\n    xs.__init__([3])", "vary(P()), [1]", {"p.x": ("5", "1"), "p.xs": ("[5]", "[1]"), "xs": ("[1]", "[3]")}),
    "arguments of an exception": (
        "def f(e): e.args = (1, 'b')", "ValueError(1, 2, 3)", {"e.args[1]": ("2", "'b'"), "e.args[2]": ("3", None)}
    ),
    "arguments of an exception, by super": (
        "class X(Exception):\n    def __init__(self, n): super().__init__(f'{n}!', n)\ndef f(x, n): x.__init__(n)", "X(1), 2",
        {"x.args[0]": ("'1!'", "'2!'"), "x.args[1]": ("1", "2")},
    ),
    "nested": ("def f(m): m[1][0] = 9", "[[1], [2]]", {"m[1]": ("[2]", "[9]")}),
    "aliased rows": ("def f(m): m[0][0] = 9", "[[1]] * 2", {"m[0]": ("[1]", "[9]")}),
    "dict item": ("def f(d): d['k'] = 2", "{}", {"d": ("{}", "{'k': 2}")}),
    "dict item replaced": ("def f(d): d['k'] = 2", "{'k': 1}", {"d": ("{'k': 1}", "{'k': 2}")}),
    "dict setdefault": ("def f(d): d.setdefault('k', []).append(1)", "{}", {"d": ("{}", "{'k': [1]}")}),
    "dict update": ("def f(d): d.update(a=1, b=2)", "{'a': 0}", {"d": ("{'a': 0}", "{'a': 1, 'b': 2}")}),
    "dict pop": ("def f(d): d.pop('a')", "{'a': 0}", {"d": ("{'a': 0}", "{}")}),
    "dict pop, put back at the end": (
        "def f(d): d['a'] = d.pop('a')", "{'a': 0, 'b': 1}", {"d": ("{'a': 0, 'b': 1}", "{'b': 1, 'a': 0}")}
    ),
    "dict pop of nothing": ("def f(d): d.pop('b', 0)", "{'a': 0}", {}),
    "dict popitem": ("def f(d): d.popitem()", "{'a': 0}", {"d": ("{'a': 0}", "{}")}),
    "dict merge in place": ("def f(d): d |= {'b': 1}", "{'a': 0}", {"d": ("{'a': 0}", "{'a': 0, 'b': 1}")}),
    "dict tuple key": ("def f(d): d[1, 2] = 3", "{}", {"d": ("{}", "{(1, 2): 3}")}),
    "set add": ("def f(s): s.add(2)", "{1}", {"s": ("{1}", "{1, 2}")}),
    "set add of a member": ("def f(s): s.add(1)", "{1}", {}),
    "set discard": ("def f(s): s.discard(1)", "{1}", {"s": ("{1}", "set()")}),
    "set in place": ("def f(s): s |= {2}", "{1}", {"s": ("{1}", "{1, 2}")}),
    "deque": (
        "def f(q): q.append(2); q.appendleft(0); q.pop(); q.rotate(1)", "__import__('collections').deque([1, 5])",
        {"q": ("deque([1, 5])", "deque([5, 0, 1])")},
    ),
    "a list called list": (
        "def f(list, set):\n  list.append(2); list.insert(0, len(set)); set.add(7)", "[1], {3}",
        {"list": ("[1]", "[1, 1, 2]"), "set": ("{3}", "{3, 7}")},
    ),
    "a dict called dict": ("def f(dict): dict.update(a=1); dict.pop('b')", "{'b': 2}", {"dict": ("{'b': 2}", "{'a': 1}")}),
    "a method by way of a class": (
        "import collections\ndef f(d): collections.OrderedDict.update(d, b=[2])", "__import__('collections').OrderedDict(a=1)",
        {"d": ("OrderedDict({'a': 1})", "OrderedDict({'a': 1, 'b': [2]})")},
    ),
    "full deque": ("def f(q): q.append(3); q.append(len(q))", DEQUE, {"q": ("deque([1, 2], maxlen=2)", "deque([3, 2], maxlen=2)")}),
    "deque that becomes full": (
        "def f(q): q.pop(); q.append(3); q.append(4)", DEQUE, {"q": ("deque([1, 2], maxlen=2)", "deque([3, 4], maxlen=2)")},
    ),
    "full deque from the left": (
        "def f(q): q.appendleft(3)", DEQUE, {"q": ("deque([1, 2], maxlen=2)", "deque([3, 1], maxlen=2)")},
    ),
    "array": (
        "def f(a): a.append(3); a[0] = 7; a.extend([1.5]); a[1:2] = a[:0]; a.pop()", ARRAY,
        {"a": ("array('d', [1.0, 2.0])", "array('d', [7.0, 3.0])")},
    ),
    "array emptied": ("def f(a): del a[:]", ARRAY, {"a": ("array('d', [1.0, 2.0])", "array('d')")}),
    "item through a view": (
        "def f(a): memoryview(a)[1] = 5", ARRAY, {"a": ("array('d', [1.0, 2.0])", "array('d', [1.0, 5.0])")},
    ),
    "item through a view, changed in place": (
        "def f(a):\n  v = memoryview(a)\n  v[-1] *= 5", ARRAY, {"a": ("array('d', [1.0, 2.0])", "array('d', [1.0, 10.0])")},
    ),
    "item through a view of a part": (
        "def f(b): memoryview(b)[2:][0] = 65", "bytearray(b'abcd')", {"b": ("bytearray(b'abcd')", "bytearray(b'abAd')")},
    ),
    "slice through a view": (
        "def f(b):\n  with memoryview(b) as v: v[1:3] = b'xy'", "bytearray(b'abcd')",
        {"b": ("bytearray(b'abcd')", "bytearray(b'axyd')")},
    ),
    "defaultdict": (
        "def f(d): d['a'].append(1); d['b'] = []", "__import__('collections').defaultdict(list, a=[0])",
        {"d['a']": ("[0]", "[0, 1]"), "d": ("defaultdict({'a': [0]})", "defaultdict({'a': [0, 1], 'b': []})")},
    ),
    "bytearray": ("def f(b): b.extend(b'xy')", "bytearray(b'a')", {"b": ("bytearray(b'a')", "bytearray(b'axy')")}),
    "attribute": (P + "def f(p): p.x = 2", "P()", {"p.x": ("1", "2")}),
    "new attribute": (P + "def f(p): p.y = 2", "P()", {"p.y": (None, "2")}),
    "augmented attribute": (P + "def f(p): p.x += 2", "P()", {"p.x": ("1", "3")}),
    "augmented attribute in place": (P + "def f(p): p.xs += [2]", "P()", {"p.xs": ("[1]", "[1, 2]")}),
    "deleted attribute": (P + "def f(p): del p.x", "P()", {"p.x": ("1", None)}),
    "attribute written back": (P + "def f(p): p.x = 2; p.x = 1", "P()", {}),
    "attribute of an item": (P + "def f(ps): ps[0].x = 3", "[P()]", {"ps[0].x": ("1", "3")}),
    "attribute of a call's result": (P + "def g(p): return p\ndef f(p): g(p).x = 3", "P()", {"p.x": ("1", "3")}),
    "slot": (
        "class P:\n    __slots__ = ('x',)\n    def __init__(self): self.x = 1\ndef f(p): p.x = 2", "P()", {"p.x": ("1", "2")}
    ),
    "property": (
        "class P:\n    def __init__(self): self._x = 1\n    @property\n    def x(self): return self._x\n"
        "    @x.setter\n    def x(self, v): self._x = v\ndef f(p): p.x = 2", "P()", {"p._x": ("1", "2")},
    ),
    "dataclass": (
        "import dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int = 1\ndef f(p): p.x = 2", "P()", {"p.x": ("1", "2")}
    ),
    "class attribute shadowed": ("class P:\n    x = 1\ndef f(p): p.x += 1", "P()", {"p.x": (None, "2")}),
    "private attribute": (
        "class P:\n    def __init__(self): self.__x = 1\n    def f(self): self.__x = 2\nf = P.f", "P()", {"self._P__x": ("1", "2")}
    ),
    "attribute with __getattr__": (
        "class P:\n    def __getattr__(self, n): raise SystemError('must not be called')\ndef f(p): p.x = 2", "P()",
        {"p.x": (None, "2")},
    ),
    "global": ("N = 1\ndef f():\n    global N\n    N += 1", "", {"global N": ("1", "2")}),
    "new global": ("def f():\n    global N\n    N = 1", "", {"global N": (None, "1")}),
    "global among others": ("N = 1\ndef f():\n    global N\n    N, old = 2, N", "", {"global N": ("1", "2")}),
    "global of a loop": ("N = 1\ndef f():\n    global N\n    for N in 2, 3: N = N + 5", "", {"global N": ("1", "8")}),
    "global of a with": (
        "import io\nN = 1\ndef f():\n    global N\n    with io.StringIO() as (N): N = 2", "", {"global N": ("1", "2")}
    ),
    "global import and definitions": (
        "def f():\n    global json, g, C\n    import json\n    def g(): pass\n    class C: pass", "",
        {"global json": (None, "<module json>"), "global g": (None, "<function g>"), "global C": (None, "<class C>")},
    ),
    "global of a pattern": (
        "def f(x):\n    global A, B\n    match x:\n        case [A, *B]: pass", "[1, 2]",
        {"global A": (None, "1"), "global B": (None, "[2]")},
    ),
    "global container": ("XS = [1]\ndef f(): XS.append(2)", "", {"global XS": ("[1]", "[1, 2]")}),
    "what is made inside is no effect": ("def f():\n    xs = []\n    xs.append(1)\n    return xs", "", {}),
    "own nonlocal is no effect": (
        "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    g(); g()\n    return n", "", {}
    ),
    "subclass with its own append": (
        "class L(list):\n    def append(self, x): super().append(x * 2)\ndef f(xs): xs.append(3)", "L([1])",
        {"xs": ("L([1])", "L([1, 6])")},
    ),
    "setattr": (P + "def f(p): setattr(p, 'x', 2)", "P()", {"p.x": ("1", "2")}),
    "delattr": (P + "def f(p): delattr(p, 'x')", "P()", {"p.x": ("1", None)}),
    "object.__setattr__": (
        "import dataclasses\n@dataclasses.dataclass(frozen=True)\nclass P:\n    x: int = 1\n"
        "def f(p): object.__setattr__(p, 'x', 2)", "P()", {"p.x": ("1", "2")},
    ),
    "super().__setattr__": (
        "class P:\n    def __setattr__(self, n, v): super().__setattr__(n, v)\ndef f(p): p.x = 2", "P()", {"p.x": (None, "2")}
    ),
    "insort": ("import bisect\ndef f(xs): bisect.insort(xs, 2)", "[1, 3]", {"xs": ("[1, 3]", "[1, 2, 3]")}),
    "insort of an equal item": (
        "from bisect import insort_left\ndef f(xs): insort_left(xs, 1)", "[1, 3]", {"xs": ("[1, 3]", "[1, 1, 3]")}
    ),
    "heappush": ("import heapq\ndef f(xs): heapq.heappush(xs, 0)", "[1, 3]", {"xs": ("[1, 3]", "[0, 3, 1]")}),
    "heappop": ("from heapq import heappop\ndef f(xs): return heappop(xs)", "[1, 3]", {"xs": ("[1, 3]", "[3]")}),
    "shuffle": (
        "import random\nrandom.seed(1)\ndef f(xs): random.shuffle(xs)", "[1, 2, 3, 4]", {"xs": ("[1, 2, 3, 4]", "[4, 1, 3, 2]")}
    ),
    "a function of the program called insort": (
        "def insort(xs, x): xs.append(x)\ndef f(xs): insort(xs, 0)", "[1]", {"xs": ("[1]", "[1, 0]")}
    ),
    "mutable default": ("def f(x, seen=[]):\n    seen.append(x)\n    return seen", "1", {"seen": ("[]", "[1]")}),
    "through exceptions": (
        "def f(xs):\n    try:\n        xs.append(1)\n        {}[0]\n    except KeyError:\n        xs.append(2)", "[]",
        {"xs": ("[]", "[1, 2]")},
    ),
    "in a comprehension": ("def f(xs): [xs.append(i) for i in range(2)]", "[]", {"xs": ("[]", "[0, 1]")}),
    "in a lambda": ("def f(xs): (lambda v: xs.append(v))(1)", "[]", {"xs": ("[]", "[1]")}),
    "in a function that sees its locals": ("def f(xs): locals(); xs.append(1); xs[0] = 2", "[]", {"xs": ("[]", "[2]")}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_changes(name: str, tmp_path: Path) -> None:
    function, arguments, expected = CASES[name]
    # More writes of the same kind afterwards: what is shown must not be the final state. The program catches what they
    # raise (a heap may be empty by then): the first call is the one that is looked at, and it must not.
    trace = record(
        tmp_path,
        f"{BEFORE}\n{function}\nargs = ({arguments}{',' if arguments else ''})\nf(*args)\ntry: f(*args)\nexcept Exception: pass",
    )
    qualname = "P.f" if "f = P.f" in function else "f"
    assert changes(trace, find(trace, qualname)) == expected


def test_what_a_global_is_bound_to_later_is_no_global_yet(tmp_path: Path) -> None:
    """The list that a call made and returned is new, although a name leads to it in the end."""
    program = """
    def f(n):
        steps = []
        steps.append(n)
        return steps
    result = f(1)
    result = f(2)
    """
    trace = record(tmp_path, program)
    assert changes(trace, find(trace, "f", 0)) == changes(trace, find(trace, "f", 1)) == {}


def test_nonlocal_of_a_caller(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        """
        def counter():
            n = 0
            def add(k):
                nonlocal n
                n += k
                return n
            return add
        add = counter()
        add(2)
        add(3)
        """,
    )
    assert changes(trace, find(trace, "counter.<locals>.add")) == {"nonlocal n": ("0", "2")}
    assert changes(trace, find(trace, "counter.<locals>.add", 1)) == {"nonlocal n": ("2", "5")}


def test_large_containers_show_the_items_that_changed(tmp_path: Path) -> None:
    trace = record(tmp_path, "def f(xs): xs[7] = 'new'\nf(list(range(100)))")
    assert changes(trace, 1) == {"xs[7]": ("7", "'new'")}


def test_heaps_read_back(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        """
        import heapq, random
        random.seed(3)
        def look(heap): pass
        heap, other = [], []
        for step in range(400):

            look(heap)
            call = random.choice([heapq.heappush, heapq.heappush, heapq.heappop, heapq.heapreplace, heapq.heappushpop])
            item = (random.random(), step)
            if call is heapq.heappop:
                if heap: heapq.heappop(heap)
            elif call is heapq.heappush: heapq.heappush(heap, item)
            elif heap and call is heapq.heapreplace: heapq.heapreplace(heap, item)
            elif heap: heapq.heappushpop(heap, item)
            open("seen.txt", "a").write(repr(heap) + "\\n")
        """,
    )
    seen = ["[]", *(tmp_path / "seen.txt").read_text().splitlines()]
    looks = range(1, len(trace.parent))
    shown = [trace.arguments(node)[0].value for node in looks]
    assert all(value.certain for value in shown)
    assert [value.text(100_000).text for value in shown] == seen[: len(shown)]


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    source = """
        import collections
        of = collections.deque
        def f(q): q.append(3)
        f(of([1, 2], 2))
        """  # in which no text speaks of a limit
    trace = record(tmp_path, source)
    (change,) = trace.call(1).changes
    assert change.before is not None and not change.before.certain
    assert (
        change.after is not None
        and change.after.certain
        and change.after.text().text == "deque([2, 3], maxlen=2)"
    )


def test_method_that_changes_self_at_several_depths(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        """
        class Account:
            def __init__(self): self.balance = 10; self.log = {"in": []}
            def pay(self, n):
                self.balance -= n
                self.log["in"].append(n)
        a = Account()
        a.pay(3)
        a.pay(4)
        """,
    )
    assert changes(trace, find(trace, "Account.__init__")) == {
        "self.balance": (None, "10"),
        "self.log": (None, "{'in': []}"),
    }
    assert changes(trace, find(trace, "Account.pay", 1)) == {
        "self.balance": ("7", "3"),
        "self.log['in']": ("[3]", "[3, 4]"),
    }


def test_objects_of_library_classes_may_have_changed_unseen(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        "import argparse, datetime\ndef f(a, b): pass\nf(argparse.Namespace(x=1), datetime.date(2020, 1, 2))",
    )
    assert [argument.value.certain for argument in trace.call(1).arguments] == [False, True]


def test_a_very_long_text_keeps_its_start_and_is_told_apart_by_all_of_it(tmp_path: Path) -> None:
    trace = record(tmp_path, "def f(a, b, c): pass\nn = 3_000_000\nf('x' * n + 'a', 'x' * n + 'b', b'x' * n)")
    a, b, c = (argument.value for argument in trace.call(1).arguments)
    assert (
        a.text(40).text.startswith("'xxx")
        and not a.text(40).literal
        and a.kind == "str"
        and c.kind == "bytes"
    )
    assert a.key() != b.key() and a.key() == a.key()
    assert trace.path.stat().st_size < 100_000


# (before, after, what is other)
DIFFERENCES: dict[str, tuple[str, str, list[str]]] = {
    "item": ("[1, 4, 3]", "[1, 9, 3]", ["[1]: 4 → 9"]),
    "appended": ("[1]", "[1, 5, 6]", ["+ [5, 6]"]),
    "dropped": ("[1, 5]", "[1]", ["- [5]"]),
    "inside": ("[1, 2, 3]", "[1, 7, 3, 3]", ["[1] - [2]", "[1] + [7, 3]"]),
    "many": ("[0] * 9", "[1] * 9", [*(f"[{i}]: 0 → 1" for i in range(6)), "3 more"]),
    "set": ("{1, 2}", "{2, 3}", ["- 1", "+ 3"]),
    "dict": ("{'a': 1, 'b': 2}", "{'b': 3, 'c': 4}", ["- 'a'", "['b']: 2 → 3", "+ 'c': 4"]),
    "another kind": ("[1]", "{1}", []),
    "no containers": ("1", "2", []),
    "nothing": ("[1]", "[1]", []),
}


def test_what_is_other_in_a_container(tmp_path: Path) -> None:
    calls = "\n".join(f"f({before}, {after})" for before, after, _ in DIFFERENCES.values())
    trace = record(tmp_path, f"def f(a, b): pass\n{calls}")
    for number, (name, (_, _, expected)) in enumerate(DIFFERENCES.items()):
        before, after = (argument.value for argument in trace.arguments(find(trace, "f", number)))
        assert difference(before, after) == expected, name


def test_a_copy_taken_later_is_a_witness_of_unseen_changes() -> None:
    def content(*items: int) -> Content:
        made = Content("list")
        made.items = list(items)
        return made

    same, other, wrong = content(1, 2), content(1, 2), content(1, 2)
    assert reconcile(same, ["list", 0, [1, 2]], int) and same.items == [1, 2]
    assert not reconcile(other, ["list", 0, [1, 3]], int) and other.items == [1, 3] and other.certain
    assert not reconcile(wrong, ["dict", 0, [1, 3]], int) and not wrong.certain


def test_attributes_that_code_in_a_text_or_a_namespace_changed_are_changes(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        """
        class A: pass
        total = 1
        def run(a): exec("a.x = 2; a.items.append(1)", {"a": a})
        def swap(a): a.__dict__ = {"y": 3}
        def clear(a): vars(a).clear()
        def bind(): globals()["total"] = 5
        a = A(); a.x = 1; a.items = []
        run(a); swap(a); clear(a); bind()
        """,
    )
    assert changes(trace, find(trace, "run")) == {"a.x": ("1", "2"), "a.items": ("[]", "[1]")}
    assert changes(trace, find(trace, "swap")) == {
        "a.x": ("2", None), "a.items": ("[1]", None), "a.y": (None, "3"),
    }  # fmt: skip
    assert changes(trace, find(trace, "clear")) == {"a.y": ("3", None)}
    assert changes(trace, find(trace, "bind")) == {"global total": ("1", "5")}


def test_a_target_is_told_of_once_whoever_changed_it_in_between(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        """
        def gen(xs, ys):
            for n in range(4):
                xs.append(n)
                ys.append(n)
                yield
                ys.remove(n)
        xs, ys = [], [7]
        for _ in gen(xs, ys):
            xs.append("other")
            ys.reverse()
        """,
    )
    last = [0, "other", 1, "other", 2, "other", 3]
    assert changes(trace, find(trace, "gen")) == {"xs": ("[]", str(last))}


def test_what_others_changed_while_a_generator_slept_is_no_change_of_it(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        """
        class A: pass
        count = 0
        def put(a): a.late = 1
        def gen(a):
            global count
            count += 1
            a.x = 1
            a.items.append(1)
            yield 0
            a.y += 1
            a.items.append(2)
            put(a)
            yield 0
            a.back = 1
            a.items.append(3)
            made = yield 0
            a.back = 0
            made.append(1)
            count += 1
        def use():
            global count
            a = A(); a.y = 1; a.items = []; a.others = 0; a.back = 0; a.d = {}
            g = gen(a)
            next(g)
            a.others = 7; a.x = 99; a.y = 50
            next(g)
            a.y = 77; a.items.append(9); a.d["k"] = 1
            count = 5
            next(g)
            a.items.append(8)
            given = []
            try: g.send(given)
            except StopIteration: pass
            a.x = a.y = a.late = 100
            given.append(2)
            return a
        use()
        """,
    )
    told = [
        (c.target, c.before and c.before.text().text, c.after and c.after.text().text)
        for c in trace.call(find(trace, "gen")).changes
    ]
    assert sorted(told, key=str) == sorted(
        [
            ("global count", "0", "6"),
            ("a.x", None, "1"),
            ("a.items", "[]", "[1, 2, 9, 3]"),
            ("a.y", "50", "51"),
            ("a.late", None, "1"),
            ("made", "[]", "[1]"),
        ],
        key=str,
    )


def test_what_a_library_does_to_an_object_comes_last_and_what_it_may_do_again_is_not_certain(
    tmp_path: Path,
) -> None:
    trace = record(
        tmp_path,
        """
        import html.parser
        class Pages(html.parser.HTMLParser):
            def __init__(self, n):
                super().__init__()
                self.mine = n
        Pages(1)
        """,
    )
    changes = trace.call(find(trace, "Pages.__init__")).changes
    assert changes[0].target == "self.mine"
    certain = {change.target: change.after.certain for change in changes if change.after is not None}
    assert certain["self.mine"]
    assert not certain["self.rawdata"]
