"""Slices: which code, and which calls, a value of a recorded run depends on.

Dependences come from the recorded events and the source text alone, and only where somebody asks: `walk` follows one
activation, `graph` connects activations and objects, `slicer` searches, `blame` splits the code of a wrong call. Pure:
nothing here reads or writes files, and nothing of a trace is executed.
"""

from algodebug.slicing.blame import bright_and_faint, influencing_nodes, slicer_of
from algodebug.slicing.criteria import Criterion, parse_criterion
from algodebug.slicing.graph import Interrupted
from algodebug.slicing.slicer import Slice, Slicer

__all__ = [
    "Criterion",
    "Interrupted",
    "Slice",
    "Slicer",
    "bright_and_faint",
    "influencing_nodes",
    "parse_criterion",
    "slicer_of",
]
