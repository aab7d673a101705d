"""A frame that an exception leaves keeps its line: that of the program, not that of our handler.

A routine's outermost handler is ours, and frames know no more than the instruction they ended with, which is our
`raise`: it has no line, and libraries that look at the frames of a traceback trip over a line of None. Python has
what it takes, for `with`: entering a handler can keep the instruction that raised, and RERAISE can put it back. The
compiler uses it for `with` alone, so that the code it makes of our `try` is changed here. No instruction moves.
"""

from __future__ import annotations

import sys
from opcode import opmap
from types import CodeType
from typing import NamedTuple
from collections.abc import Iterator, Set

from algotrace.exception_table import entries, packed
from algotrace.inherited_lines import with_inherited_lines
from algotrace.syntax import PREFIX

_HANDLER = PREFIX + "base_exception"
_EXTENDED_ARG = opmap["EXTENDED_ARG"]
_LOAD_CONST = opmap["LOAD_CONST"]
_RERAISE = opmap["RERAISE"]
_RAISE = opmap["RAISE_VARARGS"]


def keeping_lines(code: CodeType, endings: Set[str]) -> CodeType:
    """The code, and all in it, with our handlers putting back the instruction that raised.

    Handlers of ours are `except <placeholder>:`, and `finally:` where that begins with one of the marks `endings`.
    """
    constants = tuple(
        keeping_lines(value, endings) if type(value) is CodeType else value for value in code.co_consts
    )
    code = code.replace(co_consts=constants)
    if _HANDLER not in constants:
        return code
    if sys.version_info[:2] == (3, 12):
        code = with_inherited_lines(code)
    return _by_blocks(code, endings) if sys.version_info < (3, 11) else _by_table(code, endings)


class _Instruction(NamedTuple):
    at: int  # in bytes, of the opcode
    opcode: int
    argument: int


def _instructions(code: bytes | bytearray, start: int) -> Iterator[_Instruction]:
    extended = 0
    for at in range(start, len(code), 2):
        argument = extended << 8 | code[at + 1]
        extended = argument if code[at] == _EXTENDED_ARG else 0
        if code[at] != _EXTENDED_ARG:
            yield _Instruction(at, code[at], argument)


# All that comes, in a handler of ours, before the placeholder or the first mark.
_BEFORE = {
    opmap.get(name)
    for name in ("PUSH_EXC_INFO", "DUP_TOP", "NOP", "PUSH_NULL", "LOAD_CONST", "LOAD_FAST", "LOAD_ATTR", "LOAD_METHOD", "CACHE")
}  # fmt: skip


def _is_ours(code: CodeType, text: bytes | bytearray, start: int, endings: Set[str]) -> str:
    """Whether the handler that starts there is ours: "except", "finally" or "" for no."""
    for found in _instructions(text, start):
        if found.opcode not in _BEFORE:
            break
        if found.opcode == _LOAD_CONST:
            value = code.co_consts[found.argument]
            if value == _HANDLER:
                return "except"
            if type(value) is tuple and value:
                value = value[0]
            if type(value) is str and value in endings:
                return "finally"
    return ""


# -- Python 3.11 and later: a table says which handler is for which instructions ---------------------------------------

_END = bytes((opmap.get("COPY", 0), 3, opmap["POP_EXCEPT"], 0, _RERAISE, 1))  # of a handler that has raised


def _by_table(code: CodeType, endings: Set[str]) -> CodeType:
    """Entries that lead to a handler of ours keep the instruction; in it there is one value more on the stack."""
    text, table = bytearray(code.co_code), list(entries(code.co_exceptiontable))  # type: ignore[attr-defined]
    changed = False
    for handler in sorted({entry.handler for entry in table}):
        if not (kind := _is_ours(code, text, handler, endings)):
            continue
        last = next((entry.handler for entry in table if entry.start <= handler < entry.end), -1)
        end = last + len(_END)
        inside = [entry for entry in table if handler < entry.handler < end]
        if text[last:end] != _END or any(not handler <= entry.start < end for entry in inside):
            continue  # a compiler that lays out code in a way not known: the line is lost, nothing else
        if kind == "except":  # `raise`, and so its end, comes last
            text[end - 1] = 3
        elif text[last - 2] == _RERAISE and text[last - 1] == 0:
            text[last - 1] = 2
        else:
            continue
        table = [
            entry._replace(kept=True) if entry.handler == handler
            else entry._replace(depth=entry.depth + 1) if entry in inside
            else entry
            for entry in table
        ]  # fmt: skip
        changed = True
    if not changed:
        return code
    return code.replace(  # type: ignore[call-arg]
        co_code=bytes(text), co_exceptiontable=packed(table), co_stacksize=code.co_stacksize + 1
    )


# -- Python 3.10: a stack of blocks, each of which knows the instruction that raised ------------------------------------


def _by_blocks(code: CodeType, endings: Set[str]) -> CodeType:
    """The exception stays on the stack in a handler of ours, so that RERAISE, which takes it from there, can end it."""
    text = bytearray(code.co_code)
    changed = False
    setup, unless, pop, nop = map(
        opmap.__getitem__, ("SETUP_FINALLY", "JUMP_IF_NOT_EXC_MATCH", "POP_TOP", "NOP")
    )
    for found in _instructions(text, 0):
        if found.opcode != setup:
            continue
        handler = found.at + 2 + 2 * found.argument
        kind = _is_ours(code, text, handler, endings)
        if kind == "except":
            tested = next(each for each in _instructions(text, handler) if each.opcode == unless)
            body, end = tested.at + 2, 2 * tested.argument
            if bytes(text[body : body + 6]) != bytes((pop, 0)) * 3 or text[end] != _RERAISE:
                continue  # a compiler not known, see above
            text[body : body + 6] = bytes((nop, 0)) * 3
            for each in _instructions(text, body):
                if each.opcode == _RAISE and each.argument == 0 and each.at < end:
                    text[each.at : each.at + 2] = bytes((_RERAISE, 1))
            changed = True
        elif kind == "finally":
            last = next(each for each in _instructions(text, handler) if each.opcode == _RERAISE)
            text[last.at + 1] = 1
            changed = True
    if not changed:
        return code
    return code.replace(co_code=bytes(text), co_stacksize=code.co_stacksize + 3)
