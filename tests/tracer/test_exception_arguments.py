"""The `args` of exceptions, which C code fills: in `__new__`, before `super().__init__(…)`, where an `__init__` is called by name
or by whoever was given it. And what slots hold that are filled by their descriptors."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from recorded import looked_at, run

from algotrace.trace import Trace

HEAD = """
arguments = BaseException.__dict__["args"].__get__
def look(x):
    found = {f"args[{i}]": each for i, each in enumerate(arguments(x))} if isinstance(x, BaseException) else {}
    found.update({f"[{i}]": each for i, each in enumerate(list.__iter__(x))} if isinstance(x, list) else {})
    found.update(vars(x) if isinstance(x, BaseException) else {"a": x.a} if hasattr(x, "a") else {})
    print({name: repr(value) for name, value in sorted(found.items())})
"""
X = "class X({}):\n    def __init__(self, *a):\n        look(self); {}; look(self)\n"
NEW = "class X({}):\n    def __new__(cls, *a):\n        o = {}; look(o); return o\n"
KNOWN = {
    "super": X.format("Exception", "super().__init__(str(a))") + "X(1, 2)",
    "super without arguments": X.format("Exception", "super().__init__()") + "X(1, 2)",
    "super by name": X.format("Exception", "super(X, self).__init__(5)") + "X(1, 2)",
    "super, starred": X.format("Exception", "super().__init__(*a, 9)") + "X(1, 2)",
    "super, loud": X.format("Exception", "super().__init__(look(self), 4)") + "X(1, 2)",
    "super under another name": X.format("Exception", "me = self; super(X, me).__init__(4)") + "X(1)",
    "super in a lambda": X.format("Exception", "(lambda: super(X, self).__init__(4))()") + "X(1)",
    "super where locals are seen": X.format("Exception", "locals(); super().__init__(4)") + "X(1)",
    "super twice": X.format("Exception", "super().__init__(4); look(self); super().__init__(5)") + "X(1)",
    "a base": X.format("Exception", "Exception.__init__(self, 5)") + "X(1, 2)",
    "a base, without others": X.format("KeyError", "KeyError.__init__(self)") + "X(1, 2)",
    "a base, loud": X.format("Exception", "Exception.__init__(self, (look(self), 4)[1])") + "X(1, 2)",
    "a base under another name": X.format("Exception", "base = Exception; base.__init__(self, 5)") + "X(1)",
    "a base that is worked out": X.format("Exception", "self.__class__.__base__.__init__(self, 5)") + "X(1)",
    "a base where locals are seen": X.format("Exception", "locals(); Exception.__init__(self, 5)") + "X(1)",
    "after attributes": X.format("Exception", "self.m = 3; super().__init__(5)") + "X(1, 2)",
    "after attributes, a base": X.format("Exception", "self.m = 3; Exception.__init__(self, 5)") + "X(1, 2)",
    "of a base of the program": X.format("Exception", "super().__init__(a)")
    + "class Y(X):\n    def __init__(self, *a):\n        look(self); X.__init__(self, 4); look(self)\nY(1)",
    "of a mixed class": "class M:\n    def __init__(self, *a):\n        self.m = 1; look(self); super().__init__(7); look(self)\n"
    "class N:\n    def __init__(self, *a): look(self); super().__init__(); look(self)\n"
    "class X(M, Exception): pass\nclass Y(N, Exception): pass\nX(1, 2)\nY(3)",
    "of an operating system": X.format("OSError", "super().__init__(*a)") + "X(1, 2)\nX(2, 'x', 'f')",
    "of an exit": X.format("SystemExit", "super().__init__(3)") + "X(1)",
    "raised": X.format("Exception", "super().__init__(str(a))")
    + "try: raise X(1, 2)\nexcept X as e: look(e); e.args = (5,); look(e); e.args += (6,); look(e)",
    "in another method": "class X(Exception):\n    def again(self): look(self); super().__init__(7); look(self)\nX(1).again()",
    "__new__": NEW.format("Exception", "super().__new__(cls)") + "X(1, 2)",
    "__new__, with others": NEW.format("Exception", "Exception.__new__(cls, 7)") + "X(1, 2)",
    "__new__, filled": NEW.format("OSError", "super().__new__(cls, *a)") + "X(2, 'x', 'f')",
    "__new__ and __init__": NEW.format("Exception", "Exception.__new__(cls, 7)")
    + "    def __init__(self, *a): look(self); super().__init__(*a, 9); look(self)\nX(1, 2)",
    "__new__ that is stored": "def new(cls, *a):\n    o = Exception.__new__(cls, 7); look(o); return o\n"
    "class X(Exception): pass\nX.__new__ = new\nX(1, 2)",
    "__new__, a lambda": "class X(Exception):\n    __new__ = lambda cls, *a: (o := Exception.__new__(cls, 7), look(o))[0]\nX(1)",
    "called again": "def f(e): look(e); e.__init__(3); look(e)\nf(ValueError(1, 2))",
    "called again by a class": "def f(e): look(e); ValueError.__init__(e, 3); look(e)\nf(ValueError(1, 2))",
    "called again by its class": "def f(e): look(e); type(e).__init__(e, 3); look(e)\nf(ValueError(1, 2))",
    "called again by its class, loud": "def f(e):\n    es = [e]; type(e).__init__(es[0], look(e)); look(e)\nf(ValueError(1, 2))",
    "called again by a name": "def f(e, cls): look(e); cls.__init__(e, 3); look(e)\nf(ValueError(1, 2), ValueError)",
    "called again in a module": "e = ValueError(1)\nlook(e)\nValueError.__init__(e, 3)\nlook(e)\ne.__init__(4)\nlook(e)",
    "by hand": "e = ValueError.__new__(ValueError, 8)\nlook(e)\ne.__init__(1)\nlook(e)",
    "by a metaclass": "class M(type):\n    def __call__(cls, *a):\n"
    "        o = cls.__new__(cls, 8); look(o); o.__init__(*a); look(o); return o\n"
    "class X(Exception, metaclass=M): pass\nX(4, 5)",
    "by its descriptor": "def f(e):\n    look(e); BaseException.args.__set__(e, (8,)); look(e)\nf(ValueError(1, 2))",
    "by setattr": "e = ValueError(1)\nlook(e)\nsetattr(e, 'args', [3])\nlook(e)\nobject.__setattr__(e, 'args', (4,))\nlook(e)",
    "a list of a class": "class X(list):\n    def __init__(self, *a):\n"
    "        self.append(1); look(self); super().__init__(); look(self)\nX()",
    "a list by its class": "def f(xs): look(xs); type(xs).__init__(xs, [3]); look(xs)\nf([1, 2])",
    "a list by a name": "def f(xs, cls): look(xs); cls.__init__(xs, [3]); look(xs)\nf([1, 2], list)",
}  # fmt: skip
if sys.version_info >= (3, 11):
    KNOWN["a group"] = (
        NEW.format("ExceptionGroup", "super().__new__(cls, 'm', [ValueError()])")
        + "    def __init__(self, *a): look(self); super().__init__(*a); look(self)\nX(1, 2)"
    )
E = "def f(e): look(e); {}; look(e)\nf(ValueError(1, 2))\nf(KeyError(3))"
XS = "def f(xs): look(xs); {}; look(xs)\nf([1, 2])"
S = "class S:\n    __slots__ = ('a',)\n    def __init__(self): self.a = 1\ndef f(s): look(s); {}; look(s)\nf(S())"
KEPT = {
    "called by its class, in a module": "e = ValueError(1)\nlook(e)\ntype(e).__init__(e, 3)\nlook(e)\ne.__init__(4)\nlook(e)",
    "kept": E.format("init = e.__init__; init(9)"),
    "kept, by super": X.format("Exception", "init = super().__init__; init(5)") + "X(1)",
    "kept, of the class": E.format("init = type(e).__init__; init(e, 9)"),
    "given away": E.format("list(map(e.__init__, (9,)))"),
    "given away, of the class": E.format("list(map(type(e).__init__, [e], (9,)))"),
    "given away, of a base": E.format("list(map(BaseException.__init__, [e], (9,)))"),
    "by getattr": E.format("getattr(e, '__init__')(9)"),
    "by getattr of a name": E.format("name = '__init__'; getattr(e, name)(9)"),
    "by attrgetter": "import operator\n" + E.format("list(map(operator.attrgetter('__init__'), [e]))[0](9)"),
    "by methodcaller": "import operator\n" + E.format("list(map(operator.methodcaller('__init__', 9), [e]))"),
    "by a partial": "import functools\n" + E.format("functools.partial(Exception.__init__, e)(9)"),
    "its descriptor's": E.format("store = BaseException.args.__set__; store(e, (9,))"),
    "a list's, kept": XS.format("init = xs.__init__; init([9])"),
    "a list's, kept and back": XS.format("init = xs.__init__; init([9]); look(xs); init([1, 2])"),
    "a list's special method, kept and back": XS.format("put = xs.__setitem__; put(0, 9); look(xs); put(0, 1)"),
    "a list's special methods, kept and back": XS.format("put, end = xs.__iadd__, xs.__delitem__; put([9]); look(xs); end(-1)"),
    "a list's, given away": XS.format("list(map(xs.__init__, [[9]]))"),
    "a list's, given away, of the class": XS.format("list(map(list.__init__, [xs], [[9]]))"),
    "a list's, by getattr": XS.format("getattr(xs, '__init__')([9])"),
    "a list's, by methodcaller": "import operator\n" + XS.format("list(map(operator.methodcaller('__init__', [9]), [xs]))"),
    "a list's, by a partial": "import functools\n" + XS.format("functools.partial(list.__init__, xs)([9])"),
    "a list's, by super": "class X(list):\n    def __init__(self): self.append(1); look(self); init = super().__init__; init([5]); look(self)\nX()",
    "a slot's, kept": S.format("store = S.a.__set__; store(s, 9)"),
    "a slot's, given away": S.format("list(map(S.a.__set__, [s], [9]))"),
    "a slot's, kept to delete": S.format("end = S.__dict__['a'].__delete__; end(s)"),
}  # fmt: skip
HANDED = """
import strange
class X(Exception): pass
e = X(1); look(e); strange.annotate(e); look(e)
e = X(1); strange.back(look, e); look(e)
class Y(strange.Base):
    def __init__(self, m): look(self); super().__init__(m); look(self)
Y(1)
"""
LIBRARY = """
def annotate(e): e.args = ("noted",)
def back(f, e): f(e); e.args = (2,); f(e)
class Base(Exception):
    def __init__(self, m): super().__init__(m, 5); self.args += (6,)
"""


# What random classes of exceptions do when they are made: {a} are arguments, {b} a base, {v} is a number.
DOING = (
    "super({c}, self).__init__({a})", "{b}.__init__(self, {a})", "self.m = {v}", "look(self)", "look(self)", "self.args = ({v},)",
    "self.args += ({v},)", "for base in {b}.__mro__[:1]: base.__init__(self, 4)", "self.__dict__['z'] = {v}",
    "setattr(self, 'args', [{v}])", "self.__setstate__({{'q': {v}}})", "vary(self, {v})", "{b}.__init__(self)",
)  # fmt: skip
WITH = ("*a", "1", "a, 2", "look(self)", "vary(self, 3)", "str(a)", "*a[:1]")
ACTS = (
    "e = {c}(1, 2)", "e = {c}(1)", "e.__init__(3)", "type(e).__init__(e, 4)", "e = copy.copy(e)", "e = copy.deepcopy(e)",
    "e = pickle.loads(pickle.dumps(e))", "try: raise {c}(5)\n    except Exception as x: e = x; look(x)", "e.args = (6, e.args)",
    "e = {c}.__new__({c}, 8)", "e.k = [1]", "vary(e, 3)", "e = [{c}(i) for i in range(2)][-1]", "e = list(map({c}, (1, 2)))[0]",
    "e = functools.partial({c}, 3)()", "try: raise e\n    except Exception as x: look(x)",
)  # fmt: skip
VARYING = """
import copy, functools, pickle
def vary(e, v):
    look(e)
    if v % 2: e.args = (v, len(e.args))
    else: e.h = v
    look(e)
"""


def at_random(seed: int) -> str:
    """A program of which some classes of exceptions fill their objects in whatever way."""
    random_ = random.Random(seed)
    bases = ["Exception", "ValueError", "OSError", "KeyError"]
    parts = [VARYING]

    def doing(c: str, b: str, most: int) -> str:
        some = [random_.choice(DOING) for _ in range(random_.randint(0, most))]
        lines = (each.format(a=random_.choice(WITH), b=b, c=c, v=random_.randint(1, 9)) for each in some)
        return "".join(f"        {line}\n" for line in lines)

    for number in range(random_.randint(2, 5)):
        b, c = random_.choice(bases), f"X{number}"
        parts.append(f"class {c}({b}):\n    m = 5\n")
        if random_.random() < 0.7:
            parts.append(f"    def __init__(self, *a):\n        look(self)\n{doing(c, b, 5)}")
        if random_.random() < 0.4:
            made = random_.choice(
                ("super().__new__(cls)", f"{b}.__new__(cls, 7)", "super().__new__(cls, *a)")
            )
            parts.append(
                f"    def __new__(cls, *a):\n        self = {made}\n{doing(c, b, 3)}        return self\n"
            )
        bases.append(c)
    parts.append("def main(e):\n")
    for _ in range(random_.randint(3, 8)):
        act = random_.choice(ACTS).format(c=random_.choice(bases[-3:]))
        indented = act.replace("\n", "\n    ")
        parts.append(
            f"    try:\n        {indented}\n    except Exception as y: print(type(y), file=sys.stderr)\n    look(e)\n"
        )
    return "import sys\n" + "".join(parts) + "main(Exception(0))\n"


def states(folder: Path, source: str, *options: str) -> list[tuple[str, str, bool]]:
    """What was there, what the trace says was there, and whether it is sure."""
    process, path, _ = run(folder, HEAD + source, "--quiet", *options)
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    values = looked_at(trace)
    found = []
    for line, value in zip(process.stdout.splitlines(), values, strict=True):
        parts = {part.path.lstrip("."): part.value for part in value.parts(0, 100)}
        told = {name: part.text(100).text for name, part in sorted(parts.items())}
        found.append((line, str(told), value.is_certain_itself))
    return found


@pytest.mark.parametrize("way", KNOWN)
def test_what_was_there_is_known(way: str, tmp_path: Path) -> None:
    found = states(tmp_path, KNOWN[way])
    assert found
    assert [(line, True) for line, _, _ in found] == [(told, sure) for _, told, sure in found]


@pytest.mark.parametrize("way", KEPT)
def test_what_may_be_changed_unseen_is_not_certain(way: str, tmp_path: Path) -> None:
    found = states(tmp_path, KEPT[way])
    assert len(found) >= 2
    assert [state for state in found if state[2] and state[0] != state[1]] == []


def test_exceptions_that_a_library_had_in_hand_are_not_certain(tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(LIBRARY)
    found = states(tmp_path, HANDED, "--exclude", "strange.py")
    assert len(found) == 7
    assert [state for state in found if state[2] and state[0] != state[1]] == []


@pytest.mark.parametrize("seed", range(25))
def test_random_classes_of_exceptions(seed: int, tmp_path: Path) -> None:
    found = states(tmp_path, at_random(seed))
    assert found
    assert [state for state in found if state[2] and state[0] != state[1]] == []


def test_exceptions_in_general_are_certain(tmp_path: Path) -> None:
    source = "class X(Exception): pass\nx = X(1)\nlook(x)\nprint(x, repr(x), str(x), f'{x}', [x], end='', file=__import__('io').StringIO())\nlook(x)"
    assert [sure for _, _, sure in states(tmp_path, source)] == [True, True]
