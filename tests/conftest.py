"""For all tests."""

import signal

# Tests interrupt programs. What a shell starts in the background has the signal ignored, and so would they.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
