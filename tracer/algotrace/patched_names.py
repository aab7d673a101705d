"""What `unittest.mock.patch` and pytest's `monkeypatch` store into modules, classes, objects and dicts, and back, is noted as a
`setattr` of the program would be: names of modules are bound so in many a test, and nothing else tells.
"""

from __future__ import annotations

import sys
from typing import Any

from algotrace import BUILTINS
from algotrace.exchanged_code import AroundStores, exchange, text_of
from algotrace.giving import LENT, is_of_module, note_all_names
from algotrace.hooks import note_set_by_others
from algotrace.scope import Scope
from algotrace.streams import STREAMS, UNITS
from algotrace.undo import CONTAINERS, witness

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_STORING: dict[str, dict[str, tuple[str, ...]]] = {
    "unittest.mock": {"_patch": ("__enter__", "__exit__"), "_patch_dict": ("_patch_dict", "_unpatch_dict")},
    "_pytest.monkeypatch": {"MonkeyPatch": ("setattr", "delattr", "setitem", "delitem", "undo")},
}

note_setting = note_set_by_others


def adapt(module: Any, scope: Scope) -> None:
    """Called when one of them has been imported."""
    lines = text_of(module)
    for owner, names in _STORING[module.__name__].items():
        cls = vars(module).get(owner)
        functions = [vars(cls).get(name) for name in names] if isinstance(cls, type) else [None]
        if not all(
            exchange(each, module, AroundStores(), sys.modules[__name__], lines) for each in functions
        ):
            LENT.on = True  # so that what it is given at a call is not certain from then on


def note_changing(mapping: Any) -> None:
    """Before a dict is changed."""
    if not UNITS.units:
        return
    first = UNITS.units[0].mark_base
    if is_of_module(mapping):
        note_all_names(UNITS.marks[first + 3], mapping)
    elif CONTAINERS[type(mapping)]:
        STREAMS.events.extend((UNITS.marks[first], mapping, witness(mapping)))


def note_changed(mapping: Any) -> None:
    if UNITS.units and CONTAINERS[type(mapping)] and not is_of_module(mapping):
        STREAMS.events.extend((UNITS.marks[UNITS.units[0].mark_base + 1], mapping, witness(mapping)))
