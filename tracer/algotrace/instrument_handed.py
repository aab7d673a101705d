"""Rewriting of calls that may hand something to code which is not recorded: what can be reached from it is noted before.

Told from the text where that can be: calls of functions of this file, of builtin ones, and of what is imported from
modules that only read; of these count those that call a function which they are given, or ask a generator. Else it is looked
up when the call is made, see `handed`.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any
from collections.abc import Callable, Iterable, Iterator

from algotrace.appending import APPEND_TO
from algotrace.instrument_bound import noted_at_last
from algotrace.instrument_names import may_name_method
from algotrace.instrument_namespaces import CONTAINER_CLASSES, Namespaces, called_by
from algotrace.mutators import METHOD_NAMES
from algotrace.instrument_makers import MAKING_NONE
from algotrace.strangers import names_reading, only_reads
from algotrace.syntax import (
    Function,
    Location, attribute, both, call, constant, either, expression_statement, is_repeatable, load, location, own_nodes, park, placeholder, point, repeated, same, subscript, taken_out, walk,
)  # fmt: skip

# What they give cannot be changed, or is new and holds nothing of the program's.
_OF_NO_CONCERN = (
    ast.Constant, ast.JoinedStr, ast.Compare, ast.UnaryOp, ast.BinOp, ast.Lambda, ast.GeneratorExp,
)  # fmt: skip
SMALL = 12  # nodes: code that may stand there twice
# What calls functions that it is given, and which of its arguments these are; some may do so later.
_CALLING: dict[str, int | str] = {
    "sorted": "key", "min": "key", "max": "key", "sort": "key", "groupby": "key", "Thread": "target", "Process": "target", "map": 0,
    "filter": 0, "reduce": 0, "starmap": 0, "takewhile": 0, "dropwhile": 0, "filterfalse": 0, "accumulate": 1, "Timer": 1,
    "submit": 0, "to_thread": 0, "run_in_executor": 1, "apply": 0, "apply_async": 0, "imap": 0, "imap_unordered": 0, "call_soon": 0,
    "call_soon_threadsafe": 0, "call_later": 1, "call_at": 1, "run": 0, "register": 0, "finalize": 1, "callback": 0, "push": 0,
}  # fmt: skip
# What asks iterators and coroutines that it is given.
_ASKING_AT_ONCE = frozenset(
    {"list", "tuple", "set", "frozenset", "dict", "sum", "any", "all", "sorted", "min", "max", "next", "join", "deque", "Counter", "fsum", "prod"}
)  # fmt: skip
_ASKING = _ASKING_AT_ONCE | {
    "zip", "enumerate", "map", "filter", "iter", "chain", "from_iterable", "islice", "cycle", "tee", "zip_longest", "batched", "pairwise",
    "create_task", "gather", "ensure_future", "wait_for", "run_until_complete", "shield", "run", "as_completed", "anext", "aiter",
}  # fmt: skip
_AT_ONCE = _ASKING_AT_ONCE | {"sort", "reduce", "apply"}
_MAKING_KEYS = frozenset({"itemgetter", "attrgetter", "methodcaller"})
_ASKING_METHODS = frozenset({"extend", "extendleft", "update"})
# Methods of texts by names that mean nothing else.
_OF_TEXTS = frozenset(
    {name for name in vars(str) if name.startswith("is")}
    | {
        "capitalize", "casefold", "center", "endswith", "expandtabs", "ljust", "lower", "lstrip", "partition", "removeprefix",
        "removesuffix", "rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "splitlines", "startswith", "strip", "swapcase",
        "title", "upper", "zfill",
    }
)  # fmt: skip
_BUILTIN_NAMES = frozenset(vars(builtins))
_FILLING_NO_ATTRIBUTES = _BUILTIN_NAMES - {"property", "staticmethod", "classmethod"}
_NEW = (
    ast.Constant,
    ast.JoinedStr,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
)


def names_of_readers(nodes: Iterable[Any]) -> frozenset[str]:
    """The names that a file has from modules which only read what they are given, `builtins` first of all, and nowhere binds
    otherwise."""
    reading: set[str] = set()
    others: set[str] = set()
    # What the body of a class binds is no name of the functions in it.
    of_classes = {id(part) for node in nodes if type(node) is ast.ClassDef for part in own_nodes(node.body)}
    for node in nodes:
        kind = type(node)
        if id(node) in of_classes and kind is not ast.Import and kind is not ast.ImportFrom:
            continue
        if kind is ast.Import:
            for alias in node.names:
                bound = alias.asname or alias.name.partition(".")[0]
                (reading if names_reading(alias.name if alias.asname else bound) else others).add(bound)
        elif kind is ast.ImportFrom:
            module = "" if node.level else node.module or ""
            for alias in node.names:
                known = names_reading(module) and names_reading(f"{module}.{alias.name}")
                (reading if known else others).add(alias.asname or alias.name)
        elif kind is ast.FunctionDef or kind is ast.AsyncFunctionDef or kind is ast.ClassDef:
            others.add(node.name)
        elif kind is ast.Name and type(node.ctx) is not ast.Load:
            others.add(node.id)
    return frozenset((reading | _BUILTIN_NAMES) - others)


def names_given(nodes: list[Any]) -> list[str]:
    """Names by which a file may call what it has from elsewhere: other names of what is imported, and what is assigned to
    attributes, or in modules and classes, but for what is plainly the program's own."""
    own = {node.name for node in nodes if isinstance(node, (*Function, ast.ClassDef))}
    harmless: set[int] = set()
    found: set[str] = set()
    for node in nodes:
        kind = type(node)
        if kind is ast.Assign and _is_own(node.value, own):
            harmless.update(map(id, node.targets))
        elif kind is ast.Import or kind is ast.ImportFrom:
            found.update(alias.asname for alias in node.names if alias.asname not in (None, alias.name))
        elif kind is ast.Module or kind is ast.ClassDef:
            found.update(_assigned(node.body, own))
        elif kind is ast.Call:
            found.update(_given_in(node, own))
    found.update(
        node.attr
        for node in nodes
        if type(node) is ast.Attribute and type(node.ctx) is ast.Store and id(node) not in harmless
    )
    return sorted(found)


def _given_in(node: ast.Call, own: set[str]) -> Iterator[str]:
    """The names of arguments: an object may have them as attributes, once it is made; and what `setattr` names."""
    for keyword in node.keywords:
        if (
            keyword.arg
            and isinstance(keyword.value, (ast.Name, ast.Attribute))
            and not _is_own(keyword.value, own)
        ):
            yield keyword.arg
    if called_by(node.func) in _SETTERS and len(node.args) == 3 and not _is_own(node.args[2], own):
        yield from (
            each.value for each in node.args if isinstance(each, ast.Constant) and type(each.value) is str
        )


_SETTERS = ("setattr", "__setattr__")


def _assigned(suite: list[ast.stmt], own: set[str]) -> set[str]:
    nodes = own_nodes(suite)
    harmless = {
        id(target)
        for node in nodes
        if type(node) is ast.Assign and _is_own(node.value, own)
        for target in node.targets
    }
    return {
        node.id
        for node in nodes
        if type(node) is ast.Name and type(node.ctx) is ast.Store and id(node) not in harmless
    }


def _is_own(value: ast.expr, own: set[str]) -> bool:
    """Whether a value is no function, or one of the program's own."""
    if isinstance(value, (ast.Name, ast.Attribute)):
        return called_by(value) in own
    return isinstance(value, (*_OF_NO_CONCERN, *_DISPLAYS))


_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp)


def imported(node: ast.stmt) -> tuple[str, ...]:
    """The modules that an import statement names, where they may be strangers."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    else:
        names = []
    return tuple(name for name in names if not only_reads(name))


class Handing(Namespaces):
    """Calls that may hand something to strangers."""

    given_names: list[str]
    gives_loaders: bool
    making_names: frozenset[str] = frozenset()  # see `names_of_makers`
    _calling: set[int]  # ids of calls that may call a stranger which they are given
    _asking: set[int]  # … or ask a generator of a stranger
    _making: set[int]  # … or make objects by way of code of the program
    used_up: frozenset[int]

    # `Expressions`, which is made of this class, says where the rewriting stands and what is known of this file.
    _in_iterable: bool
    _irregular: bool

    def _is_recorded(self, called: ast.expr) -> bool:
        raise NotImplementedError  # never called: `Expressions` has it

    def handed(self, node: ast.Call) -> list[int] | None:
        """The positions of arguments that somebody may change, or what lies in them; None where no stranger is called."""
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        handed = [index for index, value in enumerate(values) if _is_of_concern(value)]
        makes = called_by(node.func) in self.making_names and bool(node.args) and self._is_imported(node.func)
        if makes:
            self._making.add(id(node))
        if self._may_call_strangers(node):
            self._calling.add(id(node))
            return handed
        if not self._may_be_strange(node.func):
            asked = _asked(node, handed)
            if asked:
                self._asking.add(id(node))
            return asked or ([0] if makes else None)
        return handed if handed or _tells(node.func) else None

    def loading_noted(self, node: ast.Call, called: ast.expr) -> None:
        """Let `pickle.Unpickler(file).load()`, rewritten, say that it makes objects: it is handed nothing."""
        if node.args or node.keywords or not isinstance(called, ast.Attribute) or called.attr != "load":
            return
        if isinstance(node.func, ast.Attribute):
            at = location(called.value)
            given = [self.handed_mark(node), node.func.value]
            node.func.value = call(placeholder("note_loading", at), given, at)

    def _is_imported(self, called: ast.expr) -> bool:
        root = _root_of(called)
        if not isinstance(root, ast.Name) or (root is not called and root.id in MAKING_NONE):
            return False
        return root.id in self.reading_names | self.scope.locals | self.scope.free

    def _may_call_strangers(self, node: ast.Call) -> bool:
        """Whether a function that is given to another one may be strange."""
        given = function_given(node)
        if isinstance(given, (ast.Name, ast.Attribute)):
            return self._may_be_strange(given) or _is_changing(given)
        if isinstance(given, ast.Call) and called_by(given.func) in _MAKING_KEYS:
            return any(map(may_name_method, given.args)) and called_by(given.func) != "itemgetter"
        return isinstance(given, (ast.Call, ast.Subscript, ast.IfExp, ast.BoolOp, ast.NamedExpr))

    def _may_be_strange(self, called: ast.expr) -> bool:
        name, others = called_by(called), self.scope.locals | self.scope.free
        if self._is_recorded(called) or (name in _OF_TEXTS and isinstance(called, ast.Attribute)):
            return False
        root = _root_of(called)
        if isinstance(root, ast.Call) and called_by(root.func) == "super" and root is not called:
            return not all(
                base == "object" or name in self.classes.get(base, ()) for base in self.scope.bases
            )
        if isinstance(root, _NEW):
            return False
        if not isinstance(root, ast.Name) or root.id in others:
            return True
        if root.id in self.reading_names:
            # What only reads its arguments may still make an object of a class of the program what it is.
            return called_by(called) == "__init__" and root.id not in _FILLING_NO_ATTRIBUTES
        return root is not called or "__init__" not in self.classes.get(name, ())

    def note_called(self, node: ast.Call) -> None:
        """Where nothing is handed, but what is called may change what comes with it."""
        if isinstance(node.func, ast.Attribute):
            node.func.value = self._noted_before(node, node.func.value, node.func.attr)
        else:
            node.func = self._noted_before(node, node.func, "")

    def _noted_before(self, node: ast.Call, kept: ast.expr, method: str) -> ast.expr:
        """What is called, or with `method` what has it; noted."""
        at, mark = location(kept), self.handed_mark(node)
        if not isinstance(kept, ast.Name) and not self._has_temporaries:
            return call(placeholder("note_called", at), [mark, constant(method, at), kept], at)
        name, start = self._parked(kept, at)
        # The program may wait for the end of what a call gave.
        last = taken_out(name, at) if name == "@q" else load(name, at)
        return either([*start, note_before(name, method, mark, [], at), last], at)

    def noted_to_method(self, node: ast.Call, receiver: ast.expr, loud: int) -> ast.expr:
        """Where there are no temporaries: what a method is called on that goes by a name of those of containers; what it is
        handed is noted, too. `loud`: up to which argument working them out may run code, before the call begins."""
        called = node.func
        assert isinstance(called, ast.Attribute)
        if not self._may_be_strange(called):
            return receiver
        at, mark = location(called.value), self.handed_mark(node)
        name, names = constant(called.attr, at), names_handed(node, at)
        for index in reversed(range(len(node.args) + len(node.keywords))):
            value = argument_at(node, index)
            if isinstance(called.value, ast.Name) and not is_repeatable(value) and _is_of_concern(value):
                given = [mark, load(called.value.id, at), constant(called.attr, at)]
                if index < loud:
                    noted = noted_at_last(node, value, "note_handing_to", *given)
                else:
                    noted = call(placeholder("note_handing_to", at), [*given, value], at)
                put_argument(node, index, noted)
        if loud >= 0:
            noted = noted_at_last(node, receiver, "note_called_at_last", mark, name, *names)
        else:
            noted = call(placeholder("note_called", at), [mark, name, receiver, *names], at)
        small = len(walk(receiver)) <= SMALL
        return ast.IfExp(is_on(f"sign:{called.attr}", at), noted, receiver, **at) if small else noted

    def strange_where(self, value: ast.expr) -> list[ast.expr]:
        """What must hold for a value, not yet rewritten, to be an object of strangers; nothing where it cannot be one."""
        at = location(value)
        called = value.func if isinstance(value, ast.Call) else None
        if called is None:
            no_object = isinstance(value, (*_OF_NO_CONCERN, *_NEW)) and not isinstance(value, ast.BinOp)
            return [] if no_object else [is_on("strangers", at)]
        if not self._may_be_strange(called):
            return []
        if isinstance(called, ast.Name):
            return [is_on("strangers", at), ast.UnaryOp(ast.Not(), _is_recorded(called.id, at), **at)]
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            return _may_be_strange_method(called.value.id, called.attr, at)
        return [is_on("strangers", at)]

    def used(
        self, value: ast.expr, conditions: list[ast.expr], hook: str = "note_used"
    ) -> tuple[ast.expr, ast.Constant | None]:
        """What `with` enters or `for` goes through, rewritten: a stranger may change what it has until that is over. And the
        mark of the note."""
        if not conditions:
            return value, None
        at, mark = location(value), self.handed_mark(value, kept=True)
        if isinstance(value, ast.Name):
            table = subscript(placeholder("may_work", at), kind_of(load(value.id, at), at), at)
            conditions = [*conditions, table]
        condition = both(conditions, at) if len(conditions) > 1 else conditions[0]
        note = placeholder(hook, at)
        if len(walk(value)) <= SMALL:
            return ast.IfExp(condition, call(note, [mark, value], at), value, **at), mark
        # It must not be kept, not even in a temporary: who waits for a generator to end would wait for longer.
        function = ast.IfExp(condition, note, placeholder("give_second", at), **at)
        return call(function, [mark, value], at), mark

    def where_strange(self, hook: str, marks: list[ast.Constant], at: Location) -> list[ast.stmt]:
        """A statement that notes something with some marks, if there are any."""
        if not marks:
            return []
        at = point(at)
        note = expression_statement(
            call(placeholder(hook, at), [repeated(mark, at) for mark in marks], at), at
        )
        return [ast.If(is_on("strangers", at), [note], [], **at)]

    def strange_method(
        self, node: ast.Call, receiver: ast.expr, method: str
    ) -> Callable[[list[ast.expr], Location], list[ast.expr]]:
        """What makes expressions that note what such a method is handed, and are false."""
        if not (isinstance(receiver, ast.Name) and self._may_be_strange(node.func)):
            return lambda values, at: []
        name, mark, asks = receiver.id, self.handed_mark(node), method in _ASKING_METHODS

        def note(values: list[ast.expr], at: Location) -> list[ast.expr]:
            some = [value for value in values if isinstance(value, ast.Name)]
            asked = [note_asked(mark, repeated(value, at), at) for value in some] if asks else []
            return [note_before(name, method, mark, [repeated(value, at) for value in some], at), *asked]

        return note

    def _is_kept(self, node: ast.Call) -> bool:
        """Whether a function that is given may be called later, or a generator asked."""
        if id(node) not in self._calling and id(node) not in self._asking:
            return False
        return called_by(node.func) not in _AT_ONCE and id(node) not in self.used_up

    def _parked(self, kept: ast.expr, at: Location) -> tuple[str, list[ast.expr]]:
        """A name for it, and what puts it there. What a call gave may be waited for to end: its name is used again soon."""
        if isinstance(kept, ast.Name):
            return kept.id, []
        name = self.scope.fresh("r") if isinstance(kept, (ast.Attribute, ast.Subscript)) else "@q"
        return name, [same(park(name, kept, at), placeholder("absent", at), at)]

    @property
    def _has_temporaries(self) -> bool:
        return self.scope.temporaries and not self._in_iterable and not self._irregular

    def note_handing(self, node: ast.Call, handed: list[int], loud: int) -> None:
        """Where there are no temporaries: around each argument; or around the last one that working out may run code."""
        at = point(location(node))
        mark = self.handed_mark(node, kept=self._is_kept(node))
        path, root = "", node.func
        if id(node) in self._asking:
            for index in reversed(handed):
                _note_argument(node, index, "strangers", "note_used", [mark], index < loud, at)
            return
        if id(node) in self._making:
            _note_argument(node, 0, "making", "note_making", [mark], loud > 0, at)
            if not self._may_be_strange(node.func):
                return
            mark = self.handed_mark(node)
        if id(node) in self._calling:
            self._note_handing_functions(node, handed, mark, loud, at)
            if not self._may_be_strange(node.func):
                return
            mark = self.handed_mark(node)
        while isinstance(root, ast.Attribute):
            root, path = root.value, f"{root.attr}.{path}"  # type: ignore[attr-defined]
        sign = f"sign:{called_by(node.func)}" if path else "strangers"
        for index in reversed(handed):
            given: list[ast.expr] = [mark, placeholder("unknown", at)]
            if isinstance(root, ast.Name):
                given = [mark, repeated(root, at), *([constant(path[:-1], at)] if path else [])]
            hook = "note_handing_to" if len(given) == 3 else "note_handing"
            _note_argument(node, index, sign, hook, given, index < loud, at)
        if not isinstance(root, ast.Name):
            self._note_what_is_called(node, mark, loud)

    def _note_what_is_called(self, node: ast.Call, mark: ast.Constant, loud: int) -> None:
        """`get()(x)`, `get().method(x)`: what comes with what is called may be changed as well."""
        function = node.func
        method = function.attr if isinstance(function, ast.Attribute) else ""
        kept = function.value if isinstance(function, ast.Attribute) else function
        given = [mark, constant(method, location(kept))]
        if loud >= 0:
            noted = noted_at_last(node, kept, "note_called_at_last", *given)
        else:
            noted = call(placeholder("note_called", location(kept)), [*given, kept], location(kept))
        if isinstance(function, ast.Attribute):
            function.value = noted
        else:
            node.func = noted

    def _note_handing_functions(
        self, node: ast.Call, handed: list[int], mark: ast.Constant, loud: int, at: Location
    ) -> None:
        given = function_given(node)
        path, root = "", given
        while isinstance(root, ast.Attribute):
            root, path = root.value, f"{root.attr}.{path}"  # type: ignore[attr-defined]
        function = load(root.id, at) if isinstance(root, ast.Name) else placeholder("unknown", at)
        told: list[ast.expr] = [mark, function, constant(path[:-1], at)]
        for index in reversed(handed):
            if argument_at(node, index) is not given:
                _note_argument(node, index, "strangers", "note_handing_by", told, index < loud, at)

    def handed_note(self, node: ast.Call, values: list[ast.expr], at: Location) -> list[ast.expr]:
        """Expressions that note what can be reached from values, and are false; what is called is kept for them."""
        mark, called, more = self.handed_mark(node, kept=self._is_kept(node)), node.func, list[ast.expr]()
        if id(node) in self._asking:
            return [note_asked(mark, value, at) for value in values]
        if id(node) in self._making:
            note = call(placeholder("note_making", at), [mark, constant(None, at)], at)
            more = [both([is_on("making", at), note], at)]
            if not self._may_be_strange(called):
                return more
            mark, values = self.handed_mark(node), [repeated(value, at) for value in values]
        if id(node) in self._calling:
            note = call(placeholder("note_given_functions", at), [mark, *values], at)
            more = [both([is_on("strangers", at), note], at)]
            if not self._may_be_strange(called):
                return more
            mark, values = self.handed_mark(node), [repeated(value, at) for value in values]
        kept = called.value if isinstance(called, ast.Attribute) else called
        of_call = not isinstance(kept, (ast.Name, ast.Attribute, ast.Subscript))
        name = kept.id if isinstance(kept, ast.Name) else self.scope.fresh("r")
        if not isinstance(kept, ast.Name):
            kept = park(name, kept, location(kept))
        # What a call gave may be waited for to end; other things are somebody's.
        letting_go = [park(name, constant(None, at), at)] if of_call else []
        if isinstance(called, ast.Attribute):
            called.value = kept
            return [*more, note_before(name, called.attr, mark, values, at), *letting_go]
        node.func = kept
        return [*more, note_before(name, "", mark, values, at), *letting_go]


def _note_argument(
    node: ast.Call, index: int, sign: str, hook: str, given: list[ast.expr], late: bool, at: Location
) -> None:
    """`late`: not before the last argument of the call is known."""
    value = argument_at(node, index)
    if late:
        noted = noted_at_last(node, value, hook, *given)
    else:
        noted = call(placeholder(hook, at), [*given, value], at)
    small = len(walk(value)) <= SMALL  # then it may stand there twice
    put_argument(node, index, ast.IfExp(is_on(sign, at), noted, value, **at) if small else noted)


def note_before(name: str, method: str, mark: ast.Constant, values: list[ast.expr], at: Location) -> ast.expr:
    """An expression that notes values before `name(…)`, or `name.method(…)`, where that may be strange; it is false."""
    if method:
        told: list[ast.expr] = [mark, load(name, at), constant(method, at), *values]
        hook = "note_appending_to" if method == APPEND_TO else "note_handed_to"
        note = call(placeholder(hook, at), told, at)
        return both([*_may_be_strange_method(name, method, at), note], at)
    checks: list[ast.expr] = [is_on("strangers", at)]
    own = [_is_recorded(name, at), _is_in(load(name, at), "familiar", at)]
    checks += [ast.UnaryOp(ast.Not(), each, **at) for each in own]
    return both([*checks, call(placeholder("note_handed", at), [mark, load(name, at), *values], at)], at)


def _root_of(called: ast.expr) -> ast.expr:
    """What stands in front of a path of attributes."""
    while isinstance(called, ast.Attribute):
        called = called.value
    return called


def _is_changing(called: ast.expr) -> bool:
    """Whether it is a method of a builtin class that changes what it is called with: `list.append`."""
    if not (isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name)):
        return False
    return called.attr in METHOD_NAMES and called.value.id in CONTAINER_CLASSES


def function_given(node: ast.Call) -> ast.expr | None:
    """The argument of a call that is a function which it calls."""
    where = _CALLING.get(called_by(node.func))
    if where is None:
        return None
    if type(where) is int:
        return node.args[where] if where < len(node.args) else None
    return next((keyword.value for keyword in node.keywords if keyword.arg == where), None)


def note_asked(mark: ast.Constant, value: ast.expr, at: Location) -> ast.expr:
    """An expression that notes what a generator of strangers has in hand, before it is asked, and is false."""
    table = subscript(placeholder("may_work", at), kind_of(value, at), at)
    note = call(placeholder("note_used", at), [mark, repeated(value, at)], at)
    # It gives the value, which must not be asked whether it is true.
    return both([is_on("strangers", at), table, same(note, placeholder("absent", at), at)], at)


def _asked(node: ast.Call, handed: list[int]) -> list[int]:
    """The positions of arguments that may be iterators or coroutines, where those are asked."""
    name = called_by(node.func)
    if name not in _ASKING:
        return []
    if name in ("min", "max") and len(node.args) > 1:
        return []
    return [index for index in handed if not isinstance(argument_at(node, index), _DISPLAYS)]


def _may_be_strange_method(name: str, method: str, at: Location) -> list[ast.expr]:
    table = subscript(placeholder(f"strangers:{method}", at), kind_of(load(name, at), at), at)
    return [is_on(f"sign:{method}", at), table]


def _is_recorded(name: str, at: Location) -> ast.expr:
    """Whether a name stands for a recorded function, without a frame of ours."""
    is_function = same(kind_of(load(name, at), at), placeholder("function", at), at)
    return both([is_function, _is_in(attribute(load(name, at), "__code__", at), "recorded", at)], at)


def kind_of(value: ast.expr, at: Location) -> ast.expr:
    return call(placeholder("type", at), [value], at)


def _is_in(value: ast.expr, ids: str, at: Location) -> ast.expr:
    number = call(placeholder("id", at), [value], at)
    return ast.Compare(number, [ast.In()], [placeholder(ids, at)], **at)


def is_on(sign: str, at: Location) -> ast.expr:
    return attribute(placeholder(sign, at), "on", at)


def _tells(called: ast.expr) -> bool:
    """Whether what is called comes with something: what is behind `super()` is the caller's own, but not made yet."""
    if not isinstance(called, ast.Attribute) or called.attr == "__init__":
        return True
    return not (isinstance(called.value, ast.Call) and called_by(called.value.func) == "super")


def names_handed(node: ast.Call, at: Location) -> list[ast.expr]:
    """The names among the arguments of a call, once more."""
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    return [load(value.id, at) for value in values if isinstance(value, ast.Name)]


def argument_at(node: ast.Call, index: int) -> ast.expr:
    """By position, keywords last; of what stands after stars, what they are put before."""
    value = node.args[index] if index < len(node.args) else node.keywords[index - len(node.args)].value
    return value.value if isinstance(value, ast.Starred) else value


def put_argument(node: ast.Call, index: int, value: ast.expr) -> None:
    if index >= len(node.args):
        node.keywords[index - len(node.args)].value = value
    elif isinstance(node.args[index], ast.Starred):
        node.args[index].value = value  # type: ignore[attr-defined]
    else:
        node.args[index] = value


def _is_of_concern(value: ast.expr) -> bool:
    value = value.value if isinstance(value, ast.Starred) else value
    return not isinstance(value, _OF_NO_CONCERN) or (
        isinstance(value, ast.BinOp) and _may_be_container(value)
    )


def _may_be_container(value: ast.expr) -> bool:
    """Whether what an operator gives may be a new container, in which there are objects of the program."""
    if isinstance(value, ast.BinOp):
        either_one = (ast.Mult,) if ast.Constant in (type(value.left), type(value.right)) else _OF_CONTAINERS
        return isinstance(value.op, either_one) and any(map(_may_be_container, (value.left, value.right)))
    return not isinstance(value, _OF_NO_CONCERN)


_OF_CONTAINERS = (ast.Add, ast.Mult, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor)
