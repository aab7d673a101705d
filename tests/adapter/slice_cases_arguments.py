"""Which argument a parameter got, where the call has one less: of a method, of what a decorator made of one.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

ARGUMENTS = {
    "what a constructor of a base class is given that is called by its class": """
class Base:
    def __init__(self, x):
        self.x = x
class Sub(Base):
    def __init__(self, y):
        Base.__init__(self, y)
def main():
    a = 3  # counts
    return Sub(a).x
""",
    "… and by keywords": """
class Base:
    def __init__(self, x, y=1, *, z=0):
        self.x = x
        self.y = y
        self.z = z
class Sub(Base):
    def __init__(self, y, k):
        Base.__init__(self, 1, y, z=k)
def main():
    a = 3  # counts
    b = 4  # counts
    s = Sub(a, b)
    return s.y, s.z
""",
    "what a method is given that is called by its class": """
class Base:
    def get(self, x, y=2):
        return x
def main():
    b = Base()
    a = 3  # counts
    y = 4
    return Base.get(b, a, y)
""",
    "a method without its object, of a class made in a function": """
def later(n):
    class Made:
        def get(self, q):
            return q - n
    return Made().get
def main():
    a = 3  # counts
    b = 2  # counts
    g = later(a)
    return g(b)
""",
    "… kept in a list": """
class Base:
    def get(self, x, y=2):
        return x
def main():
    b = Base()
    a = 3  # counts
    fs = [b.get]
    return fs[0](a)
""",
    "… handed over": """
class Base:
    def get(self, x, y=2):
        return x
def run(f, a):
    return f(a)
def main():
    b = Base()
    a = 3  # counts
    return run(b.get, a)
""",
    "… of several objects": """
class Base:
    def __init__(self, n):
        self.n = n
    def add(self, x):
        return self.n + x
def main():
    a = 3  # counts
    bs = [Base(a), Base(2)]
    c = 4  # counts
    t = 0
    for f in [b.add for b in bs]:
        t += f(c)
    return t
""",
    "a method of no object, kept in a variable": """
class Base:
    def get(self, x, y=2):
        return x
def main():
    f = Base.get
    b = Base()
    a = 3  # counts
    return f(b, a)
""",
    "methods that get a class, or nothing": """
class Base:
    @staticmethod
    def get(x, y=2):
        return x
    @classmethod
    def take(cls, x, y=2):
        return x
def main():
    b = Base()
    f, g = b.get, b.take
    h = Base.take
    a = 3  # counts
    c = 4  # counts
    d = 5  # counts
    return f(a), g(c), h(d)
""",
    "what makes an object": """
class Base:
    def __new__(cls, x):
        self = super().__new__(cls)
        self.x = x
        return self
def main():
    a = 3  # counts
    return Base(a).x
""",
    "a method that was decorated": """
def deco(function):
    def inner(self, x):
        return function(self, x)
    return inner
class Base:
    @deco
    def get(self, x):
        return x
def main():
    a = 3  # counts
    return Base().get(a)
""",
    "… by what takes any arguments": """
def deco(function):
    def inner(*given):
        return function(*given)
    return inner
class Base:
    @deco
    def get(self, x):
        return x
def main():
    b = Base()
    a = 3  # counts
    return b.get(a)
""",
    "a function that was stored into a class": """
class Base:
    pass
def get(self, x):
    return x
def main():
    Base.get = get
    b = Base()
    a = 3  # counts
    return b.get(a)
""",
}
