/**
 * Marks code in the editors: the function asked about, and in the end the buggy lines, exactly those that the verdict
 * names and only while the text is what ran. A function of the current state, drawn anew after every change.
 */

import * as vscode from 'vscode';
import { type LitFile, type LineRun, litFiles } from '../highlightedLines';
import type { Result } from '../protocol';
import type { Sessions } from './sessions';

export class CodeMarks implements vscode.Disposable {
  private readonly bright = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    backgroundColor: new vscode.ThemeColor('algorithmicDebug.buggyLineBackground'),
    borderColor: new vscode.ThemeColor('algorithmicDebug.buggyLineBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 4px',
    overviewRulerColor: new vscode.ThemeColor('algorithmicDebug.buggyLineBorder'),
    overviewRulerLane: vscode.OverviewRulerLane.Full,
  });
  private readonly faint = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    borderColor: new vscode.ThemeColor('algorithmicDebug.executedLineBorder'),
    borderStyle: 'dotted',
    borderWidth: '0 0 0 3px',
    overviewRulerColor: new vscode.ThemeColor('algorithmicDebug.executedLineBorder'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly asked = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    borderColor: new vscode.ThemeColor('algorithmicDebug.askedFunctionBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 2px',
    overviewRulerColor: new vscode.ThemeColor('algorithmicDebug.askedFunctionBorder'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    after: { contentText: 'asked about now', margin: '0 0 0 3em', color: new vscode.ThemeColor('editorCodeLens.foreground') },
  });
  private readonly subscriptions: vscode.Disposable[];
  /** The verdict that has been brought before the user's eyes. */
  private revealed: string | undefined;

  constructor(private readonly sessions: Sessions) {
    this.subscriptions = [
      this.bright,
      this.faint,
      this.asked,
      sessions.onDidChange(() => this.update()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Files of the verdict whose text is no longer what ran. */
  get changedFiles(): string[] {
    const { current } = this.sessions;
    if (!current) return [];
    return litFiles(current.state.result)
      .map(({ file }) => file)
      .filter((file) => current.sources.differs(file));
  }

  /** Opens the file of the verdict with its lines in view. */
  async show(preserveFocus = false): Promise<void> {
    const result = this.sessions.state?.result;
    if (!result?.found) return;
    const first = litFiles(result).find(({ file }) => file === result.file)?.bright[0]?.[0] ?? result.line;
    await openAt(result.file, first, preserveFocus);
    this.draw();
  }

  private update(): void {
    this.draw();
    const result = this.sessions.state?.result;
    const verdict = result?.found ? `${this.sessions.current?.session.id} ${result.node}` : undefined;
    if (verdict !== undefined && verdict !== this.revealed) void this.show(true);
    this.revealed = verdict;
  }

  private draw(): void {
    const { result = null, question = null } = this.sessions.state ?? {};
    const changed = this.changedFiles;
    const lit = litFiles(result).filter(({ file }) => !changed.includes(file));
    for (const editor of vscode.window.visibleTextEditors) {
      const marks = lit.find(({ file }) => isFile(editor.document, file));
      editor.setDecorations(this.bright, options(marks, 'bright', result));
      editor.setDecorations(this.faint, options(marks, 'faint', result));
      const here = question && isFile(editor.document, question.file) && !this.sessions.current?.sources.differs(question.file);
      editor.setDecorations(this.asked, here ? linesOf([question.line, question.line]) : []);
    }
  }
}

function options(marks: LitFile | undefined, kind: 'bright' | 'faint', result: Result | null): vscode.DecorationOptions[] {
  const hover =
    kind === 'bright'
      ? `**Algorithmic Debug:** this line ran in the buggy call.\n\n${inlineCode(result?.title ?? '')}`
      : '**Algorithmic Debug:** this line ran in the buggy call, but what is wrong does not depend on it.';
  return (marks?.[kind] ?? []).flatMap((run) => linesOf(run)).map((range) => ({ range, hoverMessage: hover }));
}

/** One range a line, so that a border is drawn on each. */
function linesOf([first, last]: LineRun): vscode.Range[] {
  return Array.from({ length: last - first + 1 }, (_, at) => new vscode.Range(first - 1 + at, 0, first - 1 + at, 0));
}

function inlineCode(text: string): string {
  return text === '' ? '' : `\`\` ${text.replaceAll('`', 'ˋ')} \`\``;
}

function isFile(document: vscode.TextDocument, file: string): boolean {
  return document.uri.scheme === 'file' && document.uri.fsPath === vscode.Uri.file(file).fsPath;
}

export async function openAt(file: string, line: number, preserveFocus: boolean): Promise<void> {
  // Where the file or at least code is shown already, not over a question that is open beside it.
  const shown = vscode.window.visibleTextEditors.filter((each) => each.viewColumn !== undefined);
  const viewColumn = (shown.find(({ document }) => isFile(document, file)) ?? shown[0])?.viewColumn;
  const editor = await vscode.window.showTextDocument(vscode.Uri.file(file), { preserveFocus, viewColumn });
  const at = new vscode.Range(line - 1, 0, line - 1, 0);
  if (!preserveFocus) editor.selection = new vscode.Selection(at.start, at.start);
  editor.revealRange(at, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
