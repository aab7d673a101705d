"""Small programs that set something which a module of the library keeps, or of which the library keeps results.

Each has a `main` that gives a tuple; see `test_programs_by_force`.
"""

from __future__ import annotations

SETTINGS = {
    "the precision of decimals": """
import decimal
def setp(n):
    decimal.getcontext().prec = n
def div(a, b):
    return decimal.Decimal(a) / decimal.Decimal(b)
def main():
    setp(4)
    r = str(div(1, 3))
    return (r, 2)
""",
    "the precision for a while": """
import decimal
def main():
    c = decimal.getcontext()
    c.prec = 5
    a = decimal.Decimal(1) / 3
    with decimal.localcontext() as k:
        k.prec = 3
        b = decimal.Decimal(1) / 3
    return (str(a), str(b), a + b > 1)
""",
    "the largest field": """
import csv, io
def main():
    csv.field_size_limit(3)
    try:
        r = list(csv.reader(io.StringIO('abcd,e')))
    except csv.Error as e:
        r = 'err'
    return (r, 1)
""",
    "a limit that is asked for": """
import sys
def main():
    sys.setrecursionlimit(4321)
    return (sys.getrecursionlimit(), 1)
""",
    "a level stored into a logger": """
import logging, io
def main():
    out = io.StringIO()
    log = logging.getLogger('x')
    log.handlers[:] = [logging.StreamHandler(out)]
    log.propagate = False
    log.setLevel(20)
    log.info('a')
    log.debug('b')
    log.level = 10
    log._cache.clear()
    log.debug('c')
    return (out.getvalue(), log.isEnabledFor(10))
""",
    "messages that go on to the root": """
import logging, io
def main():
    out = io.StringIO()
    h = logging.StreamHandler(out)
    logging.getLogger().addHandler(h)
    logging.disable(20)
    logging.getLogger('q').warning('a')
    logging.disable(40)
    logging.getLogger('q').warning('b')
    return (out.getvalue(), 3)
""",
    "filters of warnings": """
import warnings
def warn(n):
    warnings.warn('w%d' % n)
    return n
def main():
    with warnings.catch_warnings(record=True) as got:
        warnings.simplefilter('always')
        warn(1)
        warnings.simplefilter('ignore')
        warn(2)
    return (len(got), [str(w.message) for w in got])
""",
    "settings in branches": """
import decimal, csv, io
def setp(n):
    decimal.getcontext().prec = n
def rows(text):
    try:
        return list(csv.reader(io.StringIO(text)))
    except csv.Error:
        return []
def main():
    decimal.setcontext(decimal.Context())
    csv.field_size_limit(900)
    a = 3
    if a > 5:
        setp(2)
    if a > 4:
        csv.field_size_limit(2)
    r = str(decimal.Decimal(1) / a)
    x = rows('abc')
    ctx = decimal.getcontext()
    ctx.rounding = decimal.ROUND_UP
    ctx.prec = 4
    return (r, x, str(decimal.Decimal(2) / 3), a + 1)
""",
    "a context that an object has": """
from decimal import Decimal, getcontext, localcontext
class Calc:
    def __init__(self, ctx, prec):
        self.ctx = ctx
        self.prec = prec
    def start(self):
        self.ctx.prec = self.prec
    def third(self, n):
        total = Decimal(n)
        total /= 3
        return total
def main():
    c = Calc(getcontext(), 4)
    a = c.third(1)
    c.start()
    b = c.third(1)
    with localcontext() as k:
        k.prec = 2
        d = c.third(2)
    return (f'{a}', f'{b}', str(d), d < b)
""",
    "calendars, dialects": """
import calendar, csv, io, textwrap, fractions
def main():
    calendar.setfirstweekday(6)
    w = calendar.weekheader(2)
    csv.register_dialect('semi', delimiter=';')
    r = next(csv.reader(io.StringIO('a;b'), 'semi'))
    f = fractions.Fraction(1, 3)
    return (w, r, str(f), textwrap.fill('a b', 1))
""",
    "loggers of an application": """
import logging, io
class App:
    def __init__(self, out, level):
        self.log = logging.getLogger('app.x')
        h = logging.StreamHandler(out)
        h.setFormatter(logging.Formatter('%(levelname)s:%(message)s'))
        logging.getLogger('app').addHandler(h)
        logging.getLogger('app').setLevel(level)
    def run(self, n):
        self.log.info('n=%d', n)
        if n > 3:
            self.log.error('big')
def main():
    logging.getLogger('app').handlers.clear()
    out = io.StringIO()
    App(out, 20).run(2)
    return (out.getvalue().strip(), 1)
""",
    "variables of contexts": """
import contextvars
var = contextvars.ContextVar('var', default=3)
other = contextvars.ContextVar('other', default=1)
def use(): return var.get() * 2
def work():
    var.set(9)
    return use()
def main():
    a = use()
    t = var.set(5)
    b = use()
    ctx = contextvars.copy_context()
    c = ctx.run(work)
    d = use()
    var.reset(t)
    e = use()
    other.set(8)
    return (a, b, c, d, e, ctx[var], other.get())
""",
    "results that are kept": """
import functools
calls = []
@functools.lru_cache(maxsize=2)
def sq(n):
    calls.append(n)
    return n * n
@functools.cache
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
class T:
    def __init__(self, n): self.n = n
    @functools.cached_property
    def big(self):
        calls.append('big')
        return self.n * 10
def main():
    a = sq(2) + sq(3) + sq(2)
    sq(4)
    b = sq(2)
    t = T(3)
    c = t.big
    t.n = 9
    d = t.big
    del t.big
    e = t.big
    k = len(calls)
    sq.cache_clear()
    g = sq.cache_info().currsize
    return (a, b, fib(5), c, d, e, k, g, sq(4))
""",
    "methods whose results are kept": """
import functools
seen = []
class T:
    def __init__(self, n): self.n = n
    @functools.lru_cache(None)
    def times(self, k, add=0):
        seen.append(k)
        return self.n * k + add
    @functools.cache
    def items(self):
        return [self.n]
def main():
    t = T(3)
    u = T(4)
    a = t.times(2)
    b = u.times(2)
    t.n = 10
    c = t.times(2)
    d = t.times(2, add=1)
    e = t.times(2, add=1)
    t.items().append(7)
    return (a, b, c, d, e, seen, t.items(), u.items())
""",
    "results kept until they are cleared": """
from functools import lru_cache, cached_property
limit = 3
@lru_cache
def over(n): return n > limit
class P:
    def __init__(self, v): self.v = v
    @cached_property
    def doubled(self): return [self.v * 2]
def main():
    global limit
    a = over(4)
    limit = 9
    b = over(4)
    c = over(5)
    over.cache_clear()
    d = over(4)
    p = P(2)
    p.doubled.append(1)
    q = P(3)
    return (a, b, c, d, p.doubled, q.doubled, len(p.doubled))
""",
    "results kept by hand": """
memo = {}
def fib(n, memo=memo):
    if n in memo:
        return memo[n]
    r = n if n < 2 else fib(n - 1) + fib(n - 2)
    memo[n] = r
    return r
def cached(f):
    kept = {}
    def run(*args):
        if args not in kept:
            kept[args] = f(*args)
        return kept[args]
    run.kept = kept
    return run
@cached
def area(w, h):
    return w * h + base
base = 1
def main():
    global base
    a = fib(5)
    b = area(2, 3)
    base = 5
    c = area(2, 3)
    d = area(3, 3)
    return (a, b, c, d, len(memo), sorted(area.kept))
""",
    "attributes of what a decorator made": """
def cached(f):
    kept = {}
    def run(*args):
        if args not in kept:
            kept[args] = f(*args)
        return kept[args]
    run.kept = kept
    return run
@cached
def area(w, h):
    return w * h
def main():
    area(2, 3)
    area(3, 3)
    return (sorted(area.kept), 1)
""",
    "arguments as keys": """
kept = {}
def run(*args):
    kept[args] = 1
def two(a, b):
    key = (a, b)
    kept[key] = 2
def main():
    run(2, 3)
    run(3, 3)
    two(4, 5)
    return (sorted(kept), len(kept), list(kept)[0])
""",
    "keywords of a partial": """
from functools import partial
def f(a, x=1): return a + x
def main():
    v = 5
    p = partial(f, 2)
    p.keywords["x"] = v
    q = partial(f, 2)
    return (p(), q(), 2)
""",
    "keywords of a partial, by others": """
from functools import partial
def f(a, x=1, y=2): return a + x * y
def setx(p, v):
    p.keywords["x"] = v
def main():
    p = partial(f, 2, y=3)
    a = p()
    setx(p, 4)
    b = p()
    if a > 50:
        setx(p, 9)
    p.keywords.update(y=1)
    return (a, b, p(), p.keywords['x'])
""",
}
