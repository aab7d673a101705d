"""From the launch attributes of the user to those debugpy gets: the same program, started by the recorder.

Pure but for `place_for_trace`. Everything debugpy understands keeps its meaning; what it does not understand is ours
(`arguments.LaunchOptions`).
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs

from algodebug.dap.arguments import BadArguments, LaunchOptions

TARGETS = ("program", "module", "code")
FOLDER_NAME = ".algodebug"
SUFFIX = ".algotrace"


@attrs.frozen
class Recorder:
    """The recorder's package as a debugger starts it: by path, so that the user's environment needs nothing."""

    folder: Path

    @property
    def runner(self) -> str:
        """The program that stands in front of the user's."""
        return str(self.folder / "__main__.py")

    @property
    def skipped(self) -> dict[str, Any]:
        """The rule that keeps debugpy from stepping into the recorder and from showing its frames."""
        return {"path": str(self.folder / "**"), "include": False}


def is_recorded(arguments: dict[str, Any], options: LaunchOptions) -> bool:
    """Whether this launch is to be recorded; one without exactly one target is debugpy's to refuse."""
    return options.recording and sum(target in arguments for target in TARGETS) == 1


def working_folder(arguments: dict[str, Any]) -> Path:
    """The folder the program starts in: debugpy's own rule, with our folder where debugpy leaves it open."""
    cwd = arguments.get("cwd")
    if isinstance(cwd, str) and cwd:
        return Path(os.path.abspath(cwd))
    program = arguments.get("program")
    folder = os.path.dirname(program) if isinstance(program, str) else ""
    return Path(os.path.abspath(folder or os.getcwd()))


def stem(arguments: dict[str, Any]) -> str:
    """The short name of the program, for the names of its traces."""
    if isinstance(program := arguments.get("program"), str):
        name = Path(program).stem
    elif isinstance(module := arguments.get("module"), str):
        name = module
    else:
        name = "code"
    return "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name) or "program"


def target_name(arguments: dict[str, Any]) -> str:
    """What debugpy calls the process of a target."""
    return str(arguments.get("program") or arguments.get("module") or "-c")


def place_for_trace(
    arguments: dict[str, Any], options: LaunchOptions, now: datetime
) -> tuple[Path, str | None]:
    """Where the trace goes, and a sentence for the user when that is not where it should go."""
    cwd = working_folder(arguments)
    if options.traceFile:
        wanted = cwd / options.traceFile
        if wanted.suffix != SUFFIX:
            # It is overwritten; nothing but a recording may be.
            raise BadArguments(f'"traceFile" must end in {SUFFIX}')
    else:
        wanted = cwd / FOLDER_NAME / f"{now:%Y%m%d-%H%M%S}-{stem(arguments)}{SUFFIX}"
    if (reason := _why_not_writable(wanted.parent)) is None:
        if not options.traceFile:
            return _free(wanted), None
        # A run that leaves no trace must not seem to have left the one of an earlier run.
        wanted.unlink(missing_ok=True)
        return wanted, None
    instead = _free(Path(tempfile.gettempdir()) / FOLDER_NAME.lstrip(".") / wanted.name)
    instead.parent.mkdir(parents=True, exist_ok=True)
    return instead, f"The recording goes to {instead}, because {wanted.parent} cannot be written: {reason}"


def rewrite(
    arguments: dict[str, Any], options: LaunchOptions, recorder: Recorder, trace: Path
) -> dict[str, Any]:
    """The launch attributes under which debugpy runs the user's target through the recorder."""
    words = ["--trace", str(trace)]
    for name, globs in (("--include", options.include), ("--exclude", options.exclude)):
        for glob in globs:
            words += [name, glob]
    if options.limits.events is not None:
        words += ["--limit-events", str(options.limits.events)]
    words += _target(arguments)

    changed = {name: value for name, value in arguments.items() if name not in TARGETS}
    changed["program"] = recorder.runner
    # debugpy would take the folder of the program, which is now ours.
    changed["cwd"] = str(working_folder(arguments))
    rules = arguments.get("rules")
    changed["rules"] = [recorder.skipped, *(rules if isinstance(rules, list) else [])]

    user_words = arguments.get("args")
    if isinstance(user_words, str):
        # A text is for the shell to take apart, so our own words must come through it unharmed.
        quoted = subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
        changed["args"] = f"{quoted} {user_words}".rstrip()
    elif isinstance(user_words, list):
        changed["args"] = [*words, *user_words]
    elif user_words is None:
        changed["args"] = words
    # Anything else stays, for debugpy to refuse.
    return changed


def restore(configuration: dict[str, Any], original: dict[str, Any], recorder: Recorder) -> dict[str, Any]:
    """The attach configuration of a child process, which debugpy derives from the launch, with the user's target."""
    if configuration.get("program") != recorder.runner:
        return configuration
    restored = {name: value for name, value in configuration.items() if name != "program"}
    restored.update({name: original[name] for name in TARGETS if name in original})
    return restored


def _target(arguments: dict[str, Any]) -> list[str]:
    if "program" in arguments:
        return [str(arguments["program"])]
    if "module" in arguments:
        return ["-m", str(arguments["module"])]
    code = arguments["code"]
    return ["-c", "\n".join(map(str, code)) if isinstance(code, list) else str(code)]


def _why_not_writable(folder: Path) -> str | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return None if os.access(folder, os.W_OK | os.X_OK) else "permission denied"


def _free(path: Path) -> Path:
    """The path, or a numbered one beside it: two runs may start within a second."""
    free, number = path, 2
    while free.exists():
        free, number = path.with_stem(f"{path.stem}-{number}"), number + 1
    return free
