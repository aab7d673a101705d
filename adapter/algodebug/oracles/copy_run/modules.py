"""The corrected modules, imported in place of the program's, and their functions and classes by qualified name."""

from __future__ import annotations

import ast
import gc
import importlib
import importlib.util
import os
import sys
import types
from pathlib import Path
from typing import Any

from .definitions import definitions, has_guard
from .rows import NAMELESS, CannotJudge


class Overrides:
    """Finds the corrected file for a module, by the name the program imports it by."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        file = self.files.get(name)
        if file is None:
            return None
        package = os.path.basename(file) == "__init__.py"
        locations = [os.path.dirname(file)] if package else None
        return importlib.util.spec_from_file_location(name, file, submodule_search_locations=locations)


class Reference:
    """The corrected modules and their functions."""

    def __init__(self, paths: list[str], main: tuple[str, str] | None, overrides: dict[str, str]) -> None:
        sys.path[:0] = paths
        sys.meta_path.insert(0, Overrides(overrides))
        if main is not None and main[0] in sys.stdlib_module_names:
            main = ("reference_" + main[0], main[1])
        self.main = main
        self.modules: dict[str, types.ModuleType] = {}
        self.functions: dict[tuple[str, str], list[types.FunctionType]] = {}

    def load(self, name: str, file: str) -> types.ModuleType:
        """The module of a file, imported under its own name; what it prints goes nowhere."""
        module = self.modules.get(file)
        if module is not None:
            return module
        if self.main is not None and file == self.main[1]:
            found = self._load_program(self.main[0], file)
        else:
            found = importlib.import_module(name)
            if not same_file(getattr(found, "__file__", None), file):
                raise CannotJudge(f"{name} was imported from elsewhere")
        self.modules[file] = found
        for candidate in gc.get_objects():
            # Found by their code: decorators, properties and class bodies do not hide them.
            if isinstance(candidate, types.FunctionType):
                code = candidate.__code__
                if code.co_name == candidate.__name__ and same_file(code.co_filename, file):
                    same = self.functions.setdefault((file, candidate.__qualname__), [])
                    if not any(other.__code__ is code for other in same):
                        same.append(candidate)
        return found

    def _load_program(self, name: str, file: str) -> types.ModuleType:
        known = sys.modules.get(name)
        if known is not None and same_file(getattr(known, "__file__", None), file):
            return known
        spec = importlib.util.spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise CannotJudge(f"{file} cannot be imported")
        found = sys.modules[name] = importlib.util.module_from_spec(spec)
        try:
            tree = ast.parse(Path(file).read_bytes(), file)
            exec(compile(tree if has_guard(tree) else definitions(tree), file, "exec"), vars(found))
        except (Exception, SystemExit):
            # A script may end by an error or an exit after its functions are defined; those are what is needed.
            if not any(isinstance(v, types.FunctionType) for v in vars(found).values()):
                raise CannotJudge(f"{file} cannot be imported") from None
        return found

    def function(self, file: str, qualname: str, parameters: list[str], line: int) -> types.FunctionType:
        candidates = [
            f for f in self.functions.get((file, qualname), []) if parameters_of(f) == parameters
        ] or self.functions.get((file, qualname), [])
        if not candidates:
            raise CannotJudge(f"the reference has no {qualname}")
        # Of several (a property's functions, overloads) the one nearest to the recorded line.
        return min(candidates, key=lambda f: abs(f.__code__.co_firstlineno - line))

    def namespace(self, module: str) -> dict[str, Any]:
        """The globals of a corrected module by the name the program knew it by; empty when it is not loaded."""
        if module == "__main__":
            return {} if self.main is None else vars(self.load(*self.main))
        found = sys.modules.get(module)
        return vars(found) if found is not None else {}

    def named(self, qualname: str, module: str) -> Any:
        """The class or function of a qualified name."""
        if "<" in qualname:
            raise CannotJudge(f"{qualname} cannot be found by its name")
        if module == "__main__" and self.main is not None:
            found: Any = self.load(*self.main)
        else:
            try:
                found = importlib.import_module(module or "builtins")
            except Exception:
                raise CannotJudge(f"no module {module}") from None
        if module == "builtins" and qualname in NAMELESS:
            return NAMELESS[qualname]
        for part in qualname.split("."):
            namespace = getattr(found, "__dict__", {})
            if part in namespace:
                found = namespace[part]
                if isinstance(found, (staticmethod, classmethod)):
                    found = found.__func__
            else:
                try:
                    found = getattr(found, part)
                except AttributeError:
                    raise CannotJudge(f"the reference has no {qualname}") from None
        return found

    def cls(self, name: tuple[str, str]) -> type:
        found = self.named(*name)
        if not isinstance(found, type):
            raise CannotJudge(f"{name[0]} is not a class")
        return found


def same_file(one: str | None, other: str) -> bool:
    return one is not None and (one == other or os.path.realpath(one) == os.path.realpath(other))


def parameters_of(function: types.FunctionType) -> list[str]:
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    return list(code.co_varnames[:count])


def defaults_of(function: types.FunctionType) -> dict[str, Any]:
    """The default values of parameters by name."""
    names, defaults = parameters_of(function), function.__defaults__ or ()
    positional = names[: function.__code__.co_argcount]
    found = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=False))
    found.update(function.__kwdefaults__ or {})
    return found
