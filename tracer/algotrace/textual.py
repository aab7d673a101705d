"""Values of the library that read best as their `repr`, and that text, without code of the program.

What such a value holds may be the program's own (a `slice` of its objects, a time in its own zone): of that only the
class is told. Not here: values that are taken apart, see `rows`.
"""

from __future__ import annotations

import array
import gc
import sys
import types
from typing import Any
from collections.abc import Callable

from algotrace import BUILTINS
from algotrace.class_tables import mro_of, namespace_of

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

LONGEST_TEXT = 20_000  # characters
_MOST_PARTS = 100
_module = type.__dict__["__module__"].__get__
_qualname = type.__dict__["__qualname__"].__get__
_namespace = vars(types.ModuleType)["__dict__"].__get__
# Not all programs load the modules of these.
_BY_NAME = {
    "datetime": ("date", "time", "timedelta", "tzinfo"), "decimal": ("Decimal",), "fractions": ("Fraction",), "uuid": ("UUID",),
    "pathlib": ("PurePath",), "pathlib._local": ("PurePath",), "re": ("Pattern", "Match"),
}  # fmt: skip
_MODULES = ("numpy", "pandas")


def plain_text(value: Any) -> str:
    """A text as one of the builtin class; "" for what is none."""
    if type(value) is str:
        return value
    return str.__str__(value) if issubclass(type(value), str) else ""


def qualname_of(cls: type) -> str:
    return plain_text(_qualname(cls))


def module_of(cls: type) -> str:
    return plain_text(_module(cls))


def is_textual(cls: type) -> bool:
    """Of a class of the library, or derived from one."""
    if module_of(cls).partition(".")[0] in _MODULES:
        return True
    for base in mro_of(cls):
        if id(base) in _SPELLED:
            return True
        module = module_of(base)
        if qualname_of(base) in _BY_NAME.get(module, ()):
            return _namespace_of(module).get(qualname_of(base)) is base
    return False


def _namespace_of(module: str) -> dict[str, Any]:
    found = sys.modules.get(module)
    return _namespace(found) if issubclass(type(found), types.ModuleType) else {}


def text_of(obj: Any) -> str:
    """Guarded, since a library's `repr` may do anything."""
    cls = type(obj)
    try:
        spell = _SPELLED.get(id(cls))
        if spell is not None:
            return spell(obj)
        by_module = _SPELLED_BY_MODULE.get(module_of(cls).partition(".")[0])
        return repr(obj) if by_module is None else by_module(obj)
    except Exception as error:  # the program must not fail, whatever a library's repr does
        return f"<{qualname_of(cls).rpartition('.')[2]}: its repr failed with {type(error).__name__}>"


def _of_re(obj: Any) -> str:
    if qualname_of(type(obj)) == "Pattern":
        return repr(obj) if type(obj.pattern) in (str, bytes) else f"re.compile({_brief(obj.pattern)})"
    return repr(obj) if type(obj.string) in (str, bytes) else f"<re.Match object; span={obj.span()!r}>"


def _of_datetime(obj: Any) -> str:
    cls = type(obj)
    if "tzinfo" not in namespace_of(cls):
        return repr(obj)
    zone = obj.tzinfo
    if zone is None or module_of(type(zone)) in ("datetime", "zoneinfo"):
        return repr(obj)
    return f"{cls.replace(obj, tzinfo=None)!r}"[:-1] + f", tzinfo={_brief(zone)})"


_BASES = (bool, int, float, complex, str, bytes, type(None))


def _brief(part: Any) -> str:
    cls = type(part)
    for base in _BASES:
        if issubclass(cls, base):
            return base.__repr__(part)  # type: ignore[call-arg]
    if issubclass(cls, type):
        return qualname_of(part)
    if cls is tuple or cls is list:
        inner = ", ".join(_brief(item) for item in part[:_MOST_PARTS])
        return f"({inner}{',' * (len(part) == 1)})" if cls is tuple else f"[{inner}]"
    if cls is types.GenericAlias:
        return _alias(part)
    return f"<{qualname_of(cls).rpartition('.')[2]}>"


def _range(obj: range) -> str:
    step = "" if obj.step == 1 else f", {_brief(obj.step)}"
    return f"range({_brief(obj.start)}, {_brief(obj.stop)}{step})"


def _slice(obj: slice) -> str:
    return f"slice({_brief(obj.start)}, {_brief(obj.stop)}, {_brief(obj.step)})"


_origin_of = types.GenericAlias.__dict__["__origin__"].__get__
_arguments_of = types.GenericAlias.__dict__["__args__"].__get__


def _alias(obj: Any) -> str:
    arguments = ", ".join(map(_brief, _arguments_of(obj)))
    return f"{_brief(_origin_of(obj))}[{arguments}]"


def _proxy(obj: Any) -> str:
    """What is behind it can only be asked for what it refers to."""
    (mapping,) = gc.get_referents(obj)
    if type(mapping) is not dict:
        return f"mappingproxy({_brief(mapping)})"
    items = list(mapping.items())
    parts = [f"{_brief(key)}: {_brief(value)}" for key, value in items[:_MOST_PARTS]]
    return f"mappingproxy({{{', '.join(parts)}{', …' * (len(items) > _MOST_PARTS)}}})"


def _array(obj: Any) -> str:
    """Of numpy. What an array of objects holds is told piece by piece."""
    if not getattr(getattr(obj, "dtype", None), "hasobject", False) or not hasattr(obj, "flat"):
        return repr(obj)
    if obj.dtype.fields:
        return f"<array of {obj.shape!r} with fields {obj.dtype.names!r}>"
    if not any(map(_may_speak, obj.flat)):
        return repr(obj)
    some = [*obj.flat[:_MOST_PARTS]]
    shape = "" if len(obj.shape) == 1 and obj.size <= _MOST_PARTS else f", shape={obj.shape!r}"
    return f"array([{', '.join(map(_brief, some))}{', …' * (obj.size > _MOST_PARTS)}]{shape}, dtype=object)"


def is_array_of_numbers(obj: Any) -> bool:
    """Whether it is an array, of numpy or not, whose end is nobody's business: it holds no objects."""
    cls = type(obj)
    if cls is array.array:
        return True
    if module_of(cls) != "numpy" or qualname_of(cls) != "ndarray" or obj.dtype.hasobject:
        return False
    return obj.base is None or (type(obj.base) is cls and is_array_of_numbers(obj.base))


def _frame(obj: Any) -> str:
    """Of pandas; a frame says first how large it is."""
    name = qualname_of(type(obj))
    if name not in ("DataFrame", "Series", "Index"):
        return repr(obj)
    head = f"DataFrame {obj.shape[0]}×{obj.shape[1]}\n" if name == "DataFrame" else ""
    columns = [obj.iloc[:, place] for place in range(obj.shape[1])] if name == "DataFrame" else [obj]
    labels = [obj.columns, obj.index] if name == "DataFrame" else [obj.index] if name == "Series" else []
    for column in (*columns, *labels):
        if column.dtype.kind == "O" and any(map(_may_speak, column.to_numpy(dtype=object))):
            return f"{head.rstrip() or f'{name} of {len(obj)}'}, with objects of the program"
    return head + repr(obj)


def _may_speak(part: Any) -> bool:
    """Whether the `repr` of it could be code of the program."""
    cls = type(part)
    return not any(cls is base for base in _BASES) and module_of(cls).partition(".")[0] not in (
        *_MODULES,
        "datetime",
        "decimal",
    )


_SPELLED: dict[int, Callable[[Any], str]] = {
    id(range): _range,
    id(slice): _slice,
    id(memoryview): repr,
    id(types.MappingProxyType): _proxy,
    id(types.GenericAlias): _alias,
}
_SPELLED_BY_MODULE: dict[str, Callable[[Any], str]] = {
    "re": _of_re, "datetime": _of_datetime, "numpy": _array, "pandas": _frame,
}  # fmt: skip
