"""Pieces of programs that change what others hold by parts of the language: targets, loops, generators, small programs of all."""

from __future__ import annotations

THE_LANGUAGE = {
    'contextvar': """
v = contextvars.ContextVar("v", default=[])
look(v.get()); v.get().append(1); look(v.get()); t = v.set([2]); look(v.get()); v.reset(t); look(v.get())
""",
    'nonlocal': """
def outer():
    n, xs = 0, []
    def inc():
        nonlocal n, xs
        n += 1; xs.append(n); look([n, xs]); xs = xs + [n]
    return inc
i = outer(); i(); i(); i()
""",
    'generator state': """
def gen(xs):
    for i in range(3):
        xs.append(i)
        got = yield i
        if got: xs[0] = got
xs = []
g = gen(xs); look(xs); next(g); look(xs); g.send(7); look(xs); g.close(); look(xs)
""",
    'swap targets': """
xs = [1, 2, 3]; d = {}
look(xs); xs[0], xs[2] = xs[2], xs[0]; look(xs); i = 0; i, xs[i] = 1, 9; look(xs)
for xs[1] in [7, 8]: look(xs)
for d["k"] in [7, 8]: look(d)
[0 for xs[0] in [4, 5]]; look(xs)
with contextlib.nullcontext(5) as xs[1]: look(xs)
with contextlib.nullcontext(5) as d["w"]: look(d)
(xs[0], *xs[1:]) = [1, 2, 3]; look(xs)
class O: pass
o = O()
for o.x in [1, 2]: look(o)
[0 for o.x in [4, 5]]; look(o)
with contextlib.nullcontext(5) as o.x: look(o)
""",
    'lru cache': """
@functools.lru_cache
def g(n): return [n]
look(g(1)); g(1).append(5); look(g(1))
""",
    'default mutable': """
def f(v, acc=[]): acc.append(v); return look(acc)
f(1); f(2); f(3)
""",
    'star args': """
def f(*a, **k): k["x"] = 1; look(k); k.update(y=2); look(k); look(a)
f(1, [2], z=3)
xs = [1]; f(xs); xs.append(2); f(*xs)
""",
    'walrus': """
xs = [1]; look(xs); (ys := xs).append(2); look(xs); (y := [xs.append(3)]); look(xs); [ys := ys + [i] for i in range(2)]; look(ys); look(xs)
""",
    'match': """
d = {"a": [1]}
match d:
    case {"a": x}: x.append(2)
look(d)
match d:
    case {"a": [y, *rest]}: rest.append(5); look(rest)
look(d)
""",
    'finally': """
xs = []
def f():
    try:
        xs.append(1); look(xs); return xs
    finally:
        xs.append(2); look(xs)
f(); look(xs)
""",
    'finalizers': """
log = []
class F:
    def __del__(self): log.append("gone")
f = F(); look(log); del f; look(log)
""",
    'iter protocol': """
class It:
    def __init__(self): self.n = 0; self.seen = []
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        self.seen.append(self.n)
        if self.n > 3: raise StopIteration
        return self.n
i = It(); look(i); list(i); look(i); j = It(); a, b, c = j; look(j); k = It(); next(k); look(k); sum(k); look(k); xs = []; xs.extend(It()); look(xs); xs += It(); look(xs)
""",
    'context managers': """
class M:
    def __init__(self): self.log = []
    def __enter__(self): self.log.append("in"); return self
    def __exit__(self, *a): self.log.append("out"); return True
m = M(); look(m)
with m as q: look(q); raise ValueError
look(m)
""",
    'operators overloaded': """
class V:
    def __init__(self, x): self.x = x; self.ops = []
    def __iadd__(self, o): self.x += o; self.ops.append(o); return self
    def __add__(self, o): self.ops.append(("add", o)); return V(self.x + o)
    def __getitem__(self, i): self.ops.append(i); return i
    def __setitem__(self, i, v): self.ops.append((i, v)); setattr(self, "i%d" % i, v)
    def __delitem__(self, i): delattr(self, "i%d" % i)
    def __contains__(self, i): self.ops.append("in"); return True
    def __call__(self, *a): self.ops.clear(); return self
    def __len__(self): self.ops.append("len"); return 1
    def __bool__(self): self.ops.append("bool"); return True
    def __eq__(self, o): self.ops.append("eq"); return True
    def __hash__(self): self.ops.append("hash"); return 1
v = V(1); look(v); v += 2; look(v); v + 1; look(v); v[3]; look(v); v[4] = 5; look(v); del v[4]; look(v); 5 in v; look(v); v(); look(v); len(v); look(v); bool(v); look(v); v == 1; look(v); {v: 1}; look(v); {v}; look(v); [v].index(v); look(v); [1, v].count(2); look(v); sorted([v]); look(v)
""",
    'nested comprehension side effects': """
d = {}
look(d); [[d.setdefault(i, []).append(j) for j in range(2)] for i in range(2)]; look(d); {k: d.pop(k) for k in list(d)}; look(d)
xs = []
look(xs); [xs.append(i) or look(xs) for i in range(3)]; (xs.append(9) for _ in [1]); look(xs); g = (xs.append(i) for i in range(3)); look(xs); next(g); look(xs); list(g); look(xs)
""",
    'chained assignment': """
class O: pass
o = O(); xs = [0, 0]
o.a = xs[0] = b = [1]; look(o); look(xs); b.append(2); look(o); look(xs)
o.a, o.b = o.b, o.a = 1, 2; look(o)
xs[0] = xs[1] = xs; look(len(xs))
""",
    'del variants': """
xs = [1, 2, 3, 4, 5, 6]; d = {"a": 1, "b": 2, "c": 3}
class O: pass
o = O(); o.x = 1; o.y = 2
look(xs); del xs[0], xs[-1]; look(xs); del xs[1:2]; look(xs); del (d["a"], d["b"]); look(d); del [o.x]; look(o); del o.y, xs[0]; look(o); look(xs)
""",
    'try else loops': """
xs = []
for i in range(3):
    try:
        xs.append(i)
        if i == 1: raise KeyError
    except KeyError:
        xs.pop()
    else:
        xs[0] = i
    finally:
        look(xs)
""",
    'closures share': """
def make():
    xs = []
    def add(v): xs.append(v); return xs
    def reset(): nonlocal xs; xs = []; return xs
    return add, reset
a, r = make(); look(a(1)); look(a(2)); look(r()); look(a(3))
""",
    'metaclass': """
class Meta(type):
    registry = []
    def __new__(m, n, b, d): c = super().__new__(m, n, b, d); m.registry.append(n); return c
class A(metaclass=Meta): pass
look(Meta.registry)
class B(A): pass
look(Meta.registry)
""",
    'init_subclass': """
class Base:
    subs = []
    def __init_subclass__(cls, **k): cls.subs.append(cls.__name__); cls.k = k
class X(Base, z=1): pass
look(Base.subs)
class Y(X): pass
look(Base.subs)
""",
    'reentrant mutation in eq': """
log = []
class E:
    def __init__(self, n): self.n = n
    def __eq__(self, o): log.append(self.n); return self.n == o.n
    def __hash__(self): return 1
d = {E(1): 1}
look(log); d[E(2)] = 2; look(log); E(2) in d; look(log); d.get(E(9)); look(log); [E(1), E(2)].index(E(2)); look(log); [E(1)] == [E(1)]; look(log); {E(1)} | {E(2)}; look(log); xs = [E(3), E(4)]; xs.remove(E(4)); look(log); look(len(xs))
""",
    'argparse/json objects': """
class C(json.JSONEncoder):
    def __init__(self, **k): super().__init__(**k); self.seen = []
    def default(self, o): self.seen.append(type(o).__name__); return str(o)
c = C(); look(c.seen); c.encode([{1}, 2j]); look(c.seen)
""",
    'user string formatter': """
class O:
    def __init__(self): self.n = 0
    def __format__(self, s): self.n += 1; return "x"
    def __str__(self): self.n += 10; return "s"
    def __repr__(self): self.n += 100; return "r"
o = O(); look(o); f"{o}"; look(o); "%s" % o; look(o); str(o); look(o); repr([o]); look(o); "{}".format(o); look(o); print(end=str(o)[:0]); look(o)
""",
}  # fmt: skip

PROGRAMS = {
    'attr on class via setattr': """
class C: n = 1; xs = [1]
look([C.n, C.xs]); setattr(C, "n", 2); look([C.n]); C.xs = [5]; look([C.xs]); type.__setattr__(C, "n", 3); look([C.n]); del C.n; C.n = 4; look([C.n])
""",
    'object passed to sort etc': """
class P:
    def __init__(self, n): self.n = n; self.hits = 0
    def __lt__(self, o): self.hits += 1; return self.n < o.n
    def __eq__(self, o): self.hits += 10; return self.n == o.n
ps = [P(3), P(1), P(2)]
look(ps); ps.sort(); look(ps); sorted(ps); look(ps); min(ps); look(ps); ps.index(ps[2]); look(ps); bisect.insort(ps, P(2)); look(ps); heapq.heapify(ps); look(ps); P(1) in ps; look(ps); ps.remove(ps[-1]); look(ps); heapq.heappush(ps, P(0)); look(ps); heapq.nsmallest(2, ps); look(ps)
""",
    'json object hook': """
class R:
    def __init__(self): self.log = []
    def hook(self, d): self.log.append(sorted(d)); return d
r = R(); look(r); v = json.loads('{"a": {"b": 1}}', object_hook=r.hook); look(r); look(v); v["a"]["c"] = 2; look(v)
""",
    'map over method of user object': """
class A:
    def __init__(self): self.xs = []
    def add(self, v): self.xs.append(v); return len(self.xs)
a = A(); look(a); list(map(a.add, [1, 2])); look(a); m = map(a.add, [3, 4]); look(a); next(m); look(a); list(m); look(a); functools.reduce(lambda s, v: s + a.add(v), [1, 2], 0); look(a); f = a.add; f(9); look(a); p = functools.partial(a.add, 7); p(); look(a)
""",
    'slice assignment alias': """
xs = [1, 2, 3]; ys = xs; zs = xs[:]
look(xs); ys[1:1] = xs; look(xs); xs[:] = xs[::-1]; look(ys); zs[:0] = xs; look(zs); xs += xs; look(ys); xs *= 0; look(ys); xs.extend(xs); look(xs); xs[5:] = "ab"; look(xs); xs[::2] = [9] * len(xs[::2]); look(xs); xs[-1:] = []; look(xs)
def f(v): v[0:0] = [1, 2]; look(v); del v[:1]; look(v); v[1:] += [7]; look(v); v[:] = []; look(v)
f(xs); look(ys)
""",
    'two dim': """
g = [[0] * 3 for _ in range(2)]
look(g); g[0][1] = 5; look(g); g[1][2] += 3; look(g); g[0], g[1] = g[1], g[0]; look(g); g[0][:] = [1]; look(g); g.append(g[0]); look(g); g[2].append(4); look(g); [r.append(0) for r in g]; look(g)
for row in g:
    for i in range(len(row)): row[i] *= 2
look(g); h = list(map(list, zip(*g))); look(h); h[0][0] = 99; look(g); look(h)
""",
    'dict of sets': """
d = collections.defaultdict(set)
d["a"].add(1); look(dict(d)); d["a"] |= {2}; look(dict(d)); d["b"].update([1, 2]); look(dict(d)); d["a"] -= {1}; look(dict(d)); d["b"].discard(1); look(dict(d)); d["c"] ^= {5}; look(dict(d)); d["c"] &= {6}; look(dict(d))
c = collections.Counter(); c["x"] += 1; look(c); c["x"] -= 2; look(c); c.update(a=3); look(c); +c; look(c); c += c; look(c); c.clear(); look(c); del c["nope"]; look(c); c["k"]; look(c); c.setdefault("z", 1); look(c); c.popitem(); look(c)
""",
    'deque as window': """
q = collections.deque(maxlen=2)
for i in range(5): q.append(i); look(q)
q.extend([7, 8, 9]); look(q); q.appendleft(1); look(q); q[0] = 3; look(q); q.rotate(); look(q); q.popleft(); look(q); q.extendleft("ab"); look(q); q.insert(0, 1) if len(q) < 2 else None; look(q); q.clear(); look(q)
def f(q): q.append(1); look(q); q.append(2); q.append(3); look(q); q.appendleft(0); look(q); q += [5]; look(q)
f(q)
""",
    'generator holding list': """
def gen(xs):
    while True:
        v = yield list(xs)
        if v is None: xs.clear()
        else: xs.append(v)
xs = []
g = gen(xs); next(g); look(xs); g.send(1); look(xs); g.send(2); look(xs); next(g); look(xs); g.close()
def outer(xs): yield from inner(xs); xs.append("o"); look(xs)
def inner(xs):
    for i in range(2): xs.append(i); yield i
for _ in outer(xs): look(xs)
look(xs)
""",
    'try finally return mutate': """
def f(xs):
    for i in range(3):
        try:
            xs.append(i)
            if i == 1: return xs
        finally:
            xs.append("f"); look(xs)
look(f([]))
def g(d):
    with contextlib.suppress(KeyError):
        d["a"] = 1; d.pop("zz"); d["b"] = 2
    look(d)
g({})
""",
    'kwargs alias': """
def f(**k): k["z"] = 1; look(k); return k
d = {"a": [1]}
e = f(**d); look(d); e["a"].append(2); look(d); look(e)
def g(*a): a[0].append(5); return a
t = g(d["a"], 1); look(d); look(t)
""",
    'string keys and attrs mix': """
class Rec(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__
r = Rec(a=1); look(r); r.b = 2; look(r); r.a += 5; look(r); del r.b; look(r); r["c"] = [1]; look(r); r.c.append(2); look(r); r.c += [3]; look(r); r.update(d=4); look(r); r.setdefault("e", []).append(1); look(r)
class Rec2(dict):
    def __init__(self, *a, **k): super().__init__(*a, **k); self.__dict__ = self
q = Rec2(a=1); look(q); q.b = 2; look(q); q["c"] = 3; look(q); q.a += 1; look(q)
""",
    'object with __dict__ slot only': """
class A:
    __slots__ = ("__dict__", "x")
a = A(); look(a); a.x = 1; a.y = 2; look(a); vars(a)["z"] = 3; look(a); a.__dict__ = {"w": 1}; look(a); a.x += 1; look(a)
""",
    'chain of replace': """
P = collections.namedtuple("P", "x y")
ps = [P(1, [2])]
look(ps); ps[0] = ps[0]._replace(x=5); look(ps); ps[0].y.append(3); look(ps)
""",
    'memo dict default': """
def fib(n, memo={}):
    if n < 2: return n
    if n not in memo: memo[n] = fib(n - 1) + fib(n - 2); look(memo)
    return memo[n]
fib(6)
""",
    'matrix swap rows tuple': """
m = [[1, 2], [3, 4]]
look(m); m[0], m[1] = m[1], m[0]; look(m); m[0][0], m[1][1] = m[1][1], m[0][0]; look(m); (m[0], m[1]), z = (m[1], m[0]), 3; look(m); i = j = 0; i, m[i][j] = 1, 77; look(m)
""",
    'linked list': """
class N:
    def __init__(self, v, nxt=None): self.v, self.nxt = v, nxt
h = None
for i in range(4): h = N(i, h); look(h)
def rev(h):
    p = None
    while h: h.nxt, p, h = p, h, h.nxt; look(p)
    return p
h = rev(h); look(h); h.nxt.v = 10; look(h); h.nxt = h.nxt.nxt; look(h)
""",
    'tree insert': """
class T:
    def __init__(self, k): self.k = k; self.l = self.r = None; self.n = 1
    def put(self, k):
        side = "l" if k < self.k else "r"
        kid = getattr(self, side)
        if kid is None: setattr(self, side, T(k))
        else: kid.put(k)
        self.n += 1
t = T(5)
for k in [3, 8, 1, 4, 9]: t.put(k); look(t)
""",
    'lru with ordereddict': """
class LRU:
    def __init__(self, n): self.n = n; self.d = collections.OrderedDict()
    def get(self, k):
        if k in self.d: self.d.move_to_end(k); return self.d[k]
        self.d[k] = k * 2
        if len(self.d) > self.n: self.d.popitem(last=False)
        return self.d[k]
c = LRU(3)
for k in [1, 2, 3, 1, 4, 2, 1, 5, 5, 3]: c.get(k); look(c)
""",
}  # fmt: skip

MORE = {
    'vars arg library': """
class O: pass
o = O(); o.a = 1
look(o)
"{a}".format(**vars(o)); look(o)
dict(vars(o)); sorted(o.__dict__); look(o)
copy.copy(o.__dict__); json.dumps(vars(o)); look(o)
o.a = 2; look(o)
""",
    'exec variants': """
code = compile("x = 1\\nys.append(x)\\ndef later(): ys.append(9)", "<s>", "exec")
ns = {"ys": []}
look(ns["ys"])
exec(code, ns); look(ns["ys"])
ns["later"](); look(ns["ys"])
ns["later"](); look(ns["ys"])
exec("ys = [1]; ys += [2]", ns); look(ns["ys"])
for i in range(3): exec(f"ys.append({i})", ns); look(ns["ys"])
try: exec("ys.append(7); 1 / 0", ns)
except ZeroDivisionError: look(ns["ys"])
try: exec("ys.append(8); ys. = 3", ns)
except SyntaxError: look(ns["ys"])
eval("[ys.append(n) for n in (1, 2)]", ns); look(ns["ys"])
eval("len(ys) + max(ys)", ns); look(ns["ys"])
eval(compile("ys.pop()", "<e>", "eval"), ns); look(ns["ys"])
exec(b"ys.clear()", ns); look(ns["ys"])
""",
    'exec class instance': """
class C:
    def __init__(self): self.n = 0; self.kids = []
    def bump(self): self.n += 1
c = C(); look(c); exec("c.bump()", {"c": c}); look(c); exec("c.kids.append(c.n)", {"c": c}); look(c); exec("del c.n", {"c": c}); look(c); exec("c.__dict__['z'] = 1", {"c": c}); look(c); eval("c.__init__()", {"c": c}); look(c); exec("for k in range(3): setattr(c, 'a%d' % k, k)", {"c": c}); look(c)
d = {"deep": [{"c": c}]}
exec("d['deep'][0]['c'].kids.append('x')", {"d": d}); look(d); exec("d['deep'].append(5)", {"d": d}); look(d)
""",
    'exec in function locals': """
def f(xs):
    exec("xs.append(1)"); look(xs)
    exec("ys = 3"); exec("xs.append(2)", globals(), {"xs": xs}); look(xs)
    exec("xs.append(3)", {}, locals()); look(xs)
f([])
""",
    'timeit like': """
import timeit
xs = []
look(xs); timeit.timeit("xs.append(1)", globals={"xs": xs}, number=2); look(xs)
""",
    'class body exec': """
class A:
    exec("y = [1]")
    xs = []
    exec("xs.append(2)")
look(A.xs); A.y.append(3); look(A.y)
""",
    'user getattr': """
class P:
    def __init__(self, t): object.__setattr__(self, "t", t)
    def __getattr__(self, n): return getattr(self.t, n)
    def __setattr__(self, n, v): setattr(self.t, n, v)
    def __delattr__(self, n): delattr(self.t, n)
class T: pass
t = T(); t.n = 1; p = P(t); look(t); look(p); p.n = 2; look(t); p.n += 5; look(t); look(p); p.xs = [1]; p.xs.append(2); look(t); p.xs += [3]; look(t); del p.xs; look(t)
""",
    'property with aug': """
class C:
    def __init__(self): self._v = [1]
    @property
    def v(self): return self._v
    @v.setter
    def v(self, x): self._v = x; self.n = getattr(self, "n", 0) + 1
c = C(); look(c); c.v += [2]; look(c); c.v.append(3); look(c); c.v = [9]; look(c)
def f(c): c.v += [4]; look(c); c.v[0] += 1; look(c)
f(c); look(c)
""",
    'iter exhaustion': """
d = {"a": [1], "b": [2]}
look(d)
for k, v in list(d.items()): v.append(k); look(d)
for k in [*d]: d[k + "x"] = d.pop(k); look(d)
""",
    'enum/flag': """
class E(enum.Enum):
    A = 1
    def __init__(self, v): self.extra = [v]
look(E.A.extra); E.A.extra.append(2); look(E.A.extra)
""",
    'lists of bound': """
class Bus:
    def __init__(self): self.subs = []
    def on(self, f): self.subs.append(f)
    def emit(self, v):
        for s in self.subs: s(v)
b = Bus(); xs = []; ys = set(); zs = {}
b.on(xs.append); b.on(ys.add); b.on(lambda v: zs.setdefault(v, []).append(1))
look(xs); b.emit(1); look(xs); look(ys); look(zs); b.emit(2); look(xs); look(ys); look(zs)
""",
    'partial heappush kept': """
h = []
push = functools.partial(heapq.heappush, h)
look(h); push(3); look(h); push(1); look(h)
pop = functools.partial(heapq.heappop, h)
pop(); look(h)
""",
    'sorted insertion class': """
class S:
    def __init__(self): self.xs = []; self._insert = functools.partial(bisect.insort, self.xs)
    def add(self, v): self._insert(v)
s = S(); look(s.xs); s.add(3); look(s.xs); s.add(1); look(s.xs)
""",
    'str io': """
f = io.StringIO(); f.write("a"); xs = [f.getvalue()]; look(xs); print("x", file=f); xs.append(f.getvalue()); look(xs)
class W:
    def __init__(self): self.out = []
    def write(self, s): self.out.append(s)
w = W(); look(w); print("hello", 1, file=w); look(w); with_ = contextlib.redirect_stdout(w); look(w)
""",
    'csv json dump to user writer': """
import csv
w2 = []
class W:
    def __init__(self): self.out = []
    def write(self, s): self.out.append(s)
w = W(); look(w); csv.writer(w).writerow([1, 2]); look(w); json.dump({"a": 1}, w); look(len(w.out) > 1)
""",
    'dataclass asdict': """
@dataclasses.dataclass(order=True)
class D:
    a: int
    b: list = dataclasses.field(default_factory=list, compare=False)
d = D(1); look(d); x = dataclasses.asdict(d); x["b"].append(1); look(d); look(x); d.b.append(2); look(d); sorted([D(2), d]); look(d); d.__dict__.update(a=7); look(d)
""",
    'typing namedtuple': """
class N(collections.namedtuple("N", "a b")):
    pass
n = N([1], 2); look(n); n.a.append(3); look(n); m = n._replace(b=5); look(m); m.a.append(9); look(n)
""",
    're sub callback': """
import re
xs = []
look(xs); re.sub("a", lambda m: xs.append(m.group()) or "b", "aaa"); look(xs); xs.sort(); look(xs)
""",
    'sys.modules attr via import': """
import types as T
mod = T.ModuleType("zz"); mod.items = [1]; look(mod.items); mod.items.append(2); look(mod.items); mod.x = 1; setattr(mod, "x", 2); look(mod.x)
""",
}  # fmt: skip
