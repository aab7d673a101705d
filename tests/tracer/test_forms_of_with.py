"""Python's compilers take what is made of a `with`, wherever it stands and however its body ends.

Some of them refuse code that is legal, or crash; a file of which a piece is refused is not recorded at all. Left out: what
is recorded of them, of which other tests tell.
"""

from __future__ import annotations

import itertools
import textwrap

import pytest

from algotrace.loader import instrument

KINDS = {
    "function": ("def f(a, b):", "with", "g()"),
    "generator": ("def f(a, b):", "with", "yield a"),
    "coroutine": ("async def f(a, b):", "with", "await a"),
    "async with": ("async def f(a, b):", "async with", "await a"),
    "async generator": ("async def f(a, b):", "async with", "yield a"),
    "generator that sees its locals": ("def f(a, b):", "with", "yield locals()"),
}
ENDS = (
    "pass",
    "{wait}",
    "x = {wait_value}",
    "return",
    "raise ValueError",
    "if a: {wait}",
    "if a:\n    {wait}\nelse:\n    g()",
    "if a: return",
    "for x in a: {wait}",
    "for x in a:\n    if x: break\n    {wait}",
    "while a:\n    {wait}\n    continue",
    "try: {wait}\nexcept KeyError: g()",
    "try: {wait}\nfinally: g()",
    "try:\n    g()\nexcept KeyError:\n    {wait}\nelse:\n    if a: b()",
    "match a:\n    case [x]: {wait}",
    "{with_} b as y: {wait}",
    "{with_} b as y:\n    if y: {wait}",
    "def inner(): return a\n{wait}",
    "x = [y for y in a if y]",
    "assert a, {wait_value}",
    "del a",
)
AROUND = (
    "{}",
    "for i in b:\n{}",
    "try:\n{}\nexcept OSError: pass",
    "try:\n{}\nfinally: g()",
    "try: g()\nfinally:\n{}",
    "if b:\n{}",
    "while b:\n{}\n    break",
)
AFTER = ("", "g()", "return")


@pytest.mark.parametrize("kind", KINDS)
def test_a_with_is_compiled_whatever_it_ends_with(kind: str) -> None:
    head, with_, wait = KINDS[kind]
    refused = []
    for end, around, after in itertools.product(ENDS, AROUND, AFTER):
        body = end.format(wait=wait, wait_value=f"({wait})", with_=with_)
        block = f"{with_} open(a) as f:\n" + textwrap.indent(body, "    ")
        inner = block if around == "{}" else textwrap.indent(block, "    ")
        text = f"{head}\n" + textwrap.indent(around.format(inner) + f"\n{after}\n", "    ")
        compile(text, "<plain>", "exec")
        made = instrument(text.encode(), "/somewhere/program.py")
        if isinstance(made, str):
            refused.append(f"{made}\n{text}")
    assert not refused, f"{len(refused)}: {refused[0]}"
