"""Methods that code written in C calls: no state that the program sees meanwhile is told otherwise and certain."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from recorded import looked_at, run

from algotrace.trace import Trace

HEAD = """
import collections, functools, itertools, operator, sys, threading
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller as mc
def look(xs): sys.stdout.write(f"{xs}\\n")
def use(fs, *a): return list(map(mc("__call__", *a), fs))
class R:
    def __init__(self, xs): self.xs = xs
    def __call__(self, *a): look(self.xs); return 1
"""
# What lies in containers is called one after the other, which puts something in and takes it out again.
KEPT = {
    "lists": "both = [zs.append, R(zs)]; more = [zs.pop, R(zs)]; use(both, 3); use(more)",
    "names": "f = zs.append; g = zs.pop; r = R(zs); use([f, r], 3); use([g, r])",
    "lists of names": "f = zs.append; g = zs.pop; r = R(zs); fs = [f, r]; gs = [g, r]; use(fs, 3); use(gs)",
    "put into lists": "f, g = zs.append, zs.pop; fs = []; fs.append(f); fs.append(R(zs)); gs = []; gs += [g, R(zs)]; use(fs, 3); use(gs)",
    "dicts": 't = {"put": zs.append, "r": R(zs)}; u = {"take": zs.pop, "r": R(zs)}; use(t.values(), 3); use(u.values())',
    "dicts of lists": 't = {"a": [zs.append, R(zs)]}; u = {"b": [zs.pop, R(zs)]}; use(t["a"], 3); use(u["b"])',
    "attributes": """
class P: pass
p = P(); p.put = zs.append; p.take = zs.pop; p.r = R(zs)
for name, a in (("put", [3]), ("r", []), ("take", []), ("r", [])): list(map(mc(name, *a), [p]))
""",
    "attributes of self": """
class P:
    def __init__(self): self.put = zs.append; self.take = zs.pop; self.r = R(zs)
p = P()
use([p.put, p.r], 3); use([p.take, p.r])
""",
    "partials": "fs = [functools.partial(zs.append, 3), R(zs)]; gs = [zs.pop, R(zs)]; use(fs); use(gs)",
    "results": """
def gen(): return [zs.append, R(zs)]
def gen2(): return zs.pop, R(zs)
use(gen(), 3); use(gen2())
""",
    "comprehensions": 'use([getattr(zs, n) for n in ("append",)] + [R(zs)], 3); use([m for m in (zs.pop,)] + [R(zs)])',
    "closures": """
def make():
    put = zs.append
    take = zs.pop
    return (lambda: put), (lambda: take)
a, b = make(); r = R(zs)
use([a(), r], 3); use([b(), r])
""",
    "attributes of a class": """
class T:
    ops = [zs.append, R(zs)]
    more = (zs.pop, R(zs))
use(T.ops, 3); use(T.more)
""",
    "defaults": "def go(a=[zs.append, R(zs)], b=(zs.pop, R(zs))): use(a, 3); use(b)\ngo()",
    "keys": "d = {}; d[0] = zs.append; d[1] = R(zs); e = [0, R(zs)]; e[:1] = [zs.pop]; use(d.values(), 3); use(e)",
    "special methods": "d = [zs.__iadd__, R(zs)]; e = [zs.__delitem__, R(zs)]; use(d, [3]); use(e, -1)",
    "a sentinel": "fs = [zs.pop, R(zs)]; put = zs.extend; use([put, fs[1]], [5]); use(fs)",
}
# Methods of classes, and what calls methods by their names.
UNBOUND = {
    "methodcaller": "list(map(mc('append', 0), rows))",
    "a methodcaller that is kept": "f = mc('append', 0)\nlist(map(f, rows))",
    "a methodcaller as a key": "max(rows, key=mc('pop'))",
    "a methodcaller that is handed on": "def go(f, *a): return list(map(f, *a))\ngo(mc('pop'), rows)",
    "a methodcaller and views": "d = dict(enumerate(rows))\nany(map(mc('append', 3), d.values()))",
    "an attrgetter": "use(map(operator.attrgetter('append'), rows), 5)",
    "a table": "fs = {'put': list.append}\nany(map(fs['put'], rows, [5, 6]))",
    "a list": "for f in (list.append,): any(map(f, iter(rows), [3, 4]))",
    "a key": "sorted(rows, key=list.pop)",
    "a key under a name": "f = list.pop\nsorted(rows, key=f)",
    "by a thread": "t = threading.Thread(target=list.append, args=(rows[0], 5)); t.start(); t.join()",
    "of type": "f = type(rows[0]).append\nf(rows[0], 3)\nany(map(f, rows, [3, 4]))",
    "of getattr": "any(map(getattr(list, 'append'), rows, [3, 4]))",
    "operators in a table": "fs = [operator.delitem]\nlist(map(fs[0], rows, [0, 0]))",
    "starred": "a = (rows[0], 5)\nlist.append(*a)\nlist.extend(*rows)",
    "of dicts": "ds = [{1: 2}, {}]\nfor x in ds: look(x)\nany(map(mc('update', a=1), ds))\nfor x in ds: look(x)\nany(map(dict.clear, ds))\nfor x in ds: look(x)",
}
STACKS = """
xs = [1]
push = xs.append
pop = xs.pop
class S:
    def __init__(self):
        self.items = [1]
        self.push = self.items.append
        self.pop = self.items.pop
table = {"push": xs.append, "pop": xs.pop}
def give(): return xs.append
def take(): return xs.pop
"""
# A module that uses another one's.
ELSEWHERE = {
    "imported names": "from stacks import push, pop, xs\npush(2); look(xs); pop(); look(xs)",
    "all names": "from stacks import *\nuse([push, R(xs)], 4); use([pop, R(xs)])",
    "of the module": "import stacks as s\ns.push(2); look(s.xs); s.pop(); look(s.xs)",
    "a table": "import stacks as s\nuse([s.table['push'], R(s.xs)], 4); use([s.table['pop'], R(s.xs)])",
    "attributes": "import stacks\ns = stacks.S(); use([s.push, R(s.items)], 4); use([s.pop, R(s.items)])",
    "results": "import stacks as s\nuse([s.give(), R(s.xs)], 4); use([s.take(), R(s.xs)])",
    "by name": "import stacks as s\nfor n, a in (('push', [4]), ('pop', [])): getattr(s, n)(*a); look(s.xs)",
    "its namespace": "import stacks as s\nv = vars(s); use([v['push'], R(s.xs)], 4); use([v['pop'], R(s.xs)])",
}


def states(folder: Path, source: str) -> list[tuple[str, str, bool]]:
    """What was there, what the trace says was there, and whether it is sure."""
    process, path, _ = run(folder, HEAD + source, "--quiet")
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    told = looked_at(trace)
    seen = process.stdout.splitlines()
    return [(line, value.text(200).text, value.certain) for line, value in zip(seen, told, strict=True)]


def wrong(found: list[tuple[str, str, bool]]) -> list[tuple[str, str, bool]]:
    return [state for state in found if state[2] and state[0] != state[1]]


@pytest.mark.parametrize("place", ["functions", "a module"])
@pytest.mark.parametrize("which", [0, 1])
def test_methods_that_are_kept_and_then_called_by_others(which: int, place: str, tmp_path: Path) -> None:
    texts = []
    for number, text in enumerate(list(KEPT.values())[which::2]):
        body = f"zs = [1, 2]\n{text.strip()}"
        inside = f"def way_{number}():\n{textwrap.indent(body, '    ')}\nway_{number}()"
        texts.append(inside if place == "functions" else body)
    found = states(tmp_path, "\n".join(texts))
    assert len(found) >= 2 * len(texts)
    assert wrong(found) == []


@pytest.mark.parametrize("place", ["function", "module"])
@pytest.mark.parametrize("way", UNBOUND)
def test_methods_of_classes_that_others_call(way: str, place: str, tmp_path: Path) -> None:
    body = f"rows = [[1], [2]]\nfor x in rows: look(x)\n{UNBOUND[way]}\nfor x in rows: look(x)"
    if place == "function":
        body = f"def main():\n{textwrap.indent(body, '    ')}\nmain()"
    found = states(tmp_path, body)
    assert len(found) >= 4
    assert wrong(found) == []


@pytest.mark.parametrize("way", ELSEWHERE)
def test_methods_that_another_file_uses(way: str, tmp_path: Path) -> None:
    (tmp_path / "stacks.py").write_text(STACKS)
    found = states(tmp_path, ELSEWHERE[way])
    assert len(found) == 2
    assert wrong(found) == []
