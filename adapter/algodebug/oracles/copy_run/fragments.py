"""Runs a piece of a corrected function on a recorded state.

The piece becomes a function of its own: the state before as its parameters, how it ended and its variables as what it
returns.
"""

from __future__ import annotations

import ast
import asyncio
import gc
import io
import itertools
import sys
import textwrap
import types
from typing import Any

from .comparison import Comparison, take_over
from .modules import Reference
from .rebuilt import Rebuilt
from .rows import CannotJudge, short

_WORK = 200_000  # yields taken from a piece of a generator


def judge_fragment(reference: Reference, question: dict[str, Any]) -> tuple[str | None, str]:
    """The verdict on a piece of code: its outcome, its variables and all they lead to are compared."""
    module = reference.load(question["module"], question["file"])
    before = Rebuilt(question["before"], reference)
    if question["fragment"] is None:
        return _ends(reference, question, before)
    for module_name, name, number in question["known"]:
        take_over(before, number, reference.namespace(module_name).get(name))
    state = {name: before.object(number) for name, number in question["variables"]}
    # For each name of a loop the objects, or whole numbers, that it is bound to.
    columns = question.get("items", ())
    items = zip(*(c if isinstance(c, range) else list(map(before.object, c)) for c in columns))  # noqa: B905
    namespace = vars(module)
    shared = set(question["globals"])
    for name in shared:
        if name in state:
            namespace[name] = state.pop(name)
        elif question["is module"] and name in question["stored"]:
            namespace.pop(name, None)
    function = _function(question, sorted(state), namespace)
    printed = sys.stdout = io.StringIO()
    existed = set(map(id, gc.get_objects())) - before.made
    keywords: dict[str, Any] = dict(state)
    yielded: list[Any] = []
    try:
        result = function(items, **keywords)
        if isinstance(result, types.CoroutineType):
            result = asyncio.run(result)
        if isinstance(result, types.GeneratorType):
            kind, value, variables = _exhaust(result, yielded)
        else:
            kind, value, variables = result
    except CannotJudge:
        raise
    except BaseException as error:
        if (
            isinstance(error, (NameError, ImportError, RecursionError))
            and question["outcome"]["kind"] != "raise"
        ):
            raise CannotJudge(f"the reference raised {short(error)}") from None
        kind, value, variables = "raise", error, _variables_of(error, function)
    variables = dict(variables)
    for name in shared:
        if name in namespace:
            variables[name] = namespace[name]
    difference = _outcome(question, kind, value, variables)
    if difference:
        return "wrong", difference
    comparison = Comparison(question["after"], existed, question.get("paths"))
    pairs: list[tuple[str, Any, int]] = []
    wanted = question["outcome"]
    if wanted["value"] is not None and kind in ("return", "raise"):
        pairs.append(("the result" if kind == "return" else "the exception", value, wanted["value"]))
    if len(yielded) != len(question["yields"]):
        return "wrong", f"should yield {len(yielded)} times"
    pairs += [("what it yields", one, two) for one, two in zip(yielded, question["yields"])]  # noqa: B905
    recorded = dict(question["compared"])
    for name, number in question["compared"]:
        if name in variables:
            pairs.append((name, variables[name], number))
        elif name in question["mentioned"]:
            return "wrong", f"{name} should not be bound"
    if not comparison.same(pairs):
        return "wrong", comparison.difference
    for name in question["stored"]:
        if (
            name in variables
            and name not in recorded
            and isinstance(variables[name], (int, float, str, bytes, list, dict, tuple, set, type(None)))
        ):
            return "wrong", f"{name} should be {short(variables[name])}"
    if comparison.doubtful:
        return None, "not all of it can be compared"
    if printed.getvalue():
        return None, "what it printed was not recorded"
    return "correct", ""


def _ends(reference: Reference, question: dict[str, Any], before: Rebuilt) -> tuple[str | None, str]:
    """Of a call that did not end: does the corrected function?"""
    function = reference.function(
        question["file"], question["qualname"], question["parameters"], question["line"]
    )
    code = function.__code__
    if code.co_flags & 0x0C or code.co_kwonlyargcount:
        raise CannotJudge("its parameters are of many kinds")
    arguments = [before.object(number) for _, number in question["arguments"]]
    sys.stdout = io.StringIO()
    try:
        value = function(*arguments)
    except RecursionError:
        return "correct", "the reference does not end either"
    except BaseException as error:
        return "wrong", f"should raise {short(error)}"
    return "wrong", f"should return {short(value)}"


_PREFIX = "_algodebug_"
_FRAME = """
{waits}def _algodebug_fragment(_algodebug_items, {parameters}):
    {shared}
    {definitions}
    _algodebug_at = -1
    for _algodebug_at{targets} in {source}:
        {test}
    else:
        return ("fall-through", _algodebug_at, _algodebug_locals())
    return ("break", _algodebug_at, _algodebug_locals())
"""


def _function(question: dict[str, Any], names: list[str], namespace: dict[str, Any]) -> Any:
    """The piece as a function of the state."""
    kind = question["fragment"]
    test, targets = "pass", ""
    if kind == "statements":
        # Twice round: what comes a second time has ended by `continue`.
        source = "_algodebug_range(2)"
        test = 'if _algodebug_at: return ("continue", None, _algodebug_locals())'
    elif kind == "while":
        source = f"_algodebug_range({question['count']})"
        test = f'if not ({question["test"]}): return ("early", _algodebug_at, _algodebug_locals())'
    else:
        source = "_algodebug_enumerate(_algodebug_items)"
        targets = f", ({', '.join(question['targets'])},)"
    shared = question["globals"]
    tree = ast.parse(
        _FRAME.format(
            parameters=", ".join(["*", *(f"{name}=None" for name in names)]) if names else "",
            shared=f"global {', '.join(shared)}" if shared else "pass",
            definitions=textwrap.indent(question["definitions"], " " * 4).lstrip(),
            targets=targets,
            source=source,
            test=test,
            waits="async " if question["waits"] else "",
        )
    )
    function: Any = tree.body[0]
    loop: Any = function.body[-2]
    loop.body += _Returns().visit(ast.parse(question["body"])).body
    if kind == "statements":
        loop.body += ast.parse('return ("fall-through", None, _algodebug_locals())').body
    ast.fix_missing_locations(tree)
    namespace.update(_algodebug_locals=locals, _algodebug_range=range, _algodebug_enumerate=enumerate)
    made: dict[str, Any] = {}
    exec(compile(tree, "<fragment>", "exec"), namespace, made)
    return made[f"{_PREFIX}fragment"]


class _Returns(ast.NodeTransformer):
    """Lets the piece's own `return` say so, and with which variables."""

    def visit_Return(self, node: ast.Return) -> ast.AST:
        variables = ast.Call(ast.Name(f"{_PREFIX}locals", ast.Load()), [], [])
        parts = [ast.Constant("return"), node.value or ast.Constant(None), variables]
        return ast.copy_location(ast.Return(ast.Tuple(parts, ast.Load())), node)

    def visit_FunctionDef(self, node: Any) -> Any:
        return node  # what is defined in it returns as it does

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef


def _exhaust(generator: Any, yielded: list[Any]) -> Any:
    for _ in itertools.repeat(None, _WORK):
        try:
            yielded.append(next(generator))
        except StopIteration as stop:
            return stop.value
    return "unfinished", None, {}


def _variables_of(error: BaseException, function: Any) -> dict[str, Any]:
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code is function.__code__:
            return dict(traceback.tb_frame.f_locals)
        traceback = traceback.tb_next
    return {}


def _outcome(question: dict[str, Any], kind: str, value: Any, variables: dict[str, Any]) -> str:
    """In which way the piece ended otherwise than recorded; "" where it did not."""
    wanted = question["outcome"]["kind"]
    count = question.get("count")
    if wanted == "unfinished":
        return f"should end: {kind}"
    if count is not None and kind in ("break", "fall-through", "early"):
        if kind == "early":
            return f"should end after {value} iterations"
        if kind == "break" and value != count - 1:
            return f"should end after {value + 1} iterations"
    if kind == wanted or (question["tail"] and {kind, wanted} <= {"continue", "fall-through"}):
        return ""
    if kind == "return":
        return f"should return {short(value)}"
    if kind == "raise":
        return f"should raise {short(value)}"
    return {"break": "should leave the loop", "continue": "should end the iteration"}.get(
        kind, "should go on"
    )
