# ruff: noqa
# mypy: ignore-errors
"""Every special method of everything here says that it was called."""

import array
import collections
import datetime
import sys
import types

log = []


def noisy(name, original):
    def method(self, *arguments, **named):
        log.append(name)
        return original(self, *arguments, **named)

    return method


SILENT = {
    "__new__",
    "__init__",
    "__class__",
    "__dict__",
    "__init_subclass__",
    "__subclasshook__",
    "__getattribute__",
    "__setattr__",
    "__delattr__",
    "__class_getitem__",
}


def overriding(name, base, **own):
    """A class whose metaclass says all, with overridings of what `base` has that say so and go on."""
    made = {
        key: noisy(f"{name}.{key}", value)
        for key in dir(base)
        if key not in SILENT and callable(value := getattr(base, key))
    }
    return Meta(name, (base,), {**made, **own})


class Meta(type):
    def __hash__(cls):
        log.append("Meta.hash")
        return 7

    def __eq__(cls, other):
        log.append("Meta.eq")
        return cls is other

    def __instancecheck__(cls, obj):
        log.append("Meta.instancecheck")
        return type.__instancecheck__(cls, obj)

    def __subclasscheck__(cls, obj):
        log.append("Meta.subclasscheck")
        return type.__subclasscheck__(cls, obj)

    def __getattribute__(cls, name):
        log.append("Meta.getattribute " + name)
        return type.__getattribute__(cls, name)

    def __repr__(cls):
        log.append("Meta.repr")
        return "a class"

    def __len__(cls):
        log.append("Meta.len")
        return 0

    def __bool__(cls):
        log.append("Meta.bool")
        return False

    def __iter__(cls):
        log.append("Meta.iter")
        return iter(())

    def __contains__(cls, part):
        log.append("Meta.contains")
        return False


class OnlyEqual(type):
    def __eq__(cls, other):
        log.append("OnlyEqual.eq")
        return cls is other


class Unhashable(metaclass=OnlyEqual):
    def __init__(self):
        self.x = 1

    def change(self):
        self.x += 1
        self.y = [self.x]
        return self


class Thing(metaclass=Meta):
    def __init__(self, n):
        self.n = n
        self.items = []

    def __getattribute__(self, name):
        log.append("Thing.getattribute " + name)
        return object.__getattribute__(self, name)

    def __getattr__(self, name):
        log.append("Thing.getattr " + name)
        raise AttributeError(name)

    def __setattr__(self, name, value):
        log.append("Thing.setattr " + name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        log.append("Thing.delattr " + name)
        object.__delattr__(self, name)

    @property
    def __class__(self):
        log.append("Thing.class")
        return int

    def change(self, k):
        self.items.append(k)
        self.n += 1
        del self.items[0]
        return self


def answer(name, value):
    def method(self, *arguments):
        log.append("Thing." + name)
        return iter((1, 2)) if name == "iter" else self is arguments[0] if name == "eq" else value

    setattr(Thing, f"__{name}__", method)


for name, value in dict(
    hash=5,
    eq=None,
    repr="thing",
    str="thing",
    format="thing",
    len=0,
    bool=True,
    iter=None,
    index=0,
    contains=True,
    sizeof=1,
    dir=[],
    getstate={},
    call=3,
    length_hint=2,
    bytes=b"x",
    enter=1,
    exit=None,
).items():
    answer(name, value)

List = overriding("List", list)
Dict = overriding("Dict", dict)
Set = overriding("Set", set)
Deque = overriding("Deque", collections.deque, maxlen=property(lambda self: log.append("Deque.maxlen")))
Bytes = overriding("Bytes", bytearray, __bytes__=noisy("Bytes.bytes", lambda self: b"no"))
Array = overriding("Array", array.array)
Text = overriding("Text", str)
Int = overriding("Int", int)
Float = overriding("Float", float)
Tuple = overriding("Tuple", tuple)
Ordered = overriding("Ordered", collections.OrderedDict)
Default = overriding("Default", collections.defaultdict)


class Module(types.ModuleType):
    def __getattribute__(self, name):
        log.append("Module.getattribute " + name)
        return types.ModuleType.__getattribute__(self, name)

    def __getattr__(self, name):
        log.append("Module.getattr " + name)
        raise AttributeError(name)

    def __repr__(self):
        log.append("Module.repr")
        return "module"

    def __hash__(self):
        log.append("Module.hash")
        return 1

    def __eq__(self, other):
        log.append("Module.eq")
        return self is other

    @property
    def __dict__(self):
        log.append("Module.dict")
        return {}


class NoModule:
    def __getattr__(self, name):
        log.append("NoModule.getattr " + name)
        raise AttributeError(name)

    def __hash__(self):
        log.append("NoModule.hash")
        return 1

    def __eq__(self, other):
        log.append("NoModule.eq")
        return self is other

    @property
    def __class__(self):
        log.append("NoModule.class")
        return types.ModuleType


def said(what):
    print(what, *log)
    log.clear()


def use(value):
    return value


def pair(a, b=None, *rest, **named):
    return (a, b, rest, named)


def lists():
    xs = List([1, 2, 3])
    said("list made")
    xs[0] = 5
    said("[0] =")
    k = 1
    xs[k] = 6
    said("[k] =")
    xs[Thing(1)] = 7
    said("[thing] =")
    plain = [1, 2, 3]
    plain[Thing(1)] = 4
    plain[Int(1)] = 5
    said("plain[thing] =")
    xs[0:1] = [9, 9]
    said("[:] =")
    del xs[0]
    said("del")
    xs.append(Thing(2))
    said("append")
    xs.extend([1])
    said("extend")
    xs.insert(0, 4)
    said("insert")
    xs.pop()
    said("pop")
    xs.pop(0)
    said("pop 0")
    xs.sort(key=lambda v: 0)
    said("sort")
    xs.reverse()
    said("reverse")
    xs += [3]
    said("+=")
    xs *= 2
    said("*=")
    xs[0] = 3
    xs[0] += 1
    said("[0] +=")
    a, *b = xs
    said("unpack")
    xs.clear()
    said("clear")
    return xs


def dicts(cls):
    d = cls()
    said("dict made")
    d["a"] = 1
    said("['a'] =")
    d[Text("b")] = 2
    said("[Text] =")
    d[Int(3)] = 3
    said("[Int] =")
    d[Thing(3)] = 4
    said("[thing] =")
    d[(1, Text("c"))] = 5
    said("[tuple] =")
    d["a"] += 1
    said("+=")
    d.update({"x": 1})
    said("update")
    d.update({Text("y"): 1})
    said("update Text")
    d.update(z=3)
    said("update named")
    d.setdefault("q", 1)
    said("setdefault")
    d.pop("q")
    said("pop")
    d.pop(Text("b"))
    said("pop Text")
    d.popitem()
    said("popitem")
    del d["a"]
    said("del")
    d |= {"m": 1}
    said("|=")
    sorted(d, key=id)
    pair(d, d)
    said("passed")
    d.clear()
    said("clear")
    return d


def sets(cls):
    s = cls()
    said("set made")
    s.add(1)
    said("add")
    s.add(Thing(1))
    said("add thing")
    s.add(Text("x"))
    said("add Text")
    s.discard(1)
    said("discard")
    s |= {2}
    said("|=")
    s.update([3])
    said("update")
    s.pop()
    said("pop")
    s.clear()
    said("clear")
    return s


def others():
    d = Deque([1, 2])
    d.append(1)
    d.appendleft(0)
    d.pop()
    d.popleft()
    d[0] = 3
    d.extend([1])
    d.rotate(1)
    said("deque")
    b = Bytes(b"ab")
    b.append(1)
    b[0] = 2
    b.extend(b"x")
    b += b"y"
    said("bytearray")
    a = Array("i", [1, 2])
    a.append(3)
    a[0] = 4
    a.extend([1])
    said("array")
    o = Ordered()
    o["a"] = 1
    o[Text("b")] = 2
    o["c"] = 3
    o.move_to_end("a")
    o.popitem()
    o.popitem(last=False)
    said("ordered")
    real = collections.OrderedDict()
    real[Thing(1)] = 1
    real["a"] = 2
    pair(real)
    real.move_to_end("a", last=False)
    real.pop("a")
    said("real ordered")
    e = Default(list)
    e["a"].append(1)
    e[Text("a")].append(2)
    e["n"] = 3
    said("default")
    f = collections.defaultdict(list)
    f[Thing(1)].append(2)
    f["k"].append(Thing(2))
    pair(f)
    said("real default")
    return d, b, a, o, real, e, f


def attributes():
    t = Thing(1)
    said("thing made")
    t.n = 2
    said("t.n =")
    t.n += 1
    said("t.n +=")
    t.m = List([1])
    said("t.m =")
    t.change(1)
    said("change")
    del t.m
    said("del t.m")
    setattr(t, "k", 3)
    said("setattr")
    setattr(t, Text("k"), 3)
    said("setattr Text")
    delattr(t, "k")
    said("delattr")
    Thing.shared = 1
    said("Thing.shared =")
    Thing.shared += 1
    said("Thing.shared +=")
    del Thing.shared
    said("del Thing.shared")
    u = Unhashable().change()
    u.x = 3
    u.y.append(u)
    use(u)
    said("unhashable")
    u.__dict__ = Dict(x=1)
    u.x = 2
    said("own dict")
    return t, u


def reading(t):
    if t:
        said("if")
    while t:
        break
    said("while")
    x = t and 1
    said("and")
    x = not t
    said("not")
    f"{t}"
    said("format")
    print(1, "a", end="\n")
    said("print")
    print(t, Text("x"), Int(1))
    said("print t")
    [y for y in t]
    said("comprehension")
    t in [t]
    said("in")
    t == t
    said("==")
    for x in t:
        pass
    said("for")
    use(t)
    pair(t, t, t, k=t)
    said("passed")
    sorted([t, t], key=id)
    said("sorted")
    t(1)
    said("called")
    len(t)
    said("len")
    try:
        t.missing
    except AttributeError:
        pass
    said("missing")
    with t as x:
        pass
    said("with")
    match t:
        case int():
            pass
        case _:
            pass
    said("match")
    assert t, t
    said("assert")
    return t, [t], {"a": t}


class Error(Exception):
    def __getattribute__(self, name):
        log.append("Error.getattribute " + name)
        return Exception.__getattribute__(self, name)

    def __str__(self):
        log.append("Error.str")
        return "error"

    def __repr__(self):
        log.append("Error.repr")
        return "error"

    def __eq__(self, other):
        log.append("Error.eq")
        return self is other

    def __hash__(self):
        log.append("Error.hash")
        return 1

    @property
    def args(self):
        log.append("Error.args")
        return ()

    @property
    def __class__(self):
        log.append("Error.class")
        return KeyError

    def __setattr__(self, name, value):
        log.append("Error.setattr")
        Exception.__setattr__(self, name, value)


def raising(n):
    if n:
        return raising(n - 1)
    raise Error(Thing(1))


def catching():
    try:
        raising(3)
    except LookupError:
        said("as LookupError")
    except Error:
        said("caught")
    try:
        try:
            raising(1)
        finally:
            said("finally")
    except Exception as error:
        kept = error
    said("kept")
    return kept


def modules():
    sys.modules["odd"] = NoModule()
    said("no module")
    sys.modules["odder"] = Module("odder")
    said("module")
    sys.modules[Text("oddest")] = types.ModuleType("oddest")
    said("oddest")
    import odder

    said("imported")
    odder.x = 1
    said("odder.x =")
    return odder


class Zone(datetime.tzinfo):
    def utcoffset(self, when):
        log.append("Zone.utcoffset")
        return datetime.timedelta(0)

    def __repr__(self):
        log.append("Zone.repr")
        return "Zone"


global_thing = Thing(9)
global_list = List()
said("globals")
result = [
    lists(),
    dicts(Dict),
    dicts(dict),
    sets(Set),
    sets(set),
    others(),
    attributes(),
    reading(Thing(4)),
    catching(),
    modules(),
]
said("all")
use.__module__ = Text("shuffled")
Thing.__module__ = Text("elsewhere")
Thing.__qualname__ = Text("Another")
held = [
    types.MappingProxyType({"a": Thing(1)}),
    slice(Thing(1), None),
    list[Thing],
    range(Int(4)),
    List().append,
    Thing(1).change,
    Text("t" * 3000),
    Int(3),
    Float(2.5),
    Tuple((1, 2)),
    memoryview(bytearray(3)),
    Thing,
    Meta,
    use,
    datetime.datetime(2020, 1, 1, tzinfo=Zone()),
    datetime.time(1, tzinfo=Zone()),
    Bytes(b"b"),
    Set,
    frozenset([Text("z")]),
    vars(Thing),
    Array("i", [1]),
    Deque([1], 2),
    types.SimpleNamespace(a=Thing(2)),
    Module("m"),
    NoModule(),
    Error(1),
]
use(held)
for value in held:
    use(value)
said("held")


class After(list):
    append = staticmethod(lambda text: print("after the end:", text, flush=True))


log = After()
if len(sys.argv) > 1:
    raise Error("the end")
