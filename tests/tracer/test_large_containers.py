"""Large containers that are changed by all of their methods, in random order: of a change no more is noted than changes,
and what they were like at any time is told all the same."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from recorded import ENTRY, record
from watched_states import looks

from algotrace.trace import Trace

_NUMBERS = [
    "c[{i}] = {v}", "c[-{j}] = {v}", "del c[{i}]", "c[{i}:{k}] = {new}", "c[:{i}] = {new}", "c[-{j}:] = {new}", "del c[{i}:{k}]",
    "del c[:{j}]", "del c[-{j}:]", "c[{i}:{k}:2] = c[{i}:{k}:2]", "del c[{i}:{k}:3]", "c[{k}:{i}] = {new}", "c.append({v})",
    "c.extend({new})", "c += bytes({new})", "c.insert({i}, {v})", "c.insert(-{j}, {v})", "c.pop()", "c.pop({i})", "c.pop(-{j})",
    "c.remove(c[{i}])", "attempt(lambda: c.remove(1000))", "attempt(lambda: c.pop(1000))", "c.reverse()", "c *= 1", "c[{i}:] = c[{k}:]",
    "c[:] = c[{j}:] + c[:{j}]", "c[a:b] = c[b:]; a += 1; b += 2", "c[first(1):first(4)] = {new}",
]  # fmt: skip
OPERATIONS: dict[str, list[str]] = {
    "list": [
        *_NUMBERS, "c.sort(key=str, reverse=True)", "c.append((1, 2))", "c.remove((1, 2)) if (1, 2) in c else None",
        "c.append(c[{i}])", "c.extend(iter({new}))", "c.remove(c[-1])", "c[{i}], c[{k}] = c[{k}], c[{i}]",
        "c[{i}:{k}] = iter({new})", "c.append(odd); c.remove(odd)", "c[{i}:{i}] = [[]]", "c.sort(key=str)",
    ],
    "bytearray": [
        *_NUMBERS, "attempt(lambda: c.append(1000))", "try_append(c, 1000)", "try_append(c, 7)", "c += b'xyz'", "c.extend(b'0')",
        "c[{i}:{k}] = b'----'", "attempt(lambda: c.insert(0, None))",
    ],
    "set": [
        "c.add({v})", "c.discard({v})", "c.update({new})", "c |= set({new})", "c.difference_update({new})", "c -= set({new})",
        "c.intersection_update(range({v}))", "c &= set(range({j}, 400))", "c.symmetric_difference_update({new})",
        "c ^= set({new})", "c.pop()", "popped = c.pop(); c.add(popped)", "c.update({new}, range({v}), 'text')", "c.add(c.pop())",
        "c.update(iter({new}))", "c |= set(range({v}, {v} + 90))", "c.update({{odd}})", "c.discard(odd)", "c |= {{odd, (1, 2)}}",
        "[c.pop() for _ in range(3)]", "attempt(lambda: c.remove('nothing'))", "c -= {{odd, 5}}",
        "c.intersection_update(set(c) - {{{v}}}, c)", "attempt(lambda: c.update(5))", "first(c.pop())",
    ],
    "deque": [
        "c[{i}] = {v}", "del c[{i}]", "c.append({v})", "c.appendleft({v})", "c.extend({new})", "c.extendleft({new})", "c += {new}",
        "c.insert({i}, {v})", "c.insert(-{j}, {v})", "c.pop()", "c.popleft()", "c.remove(c[{i}])", "attempt(lambda: c.remove(1000))",
        "c.reverse()", "c.rotate({j})", "c.rotate(-{j})", "c.rotate()", "c *= 1", "c.extendleft(iter({new}))",
    ],
    "full deque": [
        "c[{i}] = {v}", "c.appendleft({v})", "c.extend({new})", "c.extendleft({new})", "c += {new}", "c.pop()", "c.popleft()",
        "c.rotate({j})", "c.reverse()", "c.remove(c[{i}])", "c *= 2",
    ],
    "dict": [
        "c[{v}] = 1", "c.pop({v}, None)", "c.update(dict.fromkeys({new}, {v}))", "c |= {{{v}: 2, 'k': 3}}", "c.popitem()",
        "c.setdefault({v}, [])", "c.update(k={v})", "c.update([({v}, 4)])", "c.pop(next(iter(c)))", "del c[next(iter(c))]",
        "c.update(zip({new}, {new}))",
    ],
}  # fmt: skip
MADE = {
    "list": "list(range(150))",
    "bytearray": "bytearray(range(150))",
    "set": "set(range(150))",
    "deque": "collections.deque(range(150))",
    "full deque": "collections.deque(range(150), 150)",
    "dict": "dict.fromkeys(range(150))",
}
HEAD = """
class Odd:
    def __init__(self): self.x = 1
    def __eq__(self, other): return self is other
    def __hash__(self): return 3
def first(n): return n
def attempt(what):
    try: what()
    except (TypeError, ValueError, KeyError, IndexError): pass
def try_append(c, item):
    try: c.append(item)
    except ValueError: return False
"""


def piece(kind: str, seed: int) -> str:
    draw = random.Random(f"{kind} {seed}")
    lines = ["odd, a, b = Odd(), 3, 5", f"c = {MADE[kind]}", "look(c)"]
    for _ in range(40):
        i, k = sorted(draw.sample(range(60), 2))
        new = [draw.randrange(200) for _ in range(draw.randrange(6))]
        line = draw.choice(OPERATIONS[kind])
        lines.append(line.format(i=i, k=k, j=draw.randrange(1, 20), v=draw.randrange(200), new=new))
        # It stays large, and what is kept of small ones is another matter.
        refill = {"set": "c |= set(range(500, 600))", "dict": "c.update(dict.fromkeys(range(500, 600)))"}
        more = "c.extend(range(100, 180))" if kind != "full deque" else "c.extend(range(150))"
        lines += [f"if len(c) < 100: {refill.get(kind, more)}", "look(c)"]
    return "\n".join(lines)


@pytest.mark.parametrize("place", ["function", "module", "sees its locals"])
@pytest.mark.parametrize("kind", OPERATIONS)
def test_what_large_containers_were_like(kind: str, place: str, tmp_path: Path) -> None:
    pieces = {str(seed): piece(kind, seed) for seed in range(6)}
    found = looks(tmp_path, pieces, place, head=HEAD)
    assert [look for look in found if look.certain and look.told != look.seen] == []
    # An `append` to numbers may fail; where none has, that is seen in functions.
    if kind != "bytearray":
        assert [look for look in found if not look.certain] == []
    elif place == "function":
        assert 3 * sum(look.certain for look in found) > len(found)


# What comes right after an `append` to numbers, where it fails and where it does not.
APPENDS = {
    "in a finally": "try:\n    try: b.append(n)\n    finally: x = 1\nexcept ValueError: pass",
    "before a call": "try:\n    try: b.append(n)\n    finally: x = str(3)\nexcept ValueError: pass",
    "in a with that swallows": "with contextlib.suppress(ValueError): b.append(n)\nx = 1",
    "in a comprehension": "with contextlib.suppress(ValueError): y = [b.append(k) for k in (5, n, 6)]",
    "in a lambda": "f = lambda: b.append(n)\nwith contextlib.suppress(ValueError): f()",
    "in an expression": "try: x = (b.append(7), str(1), b.append(n))\nexcept ValueError: x = 3",
    "in a loop": "for i in range(3):\n    try: b.append(n if i else 4)\n    except ValueError: break\n    finally: z = i",
}


@pytest.mark.parametrize("place", ["function", "module"])
@pytest.mark.parametrize("number", [8, 300])
def test_an_append_that_failed_is_not_taken_back(number: int, place: str, tmp_path: Path) -> None:
    pieces = {
        name: f"n, b = {number}, bytearray(b'abc')\nlook(b)\n{text}\nlook(b)"
        for name, text in APPENDS.items()
    }
    found = looks(tmp_path, pieces, place)
    assert [look for look in found if look.certain and look.told != look.seen] == []


def test_a_note_is_as_large_as_the_change(tmp_path: Path) -> None:
    """A copy of all of it would be 300 million parts."""
    program = """
    from collections import deque
    def grow(n):
        s, b, q, l = set(), bytearray(), deque(), list(range(n))
        for i in range(n):
            s.update([i]); s |= {i, -i}
            b += b"0123"; b.append(7)
            q.extendleft([i, i]); q.rotate(1)
            l[i:i + 1] = [i, i]; l.remove(n - 1 - i) if i % 50 == 0 else None
        while s: s.pop()
        del b[:10]
        return q
    grow(20_000)
    """
    trace = record(tmp_path, program)
    assert trace.path.stat().st_size < 6_000_000


# What few events hold: each of these would be gigabytes in the end.
GROWING = {
    "texts": "s = ''\nfor i in range(60_000): s += 'x'",
    "numbers": "import array\na = array.array('d', bytes(8_000_000))\nfor i in range(300): a = a + a[:0]",
}


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told otherwise")
@pytest.mark.parametrize("name", GROWING)
def test_what_few_events_hold_does_not_stay_in_memory(name: str, tmp_path: Path) -> None:
    program, trace = tmp_path / "program.py", tmp_path / "trace"
    program.write_text(f"def main():\n{textwrap.indent(GROWING[name], '    ')}\nmain()\n")
    process = subprocess.Popen([sys.executable, str(ENTRY), "--trace", str(trace), str(program)])
    _, status, used = os.wait4(process.pid, 0)
    assert status == 0
    assert used.ru_maxrss < 1_100_000  # KiB
    assert Trace.open(trace).environment["exit"]["kind"] == "normal"
