"""The LSP side: requests in, `RecordedFiles` and `code_lenses`, `diagnostics`, `hovers`, `inline_values` asked, replies out.

The server keeps no state of a session. The extension tells it with `algodebug/refresh` that the index on disk has
changed, and it asks the editor to request the lenses anew, and tells the verdict. The settings `codeLenses`,
`diagnostics`, `hovers` and `inlineValues` of the section `algorithmicDebug` switch each of them off.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from algodebug import __version__
from algodebug.lens_index import FileState, fingerprint
from algodebug.lsp import code_lenses, diagnostics, hovers, inline_values
from algodebug.lsp.places import Place
from algodebug.lsp.recorded_files import RecordedFiles

REFRESH = "algodebug/refresh"
SECTION = "algorithmicDebug"
CODE_LENSES, DIAGNOSTICS, HOVERS, INLINE_VALUES = "codeLenses", "diagnostics", "hovers", "inlineValues"

_log = logging.getLogger(__name__)


class LensServer(LanguageServer):
    """One editor window's server."""

    def __init__(self) -> None:
        super().__init__(name="algodebug", version=__version__)
        self.recorded = RecordedFiles()
        self.wanted = dict.fromkeys((CODE_LENSES, DIAGNOSTICS, HOVERS, INLINE_VALUES), True)
        self._marked: set[str] = set()  # documents that have a diagnostic
        self.said_goodbye = False

    def report_server_error(self, error: Exception, source: object) -> None:
        """To the log, never to a pop-up: the user did not ask for a lens."""
        _log.error("%s: %s", type(error).__name__, error)

    def workspace_folders(self) -> list[str]:
        """The folders of the window that are on this machine."""
        workspace = self.workspace
        places = [folder.uri for folder in workspace.folders.values()]
        if not places and workspace.root_uri:
            places = [workspace.root_uri]
        return [path for path in map(uris.to_fs_path, places) if path]

    def configure(self, settings: object) -> None:
        """Takes the settings that switch parts off; what is not said stays as it is."""
        section = settings.get(SECTION, settings) if isinstance(settings, dict) else None
        if isinstance(section, dict):
            self.wanted.update(
                {name: section[name] for name in self.wanted if type(section.get(name)) is bool}
            )

    def document(self, uri: str) -> tuple[str, Place, FileState] | None:
        """The text of a recorded file as the editor has it, and what is recorded of it."""
        path = uris.to_fs_path(uri)
        if not path:
            return None  # a notebook cell, an unsaved file, an older version from source control
        recorded = self.recorded.find(path, self.workspace_folders())
        if recorded is None:
            return None
        document = self.workspace.get_text_document(uri)
        try:
            text = document.source
        except (OSError, UnicodeError):
            return None  # not open in the editor, and gone from the disk or not readable as text
        return text, Place(uri, code_lenses.lines_of(text), document.position_codec), recorded

    def other(self, path: str) -> Place | None:
        """Another recorded file, while its text is what ran."""
        uri = uris.from_fs_path(path)
        found = None if uri is None else self.document(uri)
        return found[1] if found is not None and found[2]["sha256"] == fingerprint(found[0]) else None

    def tell_verdict(self, uri: str) -> None:
        """Publishes the diagnostics of a document; those told before go."""
        found = self.document(uri) if self.wanted[DIAGNOSTICS] else None
        told = [] if found is None else diagnostics.diagnostics(found[1], found[0], found[2], self.other)
        if told or uri in self._marked:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told))
        (self._marked.add if told else self._marked.discard)(uri)

    def tell_all(self) -> None:
        """The verdict may be another one, or be gone."""
        for uri in {*self.workspace.text_documents, *self._marked}:
            self.tell_verdict(uri)

    def show_anew(self) -> None:
        """Has the editor ask again for what it asks for, where it knows how to."""
        workspace = self.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)
        if workspace and workspace.inline_value and workspace.inline_value.refresh_support:
            self.workspace_inline_value_refresh(None)
        self.tell_all()


def create_server() -> LensServer:
    """A server with its handlers, not yet talking to anybody."""
    server = LensServer()

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    def code_lens(ls: LensServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        path = uris.to_fs_path(params.text_document.uri)
        found = ls.document(params.text_document.uri) if ls.wanted[CODE_LENSES] else None
        return [] if found is None or not path else code_lenses.lenses(path, found[0], found[2])

    @server.feature(types.CODE_LENS_RESOLVE)
    def resolve(ls: LensServer, lens: types.CodeLens) -> types.CodeLens:
        match lens.data:
            case {"file": str(path), "line": int(line), "qualname": str(qualname)}:
                recorded = ls.recorded.find(path, ls.workspace_folders())
                return code_lenses.resolve(lens, path, line, qualname, recorded)
        return lens

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: LensServer, params: types.HoverParams) -> types.Hover | None:
        found = ls.document(params.text_document.uri) if ls.wanted[HOVERS] else None
        return None if found is None else hovers.hover(found[1], found[0], params.position, found[2])

    @server.feature(types.TEXT_DOCUMENT_INLINE_VALUE)
    def inline_value(ls: LensServer, params: types.InlineValueParams) -> list[types.InlineValueText]:
        found = ls.document(params.text_document.uri) if ls.wanted[INLINE_VALUES] else None
        return (
            [] if found is None else inline_values.inline_values(found[1], found[0], params.range, found[2])
        )

    @server.feature(REFRESH)
    def refresh(ls: LensServer, params: object) -> None:
        ls.show_anew()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def changed_settings(ls: LensServer, params: types.DidChangeConfigurationParams) -> None:
        ls.configure(_plain(params.settings))
        ls.show_anew()

    @server.feature(types.INITIALIZE)
    def initialize(ls: LensServer, params: types.InitializeParams) -> None:
        ls.configure(_plain(params.initialization_options))

    def follow(ls: LensServer, params: Any) -> None:
        ls.tell_verdict(params.text_document.uri)

    watched: list[Callable[..., Any]] = [
        server.feature(types.TEXT_DOCUMENT_DID_OPEN),
        server.feature(types.TEXT_DOCUMENT_DID_CHANGE),
        server.feature(types.TEXT_DOCUMENT_DID_SAVE),
    ]
    for watch in watched:
        watch(follow)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: LensServer, params: None) -> None:
        ls.said_goodbye = True

    return server


def _plain(settings: Any) -> Any:
    """Settings arrive as objects with attributes, or as dictionaries."""
    if hasattr(settings, "_asdict"):
        settings = settings._asdict()
    if isinstance(settings, dict):
        return {name: _plain(value) for name, value in settings.items()}
    return settings


def serve_stdio() -> int:
    """Serves until the editor ends the server or its end of the pipe closes; 0 if it asked for a shutdown first."""
    server = create_server()
    server.start_io()
    return 0 if server.said_goodbye else 1
