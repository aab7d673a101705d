"""What is true about each call of a program with planted defects: the program without them does the same, or not.

Both versions are run natively, each function of them watched. When a wanted call of the defective version begins, all
that it can reach is copied into the world of the other version (arguments, globals, attributes of classes, defaults,
variables of functions around), that version's function runs on the copy, then the defective one goes on. Both must
give the same: result or exception, what is printed, and all state afterwards, with the same objects in common. A
generator is compared from value to value; what happened between them is carried over.

Nothing of the recorder takes part, so this is a second opinion on everything a trace tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pairing import Pairing
from watched_programs import MORE_FUEL, Different, Exhausted, Probe, Undecided, Watched, World, tokens


class _Judged(BaseException):
    """All that was wanted is known."""


class Judge(Probe):
    """Tells for some calls, none of them inside another, whether the version without the defects does the same.

    And what was there before and after each of them, to be compared with what the trace tells.
    """

    def __init__(self, here: World, there: World, wanted: set[int]) -> None:
        super().__init__()
        self.here = here
        self.there = there
        self.wanted = wanted
        self.verdicts: dict[int, bool] = {}
        self.reasons: dict[int, str] = {}
        self.before: dict[int, list[str]] = {}
        self.after: dict[int, list[str]] = {}

    def _decide(self, number: int, reason: str) -> None:
        self.verdicts.setdefault(number, not reason)
        self.reasons.setdefault(number, reason)

    def _enough(self) -> None:
        if self.wanted <= self.verdicts.keys():
            raise _Judged

    def _there(self, step: Callable[[], Any]) -> tuple[str, Any]:
        self.there.fuel = MORE_FUEL
        try:
            return "return", step()
        except StopIteration as stop:
            return "stop", stop.value
        except (Exhausted, RecursionError):
            raise Undecided("too long without the defects") from None
        except Exception as error:
            return "raise", error

    def run(self, number: int, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if number not in self.wanted:
            return watched.function(*args, **keywords)
        pairing = Pairing(self.here, self.there)
        pairing.carry_over()
        function, given, named = pairing.copy(watched), pairing.copy(args), pairing.copy(keywords)
        shown = _bound(watched, args, keywords)
        self.before[number] = tokens(shown)
        self.there.printed = []
        printed = len(self.here.printed)
        theirs = self._there(lambda: function(*given, **named))
        raised: BaseException | None = None
        try:
            ours: tuple[str, Any] = "return", watched.function(*args, **keywords)
        except Exception as error:
            ours, raised = ("raise", error), error
        self.after[number] = [ours[0], *tokens([ours[1], *shown])]
        self._compare(number, pairing, ours, theirs, self.here.printed[printed:])
        self._decide(number, "")
        self._enough()
        if raised is not None:
            raise raised
        return ours[1]

    def _compare(
        self,
        number: int,
        pairing: Pairing,
        ours: tuple[str, Any],
        theirs: tuple[str, Any],
        printed: list[str],
    ) -> bool:
        try:
            if ours[0] != theirs[0]:
                raise Different(f"{ours} for {theirs}"[:300])
            if printed != self.there.printed:
                raise Different("what was printed")
            pairing.compare([(ours[1], theirs[1])])
        except Different as reason:
            self._decide(number, str(reason))
            return False
        return True

    def steps(
        self, number: int, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Iterator[Any]:
        ours = watched.function(*args, **keywords)
        if number not in self.wanted:
            return (yield from ours)
        pairing = Pairing(self.here, self.there)
        pairing.carry_over()
        function, given, named = pairing.copy(watched), pairing.copy(args), pairing.copy(keywords)
        self.before[number] = tokens(_bound(watched, args, keywords))
        theirs = function.function(*given, **named)
        again = False
        while True:
            if again:
                pairing.carry_over(again)
            again, self.there.printed, printed = True, [], len(self.here.printed)
            other = self._there(lambda: next(theirs))
            raised: BaseException | None = None
            try:
                one: tuple[str, Any] = "return", next(ours)
            except StopIteration as stop:
                one = "stop", stop.value
            except Exception as error:
                one, raised = ("raise", error), error
            same = self._compare(number, pairing, one, other, self.here.printed[printed:])
            if same and one[0] != "return":
                self._decide(number, "")
            self._enough()
            if not same and one[0] == "return":
                yield one[1]
                return (yield from ours)
            if raised is not None:
                raise raised
            if one[0] == "stop":
                return one[1]
            yield one[1]

    def judge(self) -> dict[int, bool]:
        """By number of the call. Raises Undecided."""
        self.here.begin()
        self.here.probe = self
        try:
            self.here.run()
        except _Judged:
            pass
        except Exhausted:
            raise Undecided("other than before") from None
        finally:
            self.here.probe = None
        for number in self.wanted:  # a generator that was left where it was
            if number < len(self.parents):
                self._decide(number, "")
        return self.verdicts


class Spoiled:
    """In the place of something that was not looked at."""


class Spoil(NamedTuple):
    """What is replaced: attributes of objects, by their class; parameters; items of what can be reached from arguments."""

    leaves_out: Callable[[str, str], bool]
    parameters: frozenset[str]
    items: Callable[[tuple[Any, ...]], list[tuple[Any, Any]]]  # arguments → (list or dict, index or key)


class Spoiling(Judge):
    """Runs calls a second time with what they did not look at replaced, in a second world of the same version.

    `spoils` says what: see `Spoil`.
    """

    def __init__(self, here: World, there: World, wanted: dict[int, Spoil]) -> None:
        super().__init__(here, there, set(wanted))
        self.spoils = wanted
        self.spoiled = 0

    def run(self, number: int, watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if number not in self.wanted or keywords:
            return watched.function(*args, **keywords)
        leaves_out, parameters, items = self.spoils[number]
        pairing = Pairing(self.here, self.there)
        pairing.carry_over()
        function, given = pairing.copy(watched), list(pairing.copy(args))
        names = watched.function.__code__.co_varnames
        for at, name in enumerate(names[: len(given)]):
            if name in parameters:
                given[at] = Spoiled()
                self.spoiled += 1
        back: list[tuple[Any, str, Any]] = []
        for other in pairing.kept[1::2]:
            if type(other).__name__ not in self.there.classes:
                continue
            for name, value in list(vars(other).items()):
                if leaves_out(type(other).__name__, name):
                    back.append((other, name, value))
                    vars(other)[name] = Spoiled()
        unseen = [(pairing.to[id(held)], key) for held, key in items(args)]
        values = [held[key] for held, key in unseen]
        for held, key in unseen:
            held[key] = Spoiled()
        self.spoiled += len(back) + len(unseen)
        self.there.printed = []
        printed = len(self.here.printed)
        theirs = self._there(lambda: function(*given))
        for other, name, value in back:
            if type(vars(other).get(name)) is not Spoiled:
                self._decide(number, f"{name} was written")
            vars(other)[name] = value
        for (held, key), value in zip(unseen, values, strict=True):
            there = held.get(key) if isinstance(held, dict) else held[key] if key < len(held) else None
            if type(there) is not Spoiled:
                self._decide(number, f"item {key} was written")
            else:
                held[key] = value
        raised: BaseException | None = None
        try:
            ours: tuple[str, Any] = "return", watched.function(*args)
        except Exception as error:
            ours, raised = ("raise", error), error
        self._compare(number, pairing, ours, theirs, self.here.printed[printed:])
        self._decide(number, "")
        self._enough()
        if raised is not None:
            raise raised
        return ours[1]


def _bound(watched: Watched, args: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
    """The values of the parameters, in order."""
    code, defaults = watched.function.__code__, watched.function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    values = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    values.update(zip(names, args, strict=False))
    values.update(keywords)
    return [values[name] for name in names if name in values]
