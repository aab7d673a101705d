"""The language server, driven by a real client over its pipe."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from algodebug import lens_index
from algodebug.lsp import code_lenses

SERVER = [sys.executable, "-c", "import sys; from algodebug.lsp import main; sys.exit(main(sys.argv[1:]))"]

PROGRAM = """\
import math

def area(radius):
    return math.pi * radius


class Disc:
    def __init__(self, radius):
        self.radius = radius

    def grow(self, by):
        self.radius += by
"""


def function(line: int, qualname: str, calls: int, **counts: Any) -> lens_index.FunctionState:
    entry = {"correct": 0, "wrong": 0, "unknown": 0, "trusted": 0, "buggy": False}
    return {"line": line, "qualname": qualname, "calls": calls, **entry, **counts}  # type: ignore[typeddict-item,return-value]


def index_of(path: Path, *functions: lens_index.FunctionState) -> lens_index.LensIndex:
    state: lens_index.FileState = {
        "sha256": lens_index.fingerprint(path.read_text(encoding="utf-8")),
        "functions": list(functions),
    }
    return {"version": lens_index.VERSION, "trace": "/some/run.algotrace", "files": {str(path): state}}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "discs.py"
    path.write_text(PROGRAM)
    recorded = index_of(
        path,
        function(3, "area", 3, wrong=1, correct=2),
        function(8, "Disc.__init__", 1),
        function(11, "Disc.grow", 5, trusted=5),
    )
    assert lens_index.write(recorded, tmp_path)
    return path


@pytest_lsp.fixture(config=ClientServerConfig(server_command=SERVER))
async def client(lsp_client: LanguageClient, tmp_path: Path) -> Any:
    asked_to_refresh = lsp_client.asked_to_refresh = asyncio.Event()  # type: ignore[attr-defined]

    @lsp_client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh(params: None) -> None:
        asked_to_refresh.set()

    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.workspace is not None
    capabilities.workspace.code_lens = types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            workspace_folders=[types.WorkspaceFolder(uri=tmp_path.as_uri(), name="workspace")],
        )
    )
    yield
    await lsp_client.shutdown_session()


def open_in_editor(client: LanguageClient, path: Path, text: str | None = None) -> None:
    client.text_document_did_open(
        types.DidOpenTextDocumentParams(
            types.TextDocumentItem(
                uri=path.as_uri(),
                language_id="python",
                version=1,
                text=path.read_text() if text is None else text,
            )
        )
    )


async def lenses(client: LanguageClient, path: Path) -> list[types.CodeLens]:
    found = await client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(path.as_uri()))
    )
    return list(found or ())


async def titles(client: LanguageClient, path: Path) -> list[str]:
    resolved = [await client.code_lens_resolve_async(lens) for lens in await lenses(client, path)]
    return [lens.command.title for lens in resolved if lens.command]


async def test_every_recorded_function_has_a_lens_at_its_def(client: LanguageClient, program: Path) -> None:
    open_in_editor(client, program)
    places = [
        (lens.range.start.line, lens.range.start.character, lens.command)
        for lens in await lenses(client, program)
    ]
    assert places == [(2, 0, None), (7, 4, None), (10, 4, None)]


async def test_resolving_a_lens_gives_its_title_and_the_command_that_asks(
    client: LanguageClient, program: Path
) -> None:
    open_in_editor(client, program)
    lens = await client.code_lens_resolve_async((await lenses(client, program))[0])
    assert lens.command is not None
    assert lens.command.command == "algodebug.askAbout"
    assert list(lens.command.arguments or ()) == [str(program), 3, "area"]
    assert await titles(client, program) == ["3 calls · 1 wrong · 2 correct", "1 call", "5 calls · 5 trusted"]


async def test_titles_come_from_the_index_as_it_is_when_they_are_shown(
    client: LanguageClient, program: Path
) -> None:
    open_in_editor(client, program)
    before = await lenses(client, program)
    lens_index.write(
        index_of(program, function(3, "area", 3, wrong=2, correct=1, buggy=True)), program.parent
    )
    resolved = [await client.code_lens_resolve_async(lens) for lens in before]
    assert [lens.command.title for lens in resolved if lens.command] == [
        "3 calls · 2 wrong · 1 correct · buggy call here",
        "not in the last recording",
        "not in the last recording",
    ]


async def test_no_lenses_while_the_editor_differs_from_what_ran(
    client: LanguageClient, program: Path
) -> None:
    open_in_editor(client, program)
    assert len(await lenses(client, program)) == 3

    def change(version: int, start: int, end: int, text: str) -> None:
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                text_document=types.VersionedTextDocumentIdentifier(version, program.as_uri()),
                content_changes=[
                    types.TextDocumentContentChangePartial(
                        range=types.Range(types.Position(0, start), types.Position(0, end)), text=text
                    )
                ],
            )
        )

    change(2, 0, 0, "# ")
    assert await lenses(client, program) == []
    change(3, 0, 2, "")
    assert len(await lenses(client, program)) == 3


async def test_no_lenses_for_a_closed_file_that_changed_on_disk(
    client: LanguageClient, program: Path
) -> None:
    assert len(await lenses(client, program)) == 3
    program.write_text("# moved down\n" + PROGRAM)
    assert await lenses(client, program) == []


async def test_line_ends_and_a_byte_order_mark_do_not_hide_the_lenses(
    client: LanguageClient, program: Path
) -> None:
    open_in_editor(client, program, "\ufeff" + PROGRAM.replace("\n", "\r\n"))
    assert [lens.range.start.line for lens in await lenses(client, program)] == [2, 7, 10]


async def test_a_program_run_in_a_subfolder_has_lenses_too(client: LanguageClient, tmp_path: Path) -> None:
    folder = tmp_path / "sub folder"
    folder.mkdir()
    path = folder / "prog.py"
    path.write_text("def f():\n    return 1\n")
    assert await lenses(client, path) == []
    lens_index.write(index_of(path, function(1, "f", 2)), folder)
    assert await titles(client, path) == ["2 calls"]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"version": 2, "files": {}}', '{"version": 1, "files": {"x": 1}}', "[" * 100_000],
    ids=["empty", "cut off", "not an object", "newer", "wrong shape", "deep"],
)
async def test_a_damaged_or_newer_index_means_no_lenses(
    client: LanguageClient, program: Path, content: str
) -> None:
    lens_index.path_in(program.parent).write_text(content)
    assert await lenses(client, program) == []


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "git:/discs.py?ref=HEAD", "file:///nowhere/gone.py"])
async def test_documents_that_are_not_files_have_no_lenses(client: LanguageClient, uri: str) -> None:
    found = await client.text_document_code_lens_async(
        types.CodeLensParams(types.TextDocumentIdentifier(uri))
    )
    assert not found


async def test_a_recorded_file_that_is_gone_has_no_lenses(client: LanguageClient, program: Path) -> None:
    program.unlink()
    assert await lenses(client, program) == []


async def test_the_refresh_notification_makes_the_server_ask_for_a_refresh(client: LanguageClient) -> None:
    client.protocol.notify("algodebug/refresh")
    await asyncio.wait_for(client.asked_to_refresh.wait(), timeout=20)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "state, expected",
    [
        (function(1, "f", 1), "1 call"),
        (function(1, "f", 12, wrong=1, correct=3), "12 calls · 1 wrong · 3 correct"),
        (function(1, "f", 3, wrong=1, buggy=True), "3 calls · 1 wrong · buggy call here"),
        (function(1, "f", 4, unknown=1, trusted=3), "4 calls · 1 unknown · 3 trusted"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_titles(state: lens_index.FunctionState, expected: str) -> None:
    assert code_lenses.title(state) == expected


def message(body: dict[str, Any]) -> bytes:
    data = json.dumps({"jsonrpc": "2.0", **body}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


INITIALIZE = message({"id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}})
GOODBYE = message({"id": 2, "method": "shutdown"}) + message({"method": "exit"})


@pytest.mark.parametrize("said, code", [(INITIALIZE + GOODBYE, 0), (INITIALIZE, 1)], ids=["exit", "hang up"])
def test_the_server_ends_with_its_client(said: bytes, code: int) -> None:
    ended = subprocess.run([*SERVER, "--stdio"], input=said, capture_output=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (code, b"")


def test_the_server_ends_on_exit_though_the_pipe_stays_open() -> None:
    with subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        server.stdin.write(INITIALIZE + GOODBYE)
        server.stdin.flush()
        assert server.wait(timeout=60) == 0


def test_unknown_arguments_are_refused_in_one_line() -> None:
    ended = subprocess.run([*SERVER, "--port", "1"], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 64
    assert (
        ended.stderr == "algodebug lsp: unrecognized arguments: --port 1; it takes no arguments but --stdio\n"
    )


def test_importing_the_package_does_not_import_the_lsp_libraries() -> None:
    script = "import sys, algodebug.lsp; sys.exit(bool({'pygls', 'lsprotocol'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script], timeout=60).returncode == 0
