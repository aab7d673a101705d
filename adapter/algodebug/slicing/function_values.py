"""Functions that are values, by the text: names that methods of containers may go by, what decorators may make of a function.

What functions could do that are values is told by `source_files`; which one a name stood for in a run, by `choices`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from algodebug.slicing.flow import FUNCTION, MOST_LEVELS, MUTATOR, NAMESPACE, SETTER
from algodebug.slicing.mutating import MUTATING_FUNCTIONS, MUTATORS
from algodebug.slicing.sources import (
    BUILTINS,
    CALLING_BACK,
    CALLING_NOTHING,
    Function,
    children,
    is_namespace,
    last_name,
    names_assigned,
    own_parts,
    values_bound,
    values_in,
)

if TYPE_CHECKING:
    from algodebug.slicing.source_files import SourceFile, SourceFiles

_OTHERS = MUTATORS | CALLING_NOTHING | (BUILTINS - CALLING_BACK)  # these do not call what they get
_NAMESPACES = {"__dict__", "vars", "globals", "locals"}
_WORD = re.compile(r"\w+")
_NONE = set[str]()
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MAKING = frozenset({"__init__", "__new__", "__post_init__"})
_NO_PROPERTIES = frozenset({"staticmethod", "classmethod", "abstractmethod", "contextmanager", "cache", "lru_cache", "wraps"})  # fmt: skip


class FunctionValues:
    """What the files of a trace say about functions that are given, kept or returned; found once."""

    def __init__(self, files: SourceFiles) -> None:
        self.files = files
        self._names: tuple[frozenset[str], frozenset[str]] | None = None
        self._namespace_words: set[str] | None = None
        self._setters: frozenset[str] | None = None
        self._special: dict[str | ast.Lambda, set[str]] | None = None
        self._names_defaultdicts: bool | None = None
        self._factories: list[ast.expr] | None = None
        self._makes_items: bool | None = None
        self._may_be_wrapped: dict[str, bool] = {}
        self._mentions: bool | None = None
        self._namespaces: frozenset[tuple[str, int]] | None = None  # the names that they may go by
        self._stored: set[str] | None = None
        self._variables: set[int] = set()  # names in the trees of files, by identity
        self._files_read = 0  # … so many of those at hand

    def names_of_mutators(self) -> frozenset[str]:
        """The names that methods of containers may go by, `put = found.append`; empty where none is a value."""
        return self._found()[0]

    def names_of_setters(self) -> frozenset[str]:
        """… and those of functions that store attributes: `store = setattr`."""
        if self._setters is None:
            self._setters = frozenset(name for name, _ in self.files.flow().reached(SETTER)) - _OTHERS
        return self._setters

    def may_be_kept_as(self, name: str) -> bool:
        """Whether something that has a name, an attribute, may be a function that was kept there."""
        return name in self._found()[1]

    def _found(self) -> tuple[frozenset[str], frozenset[str]]:
        if self._names is None:
            flow = self.files.flow()
            mutators = {name for name, _ in flow.reached(MUTATOR)}
            renamed = self.files.renamed().items()
            mutators |= {name for name, originals in renamed if not MUTATING_FUNCTIONS.isdisjoint(originals)}
            named = mutators - _OTHERS or (
                {""} if mutators else set[str]()
            )  # `get(xs)(3)`: "get" is also a method
            self._names = frozenset(named), frozenset(name for name, _ in flow.reached(FUNCTION))
        return self._names

    def special_methods(self, of: str | ast.Lambda) -> set[str]:
        """The special methods that a function of another name may be, or a lambda: `__lt__ = less`, what decorators make.

        A property that is made of it is one of these, as ".name".
        """
        if self._special is None:
            self._special = {}
            for file in self.files.looked_at():
                for node in file.nodes:
                    for special, value in _specials_bound(node):
                        for known in self._functions_in(value):
                            self._special.setdefault(known, set()).add(special)
        return self._special.get(of, _NONE)

    def standing_for(self, special: str) -> set[str | ast.Lambda]:
        """The functions of other names that a special method may be."""
        self.special_methods("")
        assert self._special is not None
        return {known for known, specials in self._special.items() if special in specials}

    def _functions_in(self, value: ast.expr) -> Iterator[str | ast.Lambda]:
        """The functions that an expression may give: those in it, and those that its calls may make."""
        for part in ast.walk(value):
            if isinstance(part, ast.Lambda):
                yield part
            elif isinstance(part, (ast.Name, ast.Attribute)):
                name = last_name(part)
                yield name
                for code in self.files.named(name):
                    yield from (inner.name for inner in ast.walk(code) if isinstance(inner, _FUNCTIONS))

    def methods(self) -> set[str]:
        """The names of what classes define: some name or other may stand for any of them."""
        codes = [code for file in self.files.looked_at() for code in file.functions.values()]
        bodies = [part for code in codes if isinstance(code, ast.ClassDef) for part in code.body]
        return {part.name for part in bodies if isinstance(part, _FUNCTIONS) and part.name not in _MAKING}

    def names_namespaces(self) -> bool:
        """Whether the text mentions the dict of an object's attributes at all."""
        if self._mentions is None:
            texts = self.files.texts()
            self._mentions = any("__dict__" in text or "vars(" in text for text in texts)
        return self._mentions

    def factories(self) -> list[ast.expr]:
        """What `defaultdict` is given to make items, in all files."""
        if self._factories is None:
            self._factories = []
            if any("defaultdict(" in text for text in self.files.texts()):
                nodes = (node for file in self.files.looked_at() for node in file.nodes)
                calls = [node for node in nodes if isinstance(node, ast.Call) and node.args]
                self._factories += [call.args[0] for call in calls if last_name(call.func) == "defaultdict"]
        return self._factories

    def may_make_items(self) -> bool:
        """Whether reading an item may run a function of the program, or a method that changes something."""
        if self._makes_items is None:
            self._makes_items = any(
                any(isinstance(part, ast.Call) for part in ast.walk(each.body))
                if isinstance(each, ast.Lambda)
                else last_name(each) in MUTATORS or bool(self.files.named(last_name(each)))
                for each in self.factories()
            )
        return self._makes_items

    def names_defaultdicts(self) -> bool:
        """Whether there may be dicts that reading puts items into, by the text."""
        if self._names_defaultdicts is None:
            self._names_defaultdicts = any("defaultdict" in text for text in self.files.texts())
        return self._names_defaultdicts

    def reads_in_lambdas(self) -> bool:
        """Whether a lambda reads an item of something."""
        nodes = (node for file in self.files.looked_at() for node in file.nodes)
        lambdas = (node for node in nodes if isinstance(node, ast.Lambda))
        return any(isinstance(part, ast.Subscript) for node in lambdas for part in ast.walk(node.body))

    def names_globals(self) -> bool:
        return any("globals(" in text for text in self.files.texts())

    def may_be_namespace(self, node: ast.AST) -> bool:
        """Whether an expression may give the dict of an object's attributes, or of names."""
        if is_namespace(node):
            return True
        if isinstance(node, (ast.IfExp, ast.BoolOp, ast.NamedExpr)):
            parts = values_in(node) or [node.value]  # type: ignore[union-attr]
            return any(map(self.may_be_namespace, parts))
        depth = 0
        while isinstance(node, ast.Subscript):
            node, depth = node.value, depth + 1
        if depth and isinstance(node, (ast.List, ast.Tuple, ast.Dict)):
            return any(map(self.may_be_namespace, values_in(node)))
        if isinstance(node, ast.Call):
            node = node.func
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return False
        name = last_name(node)
        return any((name, level) in self._names_of_namespaces() for level in range(depth, MOST_LEVELS))

    def may_name_namespace(self, text: str) -> bool:
        """Whether the text of an expression has a word that such a dict may go by."""
        if self._namespace_words is None:
            self._namespace_words = {name for name, _ in self._names_of_namespaces()} | _NAMESPACES
        return not self._namespace_words.isdisjoint(_WORD.findall(text))

    def _names_of_namespaces(self) -> frozenset[tuple[str, int]]:
        if self._namespaces is None:
            self._namespaces = self.files.flow().reached(NAMESPACE)
        return self._namespaces

    def is_variable(self, function: ast.AST) -> bool:
        """Whether what is called may be another function than the one that the program, or Python, has by that name."""
        name = last_name(function)
        if not (name in BUILTINS or name in CALLING_NOTHING or name in MUTATORS or self.files.named(name)):
            return False
        if not isinstance(function, ast.Name):
            return self.may_be_kept_as(name) and name in self._attributes_stored()
        for file in self.files.at_hand()[self._files_read :]:
            self._variables |= self._variables_in(file)
            self._files_read += 1
        return id(function) in self._variables

    def _attributes_stored(self) -> set[str]:
        """The attributes that something is stored in, by the text, those of classes included."""
        if self._stored is None:
            found = self._stored = set()
            for file in self.files.looked_at():
                for node in file.nodes:
                    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                        found.add(node.attr)
                    elif isinstance(node, ast.ClassDef):
                        found |= names_assigned(node.body)
                    elif isinstance(node, ast.Call) and last_name(node.func) == "setattr":
                        names = (part.value for part in node.args[1:2] if isinstance(part, ast.Constant))
                        found.update(name for name in names if isinstance(name, str))
        return self._stored

    def _variables_in(self, file: SourceFile) -> set[int]:
        """The names that are read in a file and stand for parameters, or for what is assigned."""
        found = set[int]()
        scope = self.files.scope
        declared = {name for code in file.functions.values() for name in scope(code).globals}
        of_module = declared | names_assigned(file.tree.body)
        todo: list[tuple[ast.AST, frozenset[str]]] = [(file.tree, frozenset(of_module))]
        while todo:
            node, variables = todo.pop()
            if isinstance(node, ast.Name):
                if node.id in variables:
                    found.add(id(node))
                continue
            if isinstance(node, Function):
                own = scope(node)
                bound = values_bound(node) | (self.files.bound_by_inner(node) & own.locals)
                variables = variables - own.locals | bound - own.globals - own.nonlocals
            todo += [(part, variables) for part in children(node)]
        return found

    def may_make_property(self, decorator: ast.expr) -> bool:
        """Whether a decorator may make something of a function that runs it when it is read."""
        name = last_name(getattr(decorator, "func", decorator))
        codes = [] if self.files.classes(name) else self.files.named(name)
        if not codes:
            return name not in _NO_PROPERTIES
        return any(
            isinstance(part, ast.Name) and (part.id.endswith("property") or self.files.classes(part.id))
            for code in codes
            for part in ast.walk(code)
        )

    def may_be_wrapped(self, name: str) -> bool:
        """Whether the decorators of a function of a name decide themselves what to make of it."""
        if name not in self._may_be_wrapped:
            self._may_be_wrapped[name] = any(
                self._chooses(maker, isinstance(part, ast.Call))
                for code in self.files.named(name)
                for part in code.decorator_list
                for maker in self.files.named(last_name(getattr(part, "func", part)))
            )
        return self._may_be_wrapped[name]

    def _chooses(self, code: Any, is_factory: bool) -> bool:
        """Whether a function may give one of several functions; `is_factory`: or what it gives may."""
        given = [code.body] if isinstance(code, ast.Lambda) else _returned(code)
        if len(given) == 1 and isinstance(given[0], ast.Lambda):
            return is_factory and self._chooses(given[0], False)
        names = [part.id for part in given if isinstance(part, ast.Name)]
        made = [each for each in ast.walk(code) if isinstance(each, _FUNCTIONS) and each.name in names[:1]]
        if len(given) != 1 or len(made) != 1:
            return True
        return is_factory and self._chooses(made[0], False)


def _specials_bound(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names of special methods that a piece of text gives to something, and to what; ".name" for properties."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
                for part in parts:
                    name = _constant(part.slice) if isinstance(part, ast.Subscript) else last_name(part)
                    if is_special(name):
                        yield name, value
                    elif isinstance(value, ast.Call) and last_name(value.func) == "property":
                        yield f".{name}", value
        case ast.FunctionDef(name=name, decorator_list=decorators) if is_special(name):
            for decorator in decorators:
                yield name, decorator
        case ast.Call(args=[_, name, value, *_]) if last_name(node.func) == "setattr":
            if is_special(_constant(name)):
                yield _constant(name), value
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if key is not None and is_special(_constant(key)):
                    yield _constant(key), value


def is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _constant(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _returned(code: Any) -> list[ast.expr]:
    """What a function returns, as it is written."""
    parts = (part for statement in code.body for part in own_parts(statement))
    return [part.value for part in parts if isinstance(part, ast.Return) and part.value is not None]
