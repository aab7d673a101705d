"""Packages from the index, taken as programs: what each is asked to do, as a script with a `main`.

What a script imports is user code: its files are copied beside the script. `PACKAGE_PROGRAMS=all` (or names) chooses which
are tried; without it those of `SHORT`, which pytest and hypothesis bring along. `packages.txt` has what the others need.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import sys
from pathlib import Path

import forced_runs

SHORT = ("iniconfig", "sortedcontainers")
SCRIPTS = {
    "asttokens": r"""
import ast
import asttokens
def main():
    marked = asttokens.ASTTokens("x = (1 + 2) * f(a,\n  b)\nif y: z", parse=True)
    parts = [marked.get_text(n) for n in ast.walk(marked.tree) if isinstance(n, (ast.BinOp, ast.Call))]
    return (parts, [t.string for t in marked.tokens][:5], marked.get_text_range(marked.tree.body[1]))
""",
    "attr": r"""
import attr
@attr.s(order=True)
class Point:
    x = attr.ib(converter=int)
    y = attr.ib(default=2, validator=attr.validators.instance_of(int))
def main():
    point = Point("3")
    try: Point(1, "a")
    except TypeError as error: wrong = str(error.args[0])
    made = attr.make_class("Made", ["a", "b"])
    names = [f.name for f in attr.fields(Point)]
    return (attr.asdict(point), repr(attr.evolve(point, y=5)), Point(1) < Point(2), attr.astuple(made(1, [2])), wrong, names)
""",
    "bidict": r"""
from bidict import OrderedBidict, ValueDuplicationError, bidict
def main():
    both = bidict({"a": 1, "b": 2})
    both["c"] = 3
    both.forceput("d", 1)
    try: both["e"] = 2
    except ValueDuplicationError as error: wrong = str(error)
    ordered = OrderedBidict({"x": 1, "y": 2}); ordered.move_to_end("x")
    return (dict(both), both.inverse[3], wrong, list(ordered), list(ordered.inverse))
""",
    "boltons": r"""
from boltons import cacheutils, dictutils, iterutils, listutils, queueutils, setutils, strutils, tableutils
def main():
    many = dictutils.OMD([("a", 1), ("b", 2), ("a", 3)])
    cache = cacheutils.LRU(max_size=2)
    for key in "abac": cache[key] = key.upper()
    queue = queueutils.PriorityQueue(); queue.add("low", 1); queue.add("high", 5); queue.remove("low")
    ordered = setutils.IndexedSet("abcab"); ordered.discard("a")
    kept = iterutils.remap({"a": [1, None]}, lambda p, k, v: v is not None)
    table = tableutils.Table([[1, 2], [3, 4]], headers=["x", "y"]).to_text()
    return (many.getlist("a"), list(many.inverted().items()), sorted(cache), queue.pop(), list(ordered), ordered[1], kept,
            strutils.slugify("Some Text!"), strutils.bytes2human(20000), list(listutils.BarrelList(range(5)))[2:], table)
""",
    "bs4": r"""
import bs4
def main():
    soup = bs4.BeautifulSoup('<div id="a"><p class="x y">1</p><p>2</p><!-- c --></div>', "html.parser")
    soup.p["k"] = "v"
    new = soup.new_tag("b"); new.string = "z"; soup.div.append(new)
    found = [p.text for p in soup.find_all("p")]
    return (found, soup.find(class_="y").get_text(), str(soup), soup.p.find_next_sibling("p").name, list(soup.p.attrs))
""",
    "cachetools": r"""
import cachetools
def main():
    now = [0]
    lru, lfu = cachetools.LRUCache(2), cachetools.LFUCache(2)
    ttl = cachetools.TTLCache(2, 5, timer=lambda: now[0])
    for cache in (lru, lfu, ttl):
        for key in "abac":
            cache[key] = cache.get(key, 0) + 1
            now[0] += 2
    calls = []
    @cachetools.cached(cachetools.LRUCache(3))
    def f(a, b=1):
        calls.append(a)
        return a + b
    return (sorted(lru), sorted(lfu), sorted(ttl), f(1), f(1), f(1, b=2), calls, lru.currsize)
""",
    "cattrs": r"""
import attrs
import cattrs
@attrs.define
class Part:
    name: str
    size: int = 3
@attrs.define
class Whole:
    parts: list[Part]
    by_name: dict[str, int]
def main():
    made = cattrs.structure({"parts": [{"name": "a", "size": "4"}, {"name": "b"}], "by_name": {"x": 1}}, Whole)
    try: cattrs.structure({"parts": [{"size": 1}], "by_name": {}}, Whole)
    except cattrs.ClassValidationError as error: wrong = cattrs.transform_error(error)
    return (made.parts[0].size, [part.name for part in made.parts], cattrs.unstructure(made), wrong)
""",
    "chevron": r"""
import chevron
def main():
    data = {"name": "<b>", "items": [1, 2], "raw": "<i>", "a": {"b": 3}}
    text = "Hi {{name}}{{#items}}, {{.}}{{/items}}{{^none}}!{{/none}} {{{raw}}} {{&raw}}{{! c }}"
    return (chevron.render(text, data), chevron.render("{{> p}} {{a.b}}", data, partials_dict={"p": "[{{a.b}}]"}))
""",
    "click": r"""
import click
from click.testing import CliRunner
@click.group()
@click.option("--loud/--quiet", default=False)
@click.pass_context
def cli(context, loud):
    context.obj = loud
@cli.command()
@click.argument("names", nargs=-1)
@click.option("-n", type=click.IntRange(1, 3), default=1, show_default=True, help="how often")
@click.pass_obj
def greet(loud, names, n):
    for name in names * n:
        click.echo(name.upper() if loud else name)
def main():
    run = CliRunner().invoke
    wrong = run(cli, ["greet", "-n", "4"])
    return (run(cli, ["--loud", "greet", "-n", "2", "a", "b"]).output, wrong.exit_code, run(cli, ["greet", "--help"]).output)
""",
    "construct": r"""
from construct import Array, Byte, Const, GreedyBytes, Int16ub, Prefixed, Struct, this
def main():
    form = Struct("magic" / Const(b"X"), "n" / Byte, "items" / Array(this.n, Int16ub), "rest" / Prefixed(Byte, GreedyBytes))
    made = form.build(dict(n=2, items=[1, 515], rest=b"ab"))
    parsed = form.parse(made)
    return (made, list(parsed["items"]), parsed.rest, parsed.n)
""",
    "cssselect": r"""
import cssselect
def main():
    path = cssselect.GenericTranslator().css_to_xpath
    specificity = [s.specificity() for s in cssselect.parse("a b, #c::before")]
    return (path("div#a > p.b:first-child"), path("a[href^='x']:not(.y) + li:nth-child(2n+1)"), specificity)
""",
    "dateutil": r"""
from datetime import datetime
from dateutil.easter import easter
from dateutil.parser import parse
from dateutil.relativedelta import MO, relativedelta
from dateutil.rrule import WEEKLY, rrule, rrulestr
def main():
    start = datetime(2024, 1, 31)
    days = [str(d) for d in rrule(WEEKLY, count=3, dtstart=start, byweekday=(1, 3))]
    months = rrulestr("DTSTART:20240101T000000\nRRULE:FREQ=MONTHLY;COUNT=2")
    return (str(parse("Thu Sep 25 2003 10:36:28 UTC")), str(start + relativedelta(months=1, weekday=MO(-1))), days,
            str(months[1]), str(easter(2024)), str(relativedelta(datetime(2024, 3, 1), start)))
""",
    "docutils": r"""
import docutils.core
def main():
    text = "Title\n=====\n\nSome *em* text.\n\n- a\n- b\n"
    return (docutils.core.publish_parts(text, writer_name="pseudoxml", settings_overrides={"_disable_config": True})["whole"],)
""",
    "funcy": r"""
import funcy
def main():
    calls = []
    @funcy.memoize
    def f(n):
        calls.append(n)
        return n + 1
    @funcy.retry(3, ValueError)
    def g():
        calls.append("g")
        if len(calls) < 4: raise ValueError
        return 5
    composed = funcy.compose(str, funcy.partial(max, 3))(2)
    return (f(1), f(1), g(), calls, funcy.walk_values(str, {"a": 1}), funcy.lchunks(2, [1, 2, 3]), composed,
            funcy.group_by(len, ["a", "bb"]), funcy.set_in({}, ["a", "b"], 1), funcy.lflatten([1, [2, [3]]]))
""",
    "glom": r"""
import glom
from glom import Coalesce, T
def main():
    data = {"a": [{"b": 1, "c": "x"}, {"b": 2}], "d": {"e": 5}}
    try: glom.glom(data, "d.z")
    except glom.PathAccessError as error: wrong = error.part_idx
    several = glom.glom(data, {"n": "d.e", "l": ("a", len)})
    return (glom.glom(data, ("a", ["b"])), several, glom.glom(data, ("a", [Coalesce("c", default="-")])), glom.glom(data, T["d"]["e"]), wrong)
""",
    "h11": r"""
import h11
def main():
    client, server = h11.Connection(h11.CLIENT), h11.Connection(h11.SERVER)
    data = client.send(h11.Request(method="POST", target="/x", headers=[("Host", "h"), ("Content-Length", "2")]))
    data += client.send(h11.Data(data=b"ab")) + client.send(h11.EndOfMessage())
    server.receive_data(data)
    events = [server.next_event() for _ in range(3)]
    answer = server.send(h11.Response(status_code=200, headers=[("A", "b"), ("Transfer-Encoding", "chunked")]))
    return (data, events[0].target, bytes(events[1].data), [type(e).__name__ for e in events], str(server.our_state), answer)
""",
    "humanize": r"""
from datetime import timedelta
import humanize
def main():
    return (humanize.intcomma(1234567), humanize.intword(1200000), humanize.naturalsize(3000000), humanize.ordinal(3),
            humanize.naturaldelta(timedelta(seconds=1001)), humanize.fractional(0.3), humanize.precisedelta(timedelta(days=2, seconds=3633)))
""",
    "hyperlink": r"""
import hyperlink
def main():
    url = hyperlink.parse("http://Example.com:8080/a/./b/../c?x=1&y=2#z")
    return (url.normalize().to_text(), url.click("../d?q").to_text(), url.set("x", "3").to_text(),
            url.child("e", "f g").to_uri().to_text(), url.get("y"), url.port)
""",
    "idna": r"""
import idna
def main():
    try: idna.encode("a\u2260b")
    except idna.IDNAError as error: wrong = str(error)
    return (idna.encode("b\u00fccher.example"), idna.decode("xn--bcher-kva.example"), idna.alabel("x"), wrong)
""",
    "inflection": r"""
import inflection as i
def main():
    return (i.pluralize("octopus"), i.singularize("boxes"), i.camelize("a_b"), i.underscore("DeviceType"), i.titleize("man from the x"), i.ordinalize(22), i.parameterize("Some Text"))
""",
    "iniconfig": r"""
import iniconfig
def main():
    ini = iniconfig.IniConfig("x.ini", data="[a] # one\nx = 1\ny: two\n  three\n[b]\nz=0\n")
    try: iniconfig.IniConfig("y.ini", data="[a]\nx=1\nx=2\n")
    except iniconfig.ParseError as error: wrong = str(error)
    return (ini["a"]["y"], ini.get("b", "z", convert=int), [s.name for s in ini], ini.lineof("b", "z"), "c" in ini, wrong)
""",
    "itsdangerous": r"""
import itsdangerous
def main():
    serializer = itsdangerous.URLSafeSerializer("secret", salt="s")
    text = serializer.dumps({"a": [1, 2]})
    try: serializer.loads(text + "x")
    except itsdangerous.BadSignature as error: wrong = str(error)
    return (text, serializer.loads(text), wrong, itsdangerous.Signer("k").sign("v"))
""",
    "jinja2": r"""
from jinja2 import Environment
def main():
    text = "{% macro m(x) %}<{{ x|upper }}>{% endmacro %}{% for i in items if i %}{{ loop.index }}:{{ m(i) }}{% else %}-{% endfor %}"
    made = Environment(trim_blocks=True).from_string(text)
    return (made.render(items=["a", "", "b"]), made.render(items=[]), Environment().from_string("{{ 1 + n|default(2) }}").render())
""",
    "jmespath": r"""
import jmespath
def main():
    data = {"a": [{"n": "x", "v": 2}, {"n": "y", "v": 5}], "b": {"c": [1, 2, 3]}}
    search = jmespath.search
    return (search("a[?v > `3`].n", data), search("b.c[1:]", data), search("sort_by(a, &v)[-1].n", data), search("{x: length(a), y: b.c[0]}", data), search("a[*].v | sum(@)", data))
""",
    "jsonpath_ng": r"""
from jsonpath_ng import parse
def main():
    data = {"a": [{"b": 1}, {"b": 2, "c": {"b": 3}}]}
    paths = [str(m.full_path) for m in parse("$..b").find(data)]
    return ([m.value for m in parse("a[*].b").find(data)], paths, parse("a[0].b").update({"a": [{"b": 1}]}, 7))
""",
    "lark": r"""
from lark import Lark, Transformer
GRAMMAR = '''
start: sum
?sum: product | sum "+" product -> add
?product: atom | product "*" atom -> mul
?atom: NUMBER -> number | "(" sum ")"
NUMBER: /[0-9]+/
%ignore " "
'''
class Calculate(Transformer):
    def number(self, parts): return int(parts[0])
    def add(self, parts): return parts[0] + parts[1]
    def mul(self, parts): return parts[0] * parts[1]
def main():
    tree = Lark(GRAMMAR, parser="lalr").parse("1 + 2 * (3 + 4)")
    return (Calculate().transform(tree).children, tree.pretty())
""",
    "markdown_it": r"""
from markdown_it import MarkdownIt
def main():
    text = "# Title\n\nSome *em* and `code`, [a](b).\n\n1. one\n2. two\n\n> quoted\n\n    x = 1\n"
    tokens = MarkdownIt().parse("a **b**\n")
    table = MarkdownIt().enable("table").render("|a|b|\n|-|-:|\n|1|2|\n")
    return (MarkdownIt().render(text), [(t.type, t.level) for t in tokens], table)
""",
    "mistune": r"""
import mistune
def main():
    text = "# Title\n\nSome *em* and `code`, [a](b).\n\n- one\n- two\n\n> quoted\n\n```py\nx = 1\n```\n"
    table = mistune.create_markdown(plugins=["table", "strikethrough"])
    return (mistune.html(text), table("|a|b|\n|-|-:|\n|1|~~2~~|\n"))
""",
    "more_itertools": r"""
import more_itertools as m
def main():
    seekable = m.seekable(iter("abcd"))
    first = [next(seekable), next(seekable)]
    seekable.seek(0)
    peek = m.peekable([1, 2, 3])
    buckets = m.bucket(["a1", "b1", "a2"], key=lambda s: s[0])
    return (list(m.chunked(range(5), 2)), first, next(seekable), peek.peek(), list(peek), list(buckets["a"]), list(buckets["b"]),
            list(m.windowed([1, 2, 3], 2)), list(m.collapse([1, [2, [3]]])), list(m.split_at("abcdc", lambda c: c == "c")),
            list(m.set_partitions([1, 2, 3], 2)), m.minmax([3, 1, 2]))
""",
    "mpmath": r"""
from mpmath import iv, matrix, mp, mpf
def main():
    mp.dps = 15
    a = matrix([[2, 1], [1, 3]])
    return (str(mpf(2) ** mpf("0.5")), str(mp.sin(1)), str(mp.lu_solve(a, matrix([1, 2]))), str(mp.findroot(lambda x: x * x - 3, 1)), str(iv.mpf([1, 2]) + 1))
""",
    "networkx": r"""
import networkx as nx
def main():
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 1), ("b", "c", 2), ("a", "c", 5), ("c", "d", 1)])
    other = nx.path_graph(4)
    other.add_edge(0, 3)
    return (nx.shortest_path(graph, "a", "d", weight="weight"), list(nx.topological_sort(graph)), nx.is_bipartite(other), nx.dijkstra_path_length(graph, "a", "c"),
            sorted(map(sorted, nx.connected_components(other))), sorted(nx.minimum_spanning_tree(other).edges), dict(graph.degree()))
""",
    "packaging": r"""
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version, parse
def main():
    requirement = Requirement("Foo[bar,baz]>=1.0,<2; python_version < '3'")
    versions = sorted(map(parse, ["1.0.post1", "1.0", "1.0rc1", "0.9.dev3"]))
    return (str(requirement), sorted(requirement.extras), [str(v) for v in versions], Version("1!2.3a4+x.5").public,
            list(SpecifierSet("~=1.4,!=1.5").filter(["1.3", "1.4", "1.5", "1.6"])), canonicalize_name("A_b.-C"),
            requirement.marker.evaluate({"python_version": "2.7"}))
""",
    "parsimonious": r"""
from parsimonious.grammar import Grammar
from parsimonious.nodes import NodeVisitor
class Sum(NodeVisitor):
    def visit_sum(self, node, visited):
        first, rest = visited
        return first + sum(each[1] for each in rest)
    def visit_number(self, node, visited): return int(node.text)
    def generic_visit(self, node, visited): return visited or node
def main():
    grammar = Grammar('sum = number (plus number)*\nnumber = ~"[0-9]+"\nplus = " + "\n')
    return (Sum().visit(grammar.parse("1 + 22 + 3")), str(grammar["sum"]))
""",
    "pathspec": r"""
import pathspec
def main():
    spec = pathspec.PathSpec.from_lines("gitignore", ["*.py[co]", "/build/", "!keep.pyc", "docs/**/x", "# no"])
    files = ["a.pyc", "keep.pyc", "build/a", "src/build/a", "docs/a/b/x", "y"]
    return (sorted(spec.match_files(files)), spec.match_file("b.pyo"), len(spec))
""",
    "pluggy": r"""
import pluggy
spec, impl = pluggy.HookspecMarker("x"), pluggy.HookimplMarker("x")
class Spec:
    @spec
    def add(self, a, b): ...
    @spec(firstresult=True)
    def first(self, a): ...
class One:
    @impl
    def add(self, a, b): return a + b
    @impl(trylast=True)
    def first(self, a): return "one"
class Two:
    @impl(tryfirst=True)
    def add(self, a): return a * 2
    @impl(wrapper=True)
    def first(self, a):
        given = yield
        return given + "!"
def main():
    manager = pluggy.PluginManager("x")
    manager.add_hookspecs(Spec)
    one = One()
    manager.register(one, name="the one")
    manager.register(Two(), name="other")
    added = manager.hook.add(a=3, b=4)
    first = manager.hook.first(a=1)
    names = [name for name, _ in manager.list_name_plugin()]
    manager.unregister(one)
    return (added, first, names, manager.hook.add(a=3, b=4), manager.has_plugin("the one"))
""",
    "prettytable": r"""
from prettytable import PrettyTable
def main():
    table = PrettyTable(["Name", "Size"])
    table.add_row(["b", 10])
    table.add_row(["a", 2.5])
    table.align["Name"] = "l"
    table.sortby = "Name"
    return (table.get_string(), table.get_csv_string(), table.get_html_string(fields=["Size"]))
""",
    "pycparser": r"""
from pycparser import c_generator, c_parser
def main():
    tree = c_parser.CParser().parse("int f(int a, char *b) { for (int i = 0; i < a; i++) b[i] = a + 2 * i; return a ? 1 : 0; }")
    kinds = [type(node).__name__ for _, node in tree.ext[0].body.children()]
    return (c_generator.CGenerator().visit(tree), tree.ext[0].decl.name, kinds)
""",
    "pygments": r"""
from pygments import highlight, lex
from pygments.formatters.html import HtmlFormatter
from pygments.lexers.configs import IniLexer
from pygments.lexers.data import JsonLexer
def main():
    tokens = [(str(kind), text) for kind, text in lex("[a]\nx = 1 ; c\n", IniLexer())]
    return (tokens, highlight('{"a": [1, null]}', JsonLexer(), HtmlFormatter(nowrap=True)))
""",
    "pyparsing": r"""
import pyparsing as pp
def main():
    number = pp.Word(pp.nums).set_parse_action(lambda tokens: int(tokens[0]))
    pair = pp.Group(pp.Word(pp.alphas)("key") + pp.Suppress("=") + (number | pp.Word(pp.alphas))("value"))
    listed = pp.Suppress("[") + pp.ZeroOrMore(pair) + pp.Literal("end]")
    result = listed.parse_string("[a = 1 b = two end]", parse_all=True)
    try: listed.parse_string("[a = 1\n  b ? 2 end]")
    except pp.ParseException as error: wrong = (error.lineno, error.column, error.msg)
    return (result.as_list(), [pair.key for pair in result[:-1]], wrong)
""",
    "pyrsistent": r"""
from pyrsistent import PRecord, field, freeze, m, pset, thaw, v
class Point(PRecord):
    x = field(type=int)
    y = field(type=int, initial=2)
def main():
    vector = v(1, 2, 3).append(4).set(0, 9)
    mapped = m(a=1, b=v(2)).set("c", 3).remove("a")
    return (list(vector), sorted(mapped), thaw(freeze({"k": [1, {"l": 2}]})), Point(x=1).set(x=5).x,
            mapped.transform(["b", 0], lambda n: n + 1)["b"][0], sorted(pset([1, 2]).add(3)), list(vector[1:3]))
""",
    "rich": r"""
import io
from rich.console import Console
from rich.table import Table
from rich.text import Text
def main():
    console = Console(file=io.StringIO(), width=30, color_system=None, legacy_windows=False, _environ={})
    table = Table(title="T")
    table.add_column("a", justify="right")
    table.add_column("b")
    table.add_row("1", "some words that wrap")
    console.print(table)
    text = Text.from_markup("[bold]x[/] y")
    console.print(text, "[i]z[/i]")
    return (console.file.getvalue(), text.plain, len(text.spans))
""",
    "simpleeval": r"""
import simpleeval
def main():
    evaluator = simpleeval.EvalWithCompoundTypes(names={"x": 3, "l": [1, 2]}, functions={"f": lambda n: n + 1})
    try: evaluator.eval("y + 1")
    except simpleeval.NameNotDefined as error: wrong = str(error)
    return (evaluator.eval("x * 2 + f(l[1])"), evaluator.eval("[i * x for i in l if i > 1]"), evaluator.eval("'a' if x > 5 else {'k': (1, 2)}"), wrong)
""",
    "sortedcontainers": r"""
from sortedcontainers import SortedDict, SortedKeyList, SortedList, SortedSet
def main():
    numbers = SortedList()
    numbers._reset(4)
    for i in range(12):
        numbers.add(i * 7 % 12)
    numbers.discard(11)
    words = SortedKeyList(["pear", "fig", "banana", "kiwi"], key=len)
    words.add("plum")
    ages = SortedDict({"eve": 3, "bob": 1})
    ages["dan"] = 2
    return (list(numbers), numbers[5], numbers.bisect_left(8), list(numbers.irange(5, 9)), list(words), ages.popitem(0),
            ages.peekitem(), list(SortedSet("hello") | SortedSet("world")))
""",
    "soupsieve": r"""
import bs4
import soupsieve
def main():
    soup = bs4.BeautifulSoup('<div id="a"><p class="x y">1</p><p>2</p><ul><li>3<li>4</ul></div>', "html.parser")
    first = [e.text for e in soupsieve.select("div > p.x", soup)]
    return (first, [e.text for e in soupsieve.select("p:nth-of-type(2), li:has(li)", soup)], soupsieve.match("#a", soup.div))
""",
    "sqlparse": r"""
import sqlparse
def main():
    sql = "select a, b from t where x = 1 and y in (2, 3); insert into t values (1)"
    statement = sqlparse.parse(sql)[0]
    made = sqlparse.format(sql, reindent=True, keyword_case="upper")
    return (made, [s.strip() for s in sqlparse.split(sql)], statement.get_type(), [str(t.ttype) for t in statement.tokens[:4]])
""",
    "tabulate": r"""
from tabulate import tabulate
def main():
    rows = [["spam", 41.9999], ["eggs", "451.0"], ["x", None]]
    by_name = tabulate({"a": [1, 20], "b": ["x", "yy\nz"]}, headers="keys", tablefmt="github")
    return (tabulate(rows, headers=["item", "qty"]), tabulate(rows, tablefmt="grid", floatfmt=".1f"), by_name)
""",
    "tinycss2": r"""
import tinycss2
def main():
    text = "@import 'x'; a > b { color: red !important; margin: 1px -2.5em } /* c */"
    rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    declarations = tinycss2.parse_declaration_list(rules[1].content, skip_whitespace=True)
    return ([r.type for r in rules], tinycss2.serialize(rules), [(d.name, d.important) for d in declarations], tinycss2.serialize(declarations[1].value))
""",
    "tomli": r"""
import tomli
def main():
    made = tomli.loads('''title = "caf\\u00e9"
[owner]
ratio = 6.5e-1
[[servers]]
ports = [8001, 0x1F, 8_003]
[[servers]]
l = {cpu = 1, "m s" = true}
''')
    try: tomli.loads("a = 1\nb = [1, 2")
    except tomli.TOMLDecodeError as error: wrong = str(error)
    return (made["title"], made["servers"], made["owner"], wrong)
""",
    "tomlkit": r"""
import tomlkit
def main():
    document = tomlkit.parse("# c\na = 1 # one\n[t]\nx = [1, 2]\n")
    document["t"]["y"] = "new"
    document["a"] += 1
    document.add("z", tomlkit.table())
    return (tomlkit.dumps(document), document["t"]["x"].unwrap(), document.unwrap())
""",
    "toolz": r"""
from toolz import compose, curry, groupby, itertoolz, memoize, merge_with, pipe
from toolz.dicttoolz import assoc_in, get_in, update_in, valmap
@curry
def add(a, b): return a + b
@memoize
def double(n): return n * 2
def main():
    return (compose(add(1), double)(4), groupby(len, ["a", "bb", "c"]), merge_with(sum, {"a": 1}, {"a": 2, "b": 3}), pipe([1, 2], list, len),
            assoc_in({}, ["a", "b"], 1), update_in({"a": 1}, ["a"], lambda n: n + 1), get_in(["a", 0], {"a": [5]}), valmap(double, {"x": 2}),
            list(itertoolz.sliding_window(2, [1, 2, 3])), list(itertoolz.partition_all(2, [1, 2, 3])), itertoolz.frequencies("aba"))
""",
    "voluptuous": r"""
from voluptuous import All, Length, MultipleInvalid, Optional, Range, Required, Schema
def main():
    schema = Schema({Required("q"): All(str, Length(min=1)), Optional("n", default=3): All(int, Range(min=1, max=9)), "l": [int]})
    try: schema({"q": "", "l": [1, "x"]})
    except MultipleInvalid as error: wrong = sorted(map(str, error.errors))
    return (schema({"q": "a"}), schema({"q": "b", "n": 4, "l": [1]}), wrong)
""",
    "werkzeug": r"""
from werkzeug.datastructures import Headers, MultiDict
from werkzeug.http import dump_cookie, parse_accept_header, parse_options_header
from werkzeug.routing import Map, Rule
def main():
    urls = Map([Rule("/", endpoint="index"), Rule("/<int:year>/<name>", endpoint="post")]).bind("h", "/")
    headers = Headers([("A", "1"), ("a", "2")]); headers.set("B", "3")
    return (urls.match("/2024/x"), urls.build("post", {"year": 3, "name": "a b"}), headers.getlist("a"), MultiDict([("k", 1), ("k", 2)]).getlist("k"),
            parse_options_header("text/html; q=1; c=\"d\""), dump_cookie("n", "v", max_age=5), str(parse_accept_header("a;q=0.5, c")))
""",
}


def chosen() -> list[str]:
    wanted = os.environ.get("PACKAGE_PROGRAMS", " ".join(SHORT)).split()
    return sorted(SCRIPTS) if wanted == ["all"] else wanted


def write(name: str, folder: Path) -> str:
    """Writes a script and the packages it imports into a folder; gives the name of what is not installed."""
    text = SCRIPTS[name].strip("\n")
    for package in sorted(_imported(text) - sys.stdlib_module_names):
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            return package
        if spec.submodule_search_locations:
            left_out = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "tests")
            shutil.copytree(Path(spec.origin).parent, folder / package, ignore=left_out)
        else:
            shutil.copy(spec.origin, folder)
    forced_runs.write(folder, text)
    return ""


def _imported(text: str) -> set[str]:
    found = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found
