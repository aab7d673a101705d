"""The bodies of our messages are described twice, in `protocol.py` and in the extension's `protocol.ts`: the same way."""

from __future__ import annotations

import json
import re
import types
import typing
from pathlib import Path
from typing import Any

import attrs
import pytest
from dap_client import OURS, Client

from algodebug.dap import arguments, protocol
from algodebug.search import STRATEGIES

EXTENSION = Path(__file__).resolve().parents[2] / "vscode-extension"

SENT = [kind for kind in vars(protocol).values() if isinstance(kind, type) and attrs.has(kind)]
REQUESTS = {
    "answer": arguments.AnswerArguments,
    "strategy": arguments.StrategyArguments,
    "depth": arguments.DepthArguments,
    "ask": arguments.AskArguments,
    "tree": arguments.TreeArguments,
    "value": arguments.ValueArguments,
    "slice": arguments.SliceArguments,
    "origin": arguments.OriginArguments,
    "writes": arguments.OriginArguments,
    "printed": arguments.PrintedArguments,
    "executableSlice": arguments.ExecutableArguments,
    "values": arguments.NodeArguments,
}


def interfaces() -> dict[str, dict[str, bool]]:
    """By name, the fields of each interface, and whether they may be missing."""
    text = (EXTENSION / "src" / "protocol.ts").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return {
        name: {field: bool(maybe) for field, maybe in re.findall(r"^  (\w+)(\?)?:", body, re.MULTILINE)}
        for name, body in re.findall(r"^export interface (\w+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    }


@pytest.mark.parametrize("kind", SENT, ids=lambda kind: kind.__name__)
def test_both_descriptions_have_the_same_fields(kind: type) -> None:
    ours = {field.name: field.default is not attrs.NOTHING for field in attrs.fields(kind)}
    assert interfaces()[kind.__name__] == ours


@pytest.mark.parametrize("name", REQUESTS)
def test_what_the_extension_asks_with_is_read(name: str) -> None:
    text = (EXTENSION / "src" / "protocol.ts").read_text(encoding="utf-8")
    match = re.search(rf"'algodebug/{name}': \[(.*?), \w+\];", text)
    assert match is not None
    fields = set(re.findall(r"(\w+)\??:", match[1]))
    assert fields and fields <= {field.name for field in attrs.fields(REQUESTS[name])}


def test_launch_json_offers_all_strategies() -> None:
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    attributes = package["contributes"]["debuggers"][0]["configurationAttributes"]["launch"]["properties"]
    assert attributes["strategy"]["enum"] == list(STRATEGIES)
    assert len(attributes["strategy"]["enumDescriptions"]) == len(STRATEGIES)


PROGRAM = """\
RATE = 2


def scale(values, by=[]):
    total = 0
    for value in values:
        total += value * RATE
        by.append(total)
    return [total, by]


def main():
    return scale([1, 2, 3])


print(main())
"""


def complaints(value: Any, kind: Any, at: str) -> list[str]:
    """What a body has against its description."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is types.UnionType:
        found = [complaints(value, each, at) for each in arguments]
        return [] if [] in found else found[0]
    if origin is list:
        if not isinstance(value, list):
            return [f"{at} is no list"]
        return [text for part in value for text in complaints(part, arguments[0], f"{at}[]")]
    if origin is dict:
        return [] if isinstance(value, dict) else [f"{at} is no object"]
    if not attrs.has(kind):
        return [] if isinstance(value, kind) else [f"{at}: {value!r} is no {kind.__name__}"]
    if not isinstance(value, dict):
        return [f"{at}: {value!r} is no {kind.__name__}"]
    found = []
    for name, field in typing.get_type_hints(kind).items():
        if name in value:
            found += [complaints(value[name], field, f"{at}.{name}")]
        elif attrs.fields_dict(kind)[name].default is attrs.NOTHING:
            found += [[f"{at}.{name} is missing"]]
    return [text for each in found for text in each]


def test_what_is_sent_is_as_described(tmp_path: Path) -> None:
    program = tmp_path / "scales.py"
    program.write_text(PROGRAM)
    client = Client.start(OURS, cwd=tmp_path)
    client.initialize()
    client.launch(program=str(program), strategy="top-down")
    client.stopped()

    def check(command: str, arguments: dict[str, Any], kind: type) -> dict[str, Any]:
        body = client.request(f"algodebug/{command}", arguments)
        assert complaints(body, kind, command) == []
        return body

    check("state", {}, protocol.State)
    state = check("ask", {"node": 2}, protocol.State)
    assert [read["name"] for read in state["question"]["reads"]] == ["RATE"]
    assert "by is its default" in "; ".join(state["question"]["sharing"])
    check("tree", {"node": 1}, protocol.TreePage)
    parts = check("tree", {"node": 2, "code": True}, protocol.TreePage)["children"]
    assert {part["kind"] for part in parts} <= {"range", "statement", "loop"}
    check("slice", {"node": 2, "mark": "result[0]"}, protocol.Slice)
    check("origin", {"node": 2, "mark": "result[0]"}, protocol.Origin)
    check("values", {"node": 2}, protocol.NodeValues)
    ref = state["question"]["outcome"]["value"]["ref"]
    check("value", {"ref": ref}, protocol.ValuePage)
    asked = check("ask", {"zoom": "in"}, protocol.State)["question"]
    assert (asked["kind"], asked["call"]) == (parts[0]["kind"], 2)
    while asked["kind"] != "iteration":
        asked = check("ask", {"node": _loop_part(client, asked["id"])}, protocol.State)["question"]
    assert asked["iterations"]["count"] == 3
    check("answer", {"answer": "correct"}, protocol.State)
    check("answer", {"answer": "wrong", "node": 2, "mark": "result[0]", "expected": "6"}, protocol.State)
    found = check("depth", {"depth": "function"}, protocol.State)
    assert found["result"]["node"] == 2 and found["canZoom"]
    client.request("terminate")
    client.close()


def _loop_part(client: Client, node: int) -> int:
    """The next node on the way to an iteration: the first that is, or holds, one."""
    tree = client.request("algodebug/tree", {"node": node})
    if not tree["children"]:
        # Only the lines before the loop: the next part of what they belong to.
        above = client.request("algodebug/ask", {"zoom": "out"})["question"]["id"]
        tree = client.request("algodebug/tree", {"node": above, "code": True})
        return int(tree["children"][-1]["id"])
    kinds = {child["kind"]: child["id"] for child in tree["children"]}
    return int(kinds.get("iteration") or kinds.get("loop") or tree["children"][-1]["id"])
