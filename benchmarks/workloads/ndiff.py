"""difflib compares two texts of 60 lines."""

from copied import difflib

BEFORE = [f"line {i}" for i in range(60)]
AFTER = [f"line {i if i % 7 else i + 1}" for i in range(60)]

print(len(list(difflib.ndiff(BEFORE, AFTER))))
