"""Objects of libraries that have a state which nobody sees.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

import textwrap

# By the modules that they need.
_DONE = {
    "io": [
        "f = io.StringIO(); f.write(str(v)); r = f.getvalue()",
        "b = io.BytesIO(); b.write(bytes(v)); b.seek(0); r = b.read()",
    ],
    "hashlib": [
        "h = hashlib.md5(); h.update(bytes(v)); r = h.hexdigest()",
    ],
    "queue": [
        "q = queue.SimpleQueue(); q.put(v); r = q.get()",
        "q = queue.Queue(); q.put(v); r = q.get()",
        "q = queue.LifoQueue(); q.put(1); q.put(v); r = q.get()",
    ],
    "io, csv": [
        "f = io.StringIO(); w = csv.writer(f); w.writerow([v]); r = f.getvalue()",
    ],
    "random": [
        "random.seed(v); r = random.random()",
        "q = random.Random(); q.seed(v); r = q.random()",
    ],
    "contextvars": [
        "c = contextvars.ContextVar('c'); c.set(v); r = c.get()",
    ],
    "weakref": [
        "w = weakref.WeakValueDictionary(); w[v] = O; r = list(w)",
    ],
    "configparser": [
        "c = configparser.ConfigParser(); c['a'] = {'b': str(v)}; r = c['a']['b']",
    ],
    "argparse": [
        "p = argparse.ArgumentParser(); p.add_argument('--x', default=v); r = p.parse_args([]).x",
    ],
    "threading": [
        "e = threading.Event()\nif v: e.set()\nr = e.is_set()",
        "e = threading.Event()\ne.set() if v else None\nr = e.is_set()",
        "lock = threading.Lock(); lock.acquire() if v else None; r = lock.locked()",
    ],
    "xml.etree.ElementTree as ET": [
        "e = ET.Element('a'); e.set('b', str(v)); r = e.get('b')",
        "e = ET.Element('a'); ET.SubElement(e, str(v)); r = len(e)",
        "e = ET.Element('a'); e.text = str(v); r = ET.tostring(e)",
    ],
    "os": [
        "os.environ['QQ'] = str(v); r = os.environ['QQ']",
        "os.environ['QQ'] = str(v); r = os.getenv('QQ')",
    ],
    "collections": [
        "l = collections.UserList(); l.append(v); r = l[0]",
        "l = collections.UserDict(); l['a'] = v; r = l['a']",
    ],
    "graphlib": [
        "x = graphlib.TopologicalSorter(); x.add(v); r = list(x.static_order())",
    ],
    "sqlite3": [
        "con = sqlite3.connect(':memory:'); con.execute('create table t (a)'); con.execute('insert into t values (?)', (v,)); r = con.execute('select a from t').fetchall()",
    ],
    "concurrent.futures": [
        "fut = concurrent.futures.Future(); fut.set_result(v); r = fut.result()",
    ],
    "zlib": [
        "z = zlib.compressobj(); z.compress(bytes(v)); r = z.flush()",
    ],
    "unittest.mock": [
        "x = unittest.mock.Mock(); x(v); r = x.call_args",
    ],
    "logging": [
        "lg = logging.getLogger('q'); lg.setLevel(v * 10); r = lg.level",
    ],
    "html.parser": [
        "x = html.parser.HTMLParser(); x.feed('a' * v); r = x.getpos()",
    ],
    "email.message": [
        "x = email.message.EmailMessage(); x['a'] = str(v); r = x['a']",
    ],
    "http.cookies": [
        "x = http.cookies.SimpleCookie(); x['a'] = str(v); r = x.output()",
    ],
    "io, zipfile": [
        "x = zipfile.ZipFile(io.BytesIO(), 'w'); x.writestr('a', 'b' * v); r = x.namelist()",
    ],
    "asyncio": [
        "async def h():\n    e = asyncio.Event(); e.set() if v else None; return e.is_set()\nr = asyncio.run(h())",
        "async def h():\n    f = asyncio.get_running_loop().create_future(); f.set_result(v); return await f\nr = asyncio.run(h())",
        "async def h():\n    q = asyncio.Queue(); await q.put(v); return await q.get()\nr = asyncio.run(h())",
    ],
}
_DONE_TO = """
import {modules}
class O: pass
def main():
    v = 4  # counts
{piece}
    return r
"""
_NOT_DONE = [
    "q.put(3)",
    "q.get()",
    "f.write('a')",
    "print(1, file=f)",
    "e.set()",
    "k.put(3)",
    "k.q.put(3)",
    "put(q, 3)",
    "random.seed(1)",
    "os.environ['A'] = 'b'",
    "[z.put(1) for z in [q]]",
    "m = q.put; m(3)",
    "def g(): q.put(2)\ng()",
    "(lambda: q.put(2))()",
    "q.maxsize = 3",
]
_NOT_DONE_TO = """
import io, os, queue, random, threading
class K:
    def __init__(self): self.q = queue.Queue()
    def put(self, v): self.q.put(v)
def put(q, v): q.put(v)
def main():
    q, f, e, k = queue.Queue(), io.StringIO(), threading.Event(), K()
    q.put(1)
    c = 0  # counts
    if c:  # counts
{piece}
    return q.get(), f.getvalue(), e.is_set(), k.q.qsize(), random.random(), os.environ.get("A")
"""
LIBRARY_OBJECTS = {
    **{
        f"done before: {piece}": _DONE_TO.replace("{modules}", modules).replace(
            "{piece}", textwrap.indent(piece, " " * 4)
        )
        for modules, pieces in _DONE.items()
        for piece in pieces
    },
    **{
        f"not done: {piece}": _NOT_DONE_TO.replace("{piece}", textwrap.indent(piece, " " * 8))
        for piece in _NOT_DONE
    },
    "what was done with another one": """
import queue
def main():
    q, other = queue.Queue(), queue.Queue()
    q.put(1)  # counts
    v = 3  # does not
    other.put(v)  # does not
    return q.get()
""",
    "functions of a module that keeps a state": """
from random import choice, seed
def main():
    v = 4  # counts
    seed(v)  # counts
    return choice([1, 2, 3])
""",
    "what was done later": """
import io
def main():
    f = io.StringIO()
    f.write("a")  # counts
    text = f.getvalue()
    v = "b"  # does not
    f.write(v)  # does not
    return text
""",
}
