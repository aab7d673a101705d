"""Ways in which code that was not run would have got at a list.

Programs of `test_slice_completeness`, which says what the comments in them mean.
"""

from __future__ import annotations

import textwrap

_PROGRAM = """
import collections, functools, itertools
class O: pass
def put(some, value): some.append(value)
def main():
    xs, ys, v, o = [1], [2], 4, O()
    c = 0  # counts
    if c:  # counts
{piece}
    return xs
"""
_PIECES = [
    "for z in [xs]: z.append(3)",
    "([xs]+[ys])[0].append(3)",
    "list((xs,))[0].append(3)",
    "t = [xs]; t[0].append(3)",
    "a, b = [xs, ys]; a.append(3)",
    "a, b = xs, ys; a.append(3)",
    "[[xs]][0][0].append(3)",
    "{1: xs}[1].append(3)",
    "dict(a=xs)['a'].append(3)",
    "[z for z in [xs]][0].append(3)",
    "(xs if v else ys).append(3)",
    "(lambda: xs)().append(3)",
    "[xs][0] += [3]",
    "x, *r = [xs]; x.append(3)",
    "*r, x = [ys, xs]; x.append(3)",
    "x, *r = [ys, xs]; r[0].append(3)",
    "sorted([xs])[0].append(3)",
    "next(iter([xs])).append(3)",
    "max([xs, ys]).append(3)",
    "for i, z in enumerate([xs]): z.append(3)",
    "for k, z in {1: xs}.items(): z.append(3)",
    "t = []; t.append(xs); t[0].append(3)",
    "t = {}; t[1] = xs; t[1].append(3)",
    "t = [xs, ys]; t.reverse(); t.pop().append(3)",
    "t = (t0 := [xs])[0]; t.append(3)",
    "collections.deque([xs])[0].append(3)",
    "t = [xs] * 2; t[1].append(3)",
    "[xs, ys][v:][0].append(3)",
    "t = [xs, ys][:1]; t[0].append(3)",
    "del [xs][0][0]",
    "[xs][0][0] = 3",
    "t = list(map(id, [xs])); [xs].copy()[0].append(3)",
    "t = zip([xs], [ys])\nfor p, q in t: p.append(3)",
    "x = y = [xs]; y[0].append(3)",
    "class A: z = xs\nA.z.append(3)",
    "def g(): return [xs]\ng()[0].append(3)",
    "match [xs]:\n    case [q]: q.append(3)",
    "with open('/dev/null') as f, ([xs][0] and open('/dev/null')) as g: xs.append(3)",
    "t = itertools.chain([xs], [ys]); next(t).append(3)",
    "t = collections.defaultdict(lambda: xs); t[2].append(3)",
    "t = functools.reduce(lambda p, q: p, [xs, ys]); t.append(3)",
    "pair = (xs, ys); t = {}; t[0], t[1] = pair; t[0].append(3)",
    "o.x = xs; o.x.append(3)",
    "o.x, o.y = xs, 2; o.x.append(3)",
    "ys.append(xs); ys[1].append(3)",
    "ys += [xs]; ys[-1].append(3)",
    "put(ys, xs); ys[-1].append(3)",
]
NOT_RUN = {
    f"not run: {piece}": _PROGRAM.replace("{piece}", textwrap.indent(piece, " " * 8)) for piece in _PIECES
}
