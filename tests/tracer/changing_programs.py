"""Pieces of programs that change what others hold, by all means that the language and its library have; see `watched_states`."""

from __future__ import annotations

from changes_by_code_in_text import CODE_IN_TEXT
from changes_by_kept_methods import KEPT_METHODS
from changes_by_libraries import LIBRARIES
from changes_in_the_language import MORE, PROGRAMS, THE_LANGUAGE
from changes_of_attributes import ATTRIBUTES
from changes_of_containers import ARRAYS, CONTAINERS

__all__ = ["ARRAYS", "PIECES"]

PIECES = {
    **CODE_IN_TEXT,
    **KEPT_METHODS,
    **ATTRIBUTES,
    **CONTAINERS,
    **THE_LANGUAGE,
    **MORE,
    **PROGRAMS,
    **LIBRARIES,
}
