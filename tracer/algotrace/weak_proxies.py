"""Objects behind weak proxies: `weakref.proxy(box).width = 3` changes `box`, and so it is told.

Notes have the proxy, as the program does: what undoes a change is read from the object, and that it is the object which
was written is found out when events are read, as long as it lives. A proxy as a value is itself.
"""

from __future__ import annotations

from _weakref import CallableProxyType, ProxyType
from typing import Any

from algotrace import BUILTINS
from algotrace.marks import ABSENT

__builtins__ = BUILTINS  # type: ignore[assignment]  # of the functions defined from here on

PROXIES = frozenset(map(id, (ProxyType, CallableProxyType)))


class _Asking:
    """No code of the program runs: a proxy among the operands is first declined, then has Python try again with its object in
    its place, and the left operand is always asked first, as the object's class does not derive from this one."""

    def __or__(self, operand: Any) -> Any:
        return NotImplemented if id(type(operand)) in PROXIES else (operand,)


_ASKING = _Asking()


def behind(proxy: Any) -> Any:
    """The object of a proxy; ABSENT where that has ended."""
    try:
        return (_ASKING | proxy)[0]
    except ReferenceError:
        return ABSENT


def seen_through(obj: Any) -> Any:
    """The object behind a proxy, else the object itself."""
    if id(type(obj)) in PROXIES:
        found = behind(obj)
        return obj if found is ABSENT else found
    return obj
