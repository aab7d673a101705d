"""Programs that say what they notice of how they run: how they end, what they see of themselves, what order holds.

Each is deterministic (string hashes are fixed by the test), prints no address, and would print or exit otherwise if
the recorder got in its way. What a program can still notice, and none of these looks at: one frame below its own,
the recursion limit raised to make up for it, and temporaries in the locals of another function's frame. One module for
each theme; large programs are files of their own, in `large`.
"""

from pathlib import Path

from behaviour_programs.concurrency import CONCURRENCY
from behaviour_programs.endings import ENDINGS
from behaviour_programs.frames import FRAMES
from behaviour_programs.interpreter import INTERPRETER
from behaviour_programs.language import LANGUAGE
from behaviour_programs.objects import OBJECTS
from behaviour_programs.program import Program
from behaviour_programs.self_knowledge import SELF_KNOWLEDGE
from behaviour_programs.sleeping import SLEEPING
from behaviour_programs.tracebacks import TRACEBACKS

_LARGE = Path(__file__).with_name("large")
LARGE = {file.stem: Program(file.read_text(encoding="utf-8")) for file in sorted(_LARGE.glob("*.py"))}
LARGE["special_methods_of_an_uncaught_exception"] = Program(
    LARGE["special_methods"].text, arguments=("raise",)
)
LARGE["syntax_of_3_12"] = Program(  # which tools for the older versions cannot read
    (_LARGE / "syntax_of_3_12.txt").read_text(encoding="utf-8"), minimum=(3, 12)
)
PROGRAMS: dict[str, Program] = {
    **TRACEBACKS, **ENDINGS, **SELF_KNOWLEDGE, **LANGUAGE, **SLEEPING, **OBJECTS, **CONCURRENCY, **INTERPRETER, **FRAMES, **LARGE,
}  # fmt: skip
