"""The verdict as a diagnostic of the document it is about, with the other code it depends on as related information.

Like the lenses there is none while the text differs from what ran. Places of other files are left out when these differ.
"""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from algodebug.lens_index import FileState, fingerprint
from algodebug.lsp.places import Place, range_in

SOURCE = "Algorithmic Debug"


def diagnostics(
    place: Place, text: str, recorded: FileState | None, other: Callable[[str], Place | None]
) -> list[types.Diagnostic]:
    """At most one. `other` gives the place of another file by its path, None where its text is not what ran."""
    verdict = recorded.get("verdict") if recorded is not None else None
    if recorded is None or verdict is None or recorded["sha256"] != fingerprint(text):
        return []
    at = range_in(place, verdict["range"])
    if at is None:
        return []
    related = []
    for each in verdict["related"]:
        there = other(each["file"])
        inside = None if there is None else range_in(there, each["range"])
        if there is not None and inside is not None:
            related.append(
                types.DiagnosticRelatedInformation(types.Location(there.uri, inside), each["message"])
            )
    return [
        types.Diagnostic(
            range=at,
            message=verdict["message"],
            severity=types.DiagnosticSeverity.Information,
            source=SOURCE,
            code="verdict",
            related_information=related,
        )
    ]
