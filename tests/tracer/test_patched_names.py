"""Names that `unittest.mock.patch` and pytest's `monkeypatch` bind for some time: what calls read meanwhile is told. What other
libraries bind is not certain."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from recorded import ENTRY, run

from algotrace.trace import Trace

SHOP = """
flag = 1
config = {"k": 1}
class C:
    a = 1
def g(): return flag
def h(): return C.a
def k(): return config["k"]
"""
PATCHED = """
from unittest.mock import patch
import shop
def main():
    shop.g(); shop.h(); shop.k()
    with patch("shop.flag", 5): shop.g()
    shop.g()
    with patch.object(shop, "flag", 6): shop.g()
    with patch.multiple("shop", flag=3): shop.g()
    with patch.multiple(shop, flag=4): shop.g()
    with patch("shop.C.a", 5): shop.h()
    with patch.dict("shop.config", k=5): shop.k()
    with patch.dict("shop.config", {"k": 6}, clear=True): shop.k()
    @patch("shop.flag", 7)
    def decorated(): shop.g()
    decorated()
    started = patch("shop.flag", 8); started.start(); shop.g(); started.stop(); shop.g()
    with patch.dict(shop.__dict__, flag=9): shop.g()
    shop.g(); shop.h(); shop.k()
main()
"""
MONKEY = """
import shop
def test_patched(monkeypatch):
    shop.g(); shop.h(); shop.k()
    monkeypatch.setattr(shop, "flag", 5); shop.g()
    monkeypatch.setattr("shop.flag", 6); shop.g()
    monkeypatch.setattr(shop.C, "a", 5); shop.h()
    monkeypatch.setattr("shop.C.a", 6); shop.h()
    monkeypatch.setitem(shop.config, "k", 7); shop.k()
    monkeypatch.undo(); shop.g(); shop.h(); shop.k()
    monkeypatch.setattr(shop, "flag", 8); shop.g()
def test_after(): shop.g(); shop.h(); shop.k()
"""


def reads(trace: Trace) -> list[tuple[str, str, str]]:
    """Of each call of the shop: its name, what it returned, and what it is told to have read and is certain."""
    found = []
    for node in range(1, len(trace.parent)):
        call = trace.call(node)
        if call.routine.name in ("g", "h", "k", "o") and call.outcome.value is not None:
            told = [
                read.value.text(20).text for read in trace.reads(node) if read.value and read.value.certain
            ]
            found.append((call.routine.name, call.outcome.value.text(20).text, " ".join(told)))
    return found


def check(found: list[tuple[str, str, str]], *, least: int) -> None:
    assert len(found) >= least
    wrong = [
        (name, value, told)
        for name, value, told in found
        if told and told != (f"{{'k': {value}}}" if name == "k" else value)
    ]
    assert wrong == []
    assert all(told for name, _, told in found if name == "g")


def test_what_mock_binds_is_told(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    process, path, _ = run(tmp_path, PATCHED, "--quiet")
    assert process.returncode == 0, process.stderr
    check(reads(Trace.open(path)), least=17)


def test_what_monkeypatch_binds_is_told(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "test_shop.py").write_text(MONKEY)
    path = tmp_path / "shop.algotrace"
    options = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shop.py"]
    command = [sys.executable, str(ENTRY), "--quiet", "--trace", str(path), *options]
    process = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert process.returncode == 0, process.stdout
    check(reads(Trace.open(path)), least=14)


STRANGE = """
import sys
def store(owner, value): owner.a = value
def bind(name, value): sys.modules[name].flag = value
def deco(cls):
    cls.a = 5
    return cls
class Meta(type):
    def __init__(cls, name, bases, names):
        super().__init__(name, bases, names)
        cls.a = 6
"""
BY_A_LIBRARY = """
import strange
flag = 1
class C: a = 1
@strange.deco
class D: a = 1
class E(metaclass=strange.Meta): a = 1
class F: a = 1
class Own: a = 1
def g(): return flag
def h(cls): return cls.a
def k(): return F.a
def o(): return Own.a
def main():
    h(C); strange.store(C, 2); h(C)
    h(D); h(E); o()
    k(); strange.store(F, 3); k(); F.a = 4; k()
    g(); strange.bind(__name__, 7); g()
main()
def own(): global flag; flag = 9
g(); own(); g()
"""


def test_what_other_libraries_bind_is_not_certain(tmp_path: Path) -> None:
    (tmp_path / "strange.py").write_text(STRANGE)
    process, path, _ = run(tmp_path, BY_A_LIBRARY, "--quiet", "--exclude", "strange.py")
    assert process.returncode == 0, process.stderr
    found = reads(Trace.open(path))
    assert len(found) == 12
    assert [each for each in found if each[2] and each[1] != each[2]] == []
    assert ("o", "1", "1") in found  # of a class that no library had
    assert found[-1] == ("g", "9", "9")


LIBRARIES = """
import copy, sys, traceback, unittest.mock
from _pytest.monkeypatch import MonkeyPatch
class D:
    def __init__(self, n=0): self.n = n
    def __reduce__(self): return D, (1,), {"m": 2}
    def __setstate__(self, state): raise ValueError("no")
class Slotted:
    __slots__ = ("a",)
for f in (
    lambda: copy.copy(D()),
    lambda: unittest.mock.patch("sys.nothing", 1).start(),
    lambda: unittest.mock.patch.object(Slotted(), "b", 1, create=True).start(),
    lambda: MonkeyPatch().setattr(Slotted(), "b", 1, raising=False),
    lambda: MonkeyPatch().delitem({}, "b"),
):
    try: f()
    except Exception: traceback.print_exc(file=sys.stdout)
"""


def test_the_libraries_fail_on_the_lines_that_they_have(tmp_path: Path) -> None:
    process, _, program = run(tmp_path, LIBRARIES, "--quiet")
    plain = subprocess.run([sys.executable, program.name], capture_output=True, text=True, cwd=tmp_path)
    assert plain.stdout.count("Traceback") >= 5
    assert process.stdout.replace(str(program), program.name) == plain.stdout.replace(
        str(program), program.name
    )


@pytest.mark.parametrize("library", ["copy", "unittest.mock", "_pytest.monkeypatch"])
def test_the_code_of_the_libraries_is_what_it_is_taken_for(library: str) -> None:
    """Else it would be left as it is, and what it does would not be seen."""
    check_code = f"""
import sys, importlib
from algotrace import copied_objects, exchanged_code, patched_names
module = importlib.import_module({library!r})
if {library!r} == "copy":
    assert exchanged_code.exchange(module._reconstruct, module, exchanged_code.AroundFilling("y"), copied_objects)
else:
    patched_names.adapt(module, None)
    assert not patched_names.LENT.on
"""
    process = subprocess.run([sys.executable, "-c", check_code], capture_output=True, text=True, timeout=60)
    assert process.returncode == 0, process.stderr
