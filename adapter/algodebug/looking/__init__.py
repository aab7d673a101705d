"""Which items of containers a call, with all that it called, looked at: told from the evaluations that the slicer follows.

A question leaves the others out. Everything is taken for looked at that is not known to be otherwise; where something
could have been looked at that no evaluation shows, nothing is told at all (`Unsure`).
"""

from algodebug.looking.evaluations import is_too_long, looked_at, looked_at_in
from algodebug.looking.looked import Looked

__all__ = ["Looked", "is_too_long", "looked_at", "looked_at_in"]
