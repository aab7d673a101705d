"""Pieces of programs that hand what they have to a library, which changes it; see `watched_states`."""

from __future__ import annotations

LIBRARY = '''
"""A library that is not recorded."""
import contextlib
import functools

def fill(items):
    for each in items.values() if isinstance(items, dict) else items:
        each.append(99)

def fill_any(*lists, **named):
    fill(lists)
    fill(named)
    return lists

def touch(thing):
    thing.inner.n += 1
    thing.items.append(thing.inner.n)
    return thing

def fail(thing):
    thing.inner.n = -1
    raise ValueError("late")

def second(*found):
    return found[1]

def visit(thing, wanted):
    wanted(thing)
    thing.items.append("visited")

def noted(function):
    @functools.wraps(function)
    def inner(thing, *more):
        thing.items.append("noted")
        return function(thing, *more)
    return inner

class Base:
    def __init__(self, items):
        items[0].append("base")

    def put(self, items):
        items[0].append("put")

class Maker(type):
    def __call__(cls, items):
        items[0].append("made")
        return super().__call__(items)

class Registry:
    def __init__(self):
        self.kept = []

    def __call__(self, thing):
        self.register(thing)
        touch(thing)

    def register(self, thing):
        self.kept.append(thing)
        return self

    def flush(self):
        for thing in self.kept:
            thing.inner.n += 10

    @property
    def flusher(self):
        return self.flush

    @staticmethod
    def static(thing):
        thing.items.append("static")

    @classmethod
    def of_class(cls, thing):
        thing.items.append(cls.__name__)

REGISTRY = Registry()

class Shelf:
    """With methods that go by the names of those of containers."""
    def __init__(self):
        self.kept = []
        self.last = None

    def append(self, thing):
        thing.items.append("append")
        self.last = thing

    def add(self, thing, *more, **named):
        for each in (thing, *more, *named.values()):
            each.items.append("add")
        return self

    def pop(self):
        self.last.items.append("pop")

    def get(self, thing, default=None):
        thing.items.append("get")
        return thing

    def update(self, *things):
        for each in things:
            each.items.append("update")

    def insert(self, place, thing):
        thing.items.append("insert")

    items = keys = property(lambda self: lambda: self.pop())

class Changing:
    """Changes a thing while it is in use."""
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        self.thing.items.append("in")
        return self.thing

    def __exit__(self, *error):
        self.thing.items.append("out")

    def __iter__(self):
        for n in range(2):
            self.thing.inner.n += 1
            yield n

@contextlib.contextmanager
def changing(thing):
    thing.items.append("begin")
    yield thing
    thing.items.append("end")

def each(thing):
    for n in range(2):
        thing.items.append(n)
        yield n

def dump(thing):
    thing.items.append("dump")
'''

HEAD = """
import strange
from strange import fill, fill_any as filled, Registry
class Inner:
    def __init__(self): self.n = 1
class Thing:
    def __init__(self): self.inner = Inner(); self.items = []
class Slotted:
    __slots__ = ("inner", "items")
    def __init__(self): self.inner = Inner(); self.items = []
"""

PIECES = {
    "containers in containers": """
d = {"a": [1], "b": [2]}
look(d); fill(d); look(d); strange.fill(d); look(d); d["a"].append(3); look(d); fill([d["a"]]); look(d); fill((d["b"], d["a"])); look(d)
fill({"x": d["a"]}); look(d); fill([x for x in d.values()]); look(d); fill(list(d.values())); look(d)
""",
    "an attribute of an object": """
t = Thing(); look(t); strange.touch(t); look(t); t.items.append("mine"); look(t); t.inner.n = 7; look(t); strange.touch(t); look(t)
""",
    "an object with slots": """
t = Slotted(); look(t); strange.touch(t); look(t); t.inner.n = 7; look(t); strange.touch(t); look(t)
""",
    "an object deep inside": """
t = Thing(); deep = {"k": ([t], 1)}; look(deep)
strange.visit(Thing(), lambda other: None); strange.touch(deep["k"][0][0]); look(deep); filled([t.items]); look(deep)
""",
    "stars and names": """
a, b = [1], [2]; look([a, b])
filled(a, b); look([a, b]); filled(*[a, b]); look([a, b]); filled(x=a); look([a, b]); filled(**{"y": b}); look([a, b]); filled(a, *(b,), z=a); look([a, b])
""",
    "results of calls": """
t = Thing(); look(t)
def give(): return t
strange.touch(give()); look(t); strange.touch(strange.second(1, t)); look(t); strange.touch(t if t else None).items.append(0); look(t)
""",
    "classes and bases": """
xs = [[1]]; look(xs); strange.Base(xs); look(xs)
class Sub(strange.Base):
    def __init__(self, items): super().__init__(items); look(items)
    def more(self, items): super().put(items); look(items); self.put(items); look(items)
s = Sub(xs); look(xs); s.more(xs); look(xs); s.put(xs); look(xs)
class Bare(strange.Base): pass
Bare(xs).put(xs); look(xs); strange.Base.put(s, xs); look(xs)
class Made(metaclass=strange.Maker):
    def __init__(self, items): look(items)
Made(xs); look(xs)
""",
    "what a library keeps": """
t = Thing(); r = Registry(); r.register(t); look(t); r.flush(); look(t); t.inner.n = 0; look(t)
class Holder: pass
h = Holder(); h.r = r; h.r.flush(); look(t); h.flush = r.flush; [x.flush() for x in [r]]; look(t); h.r.register(Thing()).flush(); look(t)
""",
    "kinds of methods": """
t = Thing(); look(t); Registry.static(t); look(t); Registry.of_class(t); look(t); strange.REGISTRY.static(t); look(t); strange.REGISTRY(t); look(t)
""",
    "functions under other names": """
t = Thing(); look(t); f = strange.touch; f(t); look(t); table = {"k": strange.touch}; table["k"](t); look(t); [f][0](t); look(t)
class User: act = staticmethod(strange.touch)
User.act(t); look(t); User().act(t); look(t); u = User(); u.mine = strange.touch; u.mine(t); look(t); functools.partial(strange.touch, t)(); look(t)
g = functools.partial(strange.touch); g(t); look(t); m = functools.lru_cache(strange.touch); m(t); look(t)
""",
    "inside of a comprehension": """
ts = [Thing(), Thing()]; look(ts); [strange.touch(x) for x in ts]; look(ts); {k: f(x) for f in [strange.touch] for k, x in enumerate(ts)}; look(ts)
[x.inner for x in map(strange.touch, [])]; list(strange.touch(x) for x in ts); look(ts); [y for y in strange.second(0, [strange.touch(ts[0])])]; look(ts)
act = lambda thing: strange.touch(thing); act(ts[1]); look(ts)
""",
    "calls that fail": """
t = Thing(); look(t)
try: strange.fail(t)
except ValueError: look(t)
t.inner.n = 3; look(t)
""",
    "callbacks": """
t = Thing(); look(t)
def wanted(x): look(x); x.inner.n += 100; look(x); strange.touch(x); look(x)
strange.visit(t, wanted); look(t); strange.visit(thing=t, wanted=lambda x: x.items.clear()); look(t)
""",
    "decorators of a library": """
@strange.noted
def user(thing, *more): look(thing); thing.inner.n += 1; look(thing)
t = Thing(); look(t); user(t); look(t); user(t, t); look(t)
class C:
    @strange.noted
    def method(self, *more): look(self); self.items.append(more); look(self)
    def __init__(self): self.items = []
c = C(); look(c); c.method(1); look(c)
""",
    "methods that go by the names of those of containers": """
t = Thing(); s = strange.Shelf(); look(t); s.append(t); look(t); s.append(strange.second(0, t)); look(t); s.pop(); look(t); s.add(t); look(t)
s.add(t, t); look(t); s.add(strange.second(0, t), more=t); look(t); s.get(t); look(t); s.get(t, default=strange.second(0, 1)); look(t); s.update(t); look(t)
s.update(*[t]); look(t); s.insert(0, t); look(t); s.insert(0, strange.second(0, t)); look(t); s.add(t).add(t).pop(); look(t); strange.dump(t); look(t)
class H: pass
h = H(); h.s = s; h.s.append(t); look(t); h.s.add(t); look(t); h.s.pop(); look(t); h.s.insert(0, t); look(t); h.s.get(t); look(t); [h.s.add(t) for _ in [1]]; look(t); [s.append(x) for x in [t]]; look(t)
xs = [t]; xs.append(t); look(xs); xs.pop(); look(xs); {1: t}.get(1); look(xs); s.keys(); look(xs)
""",
    "methods that a class gets later": """
class User:
    def act(self, thing): look(thing)
    made = Thing
u = User(); t = Thing(); u.act(t); u.made(); look(t); User.act = lambda self, thing: strange.touch(thing); u.act(t); look(t); User.act = strange.Registry.of_class; u.act(t); look(t)
setattr(User, "act", staticmethod(strange.touch)); u.act(t); look(t); u.made = strange.touch; u.made(t); look(t); del u.made; User.made = strange.Base; u.made([t.items]); look(t)
@dataclasses.dataclass
class Point:
    at: object
    act: object = None
p = Point(t, strange.touch); look(t); p.act(p.at); look(t)
n = collections.namedtuple("N", "at act")(t, strange.touch); n.act(n.at); look(t)
""",
    "what is in use": """
t = Thing(); look(t)
with strange.Changing(t) as x: look(x); x.items.append(1); look(t)
look(t); c = strange.Changing(t)
with c: look(t)
look(t)
with strange.changing(t) as x: look(x)
look(t); m = strange.changing(t)
with m, strange.Changing(t): look(t)
look(t)
for n in strange.Changing(t): look(t)
look(t)
for n in c: look(t)
for n in strange.each(t): look(t)
look(t); g = strange.each(t)
for n in g: look(t); t.inner.n = 5; look(t)
look(t); t.items.append(2); look(t)
""",
    "other containers": """
t = Thing(); q = collections.deque([t.items]); look(t); fill(q); look(t); look(q); n = collections.namedtuple("N", "a b")(t.items, 2); fill(n[:1]); look(n); look(t)
o = collections.OrderedDict(x=t.items); fill(o); look(o); dd = collections.defaultdict(list, y=t.items); fill(dd); look(dd); look(t)
""",
    "generators and coroutines": """
def gen(t):
    strange.touch(t); yield t; strange.touch(t); look(t); yield t
t = Thing(); look(t)
for x in gen(t): look(x)
import asyncio
async def work(t): strange.touch(t); look(t); await asyncio.sleep(0); strange.touch(t); look(t)
asyncio.run(work(t)); look(t)
""",
}  # fmt: skip
