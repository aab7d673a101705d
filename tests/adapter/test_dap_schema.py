"""Every message that is ours, not debugpy's, has the form the Debug Adapter Protocol gives it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import debugpy
from dap_client import OURS, Client

SCHEMA_FILE = "_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json"
DEFINITIONS = json.loads((Path(debugpy.__file__).parent / SCHEMA_FILE).read_text())["definitions"]
TYPES = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "object": dict,
    "array": list,
    "null": type(None),
}

PROGRAM = """\
def add(pair, log):
    log.append(pair)
    return {"sum": [pair[0] + pair[1]] * 200}


print(len(add((1, 2), [])["sum"]))
"""


def complaints(value: Any, schema: dict[str, Any], at: str = "") -> list[str]:
    """What a value has against a schema: the part of JSON Schema that the protocol uses."""
    if "$ref" in schema:
        return complaints(value, DEFINITIONS[schema["$ref"].rpartition("/")[2]], at)
    found = [text for part in schema.get("allOf", []) for text in complaints(value, part, at)]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, TYPES[kind]) for kind in kinds):
        return [*found, f"{at}: {value!r} is no {'/'.join(kinds)}"]
    if isinstance(value, bool) and "boolean" not in kinds and "integer" in kinds:
        found.append(f"{at}: {value!r} is no integer")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value!r} is none of {schema['enum']}")
    if isinstance(value, dict):
        found += [f"{at}: no {name}" for name in schema.get("required", []) if name not in value]
        for name, part in schema.get("properties", {}).items():
            if name in value:
                found += complaints(value[name], part, f"{at}.{name}")
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        for index, item in enumerate(value):
            found += complaints(item, schema["items"], f"{at}[{index}]")
    return found


def definition_of(message: dict[str, Any]) -> str | None:
    name = message.get("event") or message["command"]
    kind = "Event" if message["type"] == "event" else "Response"
    if message.get("success") is False:
        # Without the body an ErrorResponse has: debugpy's own errors are just a sentence, too.
        return "Response"
    wanted = f"{name}{kind}".lower()
    return next((known for known in DEFINITIONS if known.lower() == wanted), None)


def test_our_messages_keep_to_the_protocol(tmp_path: Path) -> None:
    program = tmp_path / "adds.py"
    program.write_text(PROGRAM)
    client = Client.start(OURS, cwd=tmp_path)
    client.initialize(supportsProgressReporting=True, supportsVariablePaging=True)
    client.launch(program=str(program))
    thread = client.stopped()["threadId"]
    began = len(client.messages)
    client.request("threads")
    frames = client.stack(thread)
    program.unlink()
    client.stack(thread)
    for frame in frames:
        for scope in client.scopes(frame["id"]).values():
            for variable in scope.values():
                if handle := variable["variablesReference"]:
                    client.variables(handle)
                    client.variables(handle, start=0, count=5)
    client.request("source", {"sourceReference": 1})
    for context in ("hover", "watch", "repl", "clipboard"):
        looked_at = {"expression": "result", "frameId": frames[0]["id"], "context": context}
        client.request("evaluate", looked_at)
    client.type_in("why")
    client.request("completions", {"text": "t", "column": 2})
    for command in ("setBreakpoints", "setFunctionBreakpoints"):
        client.request(command, {"source": {"path": "x"}, "breakpoints": [{"line": 1}]})
    for command in (
        "setExceptionBreakpoints",
        "pause",
        "modules",
        "loadedSources",
        "configurationDone",
        "next",
    ):
        client.request(command, {"threadId": thread, "filters": []})
    client.send("gotoTargets", {})
    client.type_in("no")
    client.request("terminate")
    client.event("terminated")
    client.disconnect()
    client.close()

    checked = set()
    ours = {"stopped", "progressStart", "progressEnd", "output", "exited", "terminated"}
    for at, message in enumerate(client.messages):
        if at < began and message.get("event") not in ours:
            continue
        name = definition_of(message)
        if name is not None:
            checked.add(name)
            assert not complaints(message, DEFINITIONS[name]), message
    assert {"StoppedEvent", "StackTraceResponse", "ScopesResponse", "VariablesResponse"} <= checked
    assert {
        "Response",
        "ProgressStartEvent",
        "ProgressEndEvent",
        "ExitedEvent",
        "ThreadsResponse",
    } <= checked
    assert {"EvaluateResponse", "CompletionsResponse", "SetBreakpointsResponse", "SourceResponse"} <= checked
