"""Objects notice each of their methods that is called: the recorder calls none."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_survival import behaves

# An object that prints which of its special methods is called, and by what: it is of the program, or of a library.
NOTICING = """
import contextlib, copy, functools, heapq, bisect, itertools, operator, pickle, collections, random
def say(name, *given): print(name, *map(type, given))
class Meta(type):
    def __getattribute__(cls, name):
        if name[:2] != "__": say("class getattribute " + name)
        return type.__getattribute__(cls, name)
    def __setattr__(cls, name, value): say("class setattr " + name); type.__setattr__(cls, name, value)
    def __instancecheck__(cls, obj): say("instancecheck"); return True
    def __subclasscheck__(cls, other): say("subclasscheck"); return True
    def __eq__(cls, other): say("class eq"); return cls is other
    def __hash__(cls): say("class hash"); return 3
    def __bool__(cls): say("class bool"); return False
    def __len__(cls): say("class len"); return 0
    def __iter__(cls): say("class iter"); return iter(())
    def __call__(cls, *given, **named): say("class call"); return type.__call__(cls, *given, **named)
class Told:
    def __get__(self, obj, cls=None): say("get"); return 5
    def __set__(self, obj, value): say("set")
    def __delete__(self, obj): say("delete")
class Noticing(metaclass=Meta):
    told = Told()
    def __init__(self, items=()): say("init"); self.items = list(items); self.n = 1
    def __getattribute__(self, name):
        if name[:2] != "__" : say("getattribute " + name)
        return object.__getattribute__(self, name)
    def __setattr__(self, name, value): say("setattr " + name); object.__setattr__(self, name, value)
    def __delattr__(self, name): say("delattr " + name); object.__delattr__(self, name)
    def __bool__(self): say("bool"); return False
    def __len__(self): say("len"); return len(self.items)
    def __iter__(self): say("iter"); return iter(self.items)
    def __next__(self): say("next"); raise StopIteration
    def __reversed__(self): say("reversed"); return iter(self.items)
    def __contains__(self, each): say("contains", each); return each in self.items
    def __getitem__(self, key): say("getitem", key); return self.items[key]
    def __setitem__(self, key, value): say("setitem", key, value); self.items[key] = value
    def __delitem__(self, key): say("delitem", key); del self.items[key]
    def __call__(self, *given, **named): say("call", *given); return self
    def __eq__(self, other): say("eq", other); return self is other
    def __lt__(self, other): say("lt", other); return id(self) < id(other)
    def __hash__(self): say("hash"); return 1
    def __repr__(self): say("repr"); return "Noticing"
    def __str__(self): say("str"); return "noticing"
    def __format__(self, how): say("format " + how); return "it"
    def __index__(self): say("index"); return 0
    def __int__(self): say("int"); return 0
    def __float__(self): say("float"); return 0.0
    def __neg__(self): say("neg"); return self
    def __add__(self, other): say("add", other); return self
    def __radd__(self, other): say("radd", other); return self
    def __iadd__(self, other): say("iadd", other); return self
    def __or__(self, other): say("or", other); return self
    def __ior__(self, other): say("ior", other); return self
    def __matmul__(self, other): say("matmul", other); return self
    def __enter__(self): say("enter"); return self
    def __exit__(self, *error): say("exit"); return False
    def append(self, each): say("append", each); self.items.append(each)
    def update(self, other=(), **named): say("update", other)
    def pop(self, *given): say("pop", *given); return self.items.pop()
    def sort(self, key=None): say("sort", key)
    def extend(self, others): say("extend"); self.items.extend(others)
    def get(self, key, default=None): say("get", key); return default
"""
USES = """
    x, y, xs, d = Noticing([3, 1]), Noticing([[1]]), [], {}
    iter(x); list(x); tuple(x); sum(x); any(x); all(x); sorted(x); min(x); max(x); len(x); list(reversed(x)); list(enumerate(x))
    list(zip(x, y)); list(map(x, y)); list(filter(x, y)); list(itertools.chain(x, y)); functools.reduce(x, y, x); next(x, 0)
    set(y.items[0]); dict.fromkeys(x); collections.deque(x); "".join(map(str, x)); list(itertools.islice(x, 1))
    for each in x: xs.append(each)
    with x as z: xs.append(z)
    with x, y: pass
    [each for each in x]; {each: 1 for each in x}; list(each for each in x); [*x, *y]; first, *others = x
    x + y; x | y; x @ y; -x; [x] + [y]; x += y; x |= [1]; x += 1; 1 + x; x == y; x != y; x < y; 1 in x; x is y
    x[0]; x[0] = 5; x[0] += 1; del x[0]; x[0:1]; x[x.items[0] - 1]; x.n; x.n = 2; x.n += 1; del x.n; x.n = x
    x(1, k=2); x(xs)(d); x.append(4); x.append(xs); x.update(d); x.update(a=1); x.pop(); x.sort(key=x); x.extend(y); x.get(1, x)
    not x; x and y; x or y; (y if x else x); bool(x)
    if x: pass
    while x: pass
    assert not x
    str(x); repr(x); f"{x} {x!r:>3} {x:>4}"; print(x, y); "%s" % x; "{}".format(x); int(x); float(x); [1, 2][x]; "ab"[x:]; range(x)
    xs.append(x); xs.insert(0, x); xs.extend(x); xs += [x]; xs.remove(x); xs.index(y) if y in xs else 0; d["a"] = x; d.update(a=x); d.setdefault("b", x)
    d.get("a"); d.pop("a", x); d[x] = 1; d[x]; del d[x]; {x, y}; {x: y}; s = {x}; s.add(y); s.discard(x); xs.sort(key=id); xs[:] = [x, y]; xs[0] = y
    copy.copy(x); copy.deepcopy(x); pickle.dumps(xs); heapq.heappush([], x); bisect.insort([], x); operator.setitem(x, 0, y); operator.add(x, y)
    operator.iadd(x, y); operator.attrgetter("n")(x); operator.itemgetter(0)(x); operator.methodcaller("append", 1)(x); getattr(x, "append")(2)
    getattr(x, "".join(["n"])); setattr(x, "m", y); delattr(x, "m"); hasattr(x, "m"); isinstance(x, list); callable(x); vars(x); x.__dict__; type(x); id(x)
    functools.partial(x, y)(1); functools.partial(x.append, y)(); put = x.append; put(1); put = xs.append; put(x); contextlib.ExitStack().enter_context(x)
    match x:
        case [first, *others]: pass
        case {"a": 1}: pass
        case Noticing(): pass
    try: raise KeyError(x)
    except KeyError as error: error.args
    x.told; x.told = 4; x.told += 1; del x.told; isinstance(x, Noticing); issubclass(Noticing, Noticing); Noticing.told
    Noticing.other = 5; Noticing == 3; {Noticing}; {Noticing: 1}; Noticing and 1; list(Noticing); len(Noticing); vars(Noticing)
    def inner(a=x, *b, c=y, **e): return a
    inner(); inner(x, y, c=x, d=y); inner(*[x], **{"c": y}); (lambda a: a)(x)
    def give():
        yield x
        yield from y
        return x
    list(give()); x.items; x.__class__; x = None; del x
"""
PLACES = {
    "module": "if True:\n{}",
    "function": "def main():\n{}\nmain()",
    "sees its locals": "def main():\n    locals()\n{}\nmain()",
    "class": "class Main:\n{}",
    "nested": "def around():\n    def main():\n        def later(): return x\n{}\n    main()\naround()",
}


@pytest.mark.parametrize("whose", ["program's", "library's"])
@pytest.mark.parametrize("place", sorted(PLACES))
def test_no_method_of_an_object_is_called_for_the_recording(place: str, whose: str, tmp_path: Path) -> None:
    uses = USES if place != "nested" else USES.replace("; del x\n", "\n").replace("\n", "\n    ")
    if place in ("function", "nested"):  # which see their locals as well where there is `vars`
        uses = uses.replace("vars(x); ", "").replace("; vars(Noticing)", "")
    if place == "class":  # its names are not seen by functions in it
        uses = uses.replace("    list(give()); ", "    ")
    program = PLACES[place].format(uses)
    files: dict[str, str] = {}
    if whose == "program's":
        program = NOTICING + program
    else:
        program, files = f"from noticing import *\n{program}", {"noticing.py": NOTICING}
    assert behaves(tmp_path, program, "--exclude", "noticing.py", files=files).ran.status == 0
