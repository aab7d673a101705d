"""Values read back: their text, kind, scalar, parts and fingerprint, for everything that a program may hand around.

Each value is an argument of a call; the program prints what it knows of it, so that both can be compared.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from recorded import find, record, run

from algotrace.trace import Trace, Value

DEFINITIONS = """
    import abc, array, collections, dataclasses, datetime, decimal, enum, fractions, functools, pathlib, re, types, typing, uuid
    def probe(x): pass
    class Plain:
        def __init__(self, **d): self.__dict__.update(d)
        def method(self): pass
        @classmethod
        def made(cls): pass
        @staticmethod
        def alone(): pass
        class Inner: pass
    class Slim:
        __slots__ = ("a", "b")
        def __init__(self, a): self.a = a
    class Both(Slim):
        def __init__(self): self.a = 1; self.c = 2
    @dataclasses.dataclass
    class Data:
        x: int
        y: list = dataclasses.field(default_factory=list)
    @dataclasses.dataclass(frozen=True)
    class Frozen:
        x: int
    class Colour(enum.Enum):
        RED = 1
    class Number(enum.IntEnum):
        ONE = 1
    class Bits(enum.Flag):
        A = 1
        B = 2
    Point = collections.namedtuple("Point", "x y")
    class Pair(typing.NamedTuple):
        left: int
        right: str = "r"
    class MyInt(int): pass
    class MyFloat(float): pass
    class MyStr(str): pass
    class MyBytes(bytes): pass
    class MyList(list): pass
    class MyDict(dict): pass
    class MyTuple(tuple): pass
    class MySet(set): pass
    class MyDeque(collections.deque): pass
    class Oops(Exception):
        def __init__(self, code): super().__init__("oops", code); self.code = code
    class Hostile:
        def __init__(self): object.__setattr__(self, "x", 1)
        def __getattribute__(self, n): raise SystemError("asked")
        def __repr__(self): raise SystemError("asked")
        __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __str__ = __repr__
        def __setattr__(self, n, v): raise SystemError("asked")
    class Lying(list):
        def __len__(self): return 0
        def __iter__(self): return iter("no")
        def __getitem__(self, i): return "no"
        def __repr__(self): return "lie"
    def plain_function(a): pass
    def generator(): yield 1
    async def coroutine(): pass
    cyclic = [1]; cyclic.append(cyclic)
    loop = {}; loop["me"] = loop
    thing = Plain(); thing.self = thing
    shared = []
"""


def recorded(folder: Path, *expressions: str, options: tuple[str, ...] = ()) -> list[Value]:
    calls = "".join(f"\n    probe({expression})" for expression in expressions)
    trace = record(folder, DEFINITIONS + calls + "\n", *options)
    assert trace.environment["exit"]["kind"] == "normal", trace.environment
    return [trace.arguments(find(trace, "probe", number))[0].value for number in range(len(expressions))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("values")


# What evaluates to an equal value: the text must say so and be exact.
LITERALS = [
    "None", "True", "False", "0", "-1", "10 ** 20", "2 ** 3000", "-(2 ** 9000)", "2 ** 20000", "1.5", "-0.0", "1e300", "5e-324", "0.1 + 0.2",
    "2j", "1 - 2j", "complex(-0.0, 1)", "''", "'a'", "'it\\'s'", "'\"\\n\\t\\\\'", "'\\x00\\x7f\\x80\\xff'", "'\\ud800 x'", "'\U0001f600 é'",
    "b''", "b'\\x00\\xffab\\''", "bytearray(b'xy')", "[]", "[1, 'a', None]", "()", "(1,)", "(1, 2)", "{}", "{'a': 1, 2: [3]}", "set()", "{1}",
    "{'a', 'b', 'c'}", "frozenset()", "frozenset({1})", "frozenset({(1, 2), 'x'})", "[[[[[[]]]]]]", "({'a': ({1: {2}},)},)", "[[]] * 3", "[shared, shared]",
    "{(1, (2, 3)): 'x'}", "{None: None, True: False}", "{1.5: 2, b'x': 3j}", "[-1, (-2,)]", "'x' * 150",
]  # fmt: skip


def test_literal_text_evaluates_to_an_equal_value(folder: Path) -> None:
    for expression, value in zip(LITERALS, recorded(folder, *LITERALS), strict=True):
        expected = eval(expression, {"shared": []})
        text = value.text(10_000)
        assert text.literal, (expression, text)
        read = eval(text.text)
        assert same(read, expected), (expression, text)
        assert value.certain


def same(one: Any, other: Any) -> bool:
    """Equal and of the same types, signs of zeros included."""
    if type(one) is not type(other):
        return False
    if type(one) is float:
        return repr(one) == repr(other)
    if type(one) in (list, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if type(one) is dict:
        return all(map(same, one.items(), other.items())) and len(one) == len(other)
    return bool(one == other)


SCALARS = [
    "None", "True", "7", "-(2 ** 9000)", "1.5", "float('inf')", "float('nan')", "-0.0", "complex(1, -0.0)", "'t'", "'\\ud800'", "b'\\xff'",
]  # fmt: skip


def test_scalars_come_back_as_they_are(folder: Path) -> None:
    for expression, value in zip(SCALARS, recorded(folder, *SCALARS), strict=True):
        expected = eval(expression)
        found = value.scalar()
        assert type(found) is type(expected)
        assert repr(found) == repr(expected)
        assert value.length is None and value.parts() == []


def test_compound_values_are_no_scalars(folder: Path) -> None:
    for value in recorded(folder, "[1]", "{}", "Plain()", "len", "MyInt(3)", "Colour.RED"):
        with pytest.raises(TypeError):
            value.scalar()


# expression: (kind, type name, text, names of the parts)
OTHERS: dict[str, tuple[str, str, str, list[str]]] = {
    "float('nan')": ("float", "float", "nan", []),
    "float('inf')": ("float", "float", "inf", []),
    "[float('-inf')]": ("list", "list", "[-inf]", ["0"]),
    "complex('nan+1j')": ("complex", "complex", "(nan+1j)", []),
    "Plain(x=1, y='s')": ("instance", "Plain", "Plain(x=1, y='s')", [".x", ".y"]),
    "Plain()": ("instance", "Plain", "Plain()", []),
    "Plain.Inner()": ("instance", "Plain.Inner", "Plain.Inner()", []),
    "Slim(1)": ("instance", "Slim", "Slim(a=1)", [".a"]),
    "Both()": ("instance", "Both", "Both(c=2, a=1)", [".c", ".a"]),
    "Data(1)": ("instance", "Data", "Data(x=1, y=[])", [".x", ".y"]),
    "Frozen(2)": ("instance", "Frozen", "Frozen(x=2)", [".x"]),
    "Hostile()": ("instance", "Hostile", "Hostile(x=1)", [".x"]),
    "Lying([1, 2])": ("list", "Lying", "Lying([1, 2])", ["0", "1"]),
    "Point(1, [2])": ("tuple", "Point", "Point(x=1, y=[2])", [".x", ".y"]),
    "Pair(1)": ("tuple", "Pair", "Pair(left=1, right='r')", [".left", ".right"]),
    "MyInt(3)": ("instance", "MyInt", "MyInt(3)", []),
    "MyFloat(1.5)": ("instance", "MyFloat", "MyFloat(1.5)", []),
    "MyStr('s')": ("instance", "MyStr", "MyStr('s')", []),
    "MyBytes(b'b')": ("instance", "MyBytes", "MyBytes(b'b')", []),
    "MyList([1])": ("list", "MyList", "MyList([1])", ["0"]),
    "MyDict(a=1)": ("dict", "MyDict", "MyDict({'a': 1})", ["'a'"]),
    "MyTuple((1,))": ("tuple", "MyTuple", "MyTuple((1,))", ["0"]),
    "MySet([1])": ("set", "MySet", "MySet({1})", ["0"]),
    "collections.deque([1, 2])": ("deque", "deque", "deque([1, 2])", ["0", "1"]),
    "collections.defaultdict(list, a=[1])": ("dict", "defaultdict", "defaultdict({'a': [1]})", ["'a'"]),
    "collections.OrderedDict(b=1, a=2)": ("dict", "OrderedDict", "OrderedDict({'b': 1, 'a': 2})", ["'b'", "'a'"]),
    "collections.Counter('aab')": ("dict", "Counter", "Counter({'a': 2, 'b': 1})", ["'a'", "'b'"]),
    "ValueError('x', 1)": ("exception", "ValueError", "ValueError('x', 1)", ["args[0]", "args[1]"]),
    "KeyError()": ("exception", "KeyError", "KeyError()", []),
    "Oops(3)": ("exception", "Oops", "Oops('oops', 3)", ["args[0]", "args[1]", ".code"]),
    "Plain": ("class", "type", "<class Plain>", []),
    "Plain.Inner": ("class", "type", "<class Plain.Inner>", []),
    "int": ("class", "type", "<class int>", []),
    "plain_function": ("function", "function", "<function plain_function>", []),
    "len": ("function", "function", "<function len>", []),
    "Plain.alone": ("function", "function", "<function Plain.alone>", []),
    "Plain().method": ("function", "method", "<method Plain.method>", []),
    "Plain.made": ("function", "method", "<method Plain.made>", []),
    "re": ("module", "module", "<module re>", []),
    "generator()": ("generator", "generator", "<generator generator>", []),
    "generator.__code__.co_lines()": ("instance", "line_iterator", "line_iterator()", []),  # its type is not ready before 3.12
    "Colour.RED": ("instance", "Colour", "Colour.RED", ["._value_", "._name_"]),
    "[Colour.RED]": ("list", "list", "[Colour.RED]", ["0"]),
    "Number.ONE": ("instance", "Number", "Number.ONE", ["._value_", "._name_"]),
    "cyclic": ("list", "list", "[1, …]", ["0", "1"]),
    "loop": ("dict", "dict", "{'me': …}", ["'me'"]),
    "thing": ("instance", "Plain", "Plain(self=…)", [".self"]),
    "range(3)": ("opaque", "range", "range(0, 3)", []),
    "slice(1, 2)": ("opaque", "slice", "slice(1, 2, None)", []),
    "datetime.date(2024, 2, 29)": ("opaque", "date", "datetime.date(2024, 2, 29)", []),
    "datetime.timedelta(1)": ("opaque", "timedelta", "datetime.timedelta(days=1)", []),
    "datetime.timezone.utc": ("opaque", "timezone", "datetime.timezone.utc", []),
    "decimal.Decimal('1.50')": ("opaque", "Decimal", "Decimal('1.50')", []),
    "fractions.Fraction(1, 3)": ("opaque", "Fraction", "Fraction(1, 3)", []),
    "pathlib.PurePosixPath('/a')": ("opaque", "PurePosixPath", "PurePosixPath('/a')", []),
    "re.compile('a+')": ("opaque", "Pattern", "re.compile('a+')", []),
    "uuid.UUID(int=1)": ("opaque", "UUID", "UUID('00000000-0000-0000-0000-000000000001')", []),
    "array.array('i', [1, 2])": ("list", "array", "array('i', [1, 2])", ["0", "1"]),
    "array.array('d')": ("list", "array", "array('d')", []),
    "array.array('u', 'ab')": ("opaque", "array", "array('u', 'ab')", []),
    "types.SimpleNamespace(a=1)": ("instance", "SimpleNamespace", "SimpleNamespace(a=1)", [".a"]),
}  # fmt: skip


def test_other_values_show_what_they_are(folder: Path) -> None:
    for (expression, expected), value in zip(OTHERS.items(), recorded(folder, *OTHERS), strict=True):
        found = (value.kind, value.type_name, value.text().text)
        assert found == expected[:3], expression
        labels = [part.label for part in value.parts()]
        if expected[1] not in (
            "Colour",
            "Number",
        ):  # what an enum member has besides differs between versions
            assert labels == expected[3], expression
            assert (value.length or 0) == len(labels), expression
        assert not value.text().literal, expression
        value.key()


def test_lambdas_and_coroutines_show_where_they_are_from(folder: Path) -> None:
    function, coroutine = recorded(folder, "lambda: 1", "coroutine()", options=("--quiet",))
    assert function.text().text.startswith("<lambda at line ")
    assert coroutine.kind == "generator"


def test_parts_lead_to_values(folder: Path) -> None:
    things = recorded(
        folder, "[1, {'k': (2, Plain(x=[3]))}]", "Point(1, {2: 3})", "{'a' * 200: 1}", "Oops([7])", "{5}"
    )
    nested = things[0]
    steps = []
    value = nested
    while value.length:
        part = value.parts()[-1]
        steps.append(part.path)
        value = part.value
    assert (steps, value.scalar()) == (["[1]", "['k']", "[1]", ".x", "[0]"], 3)
    assert [part.path for part in things[1].parts()] == [".x", ".y"]
    assert things[2].parts()[0].label.endswith("…") and len(things[2].parts()[0].label) <= 80
    assert [part.path for part in things[3].parts()] == [".args[0]", ".args[1]", ".code"]
    assert things[4].parts()[0].path == ""  # a member of a set has no path
    code = things[3].attribute("code")
    assert code is not None and code.text().text == "[7]"
    assert things[3].attribute("nothing") is None


def test_references_lead_back_to_their_values(folder: Path) -> None:
    trace = record(folder, DEFINITIONS + "    probe([1, 'a'])\n")
    value = trace.arguments(find(trace, "probe"))[0].value
    again = trace.value(value.ref)
    assert (again.ref, again.key(), again.text()) == (value.ref, value.key(), value.text())
    for ref in (
        "",
        "x",
        "@",
        "1@",
        "@1",
        "0@0",
        "999999999@0",
        "-3@1",
        "yield:99",
        "yield:-1",
        "raise:0",
        "raise:x",
    ):
        with pytest.raises(KeyError):
            trace.value(ref)


@pytest.mark.parametrize("limit", [1, 2, 5, 10, 30, 200])
def test_long_texts_are_cut_and_say_so(limit: int, folder: Path) -> None:
    values = recorded(
        folder, "'x' * 1000", "list(range(1000))", "{i: i for i in range(1000)}", "[['y' * 50] * 50] * 50", "b'z' * 1000",
        "Plain(**{f'a{i}': i for i in range(100)})", "10 ** 1000", "set(range(500))", "[1]", "MyStr('s' * 1000)",
    )  # fmt: skip
    for value in values:
        text = value.text(limit)
        assert len(text.text) <= limit
        complete = value.text(1_000_000)
        if text.literal:
            assert text == complete
        elif text.text != complete.text:
            assert text.text.endswith("…")


EQUAL = [
    ("[1, 2]", "[1, 2]"), ("'ab'", "'a' + 'b'"), ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"), ("{1, 2, 3}", "{3, 2, 1}"), ("Plain(x=[1])", "Plain(x=[1])"),
    ("Point(1, 2)", "Point(1, 2)"), ("10 ** 30", "10 ** 30"), ("Data(1, [2])", "Data(1, [2])"), ("len", "len"), ("Plain", "Plain"),
    ("datetime.date(2024, 1, 1)", "datetime.date(2024, 1, 1)"), ("{(1, 'a'): [2]}", "{(1, 'a'): [2]}"), ("bytearray(b'x')", "bytearray(b'x')"),
    ("ValueError(1)", "ValueError(1)"), ("frozenset({(1, 2)})", "frozenset({(1, 2)})"), ("Plain(a=1, b=2)", "Plain(b=2, a=1)"),
    ("(lambda x: x.append(x) or x)([])", "(lambda x: x.append(x) or x)([])"), ("MyInt(3)", "MyInt(3)"), ("float('nan')", "float('nan')"),
]  # fmt: skip
DIFFERENT = [
    ("[1, 2]", "[2, 1]"), ("[1]", "(1,)"), ("1", "1.0"), ("1", "True"), ("'1'", "1"), ("b'a'", "'a'"), ("[[], []]", "[shared, shared]"), ("[]", "MyList()"),
    ("{'a': 1}", "{'a': 2}"), ("{'a': 1}", "{'b': 1}"), ("{1, 2}", "{1, 3}"), ("Plain(x=1)", "Plain(y=1)"), ("Plain(x=1)", "Data(1)"), ("None", "0"),
    ("[[1], 2]", "[[1, 2]]"), ("[[1, 2], 3]", "[[1], 2, 3]"), ("Point(1, 2)", "(1, 2)"), ("''", "' '"), ("0.0", "-0.0"), ("Colour.RED", "Number.ONE"),
    ("'a;str b'", "'a'"), ("['a', 'b']", "[\"a';str 'b\"]"), ("Plain(a={})", "Plain(a=[])"), ("bytearray(b'x')", "b'x'"), ("MyInt(3)", "MyInt(4)"),
    ("2 ** 9000", "2 ** 9000 + 1"), ("{(1, 2): 1}", "{(1, 3): 1}"), ("plain_function", "generator"), ("ValueError(1)", "KeyError(1)"), ("cyclic", "[1, [1]]"),
    ("lambda: 1", "lambda: 2"),
]  # fmt: skip


def test_equal_values_have_equal_keys(folder: Path) -> None:
    values = recorded(folder, *(expression for pair in EQUAL for expression in pair))
    for (one, other), left, right in zip(EQUAL, values[::2], values[1::2], strict=True):
        assert left.key() == right.key(), (one, other)


def test_different_values_have_different_keys(folder: Path) -> None:
    values = recorded(folder, *(expression for pair in DIFFERENT for expression in pair))
    for (one, other), left, right in zip(DIFFERENT, values[::2], values[1::2], strict=True):
        assert left.key() != right.key(), (one, other)


LARGE = """
    def probe(x): pass
    class Node:
        def __init__(self, next): self.next = next
    node = None
    for i in range(100_000): node = Node(node)
    nested = []
    for i in range(100_000): nested = [nested]
    pairs = ()
    for i in range(200): pairs = (pairs, pairs)
    probe(node); probe(nested); probe(list(range(100_000))); probe({i: str(i) for i in range(100_000)}); probe("x" * 1_000_000); probe(pairs)
    probe({pairs[0][0]: 1} if False else {((1, 2), (1, 2)): 1}); probe(set(range(50_000)))
    class Hash:
        def __init__(self, t): self.t = t
    t = (1, 2)
    for i in range(17): t = (t, t)
    probe({t: 1})
"""


def test_deep_and_large_values(tmp_path: Path) -> None:
    trace = record(tmp_path, LARGE)
    node, nested, numbers, mapping, text, pairs, _, members, keyed = (
        trace.arguments(find(trace, "probe", number))[0].value for number in range(9)
    )
    for value in (node, nested, numbers, mapping, text, pairs, members, keyed):
        shown = value.text()
        assert len(shown.text) <= 200 and not shown.literal
        assert len(value.key()) == 16 == len(trace.value(value.ref).key())
    assert nested.text().text.startswith("[[[[") and node.text().text.startswith("Node(next=Node(")
    assert (numbers.length, mapping.length, members.length) == (100_000, 100_000, 50_000)
    assert [part.label for part in numbers.parts(99_998)] == ["99998", "99999"]
    assert [part.path for part in mapping.parts(50_000, 1)] == ["[50000]"]
    below = node
    for _ in range(300):
        below = below.parts()[0].value
    assert below.type_name == "Node" and below.key() != node.key()


@pytest.mark.skipif(importlib.util.find_spec("numpy") is None, reason="numpy is not installed")
def test_numpy_values_are_shown(tmp_path: Path) -> None:
    source = """
        import numpy as np
        def probe(x): pass
        probe(np.arange(6).reshape(2, 3)); probe(np.float64(1.5)); probe(np.zeros(10 ** 6)); probe(np.int8(3))
    """
    trace = record(tmp_path, source)
    array, number, large, small = (trace.arguments(find(trace, "probe", n))[0].value for n in range(4))
    assert "[0, 1, 2]" in array.text().text and array.type_name == "ndarray"
    assert "1.5" in number.text().text and "3" in small.text().text
    assert len(large.text().text) <= 200
    assert [value.kind for value in (array, large)] == ["opaque", "opaque"]


ARRAYS = """
    import {library} as lib
    class Loud:
        def __repr__(self): print("asked")
        __str__ = __eq__ = __len__ = __repr__
        __hash__ = object.__hash__
    class Holder:
        def __init__(self, data): self.data = data
    def probe(x): return x
    {values}
"""
NUMPY = [
    ("lib.array([Loud(), 'a'], dtype=object)", "array([<Loud>, 'a'], dtype=object)", False),
    ("lib.array([['x', None]], dtype=object)", "array([['x', None]], dtype=object)", False),
    ("lib.array([(1, Loud())], dtype=[('x', int), ('y', object)])", "<array of (1,) with fields ('x', 'y')>", False),
    ("lib.dtype('int32')", "dtype('int32')", True),
    ("[lib.arange(2)]", "[array([0, 1])]", False),
    ("Holder([{'a': lib.arange(2)}])", "Holder(data=[{'a': array([0, 1])}])", False),
    ("Holder([{'a': lib.dtype('int8')}])", "Holder(data=[{'a': dtype('int8')}])", True),
]  # fmt: skip
PANDAS = [
    ("lib.DataFrame({'a': [1, 2]})", "DataFrame 2×1\n   a\n0  1\n1  2", False),
    ("lib.DataFrame({'a': [Loud(), 2]})", "DataFrame 2×1, with objects of the program", False),
    ("lib.Series([Loud()])", "Series of 1, with objects of the program", False),
    ("lib.Timestamp('2020-01-01')", "Timestamp('2020-01-01 00:00:00')", True),
    ("{'frame': lib.DataFrame({'a': [1]})}", "{'frame': DataFrame 1×1\n   a\n0  1}", False),
]


@pytest.mark.parametrize("library, cases", [("numpy", NUMPY), ("pandas", PANDAS)])
def test_arrays_and_frames_are_short_texts_that_are_not_certain(
    library: str, cases: list[tuple[str, str, bool]], tmp_path: Path
) -> None:
    """… and what they hold of the program's own is not asked what it is."""
    pytest.importorskip(library)
    values = "; ".join(f"probe({source})" for source, *_ in cases)
    process, path, _ = run(tmp_path, ARRAYS.format(library=library, values=values))
    trace = Trace.open(path)
    shown = [trace.arguments(find(trace, "probe", n))[0].value for n in range(len(cases))]
    assert [(value.text(), value.certain) for value in shown] == [
        ((text, False), sure) for _, text, sure in cases
    ]
    assert process.stdout == ""
    assert any(library in note for note in trace.environment["notes"])


def test_outcomes_that_are_no_objects_read_as_values(tmp_path: Path) -> None:
    trace = record(
        tmp_path,
        """
        def nothing(): pass
        def generate():
            for i in range(3): yield [i]
        def fails(): raise ValueError("x", 1)
        nothing(); list(generate())
        try: fails()
        except ValueError: pass
        """,
    )
    nothing, generated, failed = (
        trace.call(find(trace, name)).outcome for name in ("nothing", "generate", "fails")
    )
    assert nothing.value is not None and generated.value is not None and failed.value is not None
    assert (nothing.value.kind, nothing.value.text(), nothing.value.scalar()) == (
        "none",
        ("None", True),
        None,
    )
    assert (nothing.value.length, nothing.value.parts(), nothing.value.certain) == (None, [], True)
    assert generated.value.text() == ("[[0], [1], [2]]", True)
    assert (generated.value.length, generated.value.kind) == (3, "list")
    assert [part.label for part in generated.value.parts(1, 5)] == ["1", "2"]
    assert (failed.value.text().text, failed.value.kind, failed.value.type_name) == ("ValueError('x', 1)", "exception", "ValueError")  # fmt: skip
    for outcome in (nothing, generated, failed):
        assert trace.value(outcome.value.ref).key() == outcome.value.key()  # type: ignore[union-attr]


@pytest.mark.parametrize("options", [(), ("--spill-events", "200")], ids=["in memory", "spilled"])
def test_values_of_which_one_is_a_part_of_the_next_are_told_by_it(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    program = """
    class Row(list): pass
    def look(value): print(ascii(value) if type(value) is not Row else repr(list(value)))
    def main():
        text, data, row, pair = "ab\\u20ac" * 400, b"\\x00\\xff" * 600, Row(range(300)), "\\ud800" * 1100
        for turn in range(130):
            text += str(turn); look(text)
            if turn % 7 == 0: text = text[3:]; look(text)
            if turn % 11 == 0: text = text[:-5]; look(text); text = "<" + text; look(text)
            data = data + bytes([turn]) if turn % 3 else data[1:]; look(data)
            row = Row(row + [turn]) if turn % 3 else Row([turn] + row); look(row)
            if turn % 5 == 0: row = Row(row[1:]); look(row); look(Row(row[:-1])); look(Row(row[2:-2]))
            if turn % 40 == 0: pair = "x" + pair + "y"; look(pair); look(pair[1:]); look(text.upper())
    main()
    """
    process, path, _ = run(tmp_path, program, "--quiet", *options)
    trace = Trace.open(path)
    looks = [
        node for node in range(1, len(trace.parent)) if trace.routines[trace.routine[node]].name == "look"
    ]
    told = []
    for node in looks:
        value = trace.arguments(node)[0].value
        row = trace.row(value.identity)
        if value.kind == "list":
            told.append(
                repr([trace.row(number) for number in trace.content(value.identity, value.time).items])
            )
        else:
            told.append(ascii(row if type(row) is str else row[1].encode("latin-1")))
    assert told == process.stdout.splitlines()
    assert path.stat().st_size < 200_000


@pytest.mark.parametrize("expression, certain", [
    ("object()", True), ("operator.itemgetter(1)", True), ("weakref.ref(probe)", True), ("weakref.proxy(probe)", True),
    ("threading.Lock()", False), ("io.StringIO()", False), ("itertools.count()", False),
])  # fmt: skip
def test_objects_of_the_library_that_never_change_are_certain(
    expression: str, certain: bool, tmp_path: Path
) -> None:
    source = f"import io, itertools, operator, threading, weakref\ndef probe(x): pass\nprobe({expression})"
    trace = record(tmp_path, source)
    assert trace.arguments(find(trace, "probe"))[0].value.certain is certain
