"""tomllib reads a file of 25 tables."""

from copied import tomllib

SOURCE = "\n".join(f"[s{i}]\nx={i}\ny=[1,2,3]\nz='q{i}'" for i in range(25))

print(len(tomllib.loads(SOURCE)))
