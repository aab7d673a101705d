"""Loops: each iteration is decided by a test."""

from __future__ import annotations

import ast
from typing import Any

from algodebug.slicing import sources, truths
from algodebug.slicing.instances import PART, TEST, Instance
from algodebug.slicing.steps import Disagreement, Left
from algodebug.slicing.trying import Trying
from algotrace import marks


class Loops(Trying):
    """`while`, `for`, and how they are left."""

    def _While(self, node: ast.While) -> None:
        outer = self.control
        left = sources.exits(node.body)
        loop = self.block_of("loop", node)
        broken = False
        while True:
            self.statement_start = len(self.activation.instances)
            item = self.cursor.peek()
            if (
                item is not None
                and item[1] == marks.BLOCK
                and item[2].block in self.blocks.get(("test", self.place(node.test)), ())
            ):
                self.cursor.take()
            value = self.value(node.test)
            self.run_truth(value)
            self.commit(node.test)
            if not self.at_block(loop):
                if self.cursor.peek() is not None and _always(node.test):
                    raise Disagreement("an endless loop ends")
                truths.settle(self.operands, node.test, value, False)
                self.control = self.test(node.test, value, [node.test, *node.body])
                break
            self.cursor.take()
            truths.settle(self.operands, node.test, value, True)
            start = len(self.activation.instances)
            test = self.control = self.test(node.test, value, node.orelse)
            if self.iteration(node, test):
                broken = True
                break
            if not left - {sources.CONTINUE}:
                self.control = test
            if self.caught is not None:
                self.went_well(start)
        self.loop_else(node, broken)
        if not _leaves(node):
            self.control = outer

    def _For(self, node: Any) -> None:
        outer = self.control
        iterable = self.value(node.iter, last=True, iterated=True)
        left = sources.exits(node.body)
        loop = self.block_of("loop", node)
        broken = False
        index = 0
        while True:
            self.statement_start = len(self.activation.instances)
            part = self.new(PART, node.target)
            part.uses.append(iterable)
            part.detail = index
            self.run_iteration(part, iterable, loop, node)
            going_on = self.at_block(loop)
            test = self.new(TEST, node.iter)
            test.shape.append(iterable)
            test.uses += part.shape  # what a `__next__` of the program gave
            part.shape = []
            if part.order in self.activation.ran_in:
                self.activation.iterations[test.order] = (part, not going_on)
            self.activation.tests.append((test, node.orelse if going_on else [node]))
            if not going_on:
                self.commit(node.iter)
                self.control = test
                break
            self.control = part.control = test
            start = len(self.activation.instances)
            self.cursor.take()
            stored: list[tuple[ast.Name, Instance]] = []
            self.assign(node.target, part, stored)
            self.take_stored(stored)
            if self.iteration(node, test):
                broken = True
                break
            if not left - {sources.CONTINUE}:
                self.control = test
            if self.caught is not None:
                self.went_well(start)
            index += 1
        self.loop_else(node, broken)
        if not _leaves(node):
            self.control = outer

    _AsyncFor = _For

    def iteration(self, node: Any, test: Instance) -> bool:
        """Runs the body once; whether a `break` ended the loop."""
        try:
            self.suite(node.body)
        except Left as jump:
            if jump.kind == sources.BREAK:
                self.skip([node], test)
                return True
        return False

    def loop_else(self, node: Any, broken: bool) -> None:
        if node.orelse and not broken:
            if not self.at_block(self.block_of("arm", node)):
                raise Disagreement("the loop's else did not run")
            self.cursor.take()
            self.suite(node.orelse)

    def _Break(self, node: ast.stmt) -> None:
        self.activation.jumps.append((node, self.control))
        raise Left(sources.BREAK)

    def _Continue(self, node: ast.stmt) -> None:
        self.activation.jumps.append((node, self.control))
        raise Left(sources.CONTINUE)


def _always(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _leaves(node: Any) -> bool:
    """Whether a loop could leave more than itself: what follows then depends on it."""
    jumps = {sources.RETURN, sources.RAISE}
    return bool(sources.exits(node.body) & jumps or (node.orelse and sources.exits(node.orelse)))
