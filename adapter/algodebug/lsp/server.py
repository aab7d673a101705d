"""The LSP side of the code lenses: requests in, `RecordedFiles` and `code_lenses` asked, replies out.

The server keeps no state of a session. The extension tells it with `algodebug/refresh` that the index on disk has
changed, and it asks the editor to request the lenses anew.
"""

from __future__ import annotations

import logging

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer

from algodebug import __version__
from algodebug.lsp import code_lenses
from algodebug.lsp.recorded_files import RecordedFiles

REFRESH = "algodebug/refresh"

_log = logging.getLogger(__name__)


class LensServer(LanguageServer):
    """One editor window's server."""

    def __init__(self) -> None:
        super().__init__(name="algodebug", version=__version__)
        self.recorded = RecordedFiles()
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

    def can_refresh(self) -> bool:
        """Whether the editor knows `workspace/codeLens/refresh`."""
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.code_lens and workspace.code_lens.refresh_support)


def create_server() -> LensServer:
    """A server with its handlers, not yet talking to anybody."""
    server = LensServer()

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))
    def code_lens(ls: LensServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        path = uris.to_fs_path(params.text_document.uri)
        if not path:
            return []  # a notebook cell, an unsaved file, an older version from source control
        recorded = ls.recorded.find(path, ls.workspace_folders())
        if recorded is None:
            return []
        document = ls.workspace.get_text_document(params.text_document.uri)
        try:
            text = document.source
        except (OSError, UnicodeError):
            return []  # not open in the editor, and gone from the disk or not readable as text
        return code_lenses.lenses(path, text, recorded)

    @server.feature(types.CODE_LENS_RESOLVE)
    def resolve(ls: LensServer, lens: types.CodeLens) -> types.CodeLens:
        match lens.data:
            case {"file": str(path), "line": int(line), "qualname": str(qualname)}:
                recorded = ls.recorded.find(path, ls.workspace_folders())
                return code_lenses.resolve(lens, path, line, qualname, recorded)
        return lens

    @server.feature(REFRESH)
    def refresh(ls: LensServer, params: object) -> None:
        if ls.can_refresh():
            ls.workspace_code_lens_refresh(None)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: LensServer, params: None) -> None:
        ls.said_goodbye = True

    return server


def serve_stdio() -> int:
    """Serves until the editor ends the server or its end of the pipe closes; 0 if it asked for a shutdown first."""
    server = create_server()
    server.start_io()
    return 0 if server.said_goodbye else 1
