"""Records a run of a Python program into a trace file, and reads the trace back.

Loaded into the user's process: it imports nothing but the standard library, and little of that.
"""

__version__ = "0.1.0"

import builtins as _builtins

# Modules whose functions run beside the program take these for their `__builtins__`: the program may replace its own.
BUILTINS = dict(vars(_builtins))
