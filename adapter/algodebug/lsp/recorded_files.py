"""Finds what the last session says about a source file: the indexes on disk of the folders around it.

Looking up is cheap, because an index is read again only when it was replaced: an editor asks at every keystroke, and
its requests queue up behind a slow answer.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from algodebug import lens_index
from algodebug.lens_index import FileState

_Stamp = tuple[int, int, int]


class RecordedFiles:
    """The indexes seen so far, each with the stamp of the file it was read from."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[_Stamp, dict[str, FileState]]] = {}

    def find(self, path: str, workspace_folders: Iterable[str]) -> FileState | None:
        """What the newest index that knows `path` says about it."""
        wanted = _canonical(path)
        newest: tuple[int, FileState] | None = None
        for folder in _folders_around(Path(path), [Path(folder) for folder in workspace_folders]):
            stamp, files = self._index_of(folder)
            if wanted in files and (newest is None or stamp[0] > newest[0]):
                newest = (stamp[0], files[wanted])
        return newest[1] if newest else None

    def _index_of(self, folder: Path) -> tuple[_Stamp, dict[str, FileState]]:
        try:
            status = lens_index.path_in(folder).stat()
        except OSError:
            self._read.pop(folder, None)
            return (0, 0, 0), {}
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._read.get(folder)
        if known is None or known[0] != stamp:
            index = lens_index.read(folder)
            files = {_canonical(path): state for path, state in index["files"].items()} if index else {}
            known = self._read[folder] = (stamp, files)
        return known


def _folders_around(path: Path, workspace_folders: list[Path]) -> Iterator[Path]:
    """The workspace folders, and the folders between them and the file: a program may have been run in any of them."""
    yield from workspace_folders
    for workspace in workspace_folders:
        for folder in path.parents:
            if folder == workspace or workspace not in folder.parents:
                break
            yield folder


def _canonical(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
