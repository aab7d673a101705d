"""Comprehensions: taken apart, element by element, where events and values tell how; else taken as one."""

from __future__ import annotations

import ast
from typing import Any

from algodebug.slicing import each_element, sources
from algodebug.slicing.calling import Calling
from algodebug.slicing.frame import arguments_of
from algodebug.slicing.instances import DISPLAY, OPERATION, PART, TEST, Called, Instance
from algodebug.slicing.steps import Disagreement, Thrown

_MOST_ELEMENTS = 5000  # of a comprehension followed one by one


class Unfollowed(Exception):
    """A comprehension cannot be taken apart."""


class Comprehensions(Calling):
    """`[f(x) for x in xs]`"""

    def _eval_GeneratorExp(self, node: Any) -> Instance:
        """It runs when somebody asks it to: all it could use counts."""
        first = self.value(node.generators[0].iter)
        made = self.lump(node, first)
        self.note_functions_called(node, made, first)
        self.note_comprehended(node, [first])
        return made

    def note_comprehended(self, node: Any, iterables: list[Instance]) -> None:
        """With more elements in what it goes through, what it does for each would have been done once more."""
        loop = each_element.comprehended(self.files, node)
        if loop is not None:
            test = self.new(TEST, None)
            test.shape += iterables
            self.activation.tests.append((test, [loop]))

    def _eval_ListComp(self, node: Any) -> Instance:
        cursor, instances = self.cursor, self.activation.instances
        saved = (
            cursor.at,
            cursor.now,
            len(instances),
            self.control,
            dict(self.environment),
            len(self.activation.tests),
            len(self.activation.inlines),
            cursor.unclaimed[:],
        )
        outer = self.comprehension, self.comprehended
        self.comprehension = node
        self.comprehended = self.comprehended | {
            name for generator in node.generators for name in sources.names_bound([generator.target])
        }
        try:
            elements: list[Any] = []
            filters: list[tuple[int, Instance]] = []
            self.each(node, node.generators, elements, filters)
            self.control = saved[3]
            made = self.new(DISPLAY, node)
            if isinstance(node, ast.ListComp):
                made.detail = elements
                self.activation.filters[made.order] = filters
            else:
                made.kind = OPERATION
                made.deep = [part for element in elements for part in element]
                made.uses = [test for _, test in filters]
            tests = [each for each in instances[saved[2] :] if each.kind == TEST and each.shape]
            self.note_comprehended(node, [each.shape[0] for each in tests])
            return made
        except (Unfollowed, Disagreement, Thrown):
            cursor.at, cursor.now, cursor.unclaimed = saved[0], saved[1], saved[7]
            self.activation.forget(instances=saved[2], inlines=saved[6], tests=saved[5])
            self.passed_until = min(self.passed_until, saved[2])
            self.control, self.environment = saved[3], saved[4]
        finally:
            self.comprehension, self.comprehended = outer
            for name in self.comprehended ^ outer[1]:
                self.environment.pop(name, None)
        self.environment.update({k: v for k, v in saved[4].items() if k not in self.environment})
        first = self.value(node.generators[0].iter)
        made = self.lump(node, first)
        self.note_functions_called(node, made, first)
        self.run_comprehended(made, node)
        self.note_comprehended(node, [first])
        return made

    _eval_SetComp = _eval_DictComp = _eval_ListComp

    def each(
        self, node: Any, generators: list[Any], elements: list[Any], filters: list[tuple[int, Instance]]
    ) -> None:
        """The elements of a comprehension, one by one, and the tests that decided where they come to lie."""
        generator, rest = generators[0], generators[1:]
        if generator.is_async:
            raise Unfollowed
        iterable = self.value(generator.iter)
        length = self.graph.length(iterable, self.cursor.now)
        if length is None or length > _MOST_ELEMENTS:
            raise Unfollowed
        outer = self.control
        hidden = {name: self.environment.get(name) for name in sources.names_bound([generator.target])}
        for index in range(length):
            self.graph.step_on()
            part = self.new(PART, generator.target)
            part.uses.append(iterable)
            part.detail = index
            self.control = outer
            self.control = part.control = self.iteration_test(generator, iterable)
            self.assign(generator.target, part, [])
            passed = True
            for condition in generator.ifs:
                has_arm = self.has_arm(condition)
                if has_arm:
                    if not self.at_arm(condition):
                        raise Unfollowed
                    self.cursor.take()
                value = self.value(condition)
                known = self.graph.truth(value)
                if known is None:
                    raise Unfollowed
                self.control = self.test(condition, value, [])
                filters.append((len(elements), self.control))
                if not known:
                    passed = False
                    loop = each_element.comprehended(self.files, node)
                    if loop is not None:
                        self.activation.tests.append((self.control, [loop]))
                    break
            if passed and rest:
                self.each(node, rest, elements, filters)
            elif passed:
                parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                made = []
                for part_node in parts:
                    if self.has_arm(part_node):
                        if not self.at_arm(part_node):
                            raise Unfollowed
                        self.cursor.take()
                    made.append(self.value(part_node))
                elements.append(made[0] if isinstance(node, ast.ListComp) else made)
                if len(elements) > _MOST_ELEMENTS:
                    raise Unfollowed
        self.control = outer
        filters.append((len(elements), self.iteration_test(generator, iterable)))
        for name, old in hidden.items():
            if old is not None:
                self.environment[name] = old

    def iteration_test(self, generator: ast.comprehension, iterable: Instance) -> Instance:
        """Whether there is one more element to go through."""
        test = self.new(TEST, generator.iter)
        test.shape.append(iterable)
        return test

    def lump(self, node: Any, *more: Instance) -> Instance:
        """An expression taken as one: it depends on all the names in it. Nothing that runs in it is looked at."""
        made = self.new(OPERATION, node)
        bound = {
            name
            for part in ast.walk(node)
            if isinstance(part, sources.Comprehension)
            for generator in part.generators
            for name in sources.names_bound([generator.target])
        }
        bound |= {
            a.arg for part in ast.walk(node) if isinstance(part, ast.Lambda) for a in arguments_of(part.args)
        }
        # What the first `for` goes through was evaluated by itself.
        first = (
            set(map(id, ast.walk(node.generators[0].iter))) if isinstance(node, sources.Comprehension) else ()
        )
        for part in ast.walk(node):
            if id(part) in first:
                continue
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and part.id not in bound:
                made.deep.append(self.load_name(part.id, part, read=False))
            elif isinstance(part, ast.NamedExpr):
                self.environment[part.target.id] = made
        made.deep += more
        if isinstance(node, sources.Comprehension):
            self.activation.lumps.append(made)
        return made

    def note_functions_called(self, node: Any, made: Instance, first: Instance) -> None:
        """What a comprehension calls that is not taken apart, where that may be one or another function."""
        bound = sources.names_bound([generator.target for generator in node.generators])
        for call in [part for part in ast.walk(node) if isinstance(part, ast.Call)]:
            if not isinstance(call.func, ast.Attribute) and not self._is_any(call.func):
                continue
            of = {id(part) for part in ast.walk(call.func)}
            is_element = any(isinstance(part, ast.Name) and part.id in bound for part in ast.walk(call.func))
            for generator in node.generators if is_element else ():
                of |= {id(part) for part in ast.walk(generator)}
            chosen = [value for value in made.deep if id(value.node) in of]
            if isinstance(call.func, ast.Name) and not is_element:
                function = next(iter(chosen), None)
            else:
                function = self.new(OPERATION, None)
                function.deep = [*chosen, first] if is_element else chosen
            if function is not None:
                self.new(OPERATION, None).detail = Called(function, sources.last_name(call.func))
