"""What the names of a module stand for while its own code runs, however they were bound."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_programs import record

from algodebug.activation_variables import Variables
from algotrace.marks import SET

PROGRAMS = {
    "by its own code": "x = 1\nx = 2\nlast = x\n",
    "through globals()": "x = 1\nglobals()['x'] = 2\nlast = x\n",
    "through globals().update": "x = 1\nglobals().update(x=2)\nlast = x\n",
    "through the module": "import sys\nx = 1\nsys.modules[__name__].x = 2\nlast = x\n",
    "by code in a text": "x = 1\nexec('x = 2')\nlast = x\n",
    "by a function": "x = 1\ndef f():\n    global x\n    x = 2\nf()\nlast = x\n",
    "and by its own code again": "x = 0\nglobals()['x'] = 1\nx = 2\nlast = x\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_name_stands_for_what_it_was_bound_to_last(name: str, tmp_path: Path) -> None:
    trace = record(tmp_path, PROGRAMS[name])
    variables = Variables(trace, 0)
    bound = [
        time
        for time, mark, _ in trace.own_events(0)
        if mark is not None and mark.kind == SET and mark.label == "global last"
    ]
    value = variables.value("x", bound[-1])
    assert value is not None
    assert value.scalar() == 2
