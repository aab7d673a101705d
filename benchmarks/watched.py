"""The process of one run with a tool: `watched.py TOOL FOLDER NAME SCALE`; what the tool records goes to FOLDER.

The tool is switched on around the work alone, and sees the files of the program measured alone.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from installed import peer_folder
from measure import measure
from tools import TOOLS
from workload import WORKLOADS

if __name__ == "__main__":
    kind, folder, name, scale = TOOLS[sys.argv[1]], Path(sys.argv[2]), sys.argv[3], float(sys.argv[4])
    sys.path.append(str(peer_folder(kind.package)))
    os.chdir(folder)
    tool = kind(folder)
    tool.before_import()
    work = WORKLOADS[name](scale)
    tool.after_import()
    measure(work, tool.start, tool.stop, tool.save)
