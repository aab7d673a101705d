"""ast writes the source of textwrap back from its syntax tree."""

import inspect
import textwrap

from copied import ast

TREE = ast.parse(inspect.getsource(textwrap))

print(len(ast.unparse(TREE)))
