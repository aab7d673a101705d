"""Small programs whose classes are made by more than their own text: bases, metaclasses, descriptors, code in texts.

Each has a `main` that gives a tuple; see `test_programs_by_force`.
"""

from __future__ import annotations

CLASSES = {
    "a base that a function chooses": """
class A:
    def f(self): return 1
class B:
    def f(self): return 2
def base_of(x):
    return A if x else B
def make(x):
    class C(base_of(x)):
        pass
    return C
def main():
    c = make(1)()
    d = make(0)()
    return (c.f(), d.f(), 3)
""",
    "classes made by type": """
class A:
    def f(self): return 1
class B:
    def f(self): return 2
def make(n, x):
    return type(n, (A if x else B,), {'g': lambda self: self.f() + 1, 'k': x})
def main():
    c = make('C', 1)()
    d = make('D', 0)()
    return (c.f(), d.f(), c.g(), d.k, type(c).__name__)
""",
    "bases in a list": """
class A:
    def f(self): return 1
class B:
    def f(self): return 2
BASES = [A]
def reg(b): BASES.insert(0, b)
def main():
    reg(B)
    class C(*BASES):
        def g(self): return super().f()
    return (C().g(), 3)
""",
    "a base by its place": """
class A:
    v = 1
    def f(self): return self.v
class B:
    v = 2
    def f(self): return self.v * 2
def main():
    bs = [A, B]
    i = 1
    class C(bs[i]):
        w = 3
    return (C().f(), C.v, C().w)
""",
    "mocks of functions": """
from unittest import mock
def helper(n): return n + 1
def main():
    with mock.patch(__name__ + '.helper', lambda n: n + 5):
        a = helper(1)
    m = mock.Mock()
    m.f.return_value = 4
    m.g.side_effect = [1, 2]
    return (a, m.f(3), m.g(), m.g(), m.f.call_count)
""",
    "mixins that are chosen": """
class Log:
    def say(self): return 'log'
class Quiet:
    def say(self): return ''
def chosen(level):
    if level > 1:
        return Log
    return Quiet
def make(level, extra):
    bases = (chosen(level),)
    if extra:
        bases = (Named,) + bases
    class Made(*bases):
        def run(self): return self.say() + self.name
    return Made
class Named:
    name = 'n'
Quiet.name = 'q'
Log.name = 'l'
def main():
    a = make(2, False)()
    b = make(1, True)()
    return (a.run(), b.run(), a.name)
""",
    "bases handed to type": """
class A:
    rate = 2
    def f(self): return self.rate
class B(A):
    rate = 3
def build(base, **ns):
    return type('Dyn', (base,), ns)
def main():
    d = build(B, rate=5, g=lambda self: self.f() * 2)
    e = build(A, h=A.f)
    x = d()
    y = e()
    y.rate = 9
    return (x.f(), x.g(), y.h(), e.rate, d.__mro__[1].__name__)
""",
    "a metaclass that adds a base": """
import types
class M(type):
    def __new__(m, name, bases, ns):
        if 'skip' not in ns:
            bases = bases + (Extra,)
        return super().__new__(m, name, bases, ns)
class Extra:
    def more(self): return 'more'
class P(metaclass=M):
    k = 1
class Q(metaclass=M):
    skip = True
def main():
    n = types.new_class('N', (P,), {}, lambda ns: ns.update(z=4))
    return (P().more(), hasattr(Q(), 'more'), n().z, n().k)
""",
    "a parameter as base": """
def subclass(base, v):
    class Sub(base):
        def get(self): return super().get() + v
    return Sub
class One:
    def get(self): return 1
class Two:
    def get(self): return 2
def main():
    a = subclass(One, 10)
    b = subclass(a, 100)
    c = subclass(Two, 5)
    return (a().get(), b().get(), c().get())
""",
    "descriptors that learn their names": """
class Field:
    def __set_name__(self, owner, name):
        self.name = name
        owner.fields = [*getattr(owner, 'fields', []), name]
    def __get__(self, obj, kind=None):
        return self if obj is None else obj.__dict__.get(self.name, self.default)
    def __set__(self, obj, value):
        if value < self.least:
            raise ValueError(value)
        obj.__dict__[self.name] = value + self.add
    def __init__(self, default, least=0, add=1):
        self.default = default
        self.least = least
        self.add = add
class P:
    x = Field(3)
    y = Field(4, least=2)
def main():
    p = P()
    p.x = 5
    try:
        p.y = 1
    except ValueError as e:
        err = e.args[0]
    return (p.x, p.y, err, P.fields, P.x.default)
""",
    "classes that register themselves": """
class Base:
    registry = {}
    def __init_subclass__(cls, /, key='?', weight=1, **kw):
        super().__init_subclass__(**kw)
        cls.key = key
        if weight > 1:
            Base.registry[key] = cls
class A(Base, key='a', weight=2):
    def run(self): return 1
class B(Base, key='b'):
    def run(self): return 2
class C(A, key='c', weight=3): pass
def main():
    return (sorted(Base.registry), Base.registry['a']().run(), B.key, C().run(), C.key)
""",
    "objects that a metaclass makes once": """
class Single(type):
    made = {}
    def __call__(cls, *args, **kw):
        if cls not in Single.made:
            Single.made[cls] = super().__call__(*args, **kw)
        return Single.made[cls]
class Conf(metaclass=Single):
    def __init__(self, v=1): self.v = v
class Meta(type):
    def __new__(m, name, bases, ns, tag='t'):
        ns['tag'] = tag * 2
        ns.setdefault('level', 3)
        return super().__new__(m, name, bases, ns)
    def __init__(cls, name, bases, ns, tag='t'):
        super().__init__(name, bases, ns)
        cls.size = len(name)
class K(metaclass=Meta, tag='q'):
    level = 5
class L(K): pass
def main():
    a = Conf(4)
    b = Conf(5)
    return (a is b, b.v, K.tag, L.tag, K.level, L.level, L.size)
""",
    "namespaces of their own": """
class Order(dict):
    def __init__(self):
        super().__init__()
        self.log = []
    def __setitem__(self, k, v):
        self.log.append(k)
        super().__setitem__(k, v)
class Meta(type):
    @classmethod
    def __prepare__(m, name, bases, **kw):
        return Order()
    def __new__(m, name, bases, ns):
        made = super().__new__(m, name, bases, dict(ns))
        made.order = [k for k in ns.log if not k.startswith('__')]
        return made
class K(metaclass=Meta):
    b = 2
    a = b + 1
    def f(self): return self.a
def main():
    return (K.order, K().f(), K.b)
""",
    "a global name bound in a text": """
G = 1
H = 5
def main():
    exec("G = 3", globals())
    return (G, H)
""",
    "texts handed over": """
G = 1
H = 5
def run(code): exec(code, globals())
def main():
    text = "G = 3"
    run(text)
    run("H = 4")
    return (G, H)
""",
    "a text with a namespace": r"""
def main():
    ns = {'k': 2}
    exec("a = k + 1\nb = 9", ns)
    v = ns['a']
    exec("k = 7", ns)
    return (v, ns['k'], ns['b'])
""",
    "a list changed in a text": """
import math
G = [1]
def main():
    n = 4
    exec("G.append(%d)" % n)
    r = eval("len(G)")
    exec("G[0] = 8")
    return (G[0], G[-1], r)
""",
    "a function from a text": """
def main():
    ns = {}
    k = 3
    exec("def f(x): return x + %d" % k, ns)
    f = ns['f']
    return (f(2), ns['f'](5), 3)
""",
    "a text under a test": r"""
G = 1
def setg(on, n):
    if on:
        exec("global G\nG = %d" % n)
def main():
    setg(True, 5)
    a = G
    setg(False, 6)
    return (a, G)
""",
    "a text with locals": """
def main():
    x = 2
    d = {}
    exec("y = x + 1", {'x': x}, d)
    exec("z = 5", None, d)
    return (d['y'], d['z'], x)
""",
    "a function by its __call__": """
seen = []
class Box:
    def __init__(self): self.v = 0
def setx(box, v):
    box.v = v
    seen.append(v)
def main():
    b = Box()
    setx.__call__(b, 5)
    c = Box()
    if c.v:
        setx.__call__(b, 7)
    m = b.__init__
    k = Box()
    setx.__call__(k, 2)
    m.__call__()
    return (b.v, seen, c.v, k.v)
""",
    "methods by __call__ and __get__": """
class Box:
    def __init__(self): self.v = 0; self.log = []
    def put(self, v):
        self.v = v
        self.log.append(v)
        return self
def main():
    b = Box()
    b.put.__call__(4)
    p = b.put
    p.__call__(6)
    Box.put.__get__(b)(7)
    q = Box.put.__get__(b, Box)
    q(8)
    return (b.v, b.log, b.put.__call__(9).v)
""",
    "__call__ in a branch": """
seen = []
def setx(v):
    seen.append(v)
def keep(f, v):
    f.__call__(v)
def main():
    n = 0
    setx.__call__(5)
    if n:
        setx.__call__(7)
    if n > 1:
        keep(setx, 9)
    return (seen, len(seen), n)
""",
}
