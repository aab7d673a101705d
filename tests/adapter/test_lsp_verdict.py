"""The verdict as a diagnostic, the recorded values in a hover and beside their names, over the pipe of a real language server."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from algodebug import lens_index

SERVER = [sys.executable, "-c", "import sys; from algodebug.lsp import main; sys.exit(main(sys.argv[1:]))"]
PROGRAM = """\
def mean(xs):
    total = 0  # 😀 total
    for x in xs:
        total -= x
    return total / len(xs)

other = 1
"""
HELPER = "def add(a, b):\n    return a - b\n"


def write_index(folder: Path, verdict: bool = True) -> None:
    program, helper = folder / "prog.py", folder / "helper.py"
    related: list[lens_index.RelatedState] = [
        {"file": str(program), "range": [5, 4, 5, 26], "message": "This, too."},
        {"file": str(helper), "range": [2, 4, 2, 16], "message": "And that."},
    ]
    state: lens_index.FileState = {
        "sha256": lens_index.fingerprint(PROGRAM),
        "functions": [],
        "values": {
            "title": "mean([1, `2`])",
            "lines": [1, 5],
            "values": [
                {"name": "total", "text": "0", "count": 1, "range": [2, 4, 2, 9]},
                {"name": "total", "text": "-1 → -3", "count": 2, "range": [4, 8, 4, 13]},
                {"name": "x", "text": "1 → 2", "count": 2, "range": [3, 8, 3, 9]},
            ],
        },
    }
    if verdict:
        state["verdict"] = {
            "range": [4, 8, 4, 18],
            "message": "mean(…) is where it goes wrong.",
            "related": related,
        }
    files = {
        str(program): state,
        str(helper): {"sha256": lens_index.fingerprint(HELPER), "functions": []},
    }
    index: Any = {"version": lens_index.VERSION, "trace": "/some/run.algotrace", "files": files}
    assert lens_index.write(index, folder)


async def told(client: LanguageClient, path: Path, count: int) -> list[types.Diagnostic]:
    """The diagnostics of a document, once there are so many."""
    for _ in range(400):
        found = list(client.diagnostics.get(path.as_uri(), ()))
        if len(found) == count:
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(f"there are {len(found)} diagnostics")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "prog.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "helper.py").write_text(HELPER)
    write_index(tmp_path)
    return tmp_path / "prog.py"


@pytest_lsp.fixture(config=ClientServerConfig(server_command=SERVER))
async def client(lsp_client: LanguageClient, tmp_path: Path) -> Any:
    @lsp_client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refresh(params: None) -> None:
        """The editor draws its lenses anew."""

    await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            workspace_folders=[types.WorkspaceFolder(uri=tmp_path.as_uri(), name="workspace")],
        )
    )
    yield
    await lsp_client.shutdown_session()


def open_in_editor(client: LanguageClient, path: Path) -> None:
    item = types.TextDocumentItem(path.as_uri(), "python", 1, path.read_text(encoding="utf-8"))
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))


def insert(client: LanguageClient, path: Path, version: int, start: int, end: int, text: str) -> None:
    change = types.TextDocumentContentChangePartial(
        range=types.Range(types.Position(6, start), types.Position(6, end)), text=text
    )
    document = types.VersionedTextDocumentIdentifier(version, path.as_uri())
    client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))


async def test_the_verdict_is_information_at_the_code_to_blame(client: LanguageClient, program: Path) -> None:
    open_in_editor(client, program)
    (found,) = await told(client, program, 1)
    assert found.severity == types.DiagnosticSeverity.Information and found.source == "Algorithmic Debug"
    assert (found.range.start.line, found.range.start.character, found.range.end.character) == (3, 8, 18)
    assert found.message == "mean(…) is where it goes wrong."
    beside = [
        (Path(each.location.uri).name, each.location.range.start.line, each.message)
        for each in found.related_information or ()
    ]
    assert beside == [("prog.py", 4, "This, too."), ("helper.py", 1, "And that.")]


async def test_it_goes_while_the_text_is_another(client: LanguageClient, program: Path) -> None:
    open_in_editor(client, program)
    await told(client, program, 1)
    insert(client, program, 2, 0, 0, "# ")
    await told(client, program, 0)
    insert(client, program, 3, 0, 2, "")
    await told(client, program, 1)


async def test_another_file_that_changed_is_left_out(client: LanguageClient, program: Path) -> None:
    program.with_name("helper.py").write_text("# moved\n" + HELPER)
    open_in_editor(client, program)
    (found,) = await told(client, program, 1)
    assert [each.message for each in found.related_information or ()] == ["This, too."]


async def test_it_goes_with_the_next_session(client: LanguageClient, program: Path) -> None:
    open_in_editor(client, program)
    await told(client, program, 1)
    write_index(program.parent, verdict=False)
    client.protocol.notify("algodebug/refresh")
    await told(client, program, 0)


async def hover(client: LanguageClient, path: Path, line: int, character: int) -> str | None:
    found = await client.text_document_hover_async(
        types.HoverParams(types.TextDocumentIdentifier(path.as_uri()), types.Position(line, character))
    )
    if found is None:
        return None
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


HOVERS: dict[tuple[int, int], list[str]] = {
    (1, 5): ["`total = 0`"],
    (3, 10): ["`total = -1 → -3`, 2 times"],
    (4, 12): ["`total = 0` (line 2)", "`total = -1 → -3` (line 4), 2 times"],
    (1, 20): ["`total = 0` (line 2)", "`total = -1 → -3` (line 4), 2 times"],  # behind a wide character
    (3, 17): ["`x = 1 → 2` (line 3), 2 times"],
}
NO_HOVERS = [(2, 4), (4, 22), (6, 1), (5, 0)]


async def test_a_name_shows_what_it_was_bound_to(client: LanguageClient, program: Path) -> None:
    open_in_editor(client, program)
    for (line, character), expected in HOVERS.items():
        text = await hover(client, program, line, character)
        assert text is not None and text.split("\n\n") == ["In `mean([1, '2'])`", *expected]
    for line, character in NO_HOVERS:
        assert await hover(client, program, line, character) is None


async def test_no_hover_while_the_text_is_another(client: LanguageClient, program: Path) -> None:
    open_in_editor(client, program)
    insert(client, program, 2, 0, 0, "# ")
    assert await hover(client, program, 1, 5) is None


async def values_of(client: LanguageClient, path: Path, first: int, last: int) -> list[tuple[int, int, str]]:
    found = await client.text_document_inline_value_async(
        types.InlineValueParams(
            types.TextDocumentIdentifier(path.as_uri()),
            types.Range(types.Position(first, 0), types.Position(last, 0)),
            types.InlineValueContext(1, types.Range(types.Position(0, 0), types.Position(0, 0))),
        )
    )
    told = [each for each in found or () if isinstance(each, types.InlineValueText)]
    return [(each.range.start.line, each.range.start.character, each.text) for each in told]


async def test_values_stand_at_their_names(client: LanguageClient, program: Path) -> None:
    open_in_editor(client, program)
    assert await values_of(client, program, 0, 9) == [
        (1, 4, "total = 0"),
        (3, 8, "total = -1 → -3"),
        (2, 8, "x = 1 → 2"),
    ]
    assert await values_of(client, program, 3, 3) == [(3, 8, "total = -1 → -3")]
    insert(client, program, 2, 0, 0, "# ")
    assert await values_of(client, program, 0, 9) == []


async def test_each_can_be_switched_off(client: LanguageClient, program: Path) -> None:
    def switch(**settings: bool) -> None:
        client.workspace_did_change_configuration(
            types.DidChangeConfigurationParams({"algorithmicDebug": settings})
        )

    open_in_editor(client, program)
    await told(client, program, 1)
    switch(diagnostics=False)
    await told(client, program, 0)
    assert await hover(client, program, 1, 5) is not None
    switch(hovers=False, diagnostics=True)
    await told(client, program, 1)
    assert await hover(client, program, 1, 5) is None
    switch(codeLenses=False)
    document = types.TextDocumentIdentifier(program.as_uri())
    assert not await client.text_document_code_lens_async(types.CodeLensParams(document))
    assert await values_of(client, program, 0, 9)
    switch(inlineValues=False)
    assert not await values_of(client, program, 0, 9)
