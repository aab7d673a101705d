"""Modules that are imported, reloaded and run in unusual ways, and files of unusual shape: each is recorded, or has its
reason, and behaves as it does unrecorded."""

from __future__ import annotations

import codecs
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from recorded import ENTRY, find, outline
from test_survival import behaves, run

from algotrace.trace import Trace

HELPER = "def f(x):\n    return x + 1\n"


class Case(NamedTuple):
    program: str
    files: dict[str, str | bytes]
    tree: str  # of the program's calls


CASES = {
    "reload": Case(
        """
        import importlib, helper, pathlib
        print(helper.f(1))
        first = helper.f
        pathlib.Path("helper.py").write_text("def f(x):\\n    return g(x) * 5\\ndef g(x): return x\\n")
        again = importlib.reload(helper)
        print(again is helper, helper.f(1), first(1))
        """,
        {"helper.py": HELPER},
        "f(), f(g()), f()",
    ),
    "removed from sys.modules and imported again": Case(
        "import sys, helper; a = helper; del sys.modules['helper']; import helper; print(a is helper, a.f(1), helper.f(2))",
        {"helper.py": HELPER},
        "f(), f()",
    ),
    "namespace package": Case(
        """
        import sys
        sys.path.append("second")
        import space.one, space.two, space.deep.three as three
        print(space.one.f(1), space.two.g(1), three.h(1), list(space.__path__)[1:] != [], space.__file__ if hasattr(space, "__file__") else None)
        """,
        {
            "space/one.py": HELPER,
            "second/space/two.py": "def g(x): return x\n",
            "space/deep/three.py": "def h(x): return x\n",
        },
        "f(), g(), h()",
    ),
    "zipped package": Case(
        """
        import sys
        sys.path.insert(0, "packed.zip")
        import pack.inner, single
        print(pack.inner.f(1), single.g(1), pack.inner.__file__[-23:], type(pack.__loader__).__name__)
        """,
        {"packed.zip": b""},
        "f(), g()",
    ),
    "circular imports": Case(
        "import a; print(a.fa(3))",
        {
            "a.py": "import b\ndef fa(x): return b.fb(x)\n",
            "b.py": "import a\nfrom a import __name__ as n\ndef fb(x): return a.fc(x) if hasattr(a, 'fc') else x\n"
            "def double(x): return x * 2\ndef late(): a.fc = double\nlate()\n",
        },
        "<module>(late()), fa(fb(double()))",
    ),
    "circular import that fails": Case(
        "try:\n    import a\nexcept ImportError as error: print(error)\nimport traceback\ntry:\n    import b\nexcept ImportError: traceback.print_exc()",
        {"a.py": "from b import y\nx = 1\n", "b.py": "from a import x\ny = 2\n"},
        # From Python 3.12 on a traceback imports the module once more, to say which name may be meant.
        "<module>(<module>()), <module>(<module>())" + ", <module>(<module>())" * (sys.version_info >= (3, 12)),
    ),
    "star imports": Case(
        "from pack import *\nfrom helper import *\nprint(sorted(n for n in globals() if n[0] != '_'), f(1), shown(2), '@L' in globals())",
        {
            "helper.py": HELPER,
            "pack/__init__.py": "__all__ = ['shown', 'part']\ndef shown(x): return hidden(x)\ndef hidden(x): return x\n",
            "pack/part.py": "",
        },
        "f(), shown(hidden())",
    ),
    "latin-1": Case(
        "import helper; print(helper.f('ä').encode(), helper.name.encode())",
        {
            "helper.py": "# -*- coding: latin-1 -*-\nname = 'äöü'\ndef f(x):\n    é = x\n    return é + 'ß'\n".encode(
                "latin-1"
            )
        },
        "f()",
    ),
    "cp1252, euc-jp, utf-7": Case(
        "import a, b; print(a.f().encode(), b.f().encode())",
        {
            "a.py": "# coding: cp1252\ndef f(): return '€'\n".encode("cp1252"),
            "b.py": "# vim: set fileencoding=euc-jp :\ndef f(): return '日本'\n".encode("euc-jp"),
        },
        "f(), f()",
    ),
    "byte order mark": Case(
        "import helper; print(helper.f(1), helper.__doc__.encode())",
        {"helper.py": codecs.BOM_UTF8 + "'''dóc'''\ndef f(x):\n    return x\n".encode()},
        "f()",
    ),
    "CRLF and CR": Case(
        "import helper, other; print(helper.f(1), other.g(2), repr(helper.text), helper.f.__code__.co_firstlineno)",
        {
            "helper.py": b"text = '''a\r\nb'''\r\n\r\ndef f(x):\r\n    y = x\r\n    return y\r\n",
            "other.py": b"def g(x):\r    return x\r",
        },
        "f(), g()",
    ),
    "form feeds": Case(
        "import helper; print(helper.f(1), helper.g(2), helper.g.__code__.co_firstlineno)",
        {"helper.py": "def f(x):\n    return x\n\f\ndef g(x):\n\f    y = x\n    return f(y)\n\x0b" .replace("\x0b", "")},
        "f(), g(f())",
    ),
    "other line separators in texts": Case(
        "import helper; print(helper.f(1), len(helper.text))",
        {"helper.py": "text = 'a\u2028b\x85c\x1cd'\ndef f(x):\n    s = 'é\u2029'; return x\n"},
        "f()",
    ),
    "no newline at the end, tabs, a continuation": Case(
        "import helper; print(helper.f(1))",
        {"helper.py": "def f(x):\n\tif x and \\\n\t\tx > 0:\n\t\treturn x"},
        "f()",
    ),
    "empty modules": Case("import empty, comment; print(empty.__doc__)", {"empty.py": "", "comment.py": "# nothing"}, ""),
    "imports in functions": Case(
        "def f():\n    import helper\n    from helper import f as inner\n    return inner(helper.f(1))\nprint(f())",
        {"helper.py": HELPER},
        "f(f(), f())",
    ),
    "import_module, __import__, exec_module": Case(
        """
        import importlib, importlib.machinery, importlib.util, sys
        print(importlib.import_module(".inner", "pack").f(1), __import__("pack.inner").inner.f(2))
        spec = importlib.util.spec_from_file_location("named", "pack/inner.py")
        module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)
        print(module.f(3), module.__name__, "named" in sys.modules)
        loader = importlib.machinery.SourceFileLoader("other", "pack/inner.py")
        module = type(sys)("other"); loader.exec_module(module); print(module.f(4), vars(loader))
        """,
        {"pack/__init__.py": "", "pack/inner.py": HELPER},
        "f(), f(), f(), f()",
    ),
    "lazily loaded": Case(
        """
        import importlib.util, sys
        spec = importlib.util.find_spec("helper")
        loader = importlib.util.LazyLoader(spec.loader); spec.loader = loader
        module = importlib.util.module_from_spec(spec); sys.modules["helper"] = module; loader.exec_module(module)
        print(module.f(1))
        """,
        {"helper.py": HELPER},
        "f()",
    ),
    "a module that replaces itself, and one with __getattr__": Case(
        "import own, lazy; print(own.f(1), lazy.something)",
        {
            "own.py": "import sys\nclass M:\n    def f(self, x): return x\nsys.modules[__name__] = M()\n",
            "lazy.py": "def __getattr__(name):\n    if name.startswith('__'): raise AttributeError(name)\n    return name\n",
        },
        "<module>(), M.f(), __getattr__()",
    ),
    "resources and sources": Case(
        """
        import importlib.resources, inspect, pack, pkgutil, linecache
        print(importlib.resources.files("pack").joinpath("data.txt").read_text(), pkgutil.get_data("pack", "data.txt"))
        print(inspect.getsource(pack.f), [m.name for m in pkgutil.iter_modules(pack.__path__)], pack.__loader__.get_source("pack"))
        """,
        {"pack/__init__.py": HELPER, "pack/data.txt": "data", "pack/sub.py": ""},
        "",
    ),
    "a symbolic link": Case("import linked; print(linked.f(1), linked.__file__[-9:])", {"real.txt": HELPER}, "f()"),
    "compiled files beside the source": Case(
        "import helper, os; print(helper.f(1), os.path.exists(helper.__cached__), os.listdir('__pycache__'))",
        {"helper.py": HELPER, "__pycache__/x": ""},
        "f()",
    ),
}  # fmt: skip


def lay_out(folder: Path, name: str, case: Case) -> None:
    folder.mkdir()
    (folder / "program.py").write_text(textwrap.dedent(case.program).lstrip("\n"), encoding="utf-8")
    for path, content in case.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    if name == "zipped package":
        with zipfile.ZipFile(folder / "packed.zip", "w") as archive:
            archive.writestr("pack/__init__.py", "")
            archive.writestr("pack/inner.py", HELPER)
            archive.writestr("single.py", "def g(x): return x\n")
    if name == "a symbolic link":
        (folder / "linked.py").symlink_to("real.txt")


@pytest.mark.parametrize("name", CASES)
def test_it_is_recorded_and_behaves_as_unrecorded(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}
    lay_out(tmp_path / "plain", name, case)
    plain = run([sys.executable, "program.py"], tmp_path / "plain", env=environment)
    for time in ("first", "second"):  # the second with the instrumented code of the first
        folder = tmp_path / time
        lay_out(folder, name, case)
        recorder = [str(ENTRY), "--trace", "t.algotrace"]
        ran = run([sys.executable, *recorder, "program.py"], folder, env=environment)
        for text in ("out", "errors"):
            mine, other = getattr(ran, text).replace(str(folder), "."), getattr(plain, text)
            assert mine == other.replace(str(tmp_path / "plain"), ".")
        assert ran.status == plain.status
        trace = Trace.open(folder / "t.algotrace")
        assert outline(trace) == f"<module>({case.tree})"
        for node in range(len(trace.parent)):
            trace.call(node)
            for span in trace.executed(node):
                lines = trace.sources[span.source].text.split("\n")
                assert lines[span.line - 1][span.col : span.end_col].strip()


MODULE = """
def f{0}(x):
    def g(y): return y + {0}
    return [g(v) for v in range(x)]
RESULT = f{0}(3)
"""


def test_threads_import_at_the_same_time(tmp_path: Path) -> None:
    source = """
    import importlib, sys, threading
    sys.setswitchinterval(1e-6)
    def load(first):
        for number in range(first, 40, 5):
            importlib.import_module(f"many.m{number}")
    threads = [threading.Thread(target=load, args=(first,)) for first in range(5)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    print([number for number in range(40) if sys.modules[f"many.m{number}"].RESULT != [number, number + 1, number + 2]])
    """
    files = {f"many/m{number}.py": MODULE.format(number) for number in range(40)}
    trace = behaves(tmp_path, source, files={"many/__init__.py": "", **files}).trace
    for number in range(40):
        node = find(trace, f"f{number}")
        value = trace.call(node).outcome.value
        assert value is not None and value.text().text == f"[{number}, {number + 1}, {number + 2}]"
        assert len(list(trace.children(node))) == 3


def test_what_is_imported_leaves_warnings_as_they_are(tmp_path: Path) -> None:
    """What is shown once for each place is not shown again; what other threads warn of meanwhile is not lost."""
    source = """
    import importlib, sys, threading, warnings
    sys.setswitchinterval(1e-5)
    def once(): warnings.warn("once")
    once()
    shown = []
    warnings.showwarning = lambda message, *rest: shown.append(str(message))
    imported, warned = threading.Event(), 0
    def warn():
        global warned
        while not imported.is_set():
            warnings.warn_explicit(f"warning {warned}", UserWarning, "elsewhere.py", 1)
            warned += 1
    filters = warnings.filters[:]
    thread = threading.Thread(target=warn)
    thread.start()
    for number in range(8):
        importlib.import_module(f"m{number}")
    imported.set()
    thread.join()
    once()
    import warning
    print(len(shown) - warned, "once" in shown, shown[-1], filters == warnings.filters, sys.getrecursionlimit())
    """
    files = {f"m{number}.py": MODULE.format(number) * 20 for number in range(8)}
    behaves(tmp_path, source, files={**files, "warning.py": "x = 1\nif x is 1: print(x)\ny = '\\d'\n"})
