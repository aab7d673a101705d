"""The recorded run shown as a stopped program: the path from the root of the tree to one node, as a call stack.

Each frame has three scopes, *Before* (the arguments as they were), *After* (what came out) and *Changes*; values open
page by page. Everything is read from the trace when a client asks for it; handles of values are good until the next stop.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from algodebug import question
from algodebug.named_values import EXCEPTION, RESULT, given_to, outcome_of
from algodebug.value_pages import left_out_of

if TYPE_CHECKING:
    from algodebug.execution_tree import ExecutionTree
    from algotrace.unread import Unread
    from algotrace.values import Value

Body = dict[str, Any]
Page = Callable[[int, int], list[Body]]

PAGE = 100
"""From this many parts on a client is told how many there are, so that it can ask for them by the page."""
MOST_AT_ONCE = 1000


class NoSuchHandle(Exception):
    """A frame or variables handle of an earlier stop, or one that never was."""


class PseudoStack:
    """The call stack of one node.

    The frame of a call stands at its definition, never at a line inside: an editor paints the line of the top frame over
    whatever else marks it, and of a buggy call it is the lines that matter. Code inside a call has a frame of its own.
    """

    def __init__(self, tree: ExecutionTree, node: int) -> None:
        self._tree = tree
        self._pages: list[Page] = []
        self.node = node
        self.path = [node]
        # Of code inside a call, the call comes next: what lies between are parts of it.
        above = tree.parent[node] if tree.code(node) is None else tree.call_of(node)
        while above >= 0:
            self.path.append(above)
            above = tree.parent[above]

    def frames(self, start: int, levels: int) -> Body:
        """A page of the stack, the node itself on top."""
        wanted = self.path[start : start + levels] if levels else self.path[start:]
        return {"stackFrames": [self._frame(node) for node in wanted], "totalFrames": len(self.path)}

    def scopes(self, frame: int) -> Body:
        """The scopes of one frame."""
        node = self.frame_node(frame)
        return {
            "scopes": [
                {"name": "Before", "presentationHint": "arguments", **self._handle(self._before(node))},
                {"name": "After", "presentationHint": "returnValue", **self._handle(self._after(node))},
                {"name": "Changes", **self._handle(self._changes(node))},
            ]
        }

    def variables(self, handle: int, start: int, count: int) -> Body:
        """A page of what a handle stands for; without a count, as much as is sensible at once."""
        if not 0 < handle <= len(self._pages):
            raise NoSuchHandle("These values belong to an earlier question.")
        return {"variables": self._pages[handle - 1](start, count or MOST_AT_ONCE)}

    def frame_node(self, frame: int | None) -> int:
        """The node of a frame; None stands for the top.

        A client may still ask for a frame of an earlier question, and shows an error for as long as it gets one.
        """
        node = self.node if frame is None else frame - 1
        if not 0 <= node < len(self._tree):
            raise NoSuchHandle("There is no such frame.")
        return node

    def summary(self, value: Value, evaluate_name: str | None = None, without: Unread | None = None) -> Body:
        """A value as DAP describes one, without a name: its text, type and handle; what is inside is not left out."""
        text = value.text(question.VALUE_LIMIT, without) if without else value.text(question.VALUE_LIMIT)
        body: Body = {"value": text.text, "type": value.type_name}
        if not value.certain:
            body["value"] += "  (may have changed unseen)"
        if evaluate_name is not None:
            body["evaluateName"] = evaluate_name
        if value.length:
            body["variablesReference"] = self._new(self._parts(value, evaluate_name))
            if value.length > PAGE:
                body["indexedVariables"] = value.length
        else:
            body["variablesReference"] = 0
        return body

    def _frame(self, node: int) -> Body:
        place = self._tree.place(node)
        source: Body = {"name": PurePath(place.file).name, "path": place.file}
        if not os.path.isfile(place.file):
            source["sourceReference"] = place.module + 1
        return {
            "id": node + 1,
            "name": self._tree.title(node),
            "line": place.line,
            "column": 1,
            "source": source,
        }

    def _handle(self, page: Page) -> Body:
        return {"variablesReference": self._new(page), "expensive": False}

    def _new(self, page: Page) -> int:
        self._pages.append(page)
        return len(self._pages)

    def _before(self, node: int) -> Page:
        def page(start: int, count: int) -> list[Body]:
            given = given_to(self._tree, node)[start : start + count]
            return [
                {"name": name, **self.summary(value, name, left_out_of(self._tree, node, value))}
                for name, value in given
            ]

        return page

    def _after(self, node: int) -> Page:
        def page(start: int, count: int) -> list[Body]:
            if start or not count:
                return []
            kind, value = outcome_of(self._tree, node)
            if value is not None:
                name = EXCEPTION if kind == "raise" else RESULT
                return [{"name": name, **self.summary(value, name, left_out_of(self._tree, node, value))}]
            code, call = self._tree.code(node), self._tree.call(node)
            if code is not None:
                way = question.code_way(code)
                return [_text("outcome", way)] if way else []
            return [] if call is None else [_text(RESULT, question.outcome_text(call))]

        return page

    def _changes(self, node: int) -> Page:
        def page(start: int, count: int) -> list[Body]:
            code, call = self._tree.code(node), self._tree.call(node)
            shown = [] if call is None else [(c.target, c.before, c.after) for c in call.changes]
            if code is not None:
                shown = [(c.target, c.before, c.after) for c in code.changes]
            return [self._change(*change) for change in shown[start : start + count]]

        return page

    def _change(self, target: str, before: Value | None, after: Value | None) -> Body:
        def page(start: int, count: int) -> list[Body]:
            both = [("before", before), ("after", after)][start : start + count]
            return [
                _text(name, "(nothing)") if value is None else {"name": name, **self.summary(value)}
                for name, value in both
            ]

        texts = [question.short(value, 80) if value is not None else "(nothing)" for value in (before, after)]
        return {"name": target, "value": " → ".join(texts), "variablesReference": self._new(page)}

    def _parts(self, value: Value, path: str | None) -> Page:
        def page(start: int, count: int) -> list[Body]:
            shown = [
                {
                    "name": part.label,
                    **self.summary(part.value, path + part.path if path is not None else None),
                }
                for part in value.parts(start, count)
            ]
            left = (value.length or 0) - start - len(shown)
            if left > 0 and count == MOST_AT_ONCE:
                # Reached only by clients that do not page.
                shown.append(_text("…", f"{left} more"))
            return shown

        return page


def _text(name: str, text: str) -> Body:
    return {"name": name, "value": text, "variablesReference": 0}
