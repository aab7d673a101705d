"""Asks the questions: the search over a recorded run, and the servers and the command line around it.

Recording a run and reading it back is `algotrace`'s job, which knows nothing of this package.
"""

__version__ = "0.1.0"
