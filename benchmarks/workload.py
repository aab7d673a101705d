"""The programs measured: `workload.py NAME SCALE` prepares one and hands the work to `measure`.

At scale 1 each takes some tenths of a second unrecorded.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from installed import FOLDER, PROGRAMS
from measure import measure

Work = Callable[[], object]


def _pyperformance(name: str) -> Any:
    folder = FOLDER / "pyperformance" / "data-files" / "benchmarks" / f"bm_{name}"
    sys.path[1:1] = [str(folder), str(FOLDER)]
    return import_module("run_benchmark")


def _package(name: str) -> Any:
    sys.path.insert(1, str(FOLDER))
    return import_module(name)


# From the package index


def richards(scale: float) -> Work:
    program = _pyperformance("richards").Richards()
    return lambda: program.run(max(1, round(4 * scale)))


def deltablue(scale: float) -> Work:
    program = _pyperformance("deltablue")
    return lambda: program.delta_blue(round(4000 * scale))


def nbody(scale: float) -> Work:
    program = _pyperformance("nbody")
    program.offset_momentum(program.BODIES["sun"])

    def work() -> object:
        program.report_energy()
        program.advance(0.01, max(1, round(30_000 * scale)))
        return program.report_energy()

    return work


MARKDOWN = """\
Heading {n}
===========

Some *emphasis*, **strong text**, `code` and a [link](https://example.org/{n} "title"), a line
break and ![an image](image{n}.png), <b>HTML</b> and an autolink <https://example.org>.

## List {n}

1. first item with a [reference][ref{n}]
2. second item
   - nested *one*
   - nested `two`

     with a paragraph

> A quote with **bold** text
> over two lines.

```python
def f(x):
    return x * {n}
```

[ref{n}]: https://example.org/reference/{n}
***
"""


def markdown(scale: float) -> Work:
    mistune = _package("mistune")
    text = "\n".join(MARKDOWN.format(n=n) for n in range(max(1, round(300 * scale))))
    mistune.html(MARKDOWN.format(n=0))  # its patterns are compiled when they are first used
    return lambda: len(mistune.html(text))


TOML = """\
[[servers]]
name = "server {n} with an \\"escape\\" and \\u00e9"
ip = '10.0.0.{n}'
ports = [ 8001, 0x1F4{d}, 8_003, # a comment
          {n} ]
started = 1979-05-27T07:32:00.999-07:00
limits = {{cpu = 79.5, memory = 72.{n}, nested = {{a = true, b = [1, 2.5e3]}}}}
text = \"\"\"
several
lines {n}\"\"\"
[servers.owner.address]
"quoted key".street = "Main {n}"
"""


def toml(scale: float) -> Work:
    tomli = _package("tomli")
    text = "".join(TOML.format(n=n, d=n % 10) for n in range(max(1, round(2000 * scale))))
    return lambda: len(tomli.loads(text)["servers"])


def sorted_containers(scale: float) -> Work:
    module = _package("sortedcontainers")
    size = round(30_000 * scale)

    def work() -> object:
        numbers = module.SortedList()
        for i in range(size):
            numbers.add(i * 7919 % size)
        total = sum(numbers[i * 31 % size] for i in range(0, size, 2))
        for i in range(0, size, 3):
            numbers.remove(i)
        words = module.SortedDict()
        for i in range(size // 2):
            words[str(i * 7919 % size)] = i
        found = sum(words.bisect_left(str(i)) for i in range(0, size, 4))
        keyed = module.SortedKeyList(range(size // 4), key=lambda n: -n)
        return total, len(numbers), found, keyed[0], len(module.SortedSet(range(size // 4)) & set(range(50)))

    return work


# pyperformance's other programs in pure Python


def chaos(scale: float) -> Work:
    program = _pyperformance("chaos")
    corners = [(1.6, 3.3), (1.6, 4.1), (1.3, 5.3), (1.6, 5.3), (2.9, 5.5), (2.4, 4.4), (1.7, 4.4)]
    points = [program.GVector(x, y, 0.0) for x, y in corners]
    spline = program.Spline(points, 3, [0, 0, 0, 1, 1, 1, 2, 2, 2])

    def work() -> object:
        game = program.Chaosgame([spline], 0.25)
        game.create_image_chaos(100, 100, round(8000 * scale), None, 1234)
        return game.num_trafos

    return work


def go(scale: float) -> Work:
    program = _pyperformance("go")
    program.GAMES = max(1, round(150 * scale))
    return lambda: program.versus_cpu()


def hexiom(scale: float) -> Work:
    program = _pyperformance("hexiom")

    def work() -> object:
        program.main(max(1, round(30 * scale)), 10 if scale < 0.1 else 25)
        return "solved"

    return work


def raytrace(scale: float) -> Work:
    program = _pyperformance("raytrace")
    side = max(2, round(75 * scale**0.5))

    def work() -> object:
        program.bench_raytrace(1, side, side, None)
        return side

    return work


def floats(scale: float) -> Work:
    program = _pyperformance("float")
    return lambda: repr(program.benchmark(round(60_000 * scale)))


def logging(scale: float) -> Work:
    program = _pyperformance("logging")
    stream = io.StringIO()
    logger = import_module("logging").getLogger("benchmark")
    logger.propagate = False
    logger.addHandler(import_module("logging").StreamHandler(stream=stream))
    logger.setLevel("WARNING")

    def work() -> object:
        for bench in (program.bench_silent, program.bench_simple_output, program.bench_formatted_output):
            bench(max(1, round(1500 * scale)), logger, stream)
        return len(stream.getvalue())

    return work


def generators(scale: float) -> Work:
    program = _pyperformance("generators")
    tree = program.tree(range(round(60_000 * scale)))
    return lambda: sum(tree) + sum(tree)


def async_tree(scale: float) -> Work:
    asyncio = import_module("asyncio")
    program = _pyperformance("async_tree")
    program.NUM_RECURSE_LEVELS = 5 if scale > 0.5 else 4 if scale > 0.05 else 2

    def work() -> object:
        tree = program.CpuIoMixedAsyncTree()
        program.IO_SLEEP_TIME = 0
        asyncio.run(tree.run())
        return len(tree.cache)

    return work


def deepcopy(scale: float) -> Work:
    program = _pyperformance("deepcopy")
    times = max(1, round(200 * scale))

    def work() -> object:
        program.benchmark(times)
        program.benchmark_reduce(times * 10)
        program.benchmark_memo(times * 2)
        return times

    return work


# More packages

TEMPLATE = """\
{% macro cell(value, kind="td") -%}<{{ kind }}>{{ value|e }}</{{ kind }}>{%- endmacro %}
<h1>{{ title|upper }}</h1>
{% if rows %}<table>
{% for row in rows %}
  <tr class="{{ loop.cycle('odd', 'even') }}">{% for name, value in row|dictsort %}{{ cell(value) }}{% endfor %}</tr>
{% else %}<tr>{{ cell("nothing", kind="th") }}</tr>
{% endfor %}</table>{% endif %}
{% set total = rows|map(attribute="n")|sum %}<p>{{ total }} {{ "%.2f"|format(total / 7) }}</p>
"""


def jinja(scale: float) -> Work:
    jinja2 = _package("jinja2")
    rows = [{"n": n, "name": f"<{n}>", "text": "word " * (n % 5)} for n in range(10)]

    def work() -> object:
        # The compiler is most of it; a template's own code is not in a file.
        environment = jinja2.Environment(cache_size=0, autoescape=True)
        return sum(
            len(environment.from_string(TEMPLATE + str(n)).render(title="t", rows=rows))
            for n in range(max(1, round(60 * scale)))
        )

    return work


def pyparsing(scale: float) -> Work:
    """Many small objects of a deep class hierarchy that call each other."""
    pp = _package("pyparsing")
    element, number = pp.Forward(), pp.pyparsing_common.number()
    name = pp.Word(pp.alphas, pp.alphanums + "_")
    call = pp.Group(name + pp.Suppress("(") + pp.Optional(pp.delimited_list(element)) + pp.Suppress(")"))
    operand = call | number | name | pp.Suppress("(") + element + pp.Suppress(")")
    element <<= operand + pp.ZeroOrMore(pp.one_of("+ - * /") + operand)
    text = "f(a, g(1.5, b) * 3, (c + 4) / h()) - 2 * (x + y)"

    def work() -> object:
        return sum(len(element.parse_string(text, parse_all=True)) for _ in range(max(1, round(150 * scale))))

    return work


# Ours, for what those do not do


def _own(name: str) -> Callable[[float], Work]:
    def program(scale: float) -> Work:
        sys.path.insert(1, str(PROGRAMS))
        module = import_module(name)
        return lambda: module.main(scale)

    return program


WORKLOADS: dict[str, Callable[[float], Work]] = {
    "richards": richards,
    "deltablue": deltablue,
    "nbody": nbody,
    "chaos": chaos,
    "go": go,
    "hexiom": hexiom,
    "raytrace": raytrace,
    "float": floats,
    "logging": logging,
    "generators": generators,
    "async tree": async_tree,
    "deepcopy": deepcopy,
    "markdown": markdown,
    "toml": toml,
    "jinja2": jinja,
    "pyparsing": pyparsing,
    "sorted containers": sorted_containers,
    **{
        name: _own(name)
        for name in ("recursion", "calculator", "simulation", "graph", "matrices", "pipeline")
    },
}


# Situations apart (situations.py)


def _passing(change: bool) -> Callable[[float], Work]:
    def program(size: float) -> Work:
        sys.path.insert(1, str(PROGRAMS))
        module = import_module("passing")
        items = list(range(int(size)))
        return lambda: module.main(items, change)

    return program


def import_of_sympy(scale: float) -> Work:
    return lambda: _package("sympy").__version__


SITUATIONS: dict[str, Callable[[float], Work]] = {
    "passing": _passing(False),
    "passing and changing": _passing(True),
    "import of sympy": import_of_sympy,
}

if __name__ == "__main__":
    measure({**WORKLOADS, **SITUATIONS}[sys.argv[1]](float(sys.argv[2])))
