"""Pieces of programs that change containers, arrays and buffers by all their methods."""

from __future__ import annotations

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
    'deques of own classes': """
class Window(collections.deque):
    def __init__(self, n): super().__init__(maxlen=n); self.total = 0
    def append(self, x): super().append(x); self.total += x
w = Window(2); look(w)
for i in range(4): w.append(i); look(w)
collections.deque.append(w, 9); look(w); w.appendleft(7); look(w); w.extend([5]); look(w); put = w.append; put(3); look(w)
class Plain(collections.deque): pass
p = Plain([1, 2], maxlen=3); look(p); p.append(3); look(p); p.append(4); look(p); p.append(p.pop()); look(p); p.append([p.append(7)]); look(p)
class Refusing(collections.deque):
    def append(self, x): raise ValueError
r = Refusing([1], 1); look(r)
try: r.append(2)
except ValueError: pass
look(r)
for each in (p, w, collections.deque(maxlen=0), collections.deque([1], 1), [1], array.array("i", [1]), bytearray(b"a")):
    each.append(5); look(each)
""",
    'methods by way of a class': """
q, d, xs, i = collections.deque([1]), collections.OrderedDict(b=1), list(range(80)), 3
look(q); collections.deque.append(q, 9); look(q); collections.deque.extend(q, [i, 4]); look(q); collections.deque.popleft(q); look(q)
look(d); collections.OrderedDict.update(d, a=9); look(d); collections.OrderedDict.__setitem__(d, "c", i); look(d); collections.OrderedDict.pop(d, "b"); look(d)
look(xs); list.insert(xs, 0, i); look(xs); list.clear(xs); look(xs)
class Base(list): pass
class Derived(Base):
    def append(self, x): Base.append(self, x * 2)
    def extend(self, xs): super().extend(xs); Base.extend(self, reversed(xs))
b = Derived([1]); look(b); b.append(2); look(b); Base.append(b, 3); look(b); b.extend([4, 5]); look(b); Derived.insert(b, 0, b.pop()); look(b)
class Items(dict):
    def __setitem__(self, k, v): dict.__setitem__(self, k, [v])
    def update(self, **more):
        for k in more: self[k] = more[k]
t = Items({k: k for k in range(70)}); look(t); t["x"] = 1; look(t); t.update(y=2); look(t); Items.clear(t); look(t)
k, q = [1], collections.deque()
def apply(method, v): method(v); look(k); return v
list.append(k, apply(k.append, 4)); look(k); collections.deque.extend(q, [apply(k.append, 5)]); look(q); list.insert(k, 0, *[apply(k.append, 6)]); look(k)
dict.update(d, a=apply(k.append, 7)); look(d); list.sort(k, reverse=bool(apply(k.append, 8))); look(k); list.pop(k); look(k)
Stack = [1]; look(Stack); Stack.append(2); look(Stack); Stack.append(Stack.pop()); look(Stack); Stack.insert(0, 4); look(Stack)
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
    'what exceptions leave behind': """
class O: pass
def boom(): raise KeyError
def inner(v):
    vars()
    d, o = [], O()
    for _ in range(3):
        try: d.append(boom())
        except KeyError: pass
        try: setattr(o, "x", boom())
        except KeyError: pass
        try: o.__init__(boom())
        except KeyError: pass
    return v
c = []; look(c); c.append(inner(1)); look(c); c.extend([inner(2)]); look(c); c[inner(0)] = inner(3); look(c); c[inner(0)] += inner(4); look(c)
d = {}; look(d); d[inner("k")] = inner(5); look(d); d.update([(inner("j"), 2)]); look(d); d[inner("k")] |= inner(1); look(d); del d[inner("k")]; look(d)
o = O(); look(o); setattr(o, "x", inner(6)); look(o); setattr(o, inner("x"), inner(7)); look(o); o.x += inner(1); look(o)
""",
    'containers through a weak proxy': """
class L(list): pass
class D(dict): pass
class E(set): pass
class Q(collections.deque): pass
class C:
    def __call__(self, x): self.x = x
    def __setitem__(self, k, v): self.k = v
n = L([3, 1, 2]); p = weakref.proxy(n); look(n)
p.append(4); look(n)
p[0] = 5; look(n)
p[1:2] = [8, 9]; look(n)
p[0] += 1; look(n)
del p[0]; look(n)
p.extend([4, 5]); look(n)
p.insert(0, 4); look(n)
p.pop(); look(n)
p.sort(); look(n)
p.x = 1; look(n)
p += [4, 5]; look(n)
n = D(a=1); p = weakref.proxy(n); look(n)
p["b"] = 2; look(n)
p["b"] += 2; look(n)
del p["a"]; look(n)
p.update(c=3); look(n)
p.setdefault("l", []).append(1); look(n)
p["l"] += [2]; look(n)
p.pop("b"); look(n)
for p["c"] in (1, 2): look(n)
p |= {"z": 1}; look(n)
n = E({1}); p = weakref.proxy(n); look(n)
p.add(3); look(n)
p |= {5}; look(n)
n = Q([3, 1, 2]); p = weakref.proxy(n); look(n)
p.append(4); look(n)
p.appendleft(4); look(n)
p.rotate(1); look(n)
p[0] = 8; look(n)
n = C(); p = weakref.proxy(n); look(n)
p(4); look(n)
p["a"] = 5; look(n)
n = L([3, 1, 2]); p = weakref.proxy(n); look(n)
random.shuffle(p); look(n)
heapq.nlargest(1, p); p.append(4); p.append(1); look(n)
""",
    'methods kept through a weak proxy': """
class L(list): pass
n = L([3, 1, 2]); p = weakref.proxy(n); look(n)
list(map(p.append, [1, 2])); look(n)
f = p.append; f(9); look(n)
operator.setitem(p, 0, 77); look(n)
operator.iadd(p, [5]); look(n)
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
