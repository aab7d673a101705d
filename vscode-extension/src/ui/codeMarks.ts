/**
 * Marks code in the editors: the function asked about, and in the end the buggy lines, exactly those that the verdict
 * names and only while the text is what ran. A function of the current state, drawn anew after every change.
 */

import * as vscode from 'vscode';
import { type LitFile, litFiles } from '../highlightedLines';
import type { Question, Result } from '../protocol';
import { isFile, linesOf, openAt, rangeOf } from './places';
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
  /** Of lines on which something does not matter: the pieces that do. */
  private readonly brightPart = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    backgroundColor: new vscode.ThemeColor('algorithmicDebug.buggyLineBackground'),
    borderColor: new vscode.ThemeColor('algorithmicDebug.buggyLineBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 1px 0',
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
  /** The code inside a function that is asked about. */
  private readonly askedCode = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    backgroundColor: new vscode.ThemeColor('algorithmicDebug.askedCodeBackground'),
    borderColor: new vscode.ThemeColor('algorithmicDebug.askedFunctionBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 5px',
    overviewRulerColor: new vscode.ThemeColor('algorithmicDebug.askedFunctionBorder'),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  private readonly subscriptions: vscode.Disposable[];
  /** The verdict that has been brought before the user's eyes. */
  private revealed: string | undefined;

  constructor(private readonly sessions: Sessions) {
    this.subscriptions = [
      this.bright,
      this.brightPart,
      this.faint,
      this.asked,
      this.askedCode,
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
      const parts = (marks?.parts ?? []).map((span) => rangeOf(editor.document, span));
      editor.setDecorations(this.brightPart, parts);
      editor.setDecorations(this.asked, here ? linesOf([question.line, question.line]) : []);
      editor.setDecorations(this.askedCode, here ? askedLines(question) : []);
    }
  }
}

/** The lines of the code asked about; none where it is a call. */
function askedLines({ range = null, title, kind }: Question): vscode.DecorationOptions[] {
  if (!range || kind === 'routine') return [];
  const hoverMessage = `**Algorithmic Debug:** asked about now: ${inlineCode(title)}`;
  return linesOf([range[0], range[2]]).map((line) => ({ range: line, hoverMessage }));
}

function options(marks: LitFile | undefined, kind: 'bright' | 'faint', result: Result | null): vscode.DecorationOptions[] {
  const hover =
    kind === 'bright'
      ? `**Algorithmic Debug:** this line ran in the buggy call.\n\n${inlineCode(result?.title ?? '')}`
      : '**Algorithmic Debug:** this line ran in the buggy call, but what is wrong does not depend on it.';
  return (marks?.[kind] ?? []).flatMap((run) => linesOf(run)).map((range) => ({ range, hoverMessage: hover }));
}

function inlineCode(text: string): string {
  return text === '' ? '' : `\`\` ${text.replaceAll('`', 'ˋ')} \`\``;
}
