"""What a call sees while a statement works out what to store is what was there then: the store comes later, or never.

And errors are what they are unrecorded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import algotrace
from algotrace.trace import Trace

STATEMENTS = [
    "xs.append(look(xs))", "xs.append(look(*[xs]))", "xs.extend([look(xs)])", "xs.insert(0, look(xs))",
    "xs.insert(look(xs), 5)", "xs += [look(xs)]", "xs[0] += look(xs)", "xs[0] = look(xs)", "xs[look(xs)] = 1",
    "xs[1:] = [look(xs)]", "xs[1:] += [look(xs)]", "del xs[look(xs)]", "xs.remove(look(xs))", "xs.pop(look(xs))",
    "d['a'] = look(d)", "d['a'] += look(d)", "d.update(a=look(d))", "d.update({'b': look(d)})",
    "d.update([('b', look(d))], c=look(d))", "d.setdefault('b', look(d))", "d.pop('b', look(d))",
    "d |= {'b': look(d)}", "s.add(look(s))", "s |= {look(s)}", "s.update([look(s)], *[[look(s)]])",
    "s.discard(look(s))", "o.x = look(o)", "o.x += look(o)", "o.l.append(look(o))", "o.l += [look(o)]",
    "o.l[0] += look(o)", "setattr(o, 'x', look(o))", "setattr(o, 'y', look(o))", "o.put(look(o))",
    "o.l.append(o.put(look(o)))", "heapq.heappush(xs, look(xs))", "bisect.insort(xs, look(xs))",
    "xs.append([xs.append(look(xs)), look(xs)][1])", "object.__setattr__(o, 'x', look(o))", "dd['n'] += look(dd)",
    "dd[look(dd)] += 1", "q.append(look(q))", "q.appendleft(look(q))", "q.extend([look(q)])",
    "ba.append(look(ba))", "ba += bytes([look(ba)])", "xs *= look(xs) + 1", "xs.append(xs.pop(look(xs)))",
    "xs.append(*[look(xs), look(xs)])", "[xs.append(look(xs)) for _ in range(2)]",
    "{k: d.update(a=look(d)) for k in 'ab'}", "xs.append(o.put(7) if look(xs) else look(xs))",
    "x, xs[0] = look(xs), look(xs)", "xs[0] = xs[1] = look(xs)", "xs[0], o.x = look(o), look(xs)",
    # What is worked out changes what is stored to.
    "o.x += o.put(5)", "xs[0] += swap(xs)", "xs[1:] += [swap(xs)]", "o.l += [o.put(5)]", "xs.append(swap(xs))",
    # It fails: nothing is stored.
    "xs.append(1 // look(xs, 0))", "xs.append(o.zz)", "xs.append([][1])", "xs.append(nowhere)", "xs.extend(o.zz)",
    "d.update(a=o.zz)", "xs.insert(0, 1 // look(xs, 0))", "d['a'] = o.zz", "o.x = 1 // look(o, 0)", "o.x += o.zz",
    "[o.l.append(o.zz) for _ in range(2)]", "heapq.heappush(xs, o.zz)", "bisect.insort(xs, o.zz)",
    "setattr(o, 'x', o.zz)", "xs -= d", "o.l -= d", "d['a'] -= xs", "d += look(xs)",
]  # fmt: skip
HEAD = """
import bisect, collections, heapq
class O:
    def __init__(self):
        self.x = 1
        self.l = [1]
    def put(self, value):
        self.l.append(value)
        self.x = value
        return value
def state(value):
    if isinstance(value, O):
        return vars(value)
    if isinstance(value, (collections.deque, set, bytearray)):
        return list(value)
    return dict(value) if isinstance(value, dict) else value
def look(value, result=1):
    print(state(value))
    return result
def swap(xs):
    xs[0], xs[1] = xs[1], 9
    return 5
"""
NEW = "xs, d, s, o = [1, 2, 3], {'a': 1}, {1}, O(); dd, q, ba = collections.defaultdict(int), collections.deque([1]), bytearray(b'a')"
PLACES = {
    "function": "def f():",
    "module": "",
    "class": "class C:",
    "sees its locals": "def f():\n    locals()",
}


def program() -> Iterator[str]:
    yield HEAD
    for place, head in PLACES.items():
        for statement in STATEMENTS:
            if place == "class" and " for " in statement:
                continue  # a comprehension there does not see the names
            indent = "    " if head else ""
            yield head
            yield f"{indent}{NEW}\n{indent}try:\n{indent}    {statement}\n{indent}except Exception as error: print('#', error)"
            yield f"{indent}for each in (xs, d, s, o, dd, q, ba): look(each)"
            if head.startswith("def"):
                yield "f()"


def state(value: Any) -> Any:
    parts = {part.label.removeprefix("."): part.value for part in value.parts()}
    if value.kind == "instance":
        return {name: state(part) for name, part in parts.items()}
    if value.kind == "dict":
        return {eval(key): state(part) for key, part in parts.items()}
    if value.kind in ("list", "deque", "set"):
        return [state(part) for part in parts.values()]
    return list(eval(value.text().text)) if value.kind == "bytearray" else value.scalar()


def test_what_a_call_sees_is_what_was_there(tmp_path: Path) -> None:
    script, target = tmp_path / "program.py", tmp_path / "program.algotrace"
    script.write_text("\n".join(program()) + "\n")
    recorder = Path(algotrace.__file__).with_name("__main__.py")
    command = [sys.executable, recorder, "--quiet", "--trace", target, script]
    recorded, plain = (
        subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
        for arguments in (command, [sys.executable, script])
    )
    assert recorded == plain
    printed = [line for line in plain.splitlines() if not line.startswith("#")]
    trace = Trace.open(target)
    looks = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "look"]
    assert len(looks) == len(printed) > 2000
    wrong = []
    for node, line in zip(looks, printed, strict=True):
        value = trace.arguments(node)[0].value
        if value.certain and state(value) != eval(line):
            wrong.append((node, state(value), line))
    assert not wrong, wrong[:5]
