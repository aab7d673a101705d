"""Which files are user code, and for each one that is not, why.

User code is what is not installed: not the standard library, not under site-packages or dist-packages, not ours.
`include` globs add files back in, `exclude` globs take files out and win.
"""

from __future__ import annotations

import fnmatch
import importlib.machinery
import os
import sys
import sysconfig
import types
from typing import NamedTuple
from collections.abc import Container

# Why most files of most runs are not recorded.
LIBRARY_REASONS = ("part of the standard library", "an installed package", "part of the recorder")
_NOT_SOURCE = "not Python source"
_OURS = os.path.dirname(os.path.abspath(__file__))


def _library_folders() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    folders = {os.path.realpath(paths[name]) for name in ("stdlib", "platstdlib") if paths.get(name)}
    folders |= {os.path.realpath(os.path.dirname(os.__file__))}
    return tuple(folder.rstrip(os.sep) + os.sep for folder in folders)


class Scope(NamedTuple):
    """The globs given by the user; a glob matches a whole path, its last parts, or a dotted module name."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def reason_to_leave_out(self, path: str, module: str) -> str:
        """Empty for user code, else one phrase."""
        if path.startswith(_OURS + os.sep):
            return LIBRARY_REASONS[2]
        if matched := _matching(self.exclude, path, module):
            return f"excluded by {matched}"
        if _matching(self.include, path, module):
            return ""
        real = os.path.realpath(path)
        if f"{os.sep}site-packages{os.sep}" in real or f"{os.sep}dist-packages{os.sep}" in real:
            return LIBRARY_REASONS[1]
        if real.startswith(_LIBRARY):
            return LIBRARY_REASONS[0]
        if not path.endswith((".py", ".pyw")) and module != "__main__":
            return _NOT_SOURCE
        return ""


_LIBRARY = _library_folders()
_namespace = vars(types.ModuleType)["__dict__"].__get__


def reasons_of_modules(scope: Scope, known: Container[str], recorded: Container[str] = ()) -> dict[str, str]:
    """Why the modules that were imported in other ways than by our finder are not recorded, by file.

    Looks at modules without calling anything of theirs.
    """
    reasons = {}
    for name, module in list(sys.modules.items()):
        if type(name) is not str or not issubclass(type(module), types.ModuleType):
            continue
        namespace = _namespace(module)
        file = namespace.get("__file__")
        if type(file) is not str or file in known or file in recorded:
            continue
        spec = namespace.get("__spec__")
        loader = getattr(spec, "loader", None) if type(spec) is importlib.machinery.ModuleSpec else None
        reason = scope.reason_to_leave_out(file, name)
        reasons[file] = reason if reason not in ("", _NOT_SOURCE) else _reason_of_loader(file, type(loader))
    return reasons


def _reason_of_loader(file: str, loader: type) -> str:
    name = type.__dict__["__qualname__"].__get__(loader)
    if file.endswith(tuple(importlib.machinery.EXTENSION_SUFFIXES)):
        return "an extension module"
    if name == "zipimporter":
        return "inside a zip archive"
    if loader is importlib.machinery.SourcelessFileLoader:
        return "compiled, without its source"
    if loader is importlib.machinery.SourceFileLoader:
        return "imported before the recording began"
    return f"imported by another import hook ({name})"


def _matching(globs: tuple[str, ...], path: str, module: str) -> str:
    for glob in globs:
        patterns = (glob, os.path.join(glob, "*"), "*/" + glob, "*/" + glob + "/*")
        if any(fnmatch.fnmatch(path, pattern) for pattern in patterns):
            return glob
        if module == glob or module.startswith(glob + ".") or fnmatch.fnmatch(module, glob):
            return glob
    return ""


def display_path(path: str) -> str:
    """`path` as it was given to Python, absolute."""
    return path if os.path.isabs(path) else os.path.join(os.getcwd(), path)


if sys.platform == "win32":  # file names there compare without case
    _LIBRARY = tuple(folder.lower() for folder in _LIBRARY)
