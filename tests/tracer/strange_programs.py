"""Random pieces of programs that share what they have with a library, and change it by turns; see `watched_states`.

What the library changes is decided by counting, so that any piece can run: a walk goes so many steps into what it is
given, and changes what it comes to.
"""

from __future__ import annotations

import random
import textwrap

LIBRARY = '''
"""A library that is not recorded."""
import collections
import contextlib
import functools
import itertools
import threading

COUNT = itertools.count(1000)
GROWING = False

def parts(thing):
    if isinstance(thing, dict):
        return list(thing.values())
    if isinstance(thing, (list, tuple, collections.deque)):
        return list(thing)
    names = [*getattr(type(thing), "__slots__", ()), *getattr(thing, "__dict__", ())]
    return [getattr(thing, name) for name in names if hasattr(thing, name)]

def change(thing, n):
    """What lies `n` steps inside, or the last that can be changed on the way."""
    found = thing
    for _ in range(n % 4):
        inner = [part for part in parts(thing) if isinstance(part, (list, dict, set, tuple, collections.deque)) or hasattr(part, "name")]
        if not inner:
            break
        thing = inner[n % len(inner)]
        found = found if isinstance(thing, tuple) else thing
    if GROWING:
        return grow(found)
    if isinstance(found, (list, collections.deque)):
        if n % 3 == 0 and found:
            found.pop()
        elif n % 3 == 1:
            found.append(n)
        elif isinstance(found, list):
            found[:1] = [n, n + 1]
        else:
            found.rotate(1)
    elif isinstance(found, dict):
        if n % 2 and found:
            found.pop(next(iter(found)))
        else:
            found[n] = n
    elif isinstance(found, set):
        found.add(n) if n % 2 else found.clear()
    elif hasattr(found, "name"):
        if n % 5 == 4 and hasattr(found, "inner"):
            del found.inner
        else:
            setattr(found, "name" if n % 2 else "inner", n)
    return found

def grow(thing):
    n = next(COUNT)
    if isinstance(thing, (list, collections.deque)):
        thing.append(n)
    elif isinstance(thing, dict):
        thing[n] = n
    elif isinstance(thing, set):
        thing.add(n)
    elif hasattr(thing, "__dict__"):
        setattr(thing, f"new{n}", n)
    return thing

def one(thing, n):
    change(thing, n)
    return thing

def each(*things, n=1, **named):
    for number, thing in enumerate([*things, *named.values()]):
        change(thing, n + number)
    return things

def inside(thing, n):
    return change(thing, n)

def fails(thing, n):
    change(thing, n)
    raise ValueError(n)

def calls(function, thing, n):
    change(thing, n)
    given = function(thing)
    change(thing, n + 1)
    return given

def wrap(function):
    @functools.wraps(function)
    def inner(thing, *more):
        change(thing, 1)
        return function(thing, *more)
    return inner

def going(thing, n):
    for step in range(2):
        change(thing, n + step)
        yield thing

@contextlib.contextmanager
def around(thing, n):
    change(thing, n)
    yield thing
    change(thing, n + 1)

class Box:
    """Keeps things, and changes them by methods with all kinds of names."""
    def __init__(self, thing=None, n=0):
        self.things = [thing]
        BOXES.append(self)
        change(thing, n)

    def put(self, thing):
        self.things.append(thing)
        return self

    def change(self, n):
        for thing in self.things:
            change(thing, n)
        return self

    def append(self, thing):
        self.put(thing).change(1)

    def update(self, thing, n=2):
        change(thing, n)
        return self.things

    def pop(self, n=0):
        change(self.things[0], n)

    __call__ = update

    @staticmethod
    def still(thing, n):
        change(thing, n)

    @classmethod
    def made(cls, thing, n):
        return cls(thing, n)

    def __enter__(self):
        return self.change(3)

    def __exit__(self, *error):
        self.change(4)

    def __iter__(self):
        for thing in self.things:
            yield change(thing, 5)

    # Without a call in the text.
    def __add__(self, n):
        return self.change(n)

    def __iadd__(self, n):
        return self.change(n)

    def __matmul__(self, thing):
        change(thing, 6)
        return self.put(thing)

    __rmatmul__ = __ilshift__ = __or__ = __matmul__

    def __setitem__(self, key, thing):
        self.put(thing).change(7)

    def __getitem__(self, n):
        self.change(n)
        return n

    def __contains__(self, n):
        self.change(n)
        return True

    @property
    def next(self):
        self.change(1)

    @property
    def last(self):
        return self.things[-1]

    @last.setter
    def last(self, thing):
        self.things.append(thing)

KEPT = []
BOXES = []

def flush_boxes(n):
    for box in BOXES[-4:]:
        for thing in [*box.things, getattr(box, "extra", None)]:
            change(thing, n)

def keep(thing):
    KEPT.append(thing)
    return thing

def flush(n):
    for thing in KEPT[-4:]:
        change(thing, n)

def given(n):
    made = [n, [n]]
    KEPT.append(made)
    return made

def build(cls, n, thing):
    made = cls(n, thing)
    change(made, n)
    return made

def build_and_go(cls, n, thing):
    made = build(cls, n, thing)
    made.go()
    change(made, n + 1)
    given = made.go()
    change(made, n + 2)
    return given

def build_both(cls, n, thing):
    first, second = cls(n, thing), cls(n + 1, thing)
    change(first, n)
    second.go()
    change(first, n + 1)
    first.go()
    change(second, n + 1)
    return [first, second]

def build_and_keep(cls, n, thing):
    KEPT.append(build(cls, n, thing))

def go_kept(n):
    for thing in KEPT[-4:]:
        change(thing, n)
        if hasattr(thing, "go"):
            thing.go()
            change(thing, n + 1)

def each_built(cls, n, thing):
    for step in range(2):
        made = build(cls, n + step, thing)
        yield made
        change(made, n)
        made.go()

def clone(thing):
    if not hasattr(thing, "__dict__"):
        return thing
    made = type(thing).__new__(type(thing))
    made.__dict__.update(thing.__dict__)
    if hasattr(made, "go"):
        made.go()
    change(made, 2)
    return made

def in_thread(function, *things):
    thread = threading.Thread(target=function, args=things)
    thread.start()
    thread.join()

class Parent:
    def grow(self, n):
        change(self.items, n)
        self.hook(n)
        return self

    def hook(self, n):
        pass
'''

HEAD = """
import strange
from strange import change, one as first, Box
class Thing:
    shared = []
    def __init__(self, name, inner): self.name = name; self.inner = inner
    def go(self): look(self); return self
    def work(self, n): look(self); change(self.inner, n); look(self); return self
    def use(self, thing, n): first(thing, n); self.name = thing; look(self); return thing
class Slim:
    __slots__ = ("name", "inner")
    def __init__(self, name, inner): self.name = name; self.inner = inner
class Child(strange.Parent):
    def __init__(self, items): self.items = items
    def hook(self, n): self.items.append(n) if isinstance(self.items, list) else None; look(self)
def pass_on(thing, n): look(thing); return first(thing, n)
def both(thing, other, n): strange.each(thing, other, n=n); look(thing); return other
def amid(n, thing):
    look(thing)
    if n % 3 == 0: own(thing); look(thing)
    return n
def own(thing):
    if isinstance(thing, list): thing.append(0)
    elif isinstance(thing, dict): thing["own"] = 0
    elif hasattr(thing, "inner"): thing.name = "own"
    look(thing)
    return thing
class Made:
    def __init__(self, name, inner): self.name = name; self.inner = inner; look(self)
    def go(self): look(self); own(self); look(self); return self
class New(Made):
    def __new__(cls, *a): made = object.__new__(cls); look(made); return made
class Again(Made):
    def __reduce__(self): return (Again, (self.name, 1), {"inner": getattr(self, "inner", 2)})
class Filled(types.SimpleNamespace):
    def __new__(cls, *a, **k): made = super().__new__(cls); look(made); return made
    def __init__(self, name=0, inner=0): super().__init__(name=name, inner=inner); look(self)
    go = Made.go
@strange.wrap
def wrapped(thing, *more): look(thing); own(thing); return thing
"""

# It only adds. With what is changed back a library that works unseen covers its tracks.
GROWING_LIBRARY = LIBRARY.replace("GROWING = False", "GROWING = True")


class Piece:
    """The text of one piece, as it grows."""

    def __init__(self, chance: random.Random, *, at_work: bool, unseen: bool, makes: bool) -> None:
        self.chance = chance
        self.makes = makes
        self.at_work = at_work
        self.unseen = unseen
        self.names = [f"v{n}" for n in range(chance.randint(2, 4))]
        self.lines: list[str] = []

    def name(self) -> str:
        return self.chance.choice(self.names)

    def number(self) -> int:
        return self.chance.randint(0, 11)

    def value(self, depth: int = 0) -> str:
        """An expression for something new that may hold what there is already."""
        known = self.names[: len(self.lines)]
        if depth > 2 or self.chance.random() < 0.15:
            return self.chance.choice([*known, "1", "'t'", "[]", "{}"])
        a, b = (self.value(depth + 1) for _ in range(2))
        return self.chance.choice(
            [
                f"[{a}, {b}]", f"({a}, {b})", f"{{'a': {a}, 2: {b}}}", "{1, 2}", f"Thing({a}, {b})", f"Slim({a}, [{b}])",
                f"collections.deque([{a}])", f"types.SimpleNamespace(name={a}, inner={b})", f"collections.OrderedDict(k={a})",
            ]
        )  # fmt: skip

    def call(self) -> str:
        """A call of the library, by any of the ways that there are."""
        a, b, number = self.name(), self.name(), self.number()
        # What works out an argument may look at what is handed, and change it: the call has not begun yet.
        n = f"amid({number}, {self.name()})" if self.chance.random() < 0.3 else number
        ways = [
            f"change({a}, {n})", f"first({a}, {n})", f"strange.one({a}, n={n})", f"strange.each({a}, {b}, n={n})", f"strange.each(*[{a}, {b}])",
            f"strange.each(**{{'x': {a}}})", f"strange.each([{a}], {{1: {b}}}, n={n})", f"strange.inside({a}, {n})", f"Box({a}, {n})", f"Box.still({a}, {n})", f"Box.made({a}, {n}).change({n})", f"Box().put({a}).change({n})",
            f"box.put({a})", f"box.change({n})", f"box.append({a})", f"box.update({a})", f"box.update([{a}], n={n})", f"box.pop({n})", f"box({a})",
            f"functools.partial(change, {a})({n})", f"[change(x, {n}) for x in [{a}, {b}]]", f"list(map(change, [{a}], [{n}]))",
            f"(lambda x: change(x, {n}))({a})", f"pass_on({a}, {n})", f"both({a}, {b}, {n})", f"{{'k': change}}['k']({a}, {n})",
            f"table['put']({a}, {n})", f"holder.act({a}, {n})", f"holder.box.change({n})", f"first(first({a}, {n}), {n})",
            f"change({a} if {n} > 5 else {b}, {n})", f"getattr(strange, 'one')({a}, {n})",
            f"Thing({a}, {b}).work({n})", f"Thing({a}, 1).use({b}, {n})", f"max([{a}], key=lambda x: len(strange.each(x)))",
        ]  # fmt: skip
        if self.at_work:
            ways += [
                f"strange.calls(own, {a}, {n})", f"strange.calls(lambda x: look({b}), {a}, {n})", f"wrapped({a})", f"wrapped({a}, {b})",
                f"[look({a}) for x in strange.going({a}, {n})]", f"list(strange.going({a}, {n}))", f"Child({a}).grow({n})",
            ]  # fmt: skip
        if self.makes and self.chance.random() < 0.7:
            cls, f = (
                self.chance.choice(some) for some in (MADE, ("copy.copy", "copy.deepcopy", "strange.clone"))
            )
            build = self.chance.choice(("build", "build_and_go", "build_both", "build_and_keep"))
            ways = [
                f"strange.{build}({cls}, {n}, {a})", f"strange.{build}({cls}, {n}, [{a}])", f"strange.in_thread(strange.{build}, {cls}, {number}, {b})",
                f"list(map({f}, [{a}]))", f"list(map({f}, [{a}, {cls}({n}, {b})]))", f"functools.partial({f}, {cls}({n}, {a}))()", f"{f}({cls}({n}, [{b}]))",
                f"[look(x) for x in strange.each_built({cls}, {number}, {b})]", f"list(strange.each_built({cls}, {n}, {b}))", f"{cls}({n}, {a})", f"{cls}({n}, {a}).go()",
                f"strange.go_kept({n})", f"strange.keep({cls}({n}, {b}))", f"strange.in_thread(strange.go_kept, {number})", f"(lambda f: f({cls}({n}, {b})))({f})",
                f"strange.in_thread({f}, {cls}({number}, {a}))",
            ]  # fmt: skip
        if self.unseen and self.chance.random() < 0.5:
            ways = [
                f"box + {n}", f"box[{n}]", f"{n} in box", "box.next", f"box.put({a})", f"strange.keep({a})", f"strange.flush({n})",
                f"box @ {a}", f"{a} @ box", f"box | {a} | {b}", f"strange.flush_boxes({n})", f"Box({a}) + {n}", f"strange.given({n})", f"Box({a})[{n}]", f"[x in box for x in range({number % 3})]",
            ]  # fmt: skip
        return self.chance.choice(ways)

    def own_change(self) -> str:
        a, b, n = self.name(), self.name(), self.number()
        return self.chance.choice(
            [
                f"own({a})", f"own([{a}])", f"if isinstance({a}, list): {a}.append({b} if {n} > 8 else {n})", f"if isinstance({a}, dict): {a}[{n}] = {n}",
                f"if hasattr({a}, 'inner'): {a}.inner = {n}", f"if isinstance({a}, list) and {a}: {a}[0] = {n}", f"holder.box = Box({a})",
                f"Thing.shared.append({n})", f"{a} = {self.value(1)}",
            ]
        )  # fmt: skip

    def statement(self) -> list[str]:
        if self.chance.random() < 0.25:
            return [self.own_change()]
        call = self.call()
        shapes = [
            [call],
            [call],
            [call],
            [f"kept = {call}", "look(kept) if not isinstance(kept, Box) else None"],
        ]
        if self.unseen:
            a, b, n = self.name(), self.name(), self.number()
            store = self.chance.choice(
                [
                    f"box.last = {a}", f"box.extra = {a}", f"box[{n}] = {a}", f"box[{a} and 0] = [{b}]", f"holder.box.last = {a}",
                    f"holder.box.extra = Thing({a}, {b})", f"box.extra = box.last = {a}", f"box.extra, box[0] = {a}, {b}", f"box <<= {a}",
                    f"holder.box <<= {a}", f"for x in [{a}, {b}]: box.extra = x", f"setattr(box, 'extra', {a})",
                ]
            )  # fmt: skip
            shapes += [[store]] * 5
        shapes += [["try:", f"    strange.fails({self.name()}, {self.number()})", "except ValueError: pass"]]
        shapes += [
            [f"for i in range({self.chance.randint(1, 3)}):", f"    {call}", f"    look({self.name()})"]
        ]
        shapes += [[f"if len({call!r}) % 2:", f"    {call}", "else:", f"    {self.call()}"]]
        if self.at_work:
            a, n, inner = self.name(), self.number(), self.call()
            shapes += [[f"with strange.around({a}, {n}) as x:", f"    look({a}); {inner}"]]
            shapes += [
                [f"with Box({a}):", f"    {inner}; look({a})"],
                [f"for x in Box({a}):", f"    {inner}; look({a})"],
            ]
            shapes += [[f"for x in strange.going({a}, {n}):", f"    look({a}); {inner}"]]
        return self.chance.choice(shapes)


MADE = ("Made", "New", "Again", "Filled", "Thing")


def piece(seed: int, *, at_work: bool = False, unseen: bool = False, makes: bool = False) -> str:
    """The text of a piece; `at_work`: the library calls it back, and changes things while it goes on; `unseen`: it changes
    what it has kept where nothing is called in the text, and in calls that are not handed it; `makes`: objects of the program's
    classes, in threads, too."""
    made = Piece(random.Random(seed), at_work=at_work, unseen=unseen, makes=makes)
    for name in made.names:
        made.lines.append(f"{name} = {made.value()}")
    start = [
        "box = Box()",
        "holder = types.SimpleNamespace(act=strange.one, box=box)",
        "table = {'put': strange.change}",
    ]
    body = [*start, *made.lines]
    for _ in range(made.chance.randint(4, 12)):
        body += [*made.statement(), f"look(({', '.join(made.names)}))"]
    text = "\n".join(body)
    if made.chance.random() < 0.5:
        return f"def run():\n{textwrap.indent(text, '    ')}\nrun()"
    return text
