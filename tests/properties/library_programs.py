"""Modules of Python's own library, taken as programs: what each is asked to do, as the body of its `main`.

The text of a module and this `main` are one file, which is recorded like any other. Modules that Python runs code in C in
the place of are left without it. `LIBRARY_PROGRAMS=all` (or names) chooses which are tried; without it those of `SHORT`.
"""

from __future__ import annotations

import ast
import os
import sysconfig
from pathlib import Path

SHORT = ("fractions", "calendar", "functools", "http.cookies", "graphlib")
_IN_PYTHON = frozenset({"heapq", "bisect", "functools", "operator", "json.decoder"})
BODIES = {
    "_collections_abc": r"""
class S(MutableSequence):
    def __init__(s): s.l=[]
    def __getitem__(s,i): return s.l[i]
    def __setitem__(s,i,v): s.l[i]=v
    def __delitem__(s,i): del s.l[i]
    def __len__(s): return len(s.l)
    def insert(s,i,v): s.l.insert(i,v)
s=S(); s.append(3); s.extend([4,5]); p=s.pop(); s.reverse(); s+= [7]
class T(Set):
    def __init__(s,x): s.x=list(x)
    def __contains__(s,v): return v in s.x
    def __iter__(s): return iter(s.x)
    def __len__(s): return len(s.x)
return (s.l,p,3 in s,s.index(4),sorted(T([1,2])&T([2,3])),T([1])<=T([1,2]),sorted(T([1])|T([5])))
""",
    "_pydecimal": r"""
getcontext().prec=5
return (str(Decimal('1.1')+Decimal('2.25')), str(Decimal(1)/Decimal(3)), str(Decimal('2').sqrt()), Decimal('1.5')<Decimal('2'), str(Decimal('1e3').quantize(Decimal('0.1'))), hash(Decimal(3)), str(Decimal('2')**3), format(Decimal('1234.5'),',.2f'))
""",
    "_pyio": r"""
b=BytesIO(); b.write(b'ab\ncd\n'); b.seek(0); r=b.readlines(); s=StringIO('x\ny'); l=s.readline(); t=TextIOWrapper(BytesIO(b'q\r\nw'),encoding='ascii'); u=BufferedReader(BytesIO(b'12345')); u.peek(2)
return (r,b.getvalue(),l,s.read(),t.readlines(),u.read(3))
""",
    "_strptime": r"""
return (_strptime_time('2020-03-04 05','%Y-%m-%d %H')[:4], _strptime_datetime(__import__('datetime').datetime,'4 Mar 99','%d %b %y').isoformat())
""",
    "argparse": r"""
p=ArgumentParser(prog='x'); p.add_argument('-n','--num',type=int,default=3,help='the number'); p.add_argument('files',nargs='*'); p.add_argument('--flag',action='store_true'); s=p.parse_args(['-n','5','a','b'])
return (s.num, s.files, s.flag, p.format_usage(), p.format_help())
""",
    "ast": r"""
return (unparse(parse('x = [i for i in (1, 2) if i]\ndef f(a, *b, c=3): return a + b * (c - 1)')), dump(parse('a.b[1:2]')), literal_eval('{1: [2, -3]}'))
""",
    "asyncio.queues": r"""
import asyncio
async def m():
    q=Queue(maxsize=1); r=[]
    async def p():
        for i in range(3): await q.put(i)
    t=asyncio.create_task(p())
    for i in range(3): r.append(await q.get())
    await t; return r
return (asyncio.run(m()),1)
""",
    "base64": r"""
return (b64encode(b'hello'), b32encode(b'hi'), b85encode(b'hello world'), a85encode(b'hello\0\0\0\0'), b85decode(b85encode(b'abc')), b32decode('NBUQ===='), a85decode(a85encode(b'xy')))
""",
    "bisect": r"""
a=[1,3,5]; insort(a,4); insort_left(a,3)
return (a, bisect_left(a,3), bisect_right(a,3), bisect(a,2,lo=1))
""",
    "calendar": r"""
return (TextCalendar().formatmonth(2024,2), isleap(1900), monthrange(2023,2), list(Calendar(6).itermonthdays(2023,3))[:9], HTMLCalendar().formatweekheader(), weekday(2024,5,6))
""",
    "codeop": r"""
return (compile_command('x=1') is None, compile_command('if x:') is None)
""",
    "collections": r"""
c=Counter('abca'); c.update('b'); o=OrderedDict(a=1,b=2); o.move_to_end('a'); P=namedtuple('P','x y'); d=ChainMap({'a':1},{'b':2}); u=UserDict(a=1); l=UserList([3,1]); l.sort()
return (c.most_common(1), list(o), P(1,2)._replace(x=3), d['b'], u['a'], l.data, (c-Counter('a'))['a'], d.new_child({'q':1})['q'])
""",
    "colorsys": r"""
return (rgb_to_hls(.1,.5,.3), hls_to_rgb(.3,.4,.5), rgb_to_hsv(.2,.7,.1), hsv_to_rgb(.9,.3,.8), rgb_to_yiq(.1,.2,.3))
""",
    "concurrent.futures._base": r"""
f=Future(); l=[]; f.add_done_callback(lambda g: l.append(g.result())); f.set_running_or_notify_cancel(); f.set_result(4)
g=Future(); g.cancel()
return (f.result(), l, g.cancelled(), f.done(), len(wait([f]).done))
""",
    "configparser": r"""
c=ConfigParser(); c.read_string('[a]\nx=1\ny: %(x)s2\n# c\n[b]\nz = on\n  more\n')
import io; o=io.StringIO(); c.set('b','k','v'); c.write(o)
return (c.sections(), c.get('a','y'), c.getint('a','x'), c['b']['z'], c.has_option('a','q'), o.getvalue())
""",
    "contextlib": r"""
l=[]
@contextmanager
def c(n):
    l.append(n)
    try: yield n
    finally: l.append(-n)
with ExitStack() as s:
    a=s.enter_context(c(1)); s.callback(l.append,5); s.enter_context(suppress(KeyError)); raise KeyError
return (a,l)
""",
    "csv": r"""
s=Sniffer()
import io
r=DictReader(io.StringIO('a,b\n1,2\n3\n')); o=io.StringIO(); w=DictWriter(o,['x','y'],restval='-'); w.writeheader(); w.writerow({'x':1})
return (list(r), o.getvalue(), s.sniff('a;b;c\n1;2;3\n').delimiter, s.has_header('n,m\n1,2\n3,4\n'))
""",
    "datetime": r"""
return (str(date(2024,2,29)+timedelta(days=366)), datetime(2020,1,2,3).isoformat(), (datetime(2020,1,2)-datetime(2019,1,2)).days, timedelta(hours=25)//timedelta(hours=2), date(2020,1,1).strftime('%a'), datetime.fromisoformat('2020-01-02T03:04').minute, str(timezone(timedelta(hours=1))), date(2021,3,4).isocalendar()[1])
""",
    "difflib": r"""
a='one two three four'.split(); b='one too three fore five'.split()
return (list(ndiff(a,b)), list(unified_diff(a,b,'x','y',lineterm='')), get_close_matches('appel',['ape','apple','peach']), SequenceMatcher(None,'abcd','bcde').ratio())
""",
    "email._parseaddr": r"""
return (parsedate_tz('Mon, 20 Nov 1995 19:12:08 -0500'), AddressList('a <b@c>, d@e').addresslist, quote('a"b'))
""",
    "email.quoprimime": r"""
return (body_encode('a=b\u00e9'.encode('latin-1').decode('latin-1')), header_encode(b'a b'), decode('a=3Db'))
""",
    "enum": r"""
class C(Enum):
    R=1
    G=2
    X=1
class F(Flag):
    A=1
    B=2
return (C.R.name, C(2), list(C), C['X'], (F.A|F.B).value, str(F.A), len(C.__members__))
""",
    "fnmatch": r"""
return (fnmatch('abc.py','*.py'), filter(['a.b','c'],'*.*'), translate('a[!b]*?'), fnmatchcase('A','a'))
""",
    "fractions": r"""
return (str(Fraction(3,4)+Fraction('5/6')), Fraction(2.5).limit_denominator(3), Fraction(7,3)//2, hash(Fraction(1,3)), Fraction(3,7)<Fraction(1,2), str(Fraction('-1.25e2')), round(Fraction(7,2)))
""",
    "functools": r"""
@lru_cache(maxsize=2)
def f(n): return n*2
@singledispatch
def g(x): return 'o'
@g.register(int)
def _(x): return 'i'
@total_ordering
class T:
    def __init__(s,v): s.v=v
    def __lt__(s,o): return s.v<o.v
    def __eq__(s,o): return s.v==o.v
return (f(3),f(3),g(1),g(''),T(1)>=T(2),reduce(lambda a,b:a*b,[2,3,4]), sorted([3,1],key=cmp_to_key(lambda a,b:a-b)))
""",
    "getopt": r"""
return (getopt(['-a','1','--bb=2','x'],'a:',['bb=']), gnu_getopt(['x','-v','--lo','y'],'v',['long']))
""",
    "gettext": r"""
return (c2py('n==1 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2')(3), c2py('n != 1')(1))
""",
    "graphlib": r"""
t=TopologicalSorter({'d':['b','c'],'b':['a'],'c':['a']}); t.prepare(); r=[]
while t.is_active():
    n=t.get_ready(); r.append(sorted(n)); t.done(*n)
try: list(TopologicalSorter({1:[2],2:[1]}).static_order())
except CycleError as e: z=e.args[1]
return (r, z)
""",
    "gzip": r"""
d=compress(b'hello',mtime=0)
return (decompress(d), len(d))
""",
    "heapq": r"""
h=[5,3,8,1]; heapify(h); heappush(h,2); a=heappop(h); b=heapreplace(h,9)
return (a,b,h,nsmallest(2,[4,1,3]),list(merge([1,4],[2,3])),nlargest(2,[4,1,3],key=lambda x:-x))
""",
    "hmac": r"""
return (new(b'k',b'm','sha1').hexdigest(), HMAC(b'a',b'b','md5').digest_size)
""",
    "html.parser": r"""
out=[]
class P(HTMLParser):
    def handle_starttag(self,t,a): out.append((t,a))
    def handle_data(self,d): out.append(d)
    def handle_endtag(self,t): out.append('/'+t)
p=P(); p.feed('<a href="x">b &amp; c<br/><!-- k --></a>'); p.close()
return (out, p.getpos(), p.lasttag)
""",
    "http.cookies": r"""
c=SimpleCookie(); c['a']='b'; c['a']['path']='/'; d=SimpleCookie('x=1; y="2"')
return (c.output(), d['y'].value, sorted(d), c['a'].OutputString())
""",
    "ipaddress": r"""
n=ip_network('192.168.0.0/29')
return (str(ip_address('10.0.0.1')+1), [str(h) for h in n.hosts()], n.netmask.compressed, str(ip_address('2001:db8::1').exploded), ip_address('127.0.0.1').is_loopback, [str(s) for s in n.subnets()], n.overlaps(ip_network('192.168.0.4/30')), list(map(str,collapse_addresses([ip_network('10.0.0.0/25'),ip_network('10.0.0.128/25')]))))
""",
    "json.decoder": r"""
import re
return (JSONDecoder().decode('{"a": [1, 2.5, true, null], "b": "x\\ny"}'), JSONDecoder(parse_int=str).decode('[12]'), py_scanstring('ab\\u0041c"',0))
""",
    "json.encoder": r"""
e=_make_iterencode({}, None, py_encode_basestring, None, lambda f,**k: repr(f), ': ', ', ', True, False, False)
return (''.join(e({'b':[1,2.5,None],'a':True},0)), py_encode_basestring_ascii('a\u00e9\n'))
""",
    "locale": r"""
return (_group('1234567'), format_string('%d %.1f',(3,2.5)), normalize('de'))
""",
    "ntpath": r"""
return (normpath('C:\\a\\.\\b\\..\\c'), join('a','D:b','c'), splitdrive('\\\\h\\m\\x'), splitext('a.b'), commonpath(['C:\\a\\b','c:\\a\\c']))
""",
    "nturl2path": r"""
return (url2pathname('///C:/a%20b/c'), pathname2url('C:\\a b\\c'))
""",
    "operator": r"""
return (itemgetter(1,0)([5,6]), attrgetter('real')(3), methodcaller('upper')('a'), countOf([1,2,1],1), indexOf([4,5],5), length_hint([1]), concat([1],[2]))
""",
    "optparse": r"""
p=OptionParser(prog='x'); p.add_option('-n','--num',type='int',default=3,help='the number'); p.add_option('--flag',action='store_true'); o,a=p.parse_args(['-n','5','a','b'])
return (o.num, o.flag, a, p.format_help())
""",
    "pathlib": r"""
p=PurePosixPath('/a/b.tar.gz')
return (p.suffixes, str(p.parent/'c'), p.stem, p.with_suffix('.x').name, PurePosixPath('/a/b').relative_to('/a').parts, p.match('*.gz'), list(map(str,p.parents)))
""",
    "pickletools": r"""
import pickle,io
o=io.StringIO(); dis(pickle.dumps([1,'a']),o)
return (o.getvalue(), optimize(pickle.dumps({'a':1})))
""",
    "plistlib": r"""
d={'a':[1,2.5,True],'b':'x<y'}
t=dumps(d)
return (t, loads(t), dumps({'k':b'ab'},fmt=FMT_BINARY), loads(dumps({'k':[1,2]},fmt=FMT_BINARY)))
""",
    "posixpath": r"""
return (normpath('/a/./b/../c//d'), join('a','/b','c'), relpath('/a/b','/a/c'), split('/x/y'), splitext('a.b.c'), commonpath(['/a/b','/a/c']), expandvars('$NOPE/x'))
""",
    "pprint": r"""
return (pformat({'a':[1,2,{'x':(1,2)}],'b':'y'*90}, width=40), pformat({3,1,2}), saferepr([1,[2]]), isrecursive([]))
""",
    "queue": r"""
q=Queue(); q.put(3); p=PriorityQueue(); p.put(5); p.put(2); l=LifoQueue(); l.put('a'); l.put('b')
try: q.get(); q.get_nowait()
except Empty: e=1
return (e,p.get(),l.get(),q.qsize(),p.empty())
""",
    "quopri": r"""
return (encodestring(b'a=b\xe9 '), decodestring(b'a=3Db=\n c'))
""",
    "re._parser": r"""
p=parse('a(b|c)*[d-f]{2,3}(?P<n>x)')
return (len(p.data), p.state.groups, str(p), p.getwidth())
""",
    "reprlib": r"""
r=Repr(); r.maxlist=2
return (r.repr([1,2,3,[4,5,[6,7]]]), r.repr('a'*50), r.repr({1:2,3:4}), r.repr(10**60))
""",
    "sched": r"""
l=[]; n=[0]
s=scheduler(lambda: n[0], lambda d: n.__setitem__(0,n[0]+d)); s.enter(3,1,l.append,('b',)); s.enter(1,1,l.append,('a',)); e=s.enter(2,1,l.append,('x',)); s.cancel(e); s.run()
return (l, n)
""",
    "shlex": r"""
return (split('a "b c" d\\ e # x', comments=True), quote("a'b"), list(shlex('a=b;c', punctuation_chars=True)), join(['a b','c']))
""",
    "stat": r"""
return (filemode(0o100644), S_ISDIR(0o40000), S_IMODE(0o755))
""",
    "statistics": r"""
d=[2,5,1,8,5]
return (mean(d), median(d), mode(d), pstdev(d), quantiles(d,n=4), fmean(d), NormalDist(1,2).cdf(2.5), linear_regression([1,2,3],[2,4,7]))
""",
    "string": r"""
return (Template('$a ${b} $$').substitute(a=1,b=2), Template('$x').safe_substitute(), capwords('a b'), Formatter().format('{0:>5} {k[1]} {0!r}','q',k=[1,2]))
""",
    "stringprep": r"""
return (in_table_a1('\u0221'), map_table_b2('\u00df'), in_table_d1('a'))
""",
    "textwrap": r"""
t='''  The quick brown fox jumped over the lazy dog -- and so on.\n    Then more-over text.'''
return (fill(t,20), shorten(t,30), dedent('  a\n   b\n'), indent('a\n\nb','> '), wrap('aaaaaaaaaaaaaaaaaaaaaaaa b',7))
""",
    "tokenize": r"""
import io
return ([(t.type,t.string) for t in generate_tokens(io.StringIO('x = (1 +\n 2)\nif y:\n  z\n').readline)], untokenize([(1,'x'),(54,'='),(2,'1')]))
""",
    "types": r"""
return (SimpleNamespace(a=1), new_class('Q',(),{},lambda ns: ns.update(z=4)).z, resolve_bases((int,)), prepare_class('A')[0])
""",
    "urllib.parse": r"""
return (urlparse('http://u:p@h:80/a;b?c=d#e'), urljoin('http://a/b/c/d','../g?y'), quote('a b/\u00e9'), unquote('a%20b'), parse_qs('a=1&b=2&a=3'), urlencode({'x':[1,2]},doseq=True), urlsplit('//x/y').netloc, urlparse('http://u:p@h:80/').port)
""",
    "wave": r"""
import io
b=io.BytesIO(); w=Wave_write(b); w.setnchannels(1); w.setsampwidth(2); w.setframerate(8); w.writeframes(b'abcd'); w.close(); b.seek(0); r=Wave_read(b)
return (r.getnframes(), r.readframes(2), r.getparams()[:3])
""",
    "xml.dom.minidom": r"""
d=parseString('<a x="1"><b>t</b><!--c--></a>'); d.documentElement.setAttribute('y','2')
return (d.toxml(), d.getElementsByTagName('b')[0].firstChild.data, d.documentElement.getAttribute('x'))
""",
    "xml.etree.ElementPath": r"""
import xml.etree.ElementTree as E
t=E.fromstring('<a><b i="1">x</b><c><b i="2">y</b></c></a>')
return ([e.text for e in findall(t,'.//b')], find(t,'c/b').get('i'), findtext(t,'b'), [e.tag for e in iterfind(t,'*[@i]')])
""",
    "xml.etree.ElementTree": r"""
r=Element('a'); SubElement(r,'b',{'k':'v'}).text='t<'; indent(r)
return (tostring(r), fromstring('<x><y>1</y></x>').find('y').text)
""",
}


def chosen() -> list[str]:
    wanted = os.environ.get("LIBRARY_PROGRAMS", " ".join(SHORT)).split()
    return sorted(BODIES) if wanted == ["all"] else wanted


def program(name: str) -> str | None:
    """The text of a module with its `main`; None where this Python has no such module."""
    base = Path(sysconfig.get_paths()["stdlib"], *name.split("."))
    paths = [base.with_name(base.name + ".py"), base / "__init__.py"]
    path = next((each for each in paths if each.exists()), None)
    if path is None:
        return None
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            dot = "." if node.module else ""
            lines[node.lineno - 1] = lines[node.lineno - 1].replace("from .", f"from {package}{dot}", 1)
        elif _is_main(node):
            _take_out(lines, node)
        elif name in _IN_PYTHON and isinstance(node, ast.Try) and all(map(_is_in_c, node.body)):
            _take_out(lines, node)
            for statement in [each for handler in node.handlers for each in handler.body]:
                lines[statement.lineno - 1] = ast.unparse(statement)
    body = "".join(f"    {line}\n" for line in BODIES[name].strip("\n").split("\n"))
    return "\n".join(lines) + f"\ndef main():\n{body}"


def _take_out(lines: list[str], node: ast.stmt) -> None:
    for at in range(node.lineno - 1, node.end_lineno or node.lineno):
        lines[at] = ""


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).startswith("__name__ ==")


def _is_in_c(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("_")
