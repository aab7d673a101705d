"""Methods and functions that change containers, by their names; and how the text gets hold of a method.

Told by the syntax tree alone, as in `sources`.
"""

from __future__ import annotations

import ast

# Functions that change their first argument.
MUTATING_FUNCTIONS = frozenset(
    {
        "heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right", "shuffle",
        "setattr", "delattr", "setitem", "delitem", "iadd", "iand", "iconcat", "imul", "ior", "isub", "ixor",
    }
)  # fmt: skip
# … an attribute of it, by a name; the special methods do so with what they are called on, too.
SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
MUTATORS = MUTATING_FUNCTIONS.union(
    [
        "append",
        "extend",
        "insert",
        "pop",
        "remove",
        "clear",
        "sort",
        "reverse",
        "update",
        "setdefault",
        "popitem",
        "add",
        "discard",
        "appendleft",
        "popleft",
        "extendleft",
        "rotate",
        "difference_update",
        "intersection_update",
        "symmetric_difference_update",
        "move_to_end",
        "subtract",
        "write",
        "writelines",
        "__setitem__",
        "__delitem__",
        "__iadd__",
        "__iand__",
        "__imul__",
        "__ior__",
        "__isub__",
        "__ixor__",
        *SETTERS,
    ]
)
KEEPING_SIZE = frozenset({"sort", "reverse", "rotate", "move_to_end", "heapify", "heapreplace", "heappushpop", "shuffle", "setitem", "__setitem__", "write", "writelines", *SETTERS})  # fmt: skip
# Functions that read a method by its name, and which argument that is.
_NAMING = {"getattr": 1, "methodcaller": 0, "attrgetter": 0}
_CLASSES = frozenset({"list", "dict", "set", "bytearray", "deque", "defaultdict", "object"})


def method_read(function: ast.AST) -> str | None:
    """The name that `getattr` reads, or what `methodcaller`, `attrgetter` make, "" where the text does not tell; None for others."""
    at = _NAMING.get(_last_name(function.func)) if isinstance(function, ast.Call) else None
    if at is None or len(function.args) <= at:  # type: ignore[attr-defined]
        return None
    name = function.args[at]  # type: ignore[attr-defined]
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return ""
    return name.value.rpartition(".")[2]


def gives_method(function: ast.AST) -> bool:
    """Whether a call of it gives a method: `attrgetter("append")`."""
    return isinstance(function, ast.Call) and _last_name(function.func) == "attrgetter"


def owner_of_read(call: ast.Call) -> list[ast.expr]:
    """Whose method is called by `getattr(x, name)(…)` or `methodcaller(name)(x)`, or got hold of by `attrgetter(name)(x)`."""
    function = call.func
    if not isinstance(function, ast.Call):
        return []
    return function.args[:1] if _last_name(function.func) == "getattr" else call.args[:1]


def may_be_class(node: ast.AST) -> bool:
    """Whether a method of what an expression gives is called on its first argument: `list.append(xs, 3)`."""
    if isinstance(node, ast.Call):
        return _last_name(node.func) == "type" and len(node.args) == 1
    name = _last_name(node)
    return name in _CLASSES or name == "__class__" or name[:1].isupper()


def chosen_in(node: ast.AST) -> list[ast.expr]:
    """What `a if c else b`, `a and b` may give."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return node.values if isinstance(node, ast.BoolOp) else []


def gives_mutator(piece: ast.AST) -> bool:
    """Whether a piece of code is nothing but a method that changes a container, which may be called later."""
    return isinstance(piece, ast.Attribute) and isinstance(piece.ctx, ast.Load) and piece.attr in MUTATORS


def _last_name(function: ast.AST) -> str:
    return str(getattr(function, "id", None) or getattr(function, "attr", ""))
