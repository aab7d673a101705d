"""Code that is not recorded and may change what it is handed, and the names it goes by.

In most programs there is none, and in the others most calls go to methods of other names: instrumented code looks at a
`Sign` first, which costs next to nothing. Met are modules, when the program imports something and before a recorded file
runs, and functions that are left alone. Not met are names that strangers make up as they run, and the standard library,
but for a few modules, and packages that only read what they are given.
"""

from __future__ import annotations

import functools
import opcode
import re
import sys
import types
from importlib.machinery import ModuleSpec
from typing import Any
from collections.abc import Iterable, Iterator, Mapping

from algotrace import BUILTINS
from algotrace.class_tables import Sign, namespace_of
from algotrace.textual import module_of
from algotrace.undo import CONTAINERS, module_namespace

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

# Of the standard library: what fills or rewrites objects that it is handed, or that lie inside of them.
_CHANGING = (
    "ast",
    "code",
    "ctypes",
    "doctest",
    "logging.config",
    "textwrap",
    "tkinter",
    "unittest.mock",
    "wsgiref",
    "xml",
)
_READING = sys.stdlib_module_names | {
    "_pytest", "iniconfig", "matplotlib", "numpy", "packaging", "pandas", "pluggy", "pytest", "scipy",
}  # fmt: skip
DEBUGGERS = (
    "algotrace",
    "debugpy",
    "pydevd",
    "_pydev",
    "pydev_",
    "__editable__",
    "_virtualenv",
    "_distutils_hack",
    "sitecustomize",
)


def is_inside(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


_OF_THE_MACHINE = "_sysconfigdata_"  # of the standard library, under a name that says which machine it is


@functools.cache
def only_reads(module: str) -> bool:
    """Whether the code of a module changes nothing that lies inside of what it is handed, as far as is known."""
    if module.partition(".")[0] not in _READING and not module.startswith(_OF_THE_MACHINE):
        return False
    return not any(is_inside(module, each) for each in _CHANGING)


def names_reading(module: str) -> bool:
    """Whether that goes for all that can be reached by way of the module, too."""
    return only_reads(module) and not any(each.startswith(module + ".") for each in _CHANGING)


OPERATORS = ("add", "matmul", "lshift", "rshift", "and", "or")  # that libraries make sentences of
# The methods of the right operand, and of one that is changed in place: they may be called instead.
_OF_OPERATORS = {f"__{way}{name}__": f"__{name}__" for name in OPERATORS for way in "ri"}


class _Signs(dict[str, Sign]):
    """name → whether a stranger may be called by it."""

    def __missing__(self, name: str) -> Sign:
        sign = self[name] = Sign(name in _names)
        return sign


_names = {"__init__"}  # by this one a library makes an object of the program's own class what it is
_given: set[str] = set()  # of these
SIGNS = _Signs()
ANY = Sign()  # whether there are strangers at all
MAKING = Sign()  # whether the program says how its objects are made for `copy` and `pickle`
FILLING = (
    Sign()
)  # whether others may store to objects when their `__init__` is over: coroutines, or as the program says
LOADING = Sign()  # whether others may call what loads pickles: of that, which is C code, there is no frame
_recorded: set[str] = set()  # files
_met: set[str] = set()  # modules
_wanted: set[str] = set()  # of the standard library, those of `_CHANGING` that the program imports


class _Looked:
    count = 0  # modules when they were last looked at


def expect_given(names: Iterable[str], *, changing: bool = False) -> None:
    """Names that the program may give to functions of others; `changing`: it has one in hand that changes its arguments."""
    _given.update(names)
    expect_names(names)
    if changing:
        ANY.on = True


def expect_changes(obj: Any) -> None:
    """A method that changes containers is looked up and not called: one of a class changes what it is called with, whoever
    does that."""
    if issubclass(type(obj), type) and CONTAINERS[obj]:
        ANY.on = True


def expect_making(source: bytes, *, gives_loaders: bool) -> None:
    """Of a file of the program: may others fill its objects when code of the program has seen them?"""
    if _MAKES.search(source) or (_EXCEPTIONS.search(source) and b"def __init__" in source):
        MAKING.on = True
    if _SAYS_HOW.search(source) or _CLASS_GIVEN.search(source):
        expect_filling()
    if gives_loaders:
        LOADING.on = True


_MAKES = re.compile(rb"\bdef __new__|\b__new__\s*[:=]|[\"']__new__[\"']")
_SAYS_HOW = re.compile(rb"\bdef __reduce(?:_ex)?__|persistent_load|dispatch_table|copyreg")
# Of classes that they are given so, `argparse`, `configparser`, `plistlib`, `email` and `gettext` make objects and fill them.
_CLASS_GIVEN = re.compile(rb"\b(?:action|dict_type|_class|class_)\s*=\s*[A-Za-z_]")
_EXCEPTIONS = re.compile(rb"\bclass\s+\w+\([^)]*(?:Error|Exception|Warning)")


def expect_filling() -> None:
    """A coroutine of strangers, for one, goes on whenever others sleep."""
    FILLING.on = MAKING.on = True


def is_given(name: str) -> bool:
    return name in _given


def expect_names(names: Iterable[str]) -> None:
    """Methods of these names are to be looked at: `Strangers` tells whose."""
    new = set(names).difference(_names)
    _names.update(new)
    for name in new.intersection(SIGNS):
        SIGNS[name].on = True


def note_left_alone(names: Iterable[str]) -> None:
    """Functions of recorded files that are not."""
    expect_names(names)
    ANY.on = True


def note_recorded(file: str) -> None:
    _recorded.add(file)
    meet_modules()


def meet_modules() -> None:
    """After imports."""
    if len(sys.modules) == _Looked.count:
        return
    _Looked.count = len(sys.modules)
    for name in [name for name in list(sys.modules) if type(name) is str and name not in _met]:
        _meet(name)


def note_imported(modules: tuple[str, ...]) -> None:
    """The program has imported modules of which some may be strangers."""
    for imported in modules:
        if imported not in _wanted:
            _wanted.add(imported)
            name = next((each for each in _CHANGING if is_inside(imported, each)), imported)
            _wanted.add(name)
            for known in [each for each in list(sys.modules) if type(each) is str and is_inside(each, name)]:
                _met.discard(known)
                _meet(known)
    meet_modules()


def _meet(name: str) -> None:
    module = sys.modules.get(name)
    if not issubclass(type(module), types.ModuleType):
        _met.add(name)
        return
    namespace = module_namespace(module)
    spec, file = namespace.get("__spec__"), namespace.get("__file__")
    if type(spec) is not ModuleSpec or not getattr(spec, "_initializing", False):
        _met.add(name)  # it will define nothing more
    if _is_familiar(name, file if type(file) is str else ""):
        return
    ANY.on = True
    expect_names(_names_in(name, namespace))


def is_strange_module(name: str) -> bool:
    """Whether classes of a module that is there are strangers'."""
    file = module_namespace(sys.modules[name]).get("__file__")
    return not _is_familiar(name, file if type(file) is str else "")


def is_recorded_module(namespace: Mapping[str, Any]) -> bool:
    file = namespace.get("__file__")
    return type(file) is str and file in _recorded


def is_strange_code(frame: types.FrameType) -> bool:
    """Whether what runs there, which is not recorded, may change what it has in hand."""
    name = dict.get(frame.f_globals, "__name__")
    return type(name) is not str or not (only_reads(name) or name.startswith(DEBUGGERS))


def _is_familiar(name: str, file: str) -> bool:
    if only_reads(name) or name == "__main__" or name.startswith(DEBUGGERS) or file in _recorded:
        return True
    if name.startswith(_OF_THE_MACHINE):
        return True
    return name.partition(".")[0] in _READING and not _is_wanted(name)


def _is_wanted(name: str) -> bool:
    return any(is_inside(name, each) for each in _wanted)


def _names_in(module: str, namespace: Mapping[str, Any]) -> Iterator[str]:
    """What it defines, and attributes that its functions store: these may be called, too."""
    for name, value in list(namespace.items()):
        if type(name) is str:
            yield name
        if type(value) is types.FunctionType:
            yield from stored_by(value.__code__)
        elif issubclass(type(value), type) and module_of(value) == module:
            for inner, function in list(namespace_of(value).items()):
                if type(inner) is str:
                    yield _OF_OPERATORS.get(inner, inner)
                if type(function) is types.FunctionType:
                    yield from stored_by(function.__code__)


def stored_by(code: types.CodeType) -> Iterator[str]:
    """The names of attributes."""
    instructions = code.co_code
    operations = instructions[::2]
    place = operations.find(_STORE_ATTRIBUTE)
    while place >= 0:
        number, shift, before = instructions[2 * place + 1], 8, place - 1
        while before >= 0 and operations[before] == _EXTENDED:
            number, shift, before = number | instructions[2 * before + 1] << shift, shift + 8, before - 1
        if number < len(code.co_names):
            yield code.co_names[number]
        place = operations.find(_STORE_ATTRIBUTE, place + 1)


_STORE_ATTRIBUTE, _EXTENDED = opcode.opmap["STORE_ATTR"], opcode.EXTENDED_ARG
