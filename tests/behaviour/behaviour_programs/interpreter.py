"""How the interpreter was started, what is imported, and who else watches: modules of all kinds, flags, tools, unittest."""

from behaviour_programs.program import Program

TOOLS = """\
import sys, os, warnings, cProfile, pstats, io, tracemalloc, faulthandler, pdb, code, time
def work(n): return sum(i * i for i in range(n))
warnings.warn("top")
def w(): warnings.warn("level", stacklevel=2)
w()
assert work(3) == 5, "opt"
print(__debug__, sys.flags.dev_mode, sys.flags.optimize, sys.warnoptions)
pr = cProfile.Profile(); pr.enable(); work(10); pr.disable()
s = io.StringIO(); st = pstats.Stats(pr, stream=s); print(sorted(k[2] for k in st.stats if k[2] in ("work", "<genexpr>")), [st.stats[k][0] for k in sorted(st.stats) if k[2] == "work"])
tracemalloc.start(); x = [0] * 1000; snap = tracemalloc.take_snapshot(); print(len(snap.traces) > 0); tracemalloc.stop()
print(input("name? ")); print(sys.stdin.readline().strip())
try: input()
except EOFError as e: print(repr(e))
f = open(__file__); f.readline(); del f
calls = []
def tr(frame, ev, arg):
    if frame.f_code.co_filename == __file__: calls.append((ev, frame.f_lineno - frame.f_code.co_firstlineno))
    return tr
def traced(a):
    b = a
    for i in range(2):
        b += i
    return [b
            for _ in (1,)]
sys.settrace(tr); traced(1); sys.settrace(None); print(calls)
if sys.version_info >= (3, 12):
    mon = sys.monitoring; mon.use_tool_id(3, "t"); ev = []
    mon.register_callback(3, mon.events.LINE, lambda c, l: ev.append(l - c.co_firstlineno)); mon.set_local_events(3, traced.__code__, mon.events.LINE); traced(1); mon.free_tool_id(3); print(ev)
def fr():
    loc = 1
    return sys._getframe().f_locals, sys._getframe(1).f_code.co_name, sys._getframe().f_lineno
print(fr())
faulthandler.enable()
sys.stdout.flush()
os.write(1, b"raw\\n")
sys.exit("bye")
"""
TESTS = """\
import unittest
from unittest import mock
def add(a, b): return a + b
class T(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.k = 1
    def setUp(self): self.addCleanup(print, "cleanup")
    def test_sub(self):
        for i in range(3):
            with self.subTest(i=i): self.assertEqual(add(i, 1), 2)
    @mock.patch("tests.test_u.add", return_value=7)
    def test_mock(self, m): self.assertEqual(add(1, 2), 7); m.assert_called_once_with(1, 2)
    @unittest.expectedFailure
    def test_x(self): self.fail()
    @unittest.skip("no")
    def test_s(self): pass
    def test_err(self):
        with self.assertRaisesRegex(ValueError, "a"): raise ValueError("abc")
        with self.assertLogs("q") as c:
            import logging; logging.getLogger("q").warning("w")
        self.assertEqual([1, 2], [1, 3], "msg")
class A(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self): self.v = 1
    async def test_a(self): self.assertEqual(self.v, 1)
"""
INTERPRETER = {
    "modules_of_all_kinds": Program(
        """\
import importlib, sys, traceback, types
import mod_a
try:
    from mod_b import *
except AttributeError as e: print(e)
print(mod_a.fa())
importlib.reload(mod_a); print(mod_a.fa())
import ns.part.leaf, ns.part.leaf as leaf; print(leaf.p(), type(ns.__path__).__name__)
import bom; print(bom.bom(), bom.K().m())
try: bom.ff()
except ZeroDivisionError: traceback.print_exc()
""",
        files={
            "mod_a.py": "import mod_b\nx = 1\ndef fa(): return mod_b.fb()\n",
            "mod_b.py": """\
from mod_a import *
import mod_a
def fb(): return mod_a.x, sorted(n for n in globals() if not n.startswith("__"))
__all__ = ["fb", "nope"]
""",
            "ns/part/leaf.py": "def p(): return __name__\n",
            "bom.py": "\ufeffdef bom(): return 'é'\r\n\r\nclass K:\r\n\tdef m(self):\r\n\t\treturn bom()\r\n\x0c\r\ndef ff(): 1/0\r\n",
        },
    ),
    **{
        f"tools {' '.join(flags)}".strip(): Program(TOOLS, stdin="joe\nline\n", flags=flags)
        for flags in ((), ("-O",), ("-X", "dev"), ("-W", "error"))
    },
    "unittest": Program(
        files={"tests/__init__.py": "", "tests/test_u.py": TESTS},
        module="unittest",
        arguments=("-v", "tests.test_u"),
    ),
    "many_lines": Program(
        "def f(x):\n    return x + 1\n"
        + "".join(f"v{i} = f({i})\n" for i in range(3000))
        + "print(v2999)\nraise ValueError('end')\n"
    ),
    "a_long_line": Program(f"x = {list(range(20_000))}; print(sum(x)); z = 1 / 0\n"),
}
