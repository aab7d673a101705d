/** The recorded values of names, shown at the end of their lines in the call that is asked about. */

import * as vscode from 'vscode';
import type { NodeValues } from '../protocol';
import { isFile, rangeOf } from './places';
import { sentence, type Sessions } from './sessions';

export class InlineValues implements vscode.InlineValuesProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  private known: { about: string; values: Thenable<NodeValues | undefined> } | undefined;

  readonly onDidChangeInlineValues = this.changed.event;

  constructor(
    private readonly sessions: Sessions,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      this.changed,
      vscode.languages.registerInlineValuesProvider({ language: 'python', scheme: 'file' }, this),
      sessions.onDidChange(() => this.changed.fire()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  async provideInlineValues(document: vscode.TextDocument, viewPort: vscode.Range): Promise<vscode.InlineValue[]> {
    const { state, current } = this.sessions;
    const node = state?.question?.id ?? (state?.result?.found ? state.result.node : null);
    const wanted = vscode.workspace.getConfiguration('algorithmicDebug').get('inlineValues', true);
    if (!wanted || node === null || node === undefined || current?.sources.differs(document.uri.fsPath)) return [];
    const found = await this.fetch(node, current?.session.id ?? '');
    if (!found || !isFile(document, found.file)) return [];
    return found.values
      .filter(({ range: [line] }) => line <= document.lineCount)
      .map(({ name, text, range }) => new vscode.InlineValueText(rangeOf(document, range), `${name} = ${text}`))
      .filter(({ range }) => viewPort.intersection(range));
  }

  private fetch(node: number, session: string): Thenable<NodeValues | undefined> {
    const about = `${session} ${this.sessions.state?.trace} ${node}`;
    if (this.known?.about !== about) {
      const values = this.sessions.request('algodebug/values', { node }).then(undefined, (error: unknown) => {
        this.log.warn(`algodebug/values: ${sentence(error)}`);
        return undefined;
      });
      this.known = { about, values };
    }
    return this.known.values;
  }
}
