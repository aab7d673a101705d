"""Pieces of programs that let the standard library change what they hold."""

from __future__ import annotations

LIBRARIES = {
    'made anew by copy and pickle': """
import copy, pickle
from copy import copy as again, deepcopy
made = []
class P:
    def __new__(cls, *a):
        self = super().__new__(cls); look(self); made.append(self); return self
    def __init__(self, a): self.a = a
class R:
    def __reduce__(self): return make, (1,), {"x": [5]}
def make(n):
    r = R(); r.n = n; look(r); return r
globals().update(P=P, R=R, make=make)
P.__qualname__, R.__qualname__, make.__qualname__ = "P", "R", "make"
p = P([1]); q = copy.copy(p); look([q, made]); q.b = 2; r = deepcopy(q); look(r); r.a.append(3); look([q, r])
s = again(r); look(s); s.a.append(4); look([r, s]); t = pickle.loads(pickle.dumps(s)); look(t); t.a = 1; look([t, made])
u = copy.copy(R()); look(u); u.x.append(6); look(u); v = [again(each) for each in [R(), p]]; look(v); v[0].n = 7; look(v)
""",
    'made anew by copy, again and again': """
class Part:
    def __new__(cls, *a): return super().__new__(cls)
    def __init__(self, n): self.n = n; self.done = False
    def again(self):
        other = copy.copy(self); other.done = False; return other
parts = [Part(n) for n in range(4)]
for each in parts: other = each.again(); look(other); other.done = True; look(other); each.n += other.again().n; look([other, each])
others = [each.again() for each in parts]; look(others); others[0].done = True; parts[1].again(); look([others, parts])
""",
    'a namespace by a name that is worked out': """
class O: pass
o = O(); o.x = 1; names = ["__dict__", "x"]
got = [getattr(o, name) for name in names]; look([got, o]); o.y = 2; look([got, o]); got[0]["z"] = 3; look([got, o])
d = getattr(o, "".join(["__", "dict__"]), None); look(d); o.x = 5; look([d, o]); d.clear(); look([d, o])
""",
    'instances given to library setattr': """
class O: pass
o = O(); look(o)
import argparse
p = argparse.ArgumentParser(); p.add_argument("--x", default=3)
p.parse_args([], namespace=o); look(o)
""",
    'functools.wraps on object': """
class W:
    def __init__(self, f): functools.update_wrapper(self, f); self.n = 0
    def __call__(self): self.n += 1; return self.__wrapped__()
@W
def f(): return 1
look(f.n); f(); look(f.n)
def deco(g):
    @functools.wraps(g)
    def inner(*a): inner.calls += 1; return g(*a)
    inner.calls = 0
    return inner
@deco
def h(): pass
look(h.calls); h(); look(h.calls)
""",
    'mock patch object': """
from unittest import mock
class O:
    def __init__(self): self.x = 1; self.d = {"a": 1}
o = O(); look(o)
with mock.patch.object(o, "x", 5): look(o)
look(o)
with mock.patch.dict(o.d, {"b": 2}): look(o)
look(o)
""",
    'containers filled by super': """
class L(list):
    def __init__(self, v, k): look(self); super().__init__(v); look(self); self.k = k
class D(dict):
    def __init__(self, *a, **k): look(self); super().__init__(*a, **k); look(self); self["z"] = 1
class S(set):
    def __init__(self, v): look(self); super(S, self).__init__(v); look(self)
l = L([1], 2); look(l); l.__init__([3], 4); look(l); look(D({"a": 1}, b=2)); look(S([3])); look(D())
""",
    'super under another name': """
class D(dict):
    def __init__(self):
        look(self); base = super(); base.__init__({"a": 1}); look(self)
        base.__setitem__("u", 3); look(self); base.update(z=1); look(self)
        put = super().__setitem__; put("k", 4); look(self); put("a", 5); look(self)
class L(list):
    def fill(self):
        base = super(); base.append(3); look(self); take = base.pop; take(); look(self); add = super().extend; add([4, 5]); look(self)
d = D(); look(d); l = L([1]); look(l); l.fill(); look(l)
""",
    'what a library takes back': """
import textwrap
class T(textwrap.TextWrapper):
    def _split_chunks(self, text):
        chunks = ["aa", " ", "bb"]; look(chunks); return chunks
    def _split(self, text):
        chunks = super()._split(text); look(chunks); return chunks
t = T(width=5); look(t.wrap("aa bb")); look(textwrap.fill("a b", 2))
""",
    'containers that hand themselves over': """
from _collections import _count_elements
class C(dict):
    def count(self, it): _count_elements(self, it)
class L(list):
    def heap(self): heapq.heapify(self)
    def mixed(self): random.Random(3).shuffle(self)
c = C(); look(c); c.count("abca"); look(c); c.count("a"); look(c)
l = L([3, 1, 2]); look(l); l.heap(); look(l); l.mixed(); look(l)
""",
    'contextlib generator managers': """
@contextlib.contextmanager
def changed(o, n, v):
    old = getattr(o, n); setattr(o, n, v)
    try: yield o
    finally: setattr(o, n, old)
class O: pass
o = O(); o.x = 1; look(o)
with changed(o, "x", 9): look(o); o.y = 2
look(o)
""",
    'copy module hooks': """
class C:
    def __init__(self): self.xs = [1]; self.n = 0
    def __copy__(self): c = type(self).__new__(type(self)); c.__dict__.update(self.__dict__); c.n += 1; return c
    def __deepcopy__(self, memo): c = copy.copy(self); c.xs = copy.deepcopy(self.xs, memo); return c
c = C(); look(c); d = copy.copy(c); look(d); d.xs.append(2); look(c); e = copy.deepcopy(c); e.xs.append(3); look(c); look(e); d.__dict__.update(e.__dict__); look(d); d.xs.append(4); look(e)
""",
    'deep containers to library': """
data = {"a": [3, 1, 2], "b": {"c": [1]}}
look(data); data["a"].sort(); look(data); json.dumps(data); copy.deepcopy(data); look(data); sorted(data.items()); list(map(list.sort, [data["a"]])); look(data); functools.reduce(lambda d, k: d[k], ["b", "c"], data).append(2); look(data); random.Random(3).shuffle(data["a"]); look(data)
for v in data.values(): (v.sort() if isinstance(v, list) else v.update(z=1)); look(data)
""",
    'nested via itertools': """
groups = {}
for k, g in itertools.groupby([1, 1, 2, 3, 3], key=lambda v: v % 2): groups.setdefault(k, []).extend(g); look(groups)
xs = [[1], [2]]
for x in itertools.chain(xs, [[3]]): x.append(0); look(xs)
for a, b in itertools.product(xs, repeat=2): a.append(len(b)) if len(a) < 6 else None
look(xs); next(itertools.cycle(xs)).clear(); look(xs); list(itertools.islice(xs, 1))[0].append(8); look(xs); [x.pop() for x in itertools.takewhile(bool, xs)]; look(xs)
""",
    'struct and buffers': """
buf = bytearray(8)
look(buf); struct.pack_into("<I", buf, 0, 7); look(buf)
def f(b): struct.pack_into("<I", b, 4, 9); look(b); b[0:2] = b"\\1\\2"; look(b); memoryview(b)[1] = 5; look(b)
f(buf); look(buf); r = io.BytesIO(b"abcdefgh"); r.readinto(buf); look(buf); r.seek(0); v = memoryview(buf)[2:4]; r.readinto(v); look(buf); v.release()
""",
    'sets of objects': """
class E:
    def __init__(self, n): self.n = n
    def __hash__(self): return hash(self.n)
    def __eq__(self, o): return isinstance(o, E) and self.n == o.n
s = {E(1)}; look(len(s)); s.add(E(2)); look(s); s.add(E(1)); look(s); s -= {E(1)}; look(s); s |= {E(5)}; look(s); s.remove(E(5)); look(s); s.symmetric_difference_update({E(2), E(3)}); look(s); s.pop(); look(s)
d = {E(1): "a"}; look(d); d[E(1)] = "b"; look(d); d[E(2)] = "c"; look(d); del d[E(1)]; look(d); d.pop(E(2)); look(d); d.setdefault(E(9), []).append(1); look(d); d |= {E(9): 3}; look(d); d.popitem(); look(d)
""",
    'starred calls': """
xs = [1]; d = {}; s = set(); q = collections.deque()
def f(): xs.append(*[2]); look(xs); xs.insert(*(0, 5)); look(xs); xs.pop(*[0]); look(xs); xs.extend(*[[7]]); look(xs); d.update(*[{"a": 1}]); look(d); d.setdefault(*("k", [])).append(1); look(d); d.pop(*["a"]); look(d); s.add(*[1]); look(s); s.update(*[[2], [3]]); look(s); s.discard(*[2]); look(s); q.append(*[1]); look(q); q.appendleft(*[0]); look(q); q.pop(*[]); look(q); q.popleft(*[]); look(q); xs.sort(**{"reverse": True}); look(xs); d.update(**{"z": 3}); look(d); xs.remove(*[7]); look(xs)
f()
""",
    'bound via dict dispatch': """
class M:
    def __init__(self): self.s = []; self.ops = {"push": self.s.append, "pop": self.s.pop, "clear": self.s.clear, "up": lambda v: self.s.append(v * 2)}
    def do(self, op, *a): return self.ops[op](*a)
m = M(); look(m.s); m.do("push", 1); look(m.s); m.do("push", 2); look(m.s); m.do("up", 5); look(m.s); m.do("pop"); look(m.s); m.do("clear"); look(m.s); getattr(m, "do")("push", 9); look(m.s)
""",
    'attr of module user': """
import string as mod
mod.zzz = [1]; look(mod.zzz); mod.zzz.append(2); look(mod.zzz); mod.zzz = [3]; look(mod.zzz); del mod.zzz
""",
    'properties deleting': """
class C:
    @property
    def x(self): return self.__dict__.get("x", 0)
    @x.setter
    def x(self, v): self.__dict__["x"] = v
    @x.deleter
    def x(self): del self.__dict__["x"]
c = C(); look(c); c.x = 1; look(c); c.x += 1; look(c); del c.x; look(c)
def f(c): c.x = 5; look(c); c.x += 2; look(c); del c.x; look(c)
f(c)
""",
    'slots inherit list': """
class L(list):
    __slots__ = ("tag",)
l = L([1]); look(l); l.tag = 1; look(l); l.append(2); look(l); l.tag = [l[0]]; look(l); del l.tag; look(l); l[:] = [9]; look(l); l += [1]; look(l); l.sort(); look(l)
""",
    'int subclass attrs': """
class I(int): pass
i = I(3); look(i); i.x = 1; look(i); i.x = 2; look(i); i.y = [1]; i.y.append(2); look(i)
class S(str): pass
t = S("a"); t.k = {}; look(t); t.k["z"] = 1; look(t)
""",
    'exception instance flows': """
class Err(Exception):
    def __init__(self, m, code): super().__init__(m); self.code = code; self.seen = []
try: raise Err("m", 1)
except Err as e: look(e); e.code = 2; look(e); e.seen.append(3); look(e); k = e
look(k); k.args += (5,); look(k)
try:
    try: raise Err("x", 0)
    except Err as e: e.seen.append(1); raise
except Err as e2: look(e2); e2.args = (); look(e2)
""",
    'containers that are chosen for library code': """
xs, ys, d, n = [1], [2], {}, 0
look(ys)
operator.iadd(xs if n else ys, [3]); look(ys)
operator.methodcaller("append", 5)(n and xs or ys); look(ys)
heapq.heapify(ys if not n else xs); look(ys)
operator.setitem(d if not n else {}, 1, n); look(d)
""",
    'a special method that is kept': """
d = {}
look(d)
f = d.__setitem__
f(1, 2); look(d)
f(3, 4); look(d)
""",
}  # fmt: skip
