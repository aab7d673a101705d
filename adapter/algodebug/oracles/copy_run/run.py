"""One function run on recorded inputs: the state before is set up, and what comes out is kept for the comparison.

Defaults that calls share and what cached functions remember are part of that state.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import io
import itertools
import sys
import types
from typing import Any

from .closures import Closure
from .comparison import take_over
from .modules import Reference, defaults_of, parameters_of
from .rebuilt import Rebuilt
from .rows import MUTABLE, CannotJudge, Row, short


class Run:
    """One run of a function on recorded inputs: what it was given, and what came out."""

    def __init__(self, reference: Reference, question: dict[str, Any]) -> None:
        self.reference = reference
        self.question = question
        module = reference.load(question["module"], question["file"])
        self.before = before = Rebuilt(question["before"], reference)
        self.closure: Closure | None = None
        if "around" in question:
            given = {name: before.object(number) for name, number in question["around"]}
            self.closure = Closure(
                question["file"], vars(module), question["qualname"], question["line"], given
            )
            self.function = self.closure.function
        else:
            self.function = reference.function(
                question["file"], question["qualname"], question["parameters"], question["line"]
            )
        # What is told apart by identity (sentinels, registries) must be the one that the corrected modules have.
        for module_name, name, number in question["known"]:
            take_over(before, number, reference.namespace(module_name).get(name))
        self.omitted = self._omitted()
        self.arguments = {
            name: before.object(number) for name, number in question["arguments"] if name not in self.omitted
        }
        for module_name, name, number in question["globals"]:
            namespace = self.namespace(module_name)
            if name in namespace or module_name is None:
                namespace[name] = before.object(number)
        for qualname in question["cached in"]:  # the import may have filled them
            self._cached(qualname).cache_clear()
        for qualname, arguments, number in question["caches"]:
            self._prime(qualname, [before.object(part) for part in arguments], before.object(number))
        self.made = set(before.made)

    def namespace(self, module_name: str | None) -> dict[str, Any]:
        return self.function.__globals__ if module_name is None else self.reference.namespace(module_name)

    def _omitted(self) -> set[str]:
        """The parameters that took their default, and have one of another kind here: it is taken again."""
        self.other_defaults = False
        defaults = defaults_of(self.function)
        omitted = set(defaults) - {name for name, _ in self.question["arguments"]}
        for name, number in self.question["arguments"]:
            if name not in defaults:
                continue
            row = self.question["before"][number]
            if name not in self.question["defaulted"] or row[0] in ("instance", "class", "function"):
                take_over(self.before, number, defaults[name])
            elif not is_kind_of(defaults[name], row):
                self.other_defaults = True
                omitted.add(name)
            elif row[0] not in MUTABLE and row[0] != "bytearray":
                omitted.add(name)  # it holds no state
            else:
                take_over(self.before, number, defaults[name])
        return omitted

    def _cached(self, qualname: str) -> Any:
        wrapper = self.reference.named(qualname, self.question["cached in"][qualname])
        inner = getattr(wrapper, "__wrapped__", None)
        if not isinstance(wrapper, functools._lru_cache_wrapper) or not isinstance(inner, types.FunctionType):
            raise CannotJudge(f"the cache of {qualname} cannot be filled")
        return wrapper

    def _prime(self, qualname: str, arguments: list[Any], result: Any) -> None:
        """Lets a cached function remember a result, without running it."""
        inner = self._cached(qualname).__wrapped__
        if inner.__code__.co_freevars:
            raise CannotJudge(f"the cache of {qualname} cannot be filled")
        code, inner.__globals__[_REMEMBERED] = inner.__code__, result
        inner.__code__ = _remembered.__code__
        try:
            self._cached(qualname)(*arguments)
        finally:
            inner.__code__ = code
            del inner.__globals__[_REMEMBERED]

    def _cached_now(self) -> list[tuple[str, Any, int]]:
        """What cached functions would hand out again: (where, object, number of the recorded one)."""
        after = Rebuilt(self.question["after"], self.reference)
        after.objects.update(self.before.objects)
        found = []
        for qualname, parts, number in self.question["caches_after"]:
            wrapper = self._cached(qualname)
            arguments = [after.object(part) for part in parts]
            misses = wrapper.cache_info().misses
            with contextlib.suppress(Exception):
                result = wrapper(*arguments)
                if wrapper.cache_info().misses == misses:
                    found.append(
                        (f"the cached {qualname}({', '.join(map(short, arguments))})", result, number)
                    )
        return found

    def run(self) -> None:
        question, arguments = self.question, dict(self.arguments)
        code = self.function.__code__
        names = parameters_of(self.function)
        if set(arguments) - set(names) or set(names) - set(arguments) - self.omitted:
            raise CannotJudge("the parameters differ")
        count = code.co_argcount
        given = [name for name in names[:count] if name not in self.omitted]
        if given != names[: len(given)]:
            raise CannotJudge("a default before a given argument")
        positional = [arguments[name] for name in given]
        keywords = {
            n: arguments[n] for n in names[count : count + code.co_kwonlyargcount] if n not in self.omitted
        }
        rest = names[count + code.co_kwonlyargcount :]
        if code.co_flags & 0x04:
            more = arguments[rest.pop(0)]
            if more and len(given) < count:
                raise CannotJudge("a default before a given argument")
            positional += more
        if code.co_flags & 0x08:
            keywords.update(arguments[rest.pop(0)])
        wanted = question["outcome"]
        self.printed = sys.stdout = io.StringIO()
        self.existed = set(map(id, gc.get_objects())) - self.made
        self.raised = False
        self.iterated = False
        try:
            outcome = self.function(*positional, **keywords)
            if isinstance(outcome, types.CoroutineType):
                outcome = asyncio.run(outcome)
            elif isinstance(outcome, types.GeneratorType | types.AsyncGeneratorType) and wanted["generator"]:
                # Only as far as it was asked for when it was recorded.
                self.iterated = True
                number, kind = wanted["value"], wanted["kind"]
                count = len(question["after"][number][2]) if kind == "yield" else 0
                whole = wanted["complete"] or kind in ("raise", "return")
                if isinstance(outcome, types.GeneratorType):
                    outcome = list(itertools.islice(outcome, None if whole else count))
                else:
                    outcome = asyncio.run(_taken(outcome, None if whole else count))
        except BaseException as error:
            outcome, self.raised = error, True
        self.outcome: Any = outcome

    def check(self) -> None:
        """Raises CannotJudge for errors that say more about this process than about the program."""
        wanted, error = self.question["outcome"], self.outcome
        if not self.raised or not isinstance(error, CannotJudge | NameError | ImportError | RecursionError):
            return
        number = wanted["value"]
        raised = wanted["kind"] == "raise" and number is not None
        recorded = self.question["after"][number][1][0] if raised else ""
        if not raised or recorded != type(error).__qualname__:
            raise CannotJudge(f"the reference raised {short(error)}")

    def pairs(self) -> list[tuple[str, Any, int]]:
        """(where, object, number of the recorded one): the result, and all that may have been changed."""
        question, number = self.question, self.question["outcome"]["value"]
        pairs: list[tuple[str, Any, int]] = []
        if number is not None:
            pairs.append(("the result", self.outcome, number))
        pairs += [
            (name, self.arguments[name], after)
            for name, after in question["arguments_after"]
            if name not in self.omitted
        ]
        if self.closure is not None:
            for name, after in question["around_after"]:
                if name in self.closure:
                    pairs.append((name, self.closure.held(name), after))
        for module_name, name, after in question["globals_after"]:
            namespace = self.namespace(module_name)
            if name in namespace:
                pairs.append((name, namespace[name], after))
        return pairs + self._cached_now()


async def _taken(generator: types.AsyncGeneratorType[Any, Any], count: int | None) -> list[Any]:
    """What it yields, all of it or the first few."""
    items: list[Any] = []
    if count != 0:
        async for item in generator:
            items.append(item)
            if len(items) == count:
                break
    return items


_REMEMBERED = "@remembered"


def _remembered(*_: Any, **__: Any) -> Any:
    return globals()["@remembered"]


def is_kind_of(default: Any, row: Row) -> bool:
    """Whether a default is of the type of a recorded one: then what the recorded one held is carried over."""
    if row[0] == "scalar":
        return type(default) is type(row[1])
    cls = type(default)
    if row[0] == "bytearray":
        return cls is bytearray
    if row[0] in ("class", "function", "method", "module"):
        return isinstance(
            default, (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)
        )
    return (cls.__qualname__, cls.__module__) == tuple(row[1]) or cls.__qualname__ == row[1][0]
