"""Pieces of programs that change what others hold, by all means that the language and its library have; see `watched_states`."""

from __future__ import annotations

CODE_IN_TEXT = {
    'exec of class attributes': """
class A:
    x = 1; ys = [1]
def state(): return {k: v for k, v in vars(A).items() if not k.startswith("__")}
def seen(c): look(c.x); look(c.ys); return c
seen(A); exec("A.x = 2; A.ys.append(5)", {"A": A}); seen(A); exec("A.z = [3]", {"A": A}); seen(A); look(A.z); A.z.append(4); look(A.z)
""",
    'exec given namespace': """
ns = {"a": 1, "xs": [1]}
look(ns)
exec("a = 2; xs.append(2); b = 3", ns)
ns.pop("__builtins__")
look(ns)
exec("a += 5; del b", ns, ns)
look({k: v for k, v in ns.items() if k != "__builtins__"})
""",
    'exec two namespaces': """
g = {"__builtins__": {}}
l = {"a": 1}
look(l)
exec("a = 2; b = [a]", g, l)
look(l)
exec("b.append(3); a = 9", g, l)
look(l)
""",
    'exec changes container': """
xs = [1]
look(xs)
exec("xs.append(2)", {"xs": xs})
look(xs)
exec("for i in range(3): xs.append(i)", {"xs": xs})
look(xs)
""",
    'exec changes deep': """
class O: pass
o = O(); o.x = 1; o.ys = [1]
look(o)
exec("o.x = 2; o.ys.append(3)", {"o": o})
look(o)
eval("o.ys.append(4)", {"o": o})
look(o)
eval("setattr(o, 'x', 5)", {"o": o})
look(o)
""",
    'exec of function': """
ns = {}
exec("def f(x):\\n  x.append(1)\\n  return x\\n", ns)
f = ns["f"]
xs = []
look(xs)
f(xs); look(xs)
f(xs); look(xs)
""",
    'exec class making': """
ns = {}
exec("class A:\\n  def __init__(self): self.x = 1\\n  def inc(self): self.x += 1\\n", ns)
a = ns["A"]()
look(a)
a.inc(); look(a)
a.inc(); look(a)
""",
    'compile and exec': """
c = compile("xs.append(7)", "<mine>", "exec")
xs = []
look(xs)
exec(c, {"xs": xs}); look(xs)
exec(c, {"xs": xs}); look(xs)
""",
    'exec method via types': """
class O: pass
o = O()
def m(self, v): self.v = v
o.set = types.MethodType(m, o); look(o.__dict__.keys().__len__()); o.set(4); look(o.v); o.set(5); look(o.v)
""",
}  # fmt: skip

KEPT_METHODS = {
    'setters in tables': """
class O: pass
o = O(); o.x = 1; look(o)
table = {"set": setattr, "del": delattr, "item": operator.setitem, "raw": object.__setattr__, "add": list.append, "push": heapq.heappush}
table["set"](o, "x", 2); look(o); table["raw"](o, "y", [1]); look(o); table["add"](o.y, 2); look(o); table["item"](o.y, 0, 7); look(o); table["del"](o, "x"); look(o)
table["push"](o.y, 1); look(o); (table["set"] if o else None)(o, "z", table["set"](o, "w", 4)); look(o)
class H: pass
h = H(); h.do = setattr; h.do(o, "x", 9); look(o); h.do = operator.delitem; h.do(o.y, 0); look(o)
def through(f, *a): return f(*a)
through(setattr, o, "x", 10); look(o); through(list.append, o.y, 11); look(o); [f(o, "x", 12) for f in [setattr]]; look(o)
""",
    'kept bound': """
xs = []
d = {"up": xs.append}
look(xs)
d["up"](1); look(xs)
d["up"](2); look(xs)
""",
    'partial append': """
xs = []
p = functools.partial(xs.append, 1)
look(xs)
p(); look(xs)
p(); look(xs)
p(); look(xs)
""",
    'partial insert': """
xs = [1]
p = functools.partial(xs.insert, 0)
look(xs)
p(4); look(xs)
p(5); look(xs)
""",
    'lazy map': """
xs = []
m = map(xs.append, [1, 2, 3])
look(xs)
next(m); look(xs)
next(m); look(xs)
list(m); look(xs)
""",
    'lazy map stored': """
class H: pass
h = H(); h.xs = []
h.m = map(h.xs.append, [1, 2, 3, 4])
look(h.xs)
for _ in h.m:
    look(h.xs)
look(h.xs)
""",
    'deque map': """
xs = []
look(xs)
collections.deque(map(xs.append, [1, 2]), maxlen=0)
look(xs)
any(map(xs.append, [3, 4])); look(xs)
all(map(xs.append, [3, 4])); look(xs)
sum(1 for _ in map(xs.append, [3, 4])); look(xs)
""",
    'map setitem': """
d = {}
look(d)
list(map(d.__setitem__, "abc", [1, 2, 3])); look(d)
list(map(d.pop, "ab")); look(d)
list(map(d.__delitem__, "c")); look(d)
""",
    'filter add': """
s = set()
look(s)
r = [x for x in [1, 1, 2] if not (x in s or s.add(x))]; look(s)
list(filter(s.add, [3, 4])); look(s)
f = filter(s.add, [5, 6]); look(s)
next(f, None); look(s)
look(s)
""",
    'reduce mutator': """
xs = []
look(xs)
functools.reduce(lambda a, b: (a.append(b), a)[1], [1, 2], xs); look(xs)
functools.reduce(operator.iadd, [[1], [2]], xs); look(xs)
functools.reduce(operator.iconcat, [[1], [2]], xs); look(xs)
d = {}
look(d)
functools.reduce(operator.ior, [{1: 2}, {3: 4}], d); look(d)
""",
    'sorted key append': """
xs = []
look(xs); sorted([3, 1], key=lambda v: xs.append(v) or v); look(xs)
ys = [1, 2]
ys.sort(key=lambda v: xs.extend([v]) or v); look(xs); min([4, 5], key=lambda v: xs.append(v) or v); look(xs)
sorted([3], key=xs.append); look(xs)
""",
    'default argument method': """
xs = []
def add(v, put=xs.append): put(v)
look(xs)
add(1); look(xs)
add(2); look(xs)
""",
    'method in tuple': """
xs = []
for name, f in [("a", xs.append), ("b", xs.append)]:
    f(name); look(xs)
a, b = xs.append, xs.pop
a(1); look(xs)
b(); look(xs)
""",
    'counter update bound': """
c = collections.Counter()
up = c.update
look(c)
up("aab"); look(c)
up({"a": 3}); look(c)
up("b"); look(c)
s = c.subtract
s("a"); look(c)
""",
    'operator methodcaller': """
xs = [1]
look(xs)
operator.methodcaller("append", 5)(xs); look(xs)
operator.methodcaller("append", 6)(xs); look(xs)
f = operator.methodcaller("append", 6)
f(xs); look(xs)
list(map(f, [xs])); look(xs)
""",
    'getattr method': """
xs = [1]
look(xs)
getattr(xs, "append")(4); look(xs)
getattr(xs, "append")(5); look(xs)
m = getattr(xs, "app" + "end")
m(9); look(xs)
m(9); look(xs)
type(xs).append(xs, 3); look(xs)
list.append(xs, 4); look(xs)
f = list.append
f(xs, 5); look(xs)
f(xs, 6); look(xs)
map_ = list(map(list.append, [xs], [3])); look(xs)
xs.__class__.append(xs, 5); look(xs)
xs.__getattribute__("append")(3); look(xs)
[].append.__self__
xs.append.__call__(3); look(xs)
""",
    'starmap': """
d = {}
look(d)
list(itertools.starmap(d.__setitem__, [(1, 2), (3, 4)])); look(d)
collections.deque(itertools.starmap(d.setdefault, [(5, 2), (6, 4)]), maxlen=0); look(d)
""",
    'zip of generators': """
xs = []
def g():
    for i in range(3):
        xs.append(i); yield i
look(xs)
for a, b in zip(g(), g()): look(xs)
z = zip(g(), map(xs.append, [7, 8, 9]))
next(z); look(xs)
list(z); look(xs)
""",
    'threads with bound': """
xs = []
look(xs)
t = threading.Thread(target=xs.append, args=(1,)); t.start(); t.join(); look(xs)
t = threading.Thread(target=xs.append, args=(2,)); t.start(); t.join(); look(xs)
""",
    'weakref finalize': """
xs = []
class O: pass
o = O()
weakref.finalize(o, xs.append, 1)
look(xs)
xs.append(5); look(xs)
""",
    'contextlib callback': """
xs = []
with contextlib.ExitStack() as st:
    st.callback(xs.append, 3)
    look(xs)
look(xs)
xs.append(4); look(xs)
""",
    'tee chain': """
xs = [1, 2]
a, b = itertools.tee(map(xs.append, [3, 4]))
look(xs); next(a); look(xs); next(b); look(xs); list(a); look(xs)
""",
    'join side effects': """
xs = []
look(xs)
"".join(str(xs.append(i)) for i in range(3)); look(xs)
"".join(map(str, map(xs.append, [4]))); look(xs)
"%s" % xs.append(5); look(xs)
f"{xs.append(6)}"; look(xs)
sum(xs.append(i) or i for i in [7]); look(xs)
dict.fromkeys(map(xs.append, [8])); look(xs)
a, *b = map(xs.append, [9, 10]); look(xs)
(lambda *a: 0)(*map(xs.append, [11])); look(xs)
set(map(xs.append, [12])); look(xs)
tuple(map(xs.append, [12])); look(xs)
None in map(xs.append, [13]); look(xs)
ys = [*map(xs.append, [14])]; look(xs)
ys.extend(map(xs.append, [15])); look(xs)
ys += map(xs.append, [16]); look(xs)
ys[:] = map(xs.append, [17]); look(xs)
{None: 1}.update(zip(map(xs.append, [18]), [1])); look(xs)
for _ in map(xs.append, [19, 20]): look(xs)
for _ in zip(map(xs.append, [21, 22]), [1, 2]): look(xs)
for _ in enumerate(map(xs.append, [23, 24])): look(xs)
[look(xs) for _ in map(xs.append, [25, 26])]
""",
    'operator': """
xs = [1, 2, 3]; d = {}; s = {1}
look([xs, d, s]); operator.setitem(xs, 0, 9); look(xs); operator.delitem(xs, 0); look(xs); operator.iadd(xs, [5]); look(xs); operator.imul(xs, 2); look(xs); operator.setitem(d, "a", 1); look(d); operator.ior(d, {"b": 2}); look(d); operator.iand(s, {2}); look(s); operator.iconcat(xs, [7]); look(xs)
from operator import setitem, iadd
setitem(xs, 0, 1); look(xs); iadd(xs, [1]); look(xs); f = operator.setitem
f(xs, 0, 2); look(xs); f(xs, 0, 3); look(xs); list(map(f, [xs], [0], [4])); look(xs)
functools.partial(f, xs, 0)(5); look(xs)
itertools.accumulate
list(itertools.accumulate([xs, [1], [2]], operator.iadd)); look(xs)
""",
    'iter mutate': """
xs = [1, 2, 3]
it = iter(xs)
for x in it:
    look(xs)
    if x < 3: xs.append(9) if len(xs) < 5 else None
look(xs)
i = iter(xs.pop, 9); list(itertools.islice(i, 1)); look(xs)
xs = [1, 2, 3, 4]
look(xs)
for v in iter(xs.pop, 1): look(xs)
look(xs)
xs = [1, 2, 3, 4, 5]
look(xs)
s = iter(xs.pop, 1); next(s); look(xs); next(s); look(xs)
""",
    'string building via list': """
class SB:
    def __init__(self): self.parts = []; self.w = self.parts.append
    def add(self, s): self.w(s); return self
s = SB(); look(s.parts); s.add("a"); look(s.parts); s.add("b").add("c"); look(s.parts)
""",
}  # fmt: skip

ATTRIBUTES = {
    'dict swap': """
class O: pass
o = O(); o.x = 1
look(o)
o.__dict__ = {"x": 2, "y": 3}
look(o)
o.x = 5; look(o)
o.__dict__ = {}
look(o)
o.__dict__.update(z=1); look(o)
o.__dict__["z"] = 3; look(o)
o.__dict__.pop("z"); look(o)
o.__dict__ |= {"k": 1}; look(o)
del o.__dict__["k"]; look(o)
o.__dict__.setdefault("j", 2); look(o)
o.__dict__.clear(); look(o)
vars(o)["a"] = 1; look(o)
vars(o).update([("b", 2)]); look(o)
vars(o).pop("a"); look(o)
d = vars(o)
d["c"] = 3; look(o)
d["c"] = 4; look(o)
del d["c"]; look(o)
d.clear(); look(o)
""",
    'dict swap 2': """
class O:
    def __init__(self, **k): self.__dict__.update(k)
    def __setstate__(self, s): self.__dict__ = s
    def put(self, **k): self.__dict__.update(k)
o = O(a=1); look(o); o.put(a=2, b=3); look(o)
o.__setstate__({"q": 1}); look(o); o.put(q=2); look(o)
vars(o).update(**{"q": 5}); look(o)
for k, v in {"m": 1, "n": 2}.items(): o.__dict__[k] = v
look(o)
for k in list(o.__dict__): setattr(o, k, 0)
look(o)
for k in list(vars(o)): delattr(o, k)
look(o)
a = o.__dict__
a["z"] = 1; look(o)
a["z"] = 2; look(o)
def change(d): d["z"] = 9
change(o.__dict__); look(o)
change(vars(o)); look(o)
dict.__setitem__(o.__dict__, "z", 10); look(o)
dict.update(o.__dict__, z=11); look(o)
dict.update(vars(o), z=12); look(o)
operator.setitem(o.__dict__, "z", 13); look(o)
o.__dict__, b = {"new": 1}, 2
look(o)
""",
    'class swap': """
class A:
    def __init__(self): self.x = 1
class B: pass
a = A(); look(a.__dict__); a.__class__ = B; a.x = 2; look(a.x);
""",
    'setattr forms': """
class O: pass
o = O(); o.x = 1; look(o)
setattr(o, "x", 2); look(o)
s = setattr
s(o, "x", 3); look(o)
object.__setattr__(o, "x", 4); look(o)
o.__setattr__("x", 5); look(o)
list(map(setattr, [o], ["x"], [6])); look(o)
functools.partial(setattr, o, "x")(7); look(o)
list(map(functools.partial(setattr, o), ["x", "y"], [8, 9])); look(o)
delattr(o, "y"); look(o)
list(itertools.starmap(setattr, [(o, "x", 10)])); look(o)
f = o.__setattr__
f("x", 11); look(o)
type(o).__setattr__(o, "x", 12); look(o)
d = {"set": setattr}
d["set"](o, "x", 13); look(o)
[setattr(o, k, v) for k, v in [("x", 14)]]; look(o)
setattr(*(o, "x", 15)); look(o)
object.__delattr__(o, "x"); look(o)
builtins_set = getattr(__import__("builtins"), "setattr"); builtins_set(o, "x", 16); look(o)
""",
    'weak dicts': """
class K: pass
k = K(); k.x = 1
d = weakref.WeakKeyDictionary(); d[k] = [1]; look(d[k]); d[k].append(2); look(d[k])
w = weakref.WeakValueDictionary(); w["a"] = k; look(w["a"]); w["a"].x = 5; look(w["a"])
s = weakref.WeakSet(); s.add(k); look(len(s))
p = weakref.proxy(k); look(k); p.x = 6; look(k); p.y = 7; look(k); p.x += 1; look(k); setattr(p, "x", 9); look(k); del p.x; look(k)
""",
    'cached_property': """
class C:
    def __init__(self): self.n = 1
    @functools.cached_property
    def big(self): return [self.n]
c = C(); look(c); c.big; look(c); c.big.append(3); look(c); del c.big; look(c); c.n = 5; c.big; look(c)
""",
    'slots': """
class S:
    __slots__ = ("a", "b")
s = S(); look(s); s.a = 1; look(s); s.b = [s.a]; look(s); s.b.append(1); look(s); del s.a; look(s); setattr(s, "a", 3); look(s); S.a.__set__(s, 7); look(s); object.__setattr__(s, "a", 8); look(s)
S.__dict__["a"].__set__(s, 9); look(s); S.a.__delete__(s); look(s)
""",
    'descriptors': """
class D:
    def __set_name__(self, o, n): self.n = "_" + n
    def __get__(self, o, t=None): return self if o is None else getattr(o, self.n, None)
    def __set__(self, o, v): setattr(o, self.n, v); o.log.append(v)
class C:
    x = D()
    def __init__(self): self.log = []
c = C(); look(c); c.x = 1; look(c); c.x = 2; look(c); c.x += 1; look(c); setattr(c, "x", 9); look(c); C.x.__set__(c, 5); look(c)
class E:
    def __set__(self, o, v): o.__dict__["x"] = v
    def __get__(self, o, t=None): return o.__dict__.get("x")
class F: x = E()
f = F(); look(f); f.x = 1; look(f); f.x = 2; look(f)
class G:
    def __set__(self, o, v): vars(o).update(x=v)
class I: x = G()
f = I(); look(f); f.x = 1; look(f); f.x = 2; look(f)
""",
    'properties': """
class C:
    def __init__(self): self._x = 0
    @property
    def x(self): return self._x
    @x.setter
    def x(self, v): self._x = v
c = C(); look(c); c.x = 1; look(c); c.x += 1; look(c); C.x.fset(c, 9); look(c); C.x.__set__(c, 10); look(c)
""",
    'setattr override': """
class C:
    def __setattr__(self, n, v): self.__dict__[n] = v
c = C(); look(c); c.a = 1; look(c); c.a = 2; look(c)
class E:
    def __setattr__(self, n, v): super().__setattr__(n, [v])
c = E(); look(c); c.a = 1; look(c); c.a = 2; look(c)
class F:
    def __setattr__(self, n, v): object.__setattr__(self, "_" + n, v)
    def __getattr__(self, n): return object.__getattribute__(self, "_" + n)
c = F(); look(c); c.a = 1; look(c); c.a = 2; look(c); c.a += 2; look(c)
""",
    'class attributes': """
class C:
    n = 0; xs = []
    @classmethod
    def inc(cls): cls.n += 1; cls.xs.append(cls.n)
look([C.n, C.xs]); C.inc(); look([C.n, C.xs]); C.inc(); look([C.n, C.xs]); C.n = 10; look([C.n, C.xs])
""",
    'namedtuple/enum/dataclass': """
@dataclasses.dataclass
class P:
    x: int = 0
    ys: list = dataclasses.field(default_factory=list)
    def __post_init__(self): self.z = self.x
p = P(1); look(p); p.ys.append(1); look(p); q = dataclasses.replace(p, x=5); look(q); look(p); p.x += 1; look(p); q.ys.append(9); look(p)
@dataclasses.dataclass(frozen=True)
class F:
    x: int
    def bump(self): object.__setattr__(self, "x", self.x + 1)
f = F(1); look(f); f.bump(); look(f); f.__dict__["x"] = 9; look(f)
@dataclasses.dataclass(slots=True)
class S:
    x: int
s = S(1); look(s); s.x = 2; look(s); s.__init__(5); look(s); P.__init__(p, 7); look(p); p.__init__(8, [1]); look(p)
""",
    'copy': """
class O: pass
o = O(); o.x = [1]
c = copy.copy(o); look(c); c.x.append(2); look(o); c.x = 1; look(c); look(o); d = copy.deepcopy(o); d.x.append(3); look(d); look(o)
p = pickle.loads(pickle.dumps([1, {"a": [2]}])); look(p); p[1]["a"].append(3); look(p)
j = json.loads('{"a": [1, 2]}'); look(j); j["a"].append(3); look(j)
""",
    'exceptions': """
class E(Exception):
    def __init__(self, a): super().__init__(a); self.items = [a]
e = E(1); look(e); e.items.append(2); look(e); e.args = (5,); look(e); e.__notes__ = ["n"] ; look(e.__notes__); e.extra = 1; look(e)
if hasattr(e, "add_note"): del e.__notes__; e.add_note("x"); look(e.__notes__); e.add_note("y"); look(e.__notes__)
""",
    'namespace': """
n = types.SimpleNamespace(a=1); look(n); n.a = 2; look(n); n.b = [1]; look(n); n.b.append(2); look(n); n.__dict__["a"] = 5; look(n)
""",
    'function attributes': """
def f(): pass
f.n = 0; f.xs = []; look([f.n, f.xs]); f.n += 1; f.xs.append(1); look([f.n, f.xs])
""",
    'skip functions': """
def f(xs):  # algotrace: skip
    xs.append(1)
xs = []
look(xs); f(xs); look(xs); f(xs); look(xs)
class O:
    def put(self):  # algotrace: skip
        self.x = 1
    def put2(self, o):  # algotrace: skip
        o.x = 3
o = O(); look(o); o.put(); look(o); o.put2(o); look(o)
""",
    'skip nested': """
class O:
    def __init__(self): self.xs = []; self.n = 0
    def put(self):  # algotrace: skip
        self.xs.append(1); self.n += 1
o = O(); look(o); o.put(); look(o); o.xs.append(7); look(o); o.put(); look(o)
""",
    'globals function state': """
n = 0
def f(): pass
f.count = 1
def g(fn): fn.count += 1; look(fn.count)
g(f); g(f)
""",
    'mutable default in class': """
class T:
    shared = {}
    def put(self, k, v): self.shared[k] = v; self.own = dict(self.shared)
t, u = T(), T(); look(t); t.put("a", 1); look(T.shared); u.put("b", 2); look(T.shared); look(t); look(u)
""",
    'new': """
class S:
    inst = None
    def __new__(cls, *a):
        if cls.inst is None: cls.inst = super().__new__(cls); cls.inst.items = []
        return cls.inst
    def __init__(self, v): self.items.append(v); self.v = v
s = S(1); look(s); t = S(2); look(s); t.items.pop(); look(s)
""",
    'slots and dict': """
class A: __slots__ = ("x", "__dict__")
class B(A): __slots__ = ("y",)
b = B(); look(b); b.x = 1; look(b); b.y = 2; look(b); b.z = 3; look(b); b.__dict__["w"] = 4; look(b); del b.x; look(b); b.z += 1; look(b); vars(b).clear(); look(b)
""",
    'name mangling': """
class A:
    def __init__(self): self.__x = 1; self._y = [self.__x]
    def up(self): self.__x += 1; self._y.append(self.__x); setattr(self, "_A__x", 9)
a = A(); look(a); a.up(); look(a); a._A__x = 10; look(a)
""",
    'super attr': """
class A:
    def set(self, v): self.v = v
class B(A):
    def set(self, v): super().set([v]); self.v.append(v)
b = B(); look(b); b.set(1); look(b); A.set(b, 2); look(b)
""",
    'attribute aug on call result': """
class O:
    def __init__(self): self.n = 0; self.kids = []
def get(o): return o
o = O(); look(o); get(o).n += 1; look(o); get(o).kids += [1]; look(o); get(o).kids[0] += 5; look(o); [o][0].n -= 1; look(o); get(o).kids.append(get(o).n); look(o); get(o).__dict__["n"] += 7; look(o); vars(get(o))["n"] += 1; look(o)
""",
}  # fmt: skip

CONTAINERS = {
    'UserDict': """
class U(collections.UserDict): pass
u = U(); look(u); u["a"] = 1; look(u); u["a"] = 2; look(u); u.update(b=3); look(u); del u["a"]; look(u); u.pop("b"); look(u)
d = collections.UserDict(); look(d.data); d["x"] = 1; look(d.data); d["x"] = 2; look(d.data); d.setdefault("y", []).append(1); look(d.data)
""",
    'UserList': """
class U(collections.UserList): pass
u = U([1]); look(u); u.append(2); look(u); u[0] = 5; look(u); u += [3]; look(u); u.sort(); look(u); u.insert(0, 9); look(u); u.extend([1]); look(u); del u[0]; look(u); u.pop(); look(u); u *= 2; look(u); u.reverse(); look(u); u.clear(); look(u)
""",
    'ChainMap': """
a, b = {"x": 1}, {"y": 2}
c = collections.ChainMap(a, b)
look(a); c["z"] = 3; look(a); look(b); c.update(q=1); look(a); del c["x"]; look(a); c.pop("z"); look(a); c.popitem(); look(a); m = c.new_child(); m["k"] = 1; look(m.maps); m["k"] = 2; look(m.maps); c.clear(); look(a)
""",
    'array': """
a = array.array("i", [1, 2, 3])
look(a); a[0] = 5; look(a); a.append(6); look(a); a.extend([1]); look(a); a[1:2] = array.array("i", [7, 7]); look(a); a.pop(); look(a); a.byteswap(); look(a); a.byteswap(); a.reverse(); look(a); a += a; look(a); a *= 2; look(a); del a[0]; look(a); a.insert(0, 3); look(a); a.remove(3); look(a); a.frombytes(b"\\1\\0\\0\\0"); look(a)
m = memoryview(a); m[0] = 99; look(a); m[1:3] = m[2:4]; look(a); m.release()
struct.pack_into("i", a, 0, 77); look(a)
random.shuffle(a); look(a)
heapq.heapify(a) if False else None
a.fromlist([1]); look(a)
f = io.BytesIO(b"\\5\\0\\0\\0");
f.readinto(a); look(a)
bisect.insort(a, 5); look(a)
""",
    'array in list': """
a = [array.array("i", [1, 2, 3])]
look(a); a[0][0] = 5; look(a)
""",
    'bytearray': """
b = bytearray(b"abcdef")
look(b); b[0] = 65; look(b); b.append(66); look(b); b.extend(b"xy"); look(b); b[1:3] = b"ZZZ"; look(b); b.pop(); look(b); b.reverse(); look(b); b += b"q"; look(b); b *= 2; look(b); del b[0]; look(b); del b[::2]; look(b); b.insert(0, 3); look(b); b.remove(3); look(b); b.clear(); look(b)
""",
    'bytearray views': """
b = bytearray(b"abcdefgh")
look(b)
m = memoryview(b); look(b); m[0] = 65; look(b); m[1:3] = b"ZZ"; look(b)
c = m.cast("I"); c[0] = 1; look(b)
s = m[2:5]; s[0] = 7; look(b)
m[:] = b"12345678"; look(b)
struct.pack_into("<H", b, 2, 513); look(b)
struct.pack_into("<H", m, 0, 1000); look(b)
io.BytesIO(b"xyz").readinto(b); look(b)
io.BytesIO(b"XYZ").readinto(m); look(b)
S = struct.Struct("<B"); S.pack_into(b, 1, 9); look(b)
with memoryview(b) as v: v[3] = 4
look(b)
class H: pass
h = H(); h.view = memoryview(b); h.view[0] = 1; look(b)
def put(view): view[0] = 2
put(h.view); look(b)
put(memoryview(b)); look(b)
h.view[1:2] = b"5"; look(b)
h.view[0] ^= 3; look(b)
del m, c, s, v, h
""",
    'bytearray ops': """
b = bytearray(b"abc")
look(b); b[0] ^= 1; look(b); b[:] = b"xyz"; look(b); b[0], b[1] = b[1], b[0]; look(b)
operator.setitem(b, 0, 1); look(b); b.__setitem__(0, 2); look(b); b.__iadd__(b"k"); look(b)
b.extend(x for x in [1, 2]); look(b)
for i in range(3): b[i] = i
look(b)
""",
    'ior': """
d = {"a": 1}
look(d); d |= {"b": 2}; look(d); d.__ior__({"c": 3}); look(d); d |= [("d", 4)]; look(d)
s = {1}
look(s); s |= {2}; look(s); s &= {2, 3}; look(s); s ^= {5}; look(s); s -= {2}; look(s); s.__isub__({5}); look(s)
c = collections.Counter("ab"); look(c); c += collections.Counter("a"); look(c); c -= collections.Counter("b"); look(c); c |= collections.Counter("zz"); look(c); c &= collections.Counter("z"); look(c); c["q"] += 1; look(c); c.update("q"); look(c); c.subtract("q"); look(c); del c["q"]; look(c); del c["nope"]; look(c)
""",
    'slice gen': """
xs = [1, 2, 3]
look(xs); xs[1:] = (x * len(xs) for x in xs); look(xs); xs[:] = map(lambda v: v + 1, xs); look(xs); del xs[::2]; look(xs); xs[0:0] = [5, 6]; look(xs); xs[::2] = [7] * len(xs[::2]); look(xs); xs[1:2] += [1]; look(xs)
del xs[:]; look(xs)
""",
    'sort with key that mutates': """
log = []
xs = [3, 1, 2]
def key(v): log.append(v); return v
look(xs); xs.sort(key=key); look(xs); look(log); xs.sort(key=lambda v: log.append(v) or -v); look(xs); look(log)
xs.sort(reverse=True, key=key); look(xs)
class K:
    def __init__(self, v): self.v = v
    def __lt__(self, o): log.append("lt"); return self.v < o.v
ks = [K(2), K(1)]; look(ks); ks.sort(); look(ks); look(log); sorted(ks); look(log)
list.sort(xs); look(xs); list.reverse(xs); look(xs)
""",
    'list init': """
xs = [1, 2]
look(xs); xs.__init__([3]); look(xs); xs.__init__(); look(xs); list.__init__(xs, [5, 6]); look(xs)
d = {"a": 1}
look(d); d.__init__(b=2); look(d); dict.__init__(d, c=3); look(d)
s = {1}; look(s); s.__init__([2]); look(s)
q = collections.deque([1], 3); look(q); q.__init__([5, 6]); look(q)
b = bytearray(b"a"); look(b); b.__init__(b"xyz"); look(b)
""",
    'heap': """
h = [5, 3, 8]
look(h); heapq.heapify(h); look(h); heapq.heappush(h, 1); look(h); heapq.heappop(h); look(h); heapq.heapreplace(h, 4); look(h); heapq.heappushpop(h, 0); look(h); heapq.heappushpop(h, 10); look(h)
push = heapq.heappush
push(h, 2); look(h); push(h, 2.5); look(h)
from heapq import heappop as hp, heappush as hpush
hp(h); look(h); hpush(h, 9); look(h)
heapq._heapify_max(h); look(h)
list(heapq.merge(h, [1])); look(h)
heapq.nsmallest(2, h); look(h)
[heapq.heappop(h) for _ in range(2)]; look(h)
list(map(functools.partial(heapq.heappush, h), [1, 2])); look(h)
""",
    'heap objects': """
class P:
    def __init__(self, p): self.p = p
    def __lt__(self, o): return self.p < o.p
h = []
for p in [5, 2, 8, 2, 1]:
    heapq.heappush(h, P(p)); look(h)
while h: heapq.heappop(h); look(h)
for p in [5, 2, 8, 2, 1]: heapq.heappush(h, (p, P(p))); look(h)
heapq.heapreplace(h, (0, P(0))); look(h)
""",
    'bisect': """
xs = [1, 5, 9]
look(xs); bisect.insort(xs, 4); look(xs); bisect.insort_left(xs, 5); look(xs); bisect.insort(xs, -3, key=lambda v: v); look(xs); bisect.insort(xs, 7, 0, 3); look(xs); bisect.insort(xs, -1, key=abs); look(xs)
bisect.insort_right(a=xs, x=3); look(xs)
""",
    'shuffle': """
xs = list(range(6))
look(xs); random.shuffle(xs); look(xs); r = random.Random(1); r.shuffle(xs); look(xs); sh = random.shuffle; sh(xs); look(xs); from random import shuffle as mix
mix(xs); look(xs)
d = {0: 1, 1: 2, 2: 3}; look(d); random.shuffle(d); look(d)
""",
    'OrderedDict': """
d = collections.OrderedDict(a=1, b=2, c=3)
look(d); d.move_to_end("a"); look(d); d.move_to_end("c", last=False); look(d); d.popitem(last=False); look(d); d["z"] = 1; look(d); d.pop("b"); look(d); d.update(a=5); look(d); d |= {"q": 1}; look(d); d.setdefault("w", 1); look(d); del d["a"]; look(d); d.move_to_end("q", False); look(d); d.clear(); look(d)
""",
    'defaultdict': """
d = collections.defaultdict(list)
look(d); d["a"]; look(d); d["b"].append(1); look(d); d["b"].append(2); look(d); d["c"] += [3]; look(d); d.get("z"); look(d); d.__missing__("k"); look(d); d["x"], y = 1, 2; look(d); [d[k] for k in "mn"]; look(d); d.default_factory = None; look(dict(d)); d.default_factory = int; d["u"] += 1; look(dict(d)); operator.getitem(d, "gg"); look(dict(d)); operator.itemgetter("hh")(d); look(dict(d)); list(map(d.__getitem__, "ij")); look(dict(d)); "%(fmt)s" % d; look(dict(d)); "{a[zz]}".format(a=d); look(dict(d)); "{fk}".format_map(d); look(dict(d))
""",
    'deque': """
q = collections.deque([1, 2, 3], maxlen=4)
look(q); q.append(4); look(q); q.append(5); look(q); q.appendleft(0); look(q); q.rotate(1); look(q); q.extend([7, 8]); look(q); q.extendleft([9]); look(q); q[0] = 5; look(q); del q[1]; look(q); q.insert(1, 6); look(q); q.remove(6); look(q); q.reverse(); look(q); q += [1]; look(q); q.pop(); look(q); q.popleft(); look(q); q *= 2; look(q); q.clear(); look(q)
""",
    'queue': """
q = queue.Queue(); look(list(q.queue)); d = q.queue; look(d); q.put(1); look(d); q.put(2); look(d); q.get(); look(d)
pq = queue.PriorityQueue(); l = pq.queue; look(l); pq.put(5); look(l); pq.put(1); look(l); pq.get(); look(l)
""",
    'custom containers': """
class L(list):
    def append(self, v): super().append(v * 2)
    def __setitem__(self, k, v): list.__setitem__(self, k, -v)
    def __iadd__(self, o): list.extend(self, o); return self
l = L(); look(l); l.append(1); look(l); l[0] = 5; look(l); l += [7]; look(l); l.extend([1]); look(l); l.tag = 3; look(l)
class D(dict):
    def __setitem__(self, k, v): super().__setitem__(k, [v])
    def __missing__(self, k): self[k] = 0; return self[k]
    def __delitem__(self, k): dict.__delitem__(self, k)
    def __getattr__(self, n): return self[n]
    def __setattr__(self, n, v): self[n] = v
d = D(); look(d); d["a"] = 1; look(d); d["b"]; look(d); d.update(c=1); look(d); del d["a"]; look(d); d.zz = 5; look(d); d.zz.append(1); look(d)
""",
    'abc mutable mapping': """
class M(collections.abc.MutableMapping if hasattr(collections, "abc") else object):
    def __init__(self): self.d = {}
    def __getitem__(self, k): return self.d[k]
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): del self.d[k]
    def __iter__(self): return iter(self.d)
    def __len__(self): return len(self.d)
m = M(); look(m); m["a"] = 1; look(m); m.update(b=2); look(m); m.setdefault("c", 1); look(m); m.pop("a"); look(m); m.popitem(); look(m); m.clear(); look(m)
""",
    'large': """
xs = list(range(200)); look(xs); xs.sort(reverse=True); look(xs); xs[5] = -1; look(xs); xs.append(1); look(xs); collections.deque(map(xs.append, [1]), 0); look(xs); f = xs.append; f(3); look(xs)
d = dict.fromkeys(range(200)); look(d); d.pop(3); look(d); d[3] = 1; look(d); del d[7]; look(d); d.update({7: 1}); look(d)
""",
    'list subclass via lib': """
class L(list): pass
l = L([3, 1]); look(l); l.sort(); look(l); heapq.heappush(l, 0); look(l); random.shuffle(l); look(l); bisect.insort(l, 2); look(l); sorted(l); l.__init__([9]); look(l); l[:] = [4]; look(l)
""",
    'setdefault chain': """
d = {}
look(d); d.setdefault("a", {}).setdefault("b", []).append(1); look(d); d.setdefault("a", {})["c"] = 1; look(d); d["a"]["b"] += [2]; look(d); d["a"]["b"][0] = 7; look(d); x = d["a"]; x["b"].clear(); look(d); d["a"] |= {"k": 1}; look(d)
""",
    'dict with odd keys': """
class K:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __hash__(self): return 5
d = {}
look(d); d[K(1)] = 1; look(d); d[K(2)] = 2; look(d); d[K(1)] = 3; look(d); del d[K(2)]; look(d); d.setdefault(K(3), []).append(1); look(d); d.pop(K(1)); look(d); d.update({K(3): 9}); look(d)
s = set(); look(s); s.add(K(1)); look(s); s.add(K(1)); look(s); s.discard(K(1)); look(s)
""",
    'int float keys': """
d = {}
look(d); d[1] = "a"; look(d); d[1.0] = "b"; look(d); d[True] = "c"; look(d); del d[1]; look(d); d[0] = 1; d[False] = 2; look(d); d[-1] = 3; look(d); d[-1.0] = 4; look(d); d["1"] = 5; look(d); d[(1, 2)] = 1; look(d); d[(1.0, 2)] = 2; look(d); d[None] = 1; look(d); d[2**70] = 1; look(d); d[float(2**70)] = 2; look(d); d[b"a"] = 3; look(d); d[1j] = 1; look(d); d[complex(1)] = 2; look(d); d[frozenset([1])] = 1; look(d); d[frozenset([1])] = 2; look(d); d[frozenset([1.0])] = 3; look(d)
d[float("inf")] = 1; look(len(d))
""",
    'recursive structure': """
a = [1]; a.append(a); look(a); a[0] = 2; look(a); a.pop(); look(a); d = {}; d["self"] = d; look(d); d["x"] = 1; look(d); del d["self"]; look(d)
""",
    'itemgetter attr chain': """
d = {"a": {"b": [1]}}
look(d); operator.itemgetter("a")(d)["b"].append(2); look(d); d.get("a").get("b").append(3); look(d); next(iter(d.values()))["b"].append(4); look(d); list(d.values())[0]["c"] = 1; look(d); max(d.items())[1]["b"].clear(); look(d); (d["a"] if d else None)["z"] = 1; look(d); (d.get("a") or {})["y"] = 2; look(d); [d][0]["a"]["x"] = 3; look(d); (lambda: d)()["a"]["w"] = 4; look(d)
""",
    'timsort interplay': """
xs = [3, 1, 2]
look(xs); xs = sorted(xs); look(xs); xs.sort(key=lambda v: -v); look(xs)
try: xs.sort(key=lambda v: 1 / 0)
except ZeroDivisionError: look(xs)
try: xs.extend(1 / v for v in [1, 0])
except ZeroDivisionError: look(xs)
try: xs[0:1] = (1 / v for v in [1, 0])
except ZeroDivisionError: look(xs)
try: d = {}; d.update((k, 1 / k) for k in [1, 0])
except ZeroDivisionError: look(d)
try: s = set(); s.update(1 / k for k in [1, 0])
except ZeroDivisionError: look(s)
try: q = collections.deque(); q.extend(1 / k for k in [1, 0])
except ZeroDivisionError: look(q)
try: q.extendleft(1 / k for k in [2, 0])
except ZeroDivisionError: look(q)
try: b = bytearray(); b.extend(k for k in [1, 1000])
except ValueError: look(b)
try: xs.insert("a", 1)
except TypeError: look(xs)
try: xs.remove(99)
except ValueError: look(xs)
try: [].pop()
except IndexError: look(xs)
try: xs.append()
except TypeError: look(xs)
try: xs.append(1, 2)
except TypeError: look(xs)
try: xs.pop(1, 2)
except TypeError: look(xs)
try: d.pop("nokey")
except KeyError: look(d)
try: d.popitem(1)
except TypeError: look(d)
try: d[[]] = 1
except TypeError: look(d)
try: xs[99] = 1
except IndexError: look(xs)
try: xs["a"] = 1
except TypeError: look(xs)
try: s.add([])
except TypeError: look(s)
""",
}  # fmt: skip

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

ARRAYS = {
    'numpy basic': """
import numpy as np
a = np.arange(3)
look(a); a[0] = 9; look(a); a += 1; look(a); a.sort(); look(a); np.add(a, 1, out=a); look(a); v = a[1:]; v[0] = 77; look(a); np.random.shuffle(a); look(a); a.fill(3); look(a); a.resize(5, refcheck=False); look(a); a.shape = (5, 1); look(a); np.put(a, [0], [8]); look(a)
""",
    'numpy nested': """
import numpy as np
class O: pass
o = O(); o.a = np.zeros(2); o.d = {"x": [np.ones(2)]}
look(o); o.a[0] = 1; look(o); o.d["x"][0][1] = 5; look(o); look([o]); look({"k": (o.a,)}); o.a = 1; look(o)
""",
    'pandas': """
import pandas as pd
df = pd.DataFrame({"x": [1, 2]})
look(df); df.loc[0, "x"] = 5; look(df); df["y"] = 1; look(df); df.drop(columns="y", inplace=True); look(df); s = df["x"]; s.iloc[0] = 7; look(s); look(df); df.rename(columns={"x": "z"}, inplace=True); look(df); df.at[0, "z"] = 1; look(df); df.columns = ["q"]; look(df); df.index.name = "i"; look(df); df.sort_values("q", inplace=True, ascending=False); look(df)
idx = df.index; look(idx); idx.name = "zz"; look(idx)
""",
    'pandas series': """
import pandas as pd
s = pd.Series([1, 2]); look(s); s[0] = 5; look(s); s.iloc[1] = 6; look(s); s.name = "n"; look(s); s += 1; look(s); g = pd.Categorical(["a"]); look([g])
""",
    'numpy in list passed': """
import numpy as np
a = np.arange(3)
xs = [a, 1]
def f(x): x[0][0] += 5; return look(x)
f(xs); look(xs); f(xs); xs.append(2); look(xs); t = (a,); look(t); a[1] = 8; look(t)
""",
}  # fmt: skip

LIBRARIES = {
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
}  # fmt: skip

PIECES = {
    **CODE_IN_TEXT,
    **KEPT_METHODS,
    **ATTRIBUTES,
    **CONTAINERS,
    **THE_LANGUAGE,
    **MORE,
    **PROGRAMS,
    **LIBRARIES,
}
