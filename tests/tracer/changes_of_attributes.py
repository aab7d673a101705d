"""Pieces of programs that change attributes: of objects, functions, classes, modules."""

from __future__ import annotations

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
    'made again': """
class A:
    def __init__(self, n): self.n = n; self.k = [n]
class B(A):
    def __init__(self):
        self.n = 5; look(self)
        super().__init__(seen(self, 7)); look(self)
        setattr(self, "n", 8); look(self)
        A.__init__(self, 9); look(self)
        A.__init__(self, n=seen(self, 6)); look(self)
def seen(x, v):
    look(x); return v
def get(o): return o
a = A(1); look(a); A.__init__(a, seen(a, 2)); look(a); a.__init__(seen(a, 3)); look(a); a.__init__(*[seen(a, 4)]); look(a)
get(a).__init__(n=seen(a, 5)); look(a); get(a).__init__(6); look(a)
b = B(); look(b); base = super(B, b); base.__init__(seen(b, 7)); look(b)
""",
    'made by a library': """
import codecs, html.parser
class D(codecs.IncrementalDecoder):
    def __init__(self, errors):
        look(self); super().__init__(errors); look(self); self.mine = 1; look(self); codecs.IncrementalDecoder.__init__(self, "b"); look(self)
look(D("a"))
class P(html.parser.HTMLParser):
    def __init__(self): look(self); super().__init__(); look(self)
    def reset(self): look(self); super().reset(); look(self)
p = P(); look(p); p.feed("<a>b"); look(p)
""",
    'filled by a base': """
class L(list):
    def __init__(self, n): super().__init__(self.several(n)); look(self); super().__init__(self.several(n + 1)); look(self)
    def several(self, n): look(self); return [n] * n
class D(dict):
    def __init__(self, n): super().__init__(a=self.several(n)); look(self); super().__init__(b=self.several(n + 1)); look(self)
    several = L.several
L(2); D(1)
""",
    'a base next to a container': """
from collections import _count_elements
class M:
    def count(self, it): look(self); _count_elements(self, it); look(self); _count_elements(self, it); look(self)
class F:
    def __init__(self, *a): look(self); super().__init__(*a); look(self); super().__init__({"y": 2}); look(self)
class C(M, F, dict): pass
C({"x": 1}).count("aab"); C().count("x")
""",
    'of the class alone': """
class L:
    n = -1; items = ()
    def go(self): self.n += 1; look(self); self.items += (1,); look(self)
class M(L): pass
x = L(); look(x); x.go(); x.go(); x.n += 1; look(x)
y = M(); look(y); y.n += 1; look(y); M.n = 5; z = M(); look(z); z.n -= 1; look(z); z.m = 0; look(z); L.m = 1; z.m += 1; look(z)
@dataclasses.dataclass
class D:
    n: int = 3
d = D(); look(d); d.n += 1; look(d)
w = type("W", (), {"k": 1})(); look(w); w.k += 1; look(w)
""",
    'bound by hand': """
class O: pass
o = O(); look(o); bound = object.__setattr__.__get__(o); bound("n", 1); look(o); bound("n", 2); look(o)
setter = object.__setattr__; put = setter.__get__(o); look(o); put("k", 3); look(o)
def f(): pass
f.mine = 1
p = O(); look(p); functools.update_wrapper(p, f); look(p)
""",
    'through a weak proxy': """
class O: pass
class S: __slots__ = ("v", "w", "__weakref__")
class P:
    @property
    def v(self): return self.x
    @v.setter
    def v(self, x): self.x = x
    def put(self, x): self.x = x
for cls in (O, S):
    n = cls(); p = weakref.proxy(n)
    look(n)
    p.v = 1; look(n)
    p.v += 4; look(n)
    p.w = p.v = 3; look(n)
    del p.w; look(n)
    setattr(p, "v", 7); look(n)
    delattr(p, "v"); look(n)
    for p.v in (4, 5): look(n)
    p.v, p.w = 8, 9; look(n)
    [0 for p.w in (1,)]; look(n)
n = P(); p = weakref.proxy(n); look(n)
p.v = 1; look(n)
p.v += 1; look(n)
p.put(4); look(n)
n = O(); p = weakref.proxy(n); look(n)
p.__dict__["a"] = 1; look(n)
vars(p)["b"] = 1; look(n)
p.__dict__.update(c=3); look(n)
p.l = [1]; look(n)
p.l.append(1); look(n)
p.l += [2]; look(n)
p.l[0] = 3; look(n)
p.__dict__ = {"q": 1}; look(n)
q = weakref.proxy(n)
h = O(); h.p = q; look(n)
h.p.z = 4; look(n)
class T:
    def __init__(self, owner): self.owner = weakref.proxy(owner)
    def go(self): self.owner.count = getattr(self.owner, "count", 0) + 1
t = T(n)
t.go(); look(n)
t.go(); look(n)
with contextlib.suppress(ReferenceError):
    q = weakref.proxy(O()); q.v = 1
look(n)
""",
    'setters through a weak proxy': """
class O: pass
n = O(); p = weakref.proxy(n); look(n)
p.__setattr__("d", 1); look(n)
list(map(setattr, [p], ["x"], [6])); look(n)
functools.partial(setattr, p, "x")(7); look(n)
list(map(functools.partial(setattr, p), ["x", "y"], [8, 9])); look(n)
list(itertools.starmap(setattr, [(p, "x", 10)])); look(n)
f = p.__setattr__
f("x", 11); look(n)
""",
    'what a wrapper gets': """
def f(): pass
class Deco:
    def __init__(self, g):
        look(self)
        functools.update_wrapper(self, g)
        look(self)
        self.__name__ = "n"; look(self)
class Other:
    def __init__(self, g):
        look(self)
        functools.wraps(g)(self)
        look(self)
        self.__name__ = "n"; look(self)
look(Deco(f)); look(Other(f))
""",
    'states set by C code': """
class X(Exception):
    def __setstate__(self, state):
        look(self)
        super().__setstate__(state)
        look(self)
class Y(Exception): pass
for x in (X(1), Y(1)):
    x.k = 2; look(x)
    x.__setstate__({"z": 1}); look(x)
    x.__setstate__({"z": 2}); look(x)
    x.z = 4; look(x)
""",
    'local to a thread': """
class L(threading.local):
    def __init__(self): look(self)
l = L(); l.x = 1; look(l); l.x = 2; look(l)
""",
}  # fmt: skip
