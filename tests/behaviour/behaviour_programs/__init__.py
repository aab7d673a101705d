"""Programs that say what they notice of how they run: how they end, what they see of themselves, what order holds.

Each is deterministic (string hashes are fixed by the test), prints no address, and would print or exit otherwise if
the recorder got in its way. What a program can still notice, and none of these looks at: one frame below its own,
the recursion limit raised to make up for it, and temporaries in the locals of another function's frame. One module for
each theme; large programs are files of their own, in `large`.
"""

from pathlib import Path

from behaviour_programs.concurrency import CONCURRENCY
from behaviour_programs.endings import ENDINGS
from behaviour_programs.language import LANGUAGE
from behaviour_programs.objects import OBJECTS
from behaviour_programs.program import Program
from behaviour_programs.self_knowledge import SELF_KNOWLEDGE
from behaviour_programs.sleeping import SLEEPING
from behaviour_programs.tracebacks import TRACEBACKS

LARGE = {
    file.stem: Program(file.read_text(encoding="utf-8")) for file in Path(__file__).parent.glob("large/*.py")
}
LARGE["special_methods_of_an_uncaught_exception"] = Program(
    LARGE["special_methods"].text, arguments=("raise",)
)
PROGRAMS: dict[str, Program] = {
    **TRACEBACKS, **ENDINGS, **SELF_KNOWLEDGE, **LANGUAGE, **SLEEPING, **OBJECTS, **CONCURRENCY, **LARGE,
}  # fmt: skip
