"""Records a run of a Python program into a trace file, and reads the trace back.

Loaded into the user's process: it imports nothing but the standard library, and little of that.
"""

__version__ = "0.1.0"
