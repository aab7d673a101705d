"""`python -m algotrace`, and `python …/algotrace/__main__.py`: then nothing of ours stays on the program's path."""

import sys

if not __package__:
    import importlib.util
    import os

    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == folder:
        sys.path[0] = ""  # the runner puts the program's folder here
    spec = importlib.util.spec_from_file_location(
        "algotrace", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["algotrace"] = package
    spec.loader.exec_module(package)

from algotrace.runner import prepare

recording = prepare(sys.argv[1:])
try:
    recording.launch(*recording.launch_arguments)
except BaseException as error:
    recording.note(error)
    raise  # it passes through us: a debugger stops at it, the interpreter prints it and exits as it always does
