"""What a program is to the tests: its files, and how it is started."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Program:
    """Files of a program and how it is started."""

    text: str = ""  # of main.py
    arguments: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)  # besides main.py
    module: str = ""  # start it with -m
    minimum: tuple[int, int] = (3, 10)
    stdin: str = ""
    flags: tuple[str, ...] = ()  # of the interpreter
    starts: bool = True  # does its own code run at all, so that there is something to record
