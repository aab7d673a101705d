"""re compiles the pattern of a date and time."""

from copied.re import _compiler

PATTERN = r"(?P<a>\d{4}-(0[1-9]|1[0-2])-([12]\d|0[1-9]|3[01]))(T(\d\d:\d\d))?(Z|[+-]\d\d)?"

print(_compiler.compile(PATTERN).groups)
