"""Pieces of programs that keep methods which change something, and call them later, or let others call them."""

from __future__ import annotations

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
    'what a write may hide': """
xs=[1]; p=functools.partial(xs.append, 4); look(xs)
xs.extend([2]); look(xs); p(); look(xs)
xs=[1]; p=functools.partial(xs.append, 4); look(xs)
xs+=[2]; look(xs); p(); look(xs)
xs=[1]; p=functools.partial(xs.append, 4); look(xs)
xs[1:]=[2]; look(xs); p(); look(xs)
xs=[1,2]; p=functools.partial(xs.__setitem__, 0, 7); look(xs)
xs[0]=5; look(xs); p(); look(xs)
d={1:1}; p=functools.partial(d.update, {2:3}); look(d)
d.update({2:4}); look(d); p(); look(d)
d={1:1}; p=functools.partial(d.update, {2:3}); look(d)
d[2]=4; look(d); p(); look(d)
d={1:1}; p=functools.partial(d.setdefault, 1, 3); look(d)
del d[1]; look(d); p(); look(d)
s={1}; p=functools.partial(s.discard, 2); look(s)
s.add(2); look(s); p(); look(s)
s={1}; p=functools.partial(s.add, 1); look(s)
s.discard(1); look(s); p(); look(s)
xs=[1]; p=functools.partial(xs.append, 4); look(xs)
xs*=2; look(xs); p(); look(xs)
xs=[1]; p=functools.partial(xs.append, 4); look(xs)
xs.insert(0,9); look(xs); p(); look(xs)
xs=[1]; p=functools.partial(xs.append, 4); look(xs)
xs.append(9); look(xs); p(); look(xs)
xs=[1]; p=functools.partial(xs.insert, 0, 4); look(xs)
xs.insert(0,9); look(xs); p(); look(xs)
xs=[1,2]; p=functools.partial(xs.pop, 0); look(xs)
xs.pop(); look(xs); p(); look(xs)
xs=[1,2]; p=functools.partial(xs.reverse); look(xs)
xs.reverse(); look(xs); p(); look(xs)
xs=[1,2]; p=functools.partial(xs.append, 3); look(xs)
put=[xs.extend]; put[0]([5]); look(xs); p(); look(xs)
xs=[1,2]; p=functools.partial(xs.append, 3); look(xs)
put=[xs.append]; put[0](5); look(xs); p(); look(xs)
""",
    'methods of what an iterator gives': """
xs = [1]
add = operator.methodcaller("append", 5)
look(xs)
list(map(add, filter(None, [xs]))); look(xs)
list(map(add, (each for each in [xs]))); look(xs)
list(itertools.starmap(list.append, zip([xs], [2]))); look(xs)
for _ in map(add, iter([xs])): look(xs)
later = map(add, reversed([xs])); look(xs)
next(later); look(xs)
functools.reduce(list.__iadd__, iter([xs, [3], [4]])); look(xs)
def through(call): return list(call)
through(map(add, filter(look, [xs]))); look(xs)
through(map(add, filter(lambda each: each.append(0) or True, [xs]))); look(xs)
""",
    'operator attrgetter': """
xs = [1]
class O: pass
o = O(); o.xs = xs
get = operator.attrgetter("append")
look(xs)
get(xs)(3); look(xs)
get(xs)(4); look(xs)
put = operator.attrgetter("xs.append")(o)
put(5); look(xs)
put(6); look(xs)
for way in map(get, [xs]): way(7); look(xs)
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
    'a function called type': """
def given(type, xs):
    look(xs); type(xs).append(2); look(xs); type(xs).extend([3]); look(xs)
given(lambda x: x, [1])
def own():
    def type(x): return x
    ys = [1]
    look(ys); type(ys).append(2); look(ys); type(ys).sort(); look(ys)
own()
zs = [1]
look(zs); type(zs).append(zs, 2); look(zs)
""",
    'a call of a library before one that is kept': """
xs = [1]
p = functools.partial(xs.insert, 0)
look(xs); types.SimpleNamespace(a=xs); look(xs); p(4); look(xs); types.SimpleNamespace(a=xs); look(xs); p(5); look(xs)
""",
    'all of it is changed before a method that is kept is called': """
import random
def whole(xs, n): xs[:] = n
def several(xs, n): xs *= n
def part(xs, n): xs[1:2] = n
def more(xs, n): xs |= n
for change in (
    lambda xs: xs.sort(), lambda xs: xs.reverse(), lambda xs: xs.clear(), lambda xs: xs.remove(1), lambda xs: xs.pop(), lambda xs: whole(xs, [8]),
    lambda xs: several(xs, 2), lambda xs: part(xs, [8, 9]), lambda xs: random.shuffle(xs), lambda xs: heapq.heapify(xs), lambda xs: xs.extend([7]),
):
    xs = [3, 1, 2]
    p = functools.partial(xs.insert, 0)
    look(xs); change(xs); look(xs); p(4); look(xs)
for change in (
    lambda xs: xs.clear(), lambda xs: xs.pop(1), lambda xs: xs.popitem(), lambda xs: xs.update({5: 6}), lambda xs: xs.setdefault(7, 8),
    lambda xs: more(xs, {9: 1}),
):
    xs = {1: 2, 3: 4}
    p = functools.partial(xs.__setitem__, 10)
    look(xs); change(xs); look(xs); p(4); look(xs)
for change in (
    lambda xs: xs.clear(), lambda xs: xs.discard(1), lambda xs: xs.update([5]), lambda xs: xs.intersection_update([1]), lambda xs: more(xs, {7}),
):
    xs = {1, 2}
    p = functools.partial(xs.add, 10)
    look(xs); change(xs); look(xs); p(); look(xs)
""",
    'a method that is kept, beside others': """
xs = []
push = xs.append
for n in (3, 1, 2): push(n)
look(xs); xs.sort(); look(xs); push(7); look(xs); xs.remove(1); look(xs); xs.reverse(); look(xs); xs.clear(); look(xs); push(4); look(xs)
seen = set()
add = seen.add
for n in "abca":
    if n not in seen: add(n)
look(seen); seen.discard("b"); look(seen); add("d"); look(seen); seen.clear(); look(seen)
""",
}  # fmt: skip
