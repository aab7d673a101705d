"""By whatever means a program changes what others hold: earlier states are had back, or said to be not certain."""

from __future__ import annotations

from pathlib import Path

import pytest
from changing_programs import ARRAYS, PIECES
from watched_states import looks

# What nobody notes leaves some of the states not certain.
NOT_ALL_CERTAIN = frozenset(
    {
        "exec class making", "setters in tables", "all of it is changed before a method that is kept is called", "a call of a library before one that is kept", "partial append", "partial insert", "lazy map", "lazy map stored", "deque map", "filter add",
        "counter update bound", "operator methodcaller", "methods of what an iterator gives", "what a write may hide", "getattr method", "starmap", "zip of generators", "threads with bound",
        "weakref finalize", "contextlib callback", "UserDict", "UserList", "ChainMap", "dict swap", "dict swap 2", "class swap",
        "setattr forms", "array", "bytearray", "bytearray views", "tee chain", "weak dicts",
        "join side effects", "operator", "defaultdict", "queue", "iter mutate", "namespace", "large", "dict with odd keys",
        "int float keys", "timsort interplay", "sorted key append", "heap",
        "sorted insertion class", "string keys and attrs mix", "mock patch object", "sets of objects",
        "struct and buffers", "exec variants", "partial heappush kept", "a special method that is kept",
        "containers that hand themselves over", "a namespace by a name that is worked out", "super under another name", "made by a library", "bound by hand",
        # In a module nothing tells that the code is over, and `look` might have been called by it.
        "exec in function locals", "exec of class attributes",
        # The same of the object itself.
        "setters through a weak proxy", "methods kept through a weak proxy",
        # Its mocks are strangers, to whom a function that is given may belong.
        "deep containers to library",
        # It is another one in each thread.
        "local to a thread",
    }
)  # fmt: skip


# Kept methods that go by names by which other pieces of the same file hand on something: variables of its module, attributes.
BY_NAMES_OF_OTHERS = {
    "a method that is kept, beside others": "module",
    "deques of own classes": "module",
    "method in tuple": "module",
    "bound via dict dispatch": "",
}
# A stranger who has been given a method may have called `look`, which got an exception.
IN_A_MODULE = frozenset({"exceptions"})


@pytest.mark.parametrize("place", ["module", "function", "sees its locals"])
def test_states_are_had_back_or_not_certain(place: str, tmp_path: Path) -> None:
    found = looks(tmp_path, PIECES, place)
    assert len(found) > 800
    assert not [look for look in found if look.certain and look.told != look.seen]
    unsure = {look.piece for look in found if not look.certain}
    by_names = {name for name, where in BY_NAMES_OF_OTHERS.items() if where in ("", place)}
    assert unsure <= NOT_ALL_CERTAIN | by_names | (IN_A_MODULE if place == "module" else set())


@pytest.mark.parametrize("place", ["module", "function", "sees its locals"])
def test_methods_that_are_kept_by_names_of_their_own_leave_all_certain(place: str, tmp_path: Path) -> None:
    for number, name in enumerate(BY_NAMES_OF_OTHERS):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert [look for look in looks(folder, {name: PIECES[name]}, place) if not look.certain] == []


@pytest.mark.parametrize("library", ["numpy", "pandas"])
def test_states_of_arrays_are_never_certain(library: str, tmp_path: Path) -> None:
    pytest.importorskip(library)
    pieces = {name: piece for name, piece in ARRAYS.items() if name.startswith(library)}
    found = looks(tmp_path, pieces, "function")
    assert len(found) > 15
    assert not [look for look in found if look.certain]
