"""Objects as rows, the form in which recorded values come here; which types stand behind the kinds.

    ("scalar", value)                            ("based", type, number of the plain value, attributes)
    (container kind, type, parts, attributes)    parts of a dict are key, value, key, value…; of a defaultdict
                                                 the name of the builtin class it makes its items of comes last, if any;
                                                 of an array its type code, of a deque the most it may hold
    ("exception", type, arguments, attributes)   ("instance", type, attributes)
    ("class" | "function", qualname, module)     ("method", function, self)
    ("module", name)     ("textual", type, repr)     ("opaque", type)

Rows refer to each other by number, so that sharing and cycles survive.
"""

from __future__ import annotations

import array
import collections
import types
from typing import Any

Row = tuple[Any, ...]
Rows = dict[int, Row]

CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": set,
    "frozenset": frozenset,
    "deque": collections.deque,
    "array": array.array,
}
# What Python itself keeps in objects is not recorded.
NO_ATTRIBUTES = frozenset({"__IOBase_closed", "__orig_class__", "_sort_order_"})
MUTABLE = frozenset(("list", "dict", "set", "deque", "array", "instance", "exception"))
# Classes that call themselves builtins and cannot be found there.
NAMELESS = {
    cls.__name__: cls
    for cls in (
        type(None),
        type(...),
        type(NotImplemented),
        types.FunctionType,
        types.BuiltinFunctionType,
        types.MethodType,
        types.ModuleType,
        types.GeneratorType,
        types.CoroutineType,
    )
}
# Types whose repr is a call that makes an equal value: where the names in it come from.
TEXTUAL = {
    "datetime": ("datetime",),
    "decimal": ("Decimal",),
    "fractions": ("Fraction",),
    "pathlib": ("PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"),
    "uuid": ("UUID",),
    "re": ("re",),
    "builtins": ("range", "slice"),
    "numpy": (
        "array",
        "np",
        "nan",
        "inf",
        "float32",
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    ),
}


class CannotJudge(Exception):
    """Something of the recorded call cannot be rebuilt or found here."""


def short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:59] + "…"
