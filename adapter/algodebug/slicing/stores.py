"""Binding names, storing into objects, deleting: the writes of the trace find their instances."""

from __future__ import annotations

import ast
from typing import Any, NoReturn

from algodebug.slicing.instances import (
    ATTRIBUTE,
    CHOICE,
    DISPLAY,
    OPERATION,
    PART,
    REFUSED,
    STORE,
    WRITE,
    Instance,
)
from algodebug.slicing.running import Running
from algodebug.slicing.special_methods import STORING
from algodebug.slicing.steps import CHILD, Disagreement, Item, Thrown
from algotrace import marks

_OUTCOME_RAISED = 1
# Marks that do not name the object that is written to first: a name has none, of what is passed it may be any.
_NO_OBJECT = frozenset({marks.NAME, marks.SET, marks.PASSED, marks.PRINTED})

_ELSEWHERE = (marks.BLOCK, marks.HANDLER, marks.RAISE, marks.RETURN)

_TAKEN = 3  # parts of a note that tells what was taken out of a set
_SEVERAL = frozenset({marks.PASSED, marks.NAMED, marks.CONTENT})  # of which a call may have more than one


class Stores(Running):
    """Targets of all kinds."""

    def assign(self, target: Any, value: Instance, stored: list[tuple[ast.Name, Instance]]) -> None:
        """Bind or store; names are noted in `stored`, their values come at the end of the statement."""
        if isinstance(target, ast.Name):
            if not self.is_module and target.id in self.scope.globals | self.scope.nonlocals:
                if target in self.marked:
                    self.marked.discard(target)
                else:
                    self.take_name_mark(target.id, value)
                made = self.effect(STORE, target)
                made.copy = value
                for write in reversed(self.activation.writes.values()):  # where the mark was
                    if write.detail == target.id and write.kind == WRITE:
                        write.node = target
                        break
                return
            made = self.effect(STORE, target)
            made.copy = value
            made.number, made.value = value.number, value.value
            made.detail = target.id
            self.set_name(target.id, made)
            stored.append((target, made))
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.unpack(target, value, stored)
        elif isinstance(target, ast.Attribute):
            self.store_part(target, self.value(target.value), None, value)
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            self.put_by(target)
            self.store_part(target, base, self.value(target.slice), value)
        else:
            raise Disagreement(f"target {type(target).__name__}")

    def unpack(self, target: Any, value: Instance, stored: list[tuple[ast.Name, Instance]]) -> None:
        starred = next((n for n, part in enumerate(target.elts) if isinstance(part, ast.Starred)), None)
        shown = self.graph.origin(value)
        size = len(shown.detail) if shown.kind == DISPLAY and type(shown.detail) is list else -1
        if ran := self.run_iterated(value, alone=True):
            value = self.consumed(value, ran)
        for index, part in enumerate(target.elts):
            made = self.new(PART, part)
            made.uses.append(value)
            if isinstance(part, ast.Starred):
                made.kind = OPERATION
                made.deep.append(value)
                self.assign(part.value, made, stored)
                continue
            if starred is not None and index > starred:
                made.detail = index - len(target.elts)
            else:
                made.detail = index
            if size == len(target.elts) and starred is None:
                element = shown.detail[index]
                made.number, made.value = element.number, element.value
            self.assign(part, made, stored)

    def take_stored(self, stored: list[tuple[ast.Name, Instance]]) -> None:
        for target, made in stored:
            if self.class_names is not None:
                continue
            if self.is_module:
                while self.comes_next(marks.PASSED):  # what an operator may have handed on
                    self.pass_over()
                item = self.cursor.peek()
                if (
                    item is not None
                    and item[1] == marks.SET
                    and item[2].at is not None
                    and tuple(item[2].at) == self.place(target)
                ):
                    self.cursor.take()
                    self.activation.writes[item[0]] = made
                    if item[3]:
                        self.learn(made, item[3][0])
                continue
            number = self.take_value("store", target)
            if number > 0:
                self.learn(made, number)
            elif number < 0:
                self.cut(target)

    def store_part(self, target: Any, base: Instance, key: Instance | None, value: Instance) -> None:
        """`base.name = value`, `base[key] = value`."""
        if self.refused is not None and self.refused[0] is target:
            self.refuse(target, self.refused[1], base, key)
        made = self.effect(WRITE, target)
        made.copy = value
        made.uses = [base] if key is None else [base, key]
        made.detail = target.attr if isinstance(target, ast.Attribute) else None
        made.number, made.value = value.number, value.value
        self.claim(made, target)
        self.run_stored(made, target)
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            ran = self.run_iterated(value)
            if ran:
                made.copy = self.consumed(value, ran)

    def refuse(self, target: Any, statement: ast.AST, base: Instance, key: Instance | None) -> NoReturn:
        """What a store failed with is evaluated, then it counts for the exception."""
        self.refused = None
        failed = self.new(OPERATION, None)
        failed.shape, failed.uses = [base], [] if key is None else [key]
        failed.detail = REFUSED
        self.claim(failed, target)  # it was noted, and then refused
        raise Thrown(self.thrown(statement))

    def delete(self, target: Any) -> None:
        made = self.effect(WRITE, target)
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                if isinstance(part, ast.Name):
                    self.environment.pop(part.id, None)
                else:
                    self.delete(part)
            return
        made.uses.append(self.value(target.value))
        if isinstance(target, ast.Subscript):
            self.put_by(target)
            made.uses.append(self.value(target.slice))
        else:
            made.detail = target.attr
        made.time = self.cursor.now
        self.claim(made, target)
        self.run_stored(made, target)

    def put_by(self, node: ast.AST) -> bool:
        """A change that is noted before what it needs is evaluated: that does not see what it does."""
        item = self.cursor.peek()
        if (
            item is None
            or item[1] not in marks.WRITES
            or item[2].at is None
            or tuple(item[2].at) != self.place(node)
        ):
            return False
        self.cursor.unclaimed.append(self.cursor.take())
        while (other := self.cursor.peek()) is not None and other[1] == marks.NAMED:
            if other[2].at is None or tuple(other[2].at) != self.place(node):
                break
            self.cursor.unclaimed.append(self.cursor.take())  # of `box.__init__()`: all that there is already
        self.cursor.now = item[0]
        return True

    def is_default_noted(self, target: ast.Subscript) -> bool:
        """Whether the item that `d[k] += …` stores is noted twice: before it is read, too, which may put a default there."""
        item, place = self.cursor.peek(), self.place(target)
        if item is None or not _is_store_at(item, place):
            return False
        for after in self.cursor.items[self.cursor.at + 1 :]:
            if _is_store_at(after, place):
                return True
            is_arm = after[1] == marks.BLOCK and self.trace.blocks[after[2].block].kind == "arm"
            if after[1] in _ELSEWHERE and not is_arm:
                break
        return False

    def claim(self, made: Instance, node: ast.AST) -> bool:
        """Take the write marks of a place; those passed over before count too."""
        place = self.place(node)
        found = False
        if place in self.claimed:
            self.cursor.unclaimed[:] = [
                item for item in self.cursor.unclaimed if not self.belongs_to_call_before(item)
            ]
        several = _SEVERAL if isinstance(node, ast.Call) else frozenset({marks.PASSED})
        has_passed = False  # a namespace, of which the names follow
        for item in list(self.cursor.unclaimed):
            if item[2].at is None or tuple(item[2].at) != place:
                continue
            if has_passed and item[1] != marks.NAMED:
                break
            self._made(made, item)
            self.cursor.unclaimed.remove(item)
            self.cursor.now = max(self.cursor.now, item[0] + 1)
            found = True
            self.claimed[place] = made
            if item[1] not in several:
                return True
            has_passed = has_passed or item[1] == marks.PASSED
        while (item_ := self.cursor.peek()) is not None and item_[1] in marks.WRITES:
            at = item_[2].at
            if at is None or tuple(at) != place:
                break
            self.cursor.take()
            self._made(made, item_)
            found = True
            if item_[1] not in several:
                break  # the next at this place is of the next round of a comprehension
        if found:
            self.claimed[place] = made
        return found

    def _made(self, made: Instance, item: Item) -> None:
        self.activation.writes[item[0]] = made
        after = self.cursor.peek()
        if after is not None and self._is_told_again(item, after):
            self.activation.writes[self.cursor.take()[0]] = made
        if item[3] and made.uses and item[1] not in _NO_OBJECT:
            self.learn(made.uses[0], item[3][0])
            if made.uses[0].kind == ATTRIBUTE:
                self.graph.changed_by_name.setdefault(made.uses[0].detail, []).append(made.uses[0])

    def _is_told_again(self, item: Item, after: Item) -> bool:
        """`pop` of a set is noted once more when it is known what it took."""
        if item[1] != marks.MUTATE or after[1] != marks.MUTATE or item[2].at != after[2].at:
            return False
        row = self.trace.row(after[3][1])
        return item[3][0] == after[3][0] and type(row) is list and len(row[-1]) == _TAKEN

    def take_in_place(self, node: ast.AugAssign, made: Instance, before: Instance, right: Instance) -> None:
        """`x += …` of a list, a dict, a set: the object itself is changed."""
        item = self.cursor.peek()
        if item is None or item[1] != marks.MUTATE or not item[2].label.endswith("="):
            return
        self.cursor.take()
        write = self.effect(WRITE, node)
        write.uses.append(before)
        write.deep.append(right)
        write.detail = "+="
        self.activation.writes[item[0]] = write
        if item[3]:
            self.learn(before, item[3][0])
        made.copy = before
        made.uses.append(write)
        made.deep = []
        made.kind = CHOICE

    def run_stored(self, made: Instance, target: Any) -> None:
        """Special methods that a store ran, or the function of a property."""
        item = self.cursor.peek()
        if item is not None and isinstance(target, ast.Attribute):
            if item[1] == CHILD and self.graph.is_property(item[2], target.attr):
                self.cursor.take()
                self.called_by(made, item[2])
                if self.trace.outcome_kind[item[2]] == _OUTCOME_RAISED:
                    self.rethrow(made)
            elif item[1] == marks.ENTER and self.coming_special((f".{target.attr}",)):
                self.run_inline(made)
        self.run_operators(made, STORING)

    def run_in_place(self, made: Instance, right: Instance) -> None:
        """What `x += …` ran of the program."""
        ran = self.run_iterated(right)
        if ran:
            given = self.consumed(right, ran)
            if made.kind == CHOICE:
                made.uses[-1].deep = [given]  # the write
            else:
                made.deep.append(given)
        self.run_others(made)

    def bind_pattern(self, pattern: ast.AST, subject: Instance) -> None:
        found: dict[str, Any] = {}
        for node in ast.walk(pattern):
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if isinstance(name, str):
                found.setdefault(name, node)
        for name, node in found.items():
            made = self.new(OPERATION, node)
            made.deep.append(subject)
            stored = self.new(STORE, node)
            stored.copy = made
            stored.detail = name
            self.set_name(name, stored)
            if not self.is_module:
                number = self.take_value("store", node)
                if number > 0:
                    self.learn(stored, number)
                elif number < 0:
                    self.cut(node)


def _is_store_at(item: Item, place: Any) -> bool:
    return item[1] == marks.ITEM and item[2].at is not None and tuple(item[2].at) == place
