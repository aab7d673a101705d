"""What classes decide: attributes that they have, bind and could have had, and methods.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

CLASSES = {
    "which object's method was called, where another class has another one": """
class Loud:
    def __init__(self):
        self.n = 0
    def up(self):
        self.n += 1
class Quiet(Loud):
    def up(self):
        pass
def main():
    one, two = Loud(), Quiet()
    which = 0  # counts
    (one if which else two).up()
    return one.n
""",
    "an attribute of a class": """
class Box:
    made = 0
    def __init__(self, n):
        Box.made = n  # counts
def main():
    Box(3)
    return Box.made
""",
    "attributes stored by name": """
class Box:
    size = 0
def main():
    box = Box()
    box.size = 1
    n = 0  # counts
    if n:
        setattr(box, "size", 5)
    return box.size
""",
    "a lambda that is called after a generator expression": """
class Box:
    def __init__(self):
        self.items = []
    def add(self, n):
        self.items.append(n)
def main():
    f = (lambda q:
        q + 1)  # counts
    ys = [2]
    box = Box()
    if any(y > 3 for y in ys):
        ys.pop()
    box.add(f(1))
    return box.items
""",
    "what gives True or False asks nobody for a length": """
class Box:
    def __init__(self, items):
        self.items = items
    def __len__(self):
        return len(self.items) + (
            1  # counts
        )
def main():
    xs = [0]
    box = Box(xs)
    assert 0 in xs or all(x for x in xs)
    return len(box)
""",
    "an operator runs its own method alone": """
from decimal import Decimal
class Box:
    def __add__(self, n):
        return (
            n  # counts
        )
def main():
    box, ten, three = Box(), Decimal(10), Decimal(3)
    both = (ten % three, box + 2)
    return both[1]
""",
    "which list of several was changed": """
class Box:
    made = (
        2  # counts
    )
def main():
    xs = [0, 0]
    rows = [[1, 2], xs]
    xs.extend([3])
    rows[Box.made % len(rows)].append(4)
    return len(xs)
""",
    "formatting asks nobody for a length": """
class Box:
    def __len__(self):
        return (
            5  # counts
        )
def main():
    box, text = Box(), ""
    for u in [1]:
        text = (f"{u:>3}", len(box))
    return text[1]
""",
    "an attribute that the body of a class in a function bound": """
def make(rate):
    base = rate + 1  # counts
    class Box:
        size = base  # counts
        other = rate  # does not
    return Box

def main():
    return make(3)().size  # counts
""",
    "a class made in a loop": """
def main():
    classes = []
    for i in (1, 2):  # counts
        class Box:
            size = i  # counts
        classes.append(Box)
    return classes[0].size
""",
    "a class inside a class of a function": """
def make(rate):
    class Box:
        class Inner:
            depth = rate  # counts
    return Box

def main():
    n = 5  # counts
    return make(n).Inner().depth
""",
    "which of two methods a class has": """
FLAG = 1  # counts
class Box:
    if FLAG:  # counts
        def get(self):
            return 1
    else:
        def get(self):
            return 2

def main():
    return Box().get()
""",
    "an attribute that the body of a class did not bind again": """
FLAG = 0  # counts
class Box:
    size = 1  # counts
    if FLAG:  # counts
        size = 2

def main():
    return Box().size
""",
    "an attribute that the body of a class in a function did not bind again": """
def main(flag=0):  # counts
    class Box:
        size = 1  # counts
        if flag:  # counts
            size = 2
    return Box.size
""",
    "a class made by calling type": """
def main():
    n = 3  # counts
    Box = type("Box", (), {"size": n})
    return Box().size
""",
    "what a metaclass makes of a class": """
class Meta(type):
    def __new__(cls, name, bases, body):
        body["size"] += 1  # counts
        return super().__new__(cls, name, bases, body)

def main():
    n = 3  # counts
    class Box(metaclass=Meta):
        size = n  # counts
    return Box().size
""",
    "a default of a dataclass": """
from dataclasses import dataclass, field
START = 4  # counts
OTHER = 5  # does not

@dataclass
class Box:
    size: int = START  # counts
    more: int = OTHER  # does not
    items: list = field(default_factory=lambda: [START])

def main():
    return Box().size
""",
    "what makes a default of a dataclass": """
from dataclasses import dataclass, field
START = 4  # counts

@dataclass
class Box:
    items: list = field(default_factory=lambda: [START])

def main():
    return Box().items[0]
""",
    "a member of an enum after a decorated class": """
import enum
from dataclasses import dataclass
START = 4  # counts

@dataclass
class Box:
    size: int = 1

class Color(enum.Enum):
    RED = START + 1  # counts

def main():
    return Color.RED.value
""",
    "a function that a property runs when it is stored": """
class Box:
    def put(self, n):
        self._n = n * 2  # counts
    def get(self):
        return self._n
    n = property(get, put)

def main():
    box = Box()
    box.n = 3  # counts
    return box.n
""",
    "a special method that runs after a slice was stored": """
class Box:
    def __init__(self, n):
        self.items = [n]
    def __len__(self):
        return len(self.items) + 1  # counts

def main():
    box = Box(2)
    xs = [1, 2, 3]
    xs[1:2] = [xs[0], 2]
    xs += [3]
    ys = [*xs]
    a, b = ys[:2]
    c = a in xs
    return len(box)  # counts
""",
    "an attribute that the body of a class bound": """
class Box:
    made = 2  # counts
    size = 3  # does not
def main():
    return Box.made
""",
    "an attribute of a base class, read by a method": """
LIMIT = 5  # counts
class Base:
    rate = LIMIT + 1  # counts
class Box(Base):
    def get(self):
        return self.rate
def main():
    return Box().get()
""",
    "whether it is the same object asks nobody": """
class Box:
    size = 0
    def __gt__(self, other):
        return (
            1 > 0  # counts
        )
def main():
    a, b = Box(), Box()
    if a is b:
        a.size = 4
    max(a, b).size += 2
    return b.size
""",
    "a constructor of a base class that would have run": """
class Base:
    def __init__(self, xs):
        xs.append(1)
class Box(Base):
    pass
def main():
    xs = []
    n = 2  # counts
    if n > 5:  # counts
        Box(xs)
    return xs
""",
    "an attribute of a class that would have been stored, read from an object": """
class Box:
    made = 0  # counts
def main():
    b = Box()
    n = 2  # counts
    if n > 5:  # counts
        Box.made += 1
    return b.made
""",
    "an attribute of a class that would have been stored once more": """
class Box:
    made = 0
class Sub(Box):
    pass
def main():
    b = Sub()
    n = 4  # counts
    def get():
        return b.made
    for y in [1, 2]:
        Box.made += 1  # counts
        if n < 5:  # counts
            break
    return get()
""",
    "an attribute of a class that would have been stored by the class of an object": """
class Box:
    made = 0
    def note(self):
        type(self).made = 3
def main():
    b = Box()
    n = 2  # counts
    if n > 5:  # counts
        b.note()
    return Box.made
""",
    "an attribute of a class that was stored into its base": """
class Box:
    made = 0
class Sub(Box):
    size = 1
    other = 2
def main():
    Box.made = 3  # counts
    Box.size = 4  # does not
    Sub.other = 5  # does not
    return (Sub.made, Sub.size)
""",
    "a list that a class holds, which would have been changed": """
class Box:
    log = []
def main():
    n = 2  # counts
    if n < 1:  # counts
        Box.log.append(1)
    return Box.log
""",
    "… by a method": """
class Box:
    log = []
    def add(self, v):
        self.log.append(v)
def main():
    b = Box()
    n = 2  # counts
    if n < 1:  # counts
        b.add(1)
    return Box.log
""",
    "… by way of an object": """
class Box:
    log = []
def main():
    b = Box()
    n = 2  # counts
    if n < 1:  # counts
        b.log.append(1)
    return len(Box.log)
""",
    "… had the class another one": """
class Box:
    log = []
def main():
    n = 2  # counts
    xs = Box.log
    if n > 1:  # counts
        Box.log = []  # counts
    Box.log.append(5)
    return xs
""",
    "a list that an object would have, had it got no other": """
class Box:
    def __init__(self, xs):
        self.log = xs
def main():
    xs = []
    n = 2  # counts
    b, other = Box(xs), Box([])  # counts
    if n > 1:  # counts
        b.log = []  # counts
    b.log.append(5)
    other.log.append(6)  # does not
    return xs
""",
    "a list that another object would have got": """
class Box:
    def __init__(self):
        self.log = []
def main():
    xs = []
    n = 2  # counts
    b, other = Box(), Box()
    (b if n < 1 else other).log = xs  # counts
    b.log.append(6)
    return xs
""",
    "a comparison between a builtin that goes through numbers and one that compares objects": """
class Box:
    def __init__(self, n):
        self.size = n
    def __gt__(self, other):
        return self.size > (
            other.size  # counts
        )
def main():
    b, c = Box(0), Box(2)  # counts
    l = [3, 0]
    if any(q > 3 for q in l):
        del l[:1]
    max(b, c).size += 1
    return b.size
""",
    "an exception that was swallowed": """
class Quiet:
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        return self
    def __exit__(self, *e):
        return self.n > (
            1  # counts
        )
def main():
    k, xs = 3, [1]  # counts
    with Quiet(2):  # counts
        k = xs[k]  # counts
    return k
""",
    "an attribute of a class that would have got one of its own": """
class Box:
    made = 0
class Sub(Box):
    pass
def main():
    n = 2  # counts
    if n > 5:  # counts
        Sub.made = 3
    Box.made += 1  # counts
    return Sub.made
""",
    "an attribute by its name": """
class Box:
    size = 5
    other = 3
def main():
    n = 2  # counts
    b = Box()
    b.other = 4  # does not
    if n > 5:  # counts
        b.size = 3
    return getattr(b, "size", 2)
""",
    "a generator that was asked no more": """
class Box:
    made = 0
    def __init__(self):
        Box.made += 1
def gen():
    for v in range(
        2  # counts
    ):
        yield 5
    yield Box()
def main():
    next(gen())
    return Box.made
""",
    "a list that a class got instead of another one": """
class Box:
    log = []
def main():
    n = 2  # counts
    Box.log = []  # counts
    Box.other = 3  # does not
    if n > 1:  # counts
        Box.log.append(5)  # counts
    return list(Box.log)
""",
    "a class that could have got an attribute instead of another one": """
class Box:
    made = 0
class Sub(Box):
    pass
def main():
    n = 2  # counts
    (Box if n > 5 else Sub).made = 5  # counts
    Sub.made = 6  # does not
    return Box.made
""",
    "… of a method, evaluated with the class": """
RATE = 2  # counts
class Box:
    def put(
        self,
        v,
        rate=RATE,  # counts
        *,
        other=5,  # does not
        last=6,  # counts
    ):
        return v * rate + last
def main():
    b = Box()
    return b.put(2)  # counts
""",
    "… where the argument is left out": """
class Box:
    def put(self, v, *, acc={}):
        acc[v] = 1
        return len(acc)
def main():
    n = 2  # counts
    b = Box()
    if n > 5:  # counts
        b.put(1)
    if n > 6:  # does not
        b.put(1, acc={})
    return b.put(2)
""",
    "… and is an object": """
class Box:
    size = 0
def f(v, b=Box()):
    b.size += v
    return b.size
def main():
    n = 2  # counts
    if n > 5:  # counts
        f(1)
    return f(2)
""",
    "a list that a class has which stands behind an import": """
from collections import Counter
class Item:
    all = []
def put(x):
    Item.all.append(x)  # counts
def main():
    k = 2  # counts
    put(k)  # counts
    return Item.all[0]
""",
}
