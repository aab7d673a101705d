/**
 * The slice that is shown in the editors: which code a value depends on, and, where the user wants it, nothing else in
 * sight. Gone with the next question, and never on a text that differs from what ran.
 */

import * as vscode from 'vscode';
import { litIn, linesLeft, type LitFile } from '../highlightedLines';
import type { Slice } from '../protocol';
import { isFile, linesOf, openAt, rangeOf } from './places';
import { sentence, type Sessions } from './sessions';

export class Slices implements vscode.Disposable {
  private readonly bright = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    borderColor: new vscode.ThemeColor('algorithmicDebug.sliceBorder'),
    borderStyle: 'double',
    borderWidth: '0 0 0 6px',
    overviewRulerColor: new vscode.ThemeColor('algorithmicDebug.sliceBorder'),
    overviewRulerLane: vscode.OverviewRulerLane.Center,
  });
  private readonly part = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    backgroundColor: new vscode.ThemeColor('algorithmicDebug.sliceBackground'),
    borderColor: new vscode.ThemeColor('algorithmicDebug.sliceBorder'),
    borderStyle: 'solid',
    borderWidth: '0 0 1px 0',
  });
  private readonly dim = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    opacity: '0.35',
  });
  private readonly subscriptions: vscode.Disposable[];
  private slice: Slice | undefined;
  private shownFor: string | undefined;
  private dimmed = false;

  constructor(
    private readonly sessions: Sessions,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      this.bright,
      this.part,
      this.dim,
      sessions.onDidChange(() => this.update()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Of a node, or of a part of what it did; by default of the node in question. */
  async show(node = this.node, mark = ''): Promise<void> {
    if (node === undefined) return;
    const kind = mark === '' ? 'buggy' : 'relevant';
    try {
      this.slice = await this.sessions.request('algodebug/slice', { node, mark, kind });
    } catch (error) {
      this.log.warn(`algodebug/slice: ${sentence(error)}`);
      void vscode.window.showInformationMessage(sentence(error));
      return;
    }
    this.shownFor = this.about;
    await this.tell();
    await this.bringIntoView();
    this.draw();
    const lines = (this.slice?.files ?? []).reduce((sum, { bright }) => sum + new Set(bright.map(([line]) => line)).size, 0);
    const what = mark === '' ? 'The outcome' : mark.replace(/^argument /, '');
    const unsure = this.slice?.complete === false ? ' Something could not be followed: parts may be missing.' : '';
    vscode.window.setStatusBarMessage(`$(filter) ${what} depends on ${lines} ${lines === 1 ? 'line' : 'lines'}.${unsure}`, 8000);
  }

  async hide(): Promise<void> {
    this.slice = undefined;
    this.dimmed = false;
    await this.tell();
    this.draw();
  }

  /** Takes all that is neither bright nor faint out of sight, or brings it back. */
  async dimOthers(dimmed: boolean): Promise<void> {
    if (dimmed && !this.slice && !this.sessions.state?.result?.found) await this.show();
    this.dimmed = dimmed;
    await this.tell();
    this.draw();
  }

  private async bringIntoView(): Promise<void> {
    const files = this.slice?.files ?? [];
    const seen = vscode.window.visibleTextEditors.some(({ document }) => files.some(({ file }) => isFile(document, file)));
    const [first] = files;
    if (first && !seen) await openAt(first.file, first.bright[0]?.[0] ?? 1, true);
  }

  private get node(): number | undefined {
    const { state } = this.sessions;
    return state?.question?.id ?? state?.result?.node ?? undefined;
  }

  /** What the slice is about: with another question it goes. */
  private get about(): string {
    const { state, current } = this.sessions;
    return `${current?.session.id} ${state?.question?.id} ${state?.result?.node} ${state?.answered}`;
  }

  private update(): void {
    if ((this.slice || this.dimmed) && this.shownFor !== this.about) {
      this.slice = undefined;
      this.dimmed = false;
      void this.tell();
    }
    this.shownFor = this.about;
    this.draw();
  }

  private async tell(): Promise<void> {
    await vscode.commands.executeCommand('setContext', 'algodebug.sliced', this.slice !== undefined);
    await vscode.commands.executeCommand('setContext', 'algodebug.dimmed', this.dimmed);
  }

  private draw(): void {
    const result = this.sessions.state?.result;
    const shown = this.slice?.files ?? [];
    // While nothing is sliced, it is the verdict that stays in sight.
    const kept = this.slice ? shown : result?.found ? result.code : [];
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      const find = (files: LitFile[]): LitFile | undefined =>
        files.find(({ file }) => isFile(document, file) && !this.sessions.current?.sources.differs(file));
      const lit = find(litIn(shown));
      const left = this.dimmed ? find(litIn(kept)) : undefined;
      const hoverMessage = `**Algorithmic Debug:** ${this.slice?.mark || 'the outcome'} depends on this.`;
      const whole = (lit?.bright ?? []).flatMap(linesOf).map((range) => ({ range, hoverMessage }));
      const spans = shown.filter(({ file }) => isFile(document, file)).flatMap(({ bright }) => bright);
      editor.setDecorations(this.bright, whole);
      editor.setDecorations(this.part, lit ? spans.map((span) => rangeOf(document, span)) : []);
      // Texts of lines, not places in front of them: opacity is the text's.
      const dim = left ? linesLeft(left, document.lineCount).map(([first, last]) => textOf(document, first, last)) : [];
      editor.setDecorations(this.dim, dim);
    }
  }
}

function textOf(document: vscode.TextDocument, first: number, last: number): vscode.Range {
  return new vscode.Range(first - 1, 0, last - 1, document.lineAt(last - 1).text.length);
}
