"""Lets child processes run that nobody debugs.

debugpy holds each child of the program until a client attaches to it. A client that cannot, or refuses to, would leave
the child waiting and the program waiting for its child, for ever. Such a child is attached to and released at once.
"""

from __future__ import annotations

import threading

from algodebug.dap import debug_adapter
from algodebug.dap.channel import Answer, Body, Request
from algodebug.dap.debug_adapter import DebugAdapter

PATIENCE_SECONDS = 3.0
"""How long a client that was told of a child by debugpy's own event may take to attach to it."""


def release_later(configuration: Body) -> None:
    """Releases the child unless the client attached to it in the meantime: debugpy then refuses a second one."""
    timer = threading.Timer(PATIENCE_SECONDS, release, [configuration])
    timer.daemon = True
    timer.start()


def release(configuration: Body) -> None:
    """Attaches to the child an attach configuration describes and lets go of it, so that it runs."""
    place = debug_adapter.address(configuration)
    if place is None:
        return

    def ignore(*_: object) -> None:
        pass

    def refuse(request: Request) -> None:
        request.fail("this client only lets the process run")

    def on_event(name: str, _: Body) -> None:
        if name == "initialized":
            adapter.channel.send_request("configurationDone", {}, let_go)

    def let_go(_: Answer) -> None:
        adapter.channel.send_request("disconnect", {"terminateDebuggee": False}, hang_up)

    def hang_up(_: Answer) -> None:
        adapter.channel.close()

    def attached(answer: Answer) -> None:
        if answer.error is not None:
            adapter.channel.close()

    try:
        adapter = DebugAdapter.connect(*place, on_request=refuse, on_event=on_event, on_close=ignore)
    except OSError:
        # The run has ended; so has the child.
        return
    adapter.channel.start()
    adapter.channel.send_request("initialize", {"adapterID": "debugpy"})
    child = {"subProcessId": configuration.get("subProcessId"), "connect": configuration.get("connect")}
    adapter.channel.send_request("attach", child, attached)
