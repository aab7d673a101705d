"""The body of a corrected module run once more, as the program imported it: the names that it binds are compared.

The modules that it imported first are imported anew with it; others have what they had when it was recorded.
"""

from __future__ import annotations

import gc
import importlib
import io
import sys
from typing import Any

from .comparison import Comparison, take_over
from .modules import Reference, same_file
from .rebuilt import Rebuilt
from .rows import CannotJudge, short


def judge_import(reference: Reference, question: dict[str, Any]) -> tuple[str | None, str]:
    """The verdict on what the body of a module bound, and on what it changed elsewhere."""
    before = Rebuilt(question["before"], reference)
    for module_name, name, number in question["known"]:
        take_over(before, number, reference.namespace(module_name).get(name))
    for module_name, name, number in question["globals"]:
        namespace = reference.namespace(module_name)
        if name in namespace:
            namespace[name] = before.object(number)
    for name in (*question["inside"], question["module"]):
        sys.modules.pop(name, None)
    printed = sys.stdout = io.StringIO()
    existed = set(map(id, gc.get_objects())) - before.made
    error: BaseException | None = None
    try:
        module = importlib.import_module(question["module"])
    except BaseException as raised:
        error = raised
    outcome = question["outcome"]
    if error is not None:
        if outcome["kind"] != "raise":
            if isinstance(error, (CannotJudge, NameError, ImportError, RecursionError)):
                raise CannotJudge(f"the reference raised {short(error)}")
            return "wrong", f"should raise {short(error)}"
        namespace = {}
    else:
        if not same_file(getattr(module, "__file__", None), question["file"]):
            raise CannotJudge(f"{question['module']} was imported from elsewhere")
        if outcome["kind"] != "return":
            return "wrong", "should not raise an exception"
        namespace = vars(module)
    pairs: list[tuple[str, Any, int]] = []
    if error is not None and outcome["value"] is not None:
        pairs.append(("the exception", error, outcome["value"]))
    for name, number in question["bound"]:
        if name in namespace:
            pairs.append((name, namespace[name], number))
        elif error is None and name in question["weighty"]:
            return "wrong", f"{name} should not be bound"
    for module_name, name, number in question["globals_after"]:
        others = reference.namespace(module_name)
        if name in others:
            pairs.append((name, others[name], number))
    comparison = Comparison(question["after"], existed)
    if not comparison.same(pairs):
        return "wrong", comparison.difference
    if comparison.doubtful:
        return None, "not all of it can be compared"
    if printed.getvalue():
        return None, "what it printed was not recorded"
    return "correct", ""
