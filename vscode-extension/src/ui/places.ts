/** From the adapter's places (lines from 1, columns in characters) to the editor's, and to what is on the screen. */

import * as vscode from 'vscode';
import { editorColumn, linesIn, type LineRun } from '../highlightedLines';
import type { Span } from '../protocol';

/** One range a line, so that a border is drawn on each. */
export function linesOf(run: LineRun): vscode.Range[] {
  return linesIn(run).map((line) => new vscode.Range(line - 1, 0, line - 1, 0));
}

export function rangeOf(document: vscode.TextDocument, [line, column, endLine, endColumn]: Span): vscode.Range {
  const position = (at: number, characters: number): vscode.Position => {
    const text = at <= document.lineCount ? document.lineAt(at - 1).text : '';
    return new vscode.Position(at - 1, editorColumn(text, characters));
  };
  return new vscode.Range(position(line, column), position(endLine, endColumn));
}

export function isFile(document: vscode.TextDocument, file: string): boolean {
  return document.uri.scheme === 'file' && document.uri.fsPath === vscode.Uri.file(file).fsPath;
}

/** Opens a file with a line in view; gives the editor it is in. */
export async function openAt(file: string, line: number, preserveFocus: boolean): Promise<vscode.TextEditor> {
  // Where the file or at least code is shown already, not over a question that is open beside it.
  const shown = vscode.window.visibleTextEditors.filter((each) => each.viewColumn !== undefined);
  const viewColumn = (shown.find(({ document }) => isFile(document, file)) ?? shown[0])?.viewColumn;
  const editor = await vscode.window.showTextDocument(vscode.Uri.file(file), { preserveFocus, viewColumn });
  const at = new vscode.Range(line - 1, 0, line - 1, 0);
  if (!preserveFocus) editor.selection = new vscode.Selection(at.start, at.start);
  editor.revealRange(at, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}
