"""Names of modules that are bound through the module as an object, or as a dict: calls read what they were bound to then."""

from __future__ import annotations

from pathlib import Path

from recorded import run

from algotrace.trace import Trace

CONFIG = """
RATE = 1
ITEMS = []
def use(*values): pass
def look():
    print(["RATE", "ITEMS"], [RATE, ITEMS])
    use(RATE, ITEMS)
"""
SOURCE = """
import sys, config
A, B = 1, []
def use(*values): pass
def look():
    print(["A", "B"], [A, B])
    use(A, B)
look()
globals()["A"] = 2; look()
globals().update(A=3); look()
globals().update({"A": 4, "B": [4]}); look()
globals().update([("A", 5)]); look()
vars()["A"] = 6; look()
locals()["A"] = 7; look()
sys.modules[__name__].__dict__["A"] = 8; look()
setattr(sys.modules[__name__], "A", 9); look()
sys.modules[__name__].A = 10; look()
kept = globals()
kept["A"] = 11; look()
kept.update(A=12); look()
def inside():
    globals()["A"] = 13; look()
    kept["A"] = 14; look()
    global A
    A = 15; look()
    A += 1; look()
    exec("A = 17", globals()); look()
    globals()["A"] += 1; look()
inside()
exec("A = 18; B.append(5)"); look()
del globals()["A"]
globals()["A"] = 20; look()
globals().pop("A"); A = 21; look()
for name in ("A", "B"): globals()[name] = name; look()
globals().setdefault("A", 5); look()
config.look()
config.RATE = 2; config.look()
config.RATE += 1; config.look()
setattr(config, "RATE", 4); config.look()
config.__dict__["RATE"] = 5; config.look()
vars(config).update(RATE=6); config.look()
config.ITEMS.append(1); config.look()
"""
NOT_KNOWN = """
a = 1
def use(*values): pass
def look(): use(a)
exec("a = 2")
look()
a = 3
look()
"""


def test_names_bound_through_the_module_are_what_they_were(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text(CONFIG)
    process, path, _ = run(tmp_path, SOURCE, "--quiet")
    assert process.returncode == 0, process.stderr
    trace = Trace.open(path)
    looks = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "look"]
    lines = process.stdout.splitlines()
    assert len(looks) == len(lines) == 31
    for node, line in zip(looks, lines, strict=True):
        names, values = map(eval, line.replace("] [", "]\t[", 1).split("\t"))
        reads = {read.name: read for read in trace.reads(node)}
        told = [(reads[name].value.text().text, reads[name].certain) for name in names]  # type: ignore[union-attr]
        assert told == [(repr(value), True) for value in values]


def test_what_code_in_a_text_bound_before_the_module_did_is_not_known(tmp_path: Path) -> None:
    _, path, _ = run(tmp_path, NOT_KNOWN, "--quiet")
    trace = Trace.open(path)
    looks = [n for n in range(len(trace.parent)) if trace.routines[trace.routine[n]].name == "look"]
    (first,), (second,) = (trace.reads(node) for node in looks)
    assert (first.name, first.value, first.certain) == ("a", None, False)
    assert (second.value.text().text, second.certain) == ("3", True)  # type: ignore[union-attr]
