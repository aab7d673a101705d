"""Ways in which code that was not run would have got at something: a list, an attribute, a name.

Programs of `test_slice_completeness`, which says what the comments in them mean. Left out: exceptions that nothing in the text
tells of, as of `1 / 0`.
"""

from __future__ import annotations

import textwrap

_PARTS_PROGRAM = """
import collections, functools, itertools
class O: pass
def put(some, value): some.append(value)
def main():
    xs, ys, v, o = [1], [2], 4, O()
    c = 0  # counts
    if c:  # counts
{piece}
    return xs
"""
_PARTS = [
    "for z in [xs]: z.append(3)",
    "([xs]+[ys])[0].append(3)",
    "list((xs,))[0].append(3)",
    "t = [xs]; t[0].append(3)",
    "a, b = [xs, ys]; a.append(3)",
    "a, b = xs, ys; a.append(3)",
    "[[xs]][0][0].append(3)",
    "{1: xs}[1].append(3)",
    "dict(a=xs)['a'].append(3)",
    "[z for z in [xs]][0].append(3)",
    "(xs if v else ys).append(3)",
    "(lambda: xs)().append(3)",
    "[xs][0] += [3]",
    "x, *r = [xs]; x.append(3)",
    "*r, x = [ys, xs]; x.append(3)",
    "x, *r = [ys, xs]; r[0].append(3)",
    "sorted([xs])[0].append(3)",
    "next(iter([xs])).append(3)",
    "max([xs, ys]).append(3)",
    "for i, z in enumerate([xs]): z.append(3)",
    "for k, z in {1: xs}.items(): z.append(3)",
    "t = []; t.append(xs); t[0].append(3)",
    "t = {}; t[1] = xs; t[1].append(3)",
    "t = [xs, ys]; t.reverse(); t.pop().append(3)",
    "t = (t0 := [xs])[0]; t.append(3)",
    "collections.deque([xs])[0].append(3)",
    "t = [xs] * 2; t[1].append(3)",
    "[xs, ys][v:][0].append(3)",
    "t = [xs, ys][:1]; t[0].append(3)",
    "del [xs][0][0]",
    "[xs][0][0] = 3",
    "t = list(map(id, [xs])); [xs].copy()[0].append(3)",
    "t = zip([xs], [ys])\nfor p, q in t: p.append(3)",
    "x = y = [xs]; y[0].append(3)",
    "class A: z = xs\nA.z.append(3)",
    "def g(): return [xs]\ng()[0].append(3)",
    "match [xs]:\n    case [q]: q.append(3)",
    "with open('/dev/null') as f, ([xs][0] and open('/dev/null')) as g: xs.append(3)",
    "t = itertools.chain([xs], [ys]); next(t).append(3)",
    "t = collections.defaultdict(lambda: xs); t[2].append(3)",
    "t = functools.reduce(lambda p, q: p, [xs, ys]); t.append(3)",
    "pair = (xs, ys); t = {}; t[0], t[1] = pair; t[0].append(3)",
    "o.x = xs; o.x.append(3)",
    "o.x, o.y = xs, 2; o.x.append(3)",
    "ys.append(xs); ys[1].append(3)",
    "ys += [xs]; ys[-1].append(3)",
    "put(ys, xs); ys[-1].append(3)",
]
_OBJECTS_PROGRAM = """
import operator, functools
class O:
    def __init__(self): self.x = 1
    def set(self, v=3): self.x = v
    @property
    def prop(self): self.x = 4; return 2
    def __iadd__(self, v): self.x = v; return self
    def __call__(self): self.x = 5
    def __enter__(self): self.x = 6
    def __exit__(self, *a): self.x = 7
    def __iter__(self): self.x = 8; return iter([1])
    def __getitem__(self, k): self.x = 9
    def __eq__(self, other): self.x = 10; return True
    def __bool__(self): self.x = 11; return True
    def __len__(self): self.x = 12; return 1
    def __str__(self): self.x = 13; return ''
    def __contains__(self, v): self.x = 14; return True
    def __hash__(self): self.x = 15; return 1
    def __neg__(self): self.x = 16; return 1
    def __del__(self): pass
def put_x(q): q.x = 3
def ident(q): return q
def main():
    o, p = O(), O.__new__(O)
    ls, d = [o], {1: o}
    c = 0  # counts
    if c:  # counts
{piece}
    return o.x
"""
_OBJECTS = [
    "[o][0].x = 3",
    "for z in [o]: z.x = 3",
    "setattr(o, 'x', 3)",
    "vars(o)['x'] = 3",
    "o.__dict__.update(x=3)",
    "a, o.x = 1, 3",
    "for o.x in [3]: pass",
    "del o.x",
    "put_x(o)",
    "(lambda q: setattr(q, 'x', 3))(o)",
    "o.x += 1",
    "[o.set() for _ in [1]]",
    "O.set(o)",
    "type(o).set(o)",
    "list(map(O.set, [o]))",
    "operator.methodcaller('set')(o)",
    "getattr(o, 'set')()",
    "functools.partial(O.set, o)()",
    "o.prop",
    "o += 3",
    "o()",
    "with o: pass",
    "for _ in o: pass",
    "o[1]",
    "o == 2",
    "bool(o)",
    "len(o)",
    "str(o)",
    "1 in o",
    "hash(o)",
    "-o",
    "not o",
    "if o: pass",
    "f'{o}'",
    "str.format('{}', o)",
    "{o: 1}",
    "{o}",
    "[*o]",
    "print(o)",
    "sorted([o, 1], key=O.set)",
    "ls[0].x = 3",
    "ls[-1].set()",
    "d[1].set()",
    "d.get(1).set()",
    "next(iter(ls)).set()",
    "ident(o).x = 3",
    "ident([o])[0].x = 3",
    "for k, v in d.items(): v.x = 3",
    "q = o; q.x = 3",
    "q = ls; q[0].x = 3",
    "(q := o).x = 3",
    "m = o.set; m()",
    "m = getattr(o, 'se' + 't'); m()",
    "for f in [o.set]: f()",
    "object.__setattr__(o, 'x', 3)",
    "o.__setattr__('x', 3)",
    "o.__class__ = O; o.set()",
    "p.__dict__ = o.__dict__; p.x = 3",
    "class Q(O): pass\nQ.set(o)",
    "def f(): o.x = 3\nf()",
    "def f(q=o): q.x = 3\nf()",
    "async def f(): o.x = 3\nf().send(None)",
    "def f(): yield o.set()\nlist(f())",
    "any(z.set() for z in ls)",
    "while o.set(): pass",
    "assert o.set() is None",
    "try: raise ValueError(o)\nexcept ValueError as e: e.args[0].x = 3",
    "match o:\n    case O(x=1) as q: q.x = 3",
    "print(o.set())",
    "o.x, = [3]",
    "o.x: int = 3",
    "import copy; copy.copy(ls)[0].x = 3",
    "[z for z in ls if z.set()]",
    "{z.set() for z in ls}",
    "max(ls, key=lambda z: z.set())",
    "globals()['put_x'](o)",
    "exec('o.x = 3')",
    "eval('o.set()')",
    "locals()['o'].x = 3",
]
_NAMES_PROGRAM = """
import operator, functools, sys
G = 1
def setg(v=3):
    global G
    G = v
class O: pass
def main():
    x, y = 1, [1, 2, 3]
    def setx(v=3):
        nonlocal x
        x = v
    c = 0  # counts
    if c:  # counts
{piece}
    return x
"""
_NAMES = [
    "x = 3",
    "(x := 3)",
    "for x in [3]: pass",
    "with open('/dev/null') as x: pass",
    "try: 1/0\nexcept ZeroDivisionError as x: pass",
    "import sys as x",
    "from sys import path as x",
    "def x(): pass",
    "class x: pass",
    "match 3:\n    case x: pass",
    "match [3]:\n    case [*x]: pass",
    "match {1: 2}:\n    case {**x}: pass",
    "del x",
    "setx()",
    "[setx() for _ in [1]]",
    "f = setx; f()",
    "list(map(setx, [2]))",
    "x, y = 2, 3",
    "[x, *y] = y",
    "x += 1",
    "x: int = 3",
    "def g():\n    nonlocal x\n    x = 4\ng()",
    "(lambda: setx())()",
    "return 5",
    "raise ValueError",
    "assert 0",
    "sys.exit(0)",
    "while True: return 3",
    "for _ in y: return 3",
    "try: return 3\nfinally: pass",
    "async def f(): setx()\nf().send(None)",
    "import asyncio; asyncio.run(asyncio.sleep(0, setx()))",
    "x = yield_ = 3",
    "sorted(y, key=setx)",
    "min(y, key=lambda z: setx(z))",
    "functools.partial(setx, 2)()",
    "operator.call(setx)",
    "y.sort(key=setx)",
    "class Q:\n    setx()",
    "type('Q', (), {'m': setx()})",
    "@setx\ndef q(): pass",
    "def q(a=setx()): pass",
    "y[setx() or 0]",
    "y[0:setx() or 1]",
    "not setx()",
    "1 < (setx() or 2) < 3",
    "(setx(), 1)[1]",
    "x if setx() else y",
    "dict(a=setx())",
    "f'{setx()}'",
    "print(*[setx()])",
    "print(**{'end': setx() or ''})",
    "del y[setx() or 0]",
    "y[setx() or 0] = 1",
    "y[setx() or 0] += 1",
    "raise ValueError(setx())",
]
_GLOBALS_PROGRAM = """
import operator, functools, sys
G = 1
def setg(v=3):
    global G
    G = v
class O: pass
def main():
    x, y = 1, [1, 2, 3]
    def setx(v=3):
        nonlocal x
        x = v
    c = 0  # counts
    if c:  # counts
{piece}
    return G
"""
_GLOBALS = [
    "setg()",
    "global_ = setg; global_()",
    "globals()['G'] = 3",
    "globals().update(G=3)",
    "sys.modules['__main__'].G = 3",
    "setattr(sys.modules[__name__], 'G', 3)",
    "list(map(setg, [3]))",
    "del globals()['G']",
    "globals().pop('G')",
    "vars(sys.modules[__name__])['G'] = 3",
    "m = sys.modules[__name__]; m.G = 4",
    "import __main__; __main__.G = 4",
    "from __main__ import setg as q; q()",
    "eval('setg()')",
    "[f() for f in (setg,)]",
    "functools.reduce(lambda a, b: setg(), y)",
    "threading = __import__('threading'); t = threading.Thread(target=setg); t.start(); t.join()",
    "class K:\n    global G\n    G = 3",
    "import builtins; builtins.setattr(sys.modules[__name__], 'G', 3)",
    "operator.setitem(globals(), 'G', 3)",
    "globals().setdefault('G', 3) or globals().__setitem__('G', 3)",
]
_LISTS_PROGRAM = """
import operator, functools, sys
G = 1
def setg(v=3):
    global G
    G = v
class O: pass
def main():
    x, y = 1, [1, 2, 3]
    z = y
    o = O(); o.y = y; d = {'y': y}; k = [[y]]; tt = (y,)
    def setx(v=3):
        nonlocal x
        x = v
    c = 0  # counts
    if c:  # counts
{piece}
    return y
"""
_LISTS = [
    "y.append(3)",
    "y += [3]",
    "y[0] = 5",
    "y[:] = []",
    "del y[0]",
    "del y[:]",
    "y.sort(reverse=True)",
    "z.append(1)",
    "o.y.append(3)",
    "d['y'].append(1)",
    "k[0][0].append(1)",
    "tt[0].append(2)",
    "list.append(y, 3)",
    "operator.setitem(y, 0, 4)",
    "operator.iadd(y, [1])",
    "import bisect; bisect.insort(y, 2)",
    "import heapq; heapq.heappush(y, 0)",
    "import random; random.shuffle(y)",
    "list(map(y.append, [1]))",
    "f = y.append; f(3)",
    "getattr(y, 'append')(3)",
    "o.y += [3]",
    "d['y'] += [3]",
    "k[0][0] *= 2",
    "for y[0] in [4]: pass",
    "[y.append(q) for q in [1]]",
    "(y or z).append(3)",
    "(y and z).append(3)",
    "[q.append(1) for q in tt]",
    "for q in tt: q.append(1)",
    "for q in d.values(): q.append(1)",
    "for (q,) in k: q.append(1)",
    "a, = tt; a.append(1)",
    "y.__setitem__(0, 3)",
    "y.__iadd__([3])",
    "setattr(o, 'y', 3) or z.append(1)",
    "vars(o)['y'].append(1)",
    "o.__dict__['y'].append(1)",
    "(lambda q: q.append(1))(y)",
    "def h(q): q.append(1)\nh(y)",
    "def h(*q): q[0].append(1)\nh(y)",
    "def h(**q): q['w'].append(1)\nh(w=y)",
    "def h(): y.append(1)\nh()",
    "class W:\n    def __init__(self, q): self.q = q\n    def go(self): self.q.append(1)\nW(y).go()",
    "functools.partial(y.append, 1)()",
    "y.extend(z)",
    "y.insert(0, 1)",
    "y.clear()",
    "y.remove(1)",
    "y.reverse()",
    "y.pop()",
    "import copy; copy.copy(k)[0][0].append(1)",
    "k.copy()[0][0].append(1)",
    "k[:][0][0].append(1)",
    "dict(d)['y'].append(1)",
    "{**d}['y'].append(1)",
    "[*k][0][0].append(1)",
    "[q for q in tt][0].append(1)",
    "next(q for q in tt).append(1)",
    "max(tt).append(1)",
    "sorted(tt)[0].append(1)",
    "list(zip(tt, tt))[0][0].append(1)",
    "list(d.items())[0][1].append(1)",
    "d.setdefault('y', []).append(1)",
    "d.get('y').append(1)",
    "d.pop('y').append(1)",
    "d.popitem()[1].append(1)",
    "k.pop()[0].append(1)",
    "sum(k, [])[0].append(1)",
    "(k + [])[0][0].append(1)",
    "reversed(tt).__next__().append(1)",
    "iter(tt).__next__().append(1)",
    "operator.itemgetter('y')(d).append(1)",
    "operator.attrgetter('y')(o).append(1)",
    "functools.reduce(lambda a, b: a, [y, 1]).append(1)",
    "eval('y').append(1)",
    "exec('y.append(1)')",
    "locals()['y'].append(1)",
    "(y if c else z).append(1)",
    "(w := y).append(1)",
    "match o:\n    case O(y=q): q.append(1)",
    "match d:\n    case {'y': q}: q.append(1)",
    "match tt:\n    case (q,): q.append(1)",
    "with __import__('contextlib').nullcontext(y) as q: q.append(1)",
    "try: raise ValueError(y)\nexcept ValueError as e: e.args[0].append(1)",
    "q = iter([y]); next(q).append(1)",
    "def gen(): yield y\nnext(gen()).append(1)",
    "def gen():\n    q = yield\n    q.append(1)\ng = gen(); next(g); g.send(y)",
    "import itertools; next(itertools.cycle(tt)).append(1)",
    "import weakref; y.append(1)",
    "import json; y.append(json)",
    "print(y.append(1))",
    "memoryview(bytearray(1)); y.append(1)",
    "u = [y]; v = u; v[0].append(1)",
    "u = {}; u['a'] = {'b': y}; u['a']['b'].append(1)",
    "u = O(); u.a = O(); u.a.b = y; u.a.b.append(1)",
    "u = O(); u.__dict__['b'] = y; u.b.append(1)",
    "u = O(); setattr(u, 'b', y); u.b.append(1)",
    "u = O(); vars(u).update(b=y); u.b.append(1)",
    "u = type('U', (), {'b': y}); u.b.append(1)",
    "u = lambda: y; u().append(1)",
    "u = (lambda: y, 1); u[0]().append(1)",
    "u = [y.append]; u[0](1)",
    "u = {'f': y.append}; u['f'](1)",
    "o.f = y.append; o.f(1)",
    "u = functools.partial(lambda: y); u().append(1)",
    "u = {y.append}; u.pop()(1)",
    "import types; u = types.SimpleNamespace(a=y); u.a.append(1)",
    "import collections; u = collections.namedtuple('U', 'a')(y); u.a.append(1)",
    "import dataclasses; u = dataclasses.make_dataclass('U', ['a'])(y); u.a.append(1)",
    "import queue; u = queue.Queue(); u.put(y); u.get().append(1)",
    "import collections; u = collections.deque(); u.append(y); u[0].append(1)",
    "import collections; u = collections.ChainMap(d); u['y'].append(1)",
    "u = []; u += [y]; u[0].append(1)",
    "u = [[]]; u[0].append(y); u[0][0].append(1)",
    "u = []; u[:] = [y]; u[0].append(1)",
    "u = [0]; u[0], w = y, 1; u[0].append(1)",
    "u = set(); u.add(tt); u.pop()[0].append(1)",
    "u = []; u.extend(tt); u[0].append(1)",
    "u = []; u.insert(0, y); u[0].append(1)",
    "u = {}; u.setdefault(1, y).append(1)",
    "u = {}; u.update({1: y}); u[1].append(1)",
    "u = dict.fromkeys([1], y); u[1].append(1)",
    "u = [None] * 2; u[1] = y; u[1].append(1)",
    "u, v = (y, 1), 2; u[0].append(1)",
]


def _programs(what: str, text: str, pieces: list[str]) -> dict[str, str]:
    return {
        f"not run, {what}: {piece}": text.replace("{piece}", textwrap.indent(piece, " " * 8))
        for piece in pieces
    }


NOT_RUN = {
    **_programs("by way of something new", _PARTS_PROGRAM, _PARTS),
    **_programs("an attribute", _OBJECTS_PROGRAM, _OBJECTS),
    **_programs("a variable", _NAMES_PROGRAM, _NAMES),
    **_programs("a name of the module", _GLOBALS_PROGRAM, _GLOBALS),
    **_programs("a list", _LISTS_PROGRAM, _LISTS),
}
