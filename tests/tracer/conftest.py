"""Makes `recorded` importable, and keeps the cache of instrumented code out of the user's folder."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
os.environ["ALGOTRACE_CACHE"] = tempfile.mkdtemp(prefix="algotrace-cache-")
