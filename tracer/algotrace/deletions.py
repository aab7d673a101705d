"""Before a key of a dict goes: what has to be kept so that the order of its keys can be told for any earlier time.

Where a key stood cannot be read without going through all of them. So a copy of the dict is kept, and the next one only
when as many keys went as it had then: for each deletion that costs what making the dict did. In between, the stores tell
the order (see `key_order`). Not here: what undoes the deletion, see `undo`.
"""

from __future__ import annotations

from typing import Any

from algotrace import BUILTINS

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

_FEW = 8  # deletions from the smallest dicts until the next copy
# id of a dict → how many more of its keys may go. The events hold those dicts, so that the ids stay their own.
_left: dict[int, int] = {}


def is_copy_due(container: dict[Any, Any]) -> bool:
    """Whether to copy a dict of which a key is about to go."""
    size = dict.__len__(container)
    if not size:
        return False
    left = _left.get(id(container), 0)
    _left[id(container)] = left - 1 if left else max(size, _FEW)
    return not left


def order_may_change(container: dict[Any, Any]) -> None:
    """All of a dict is about to be changed: what was kept tells nothing about later."""
    _left.pop(id(container), None)


def forget() -> None:
    """Objects may be let go of: their ids may become those of others."""
    _left.clear()
