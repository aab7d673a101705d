"""Small programs of several modules.

Each is a script with a `main` that gives a tuple, and its other files by name; see `test_programs_by_force`.
"""

from __future__ import annotations

MODULES: dict[str, tuple[str, dict[str, str]]] = {
    "modules that are asked by name": (
        """
from package import *
from package import known, other, made
try:
    from package import unknown
except ImportError as error:
    unknown = error.name
import package
def main():
    return (known, other(3), made, unknown, package.made, package.inner.value)
""",
        {
            "package/__init__.py": """
from .inner import *
from . import inner
known = 3
def other(n): return n + 1
def __getattr__(name):
    if name == 'made':
        return known * 2
    raise AttributeError(name)
""",
            "package/inner.py": """
value = 5
def __getattr__(name):
    raise AttributeError(name)
""",
        },
    ),
}
