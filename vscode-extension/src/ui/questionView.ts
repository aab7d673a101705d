/**
 * The Question view in Run and Debug, and the same page as an editor when the user wants it wide. Draws the current
 * state, passes clicks on, fetches the parts of values.
 */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Status } from '../protocol';
import { PARTS_AT_ONCE } from '../questionPage';
import type { FromPage, ToPage } from '../webview/messages';
import { type BuggyCodeMarks, openAt } from './buggyCodeMarks';
import { sentence, type Sessions } from './sessions';

export const QUESTION_VIEW = 'algodebug.question';

export class QuestionView implements vscode.WebviewViewProvider, vscode.Disposable {
  private readonly pages = new Set<vscode.Webview>();
  private readonly subscriptions: vscode.Disposable[];
  private view: vscode.WebviewView | undefined;
  private panel: vscode.WebviewPanel | undefined;
  private lastStatus: Status | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly sessions: Sessions,
    private readonly marks: BuggyCodeMarks,
  ) {
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider(QUESTION_VIEW, this),
      sessions.onDidChange(() => this.update()),
    ];
  }

  dispose(): void {
    this.panel?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.onDidDispose(() => (this.view = undefined));
    this.fill(view.webview, view.onDidDispose);
    this.update();
  }

  /** Brings the question before the user. */
  async focus(): Promise<void> {
    if (this.panel) this.panel.reveal();
    else await vscode.commands.executeCommand(`${QUESTION_VIEW}.focus`);
  }

  openInEditor(): void {
    if (!this.panel) {
      const { Beside } = vscode.ViewColumn;
      this.panel = vscode.window.createWebviewPanel('algodebug.questionPanel', 'Question', Beside);
      this.panel.onDidDispose(() => (this.panel = undefined));
      this.fill(this.panel.webview, this.panel.onDidDispose);
    }
    this.panel.reveal();
  }

  private fill(page: vscode.Webview, onDidDispose: vscode.Event<void>): void {
    page.options = {
      enableScripts: true,
      localResourceRoots: ['dist', 'media'].map((folder) => vscode.Uri.joinPath(this.extension, folder)),
    };
    page.onDidReceiveMessage((message: FromPage) => void this.receive(message, page));
    onDidDispose(() => this.pages.delete(page));
    this.pages.add(page);
    page.html = this.frame(page);
  }

  private update(): void {
    for (const page of this.pages) this.send(page);
    const { state } = this.sessions;
    const asking = state?.status === 'asking';
    if (this.view) {
      this.view.badge = asking ? { value: 1, tooltip: 'A question is waiting' } : undefined;
      this.view.description = asking && state.remaining > 0 ? `about ${state.remaining} left` : undefined;
    }
    const begins = this.lastStatus === 'recording' || this.lastStatus === 'loading';
    this.lastStatus = state?.status;
    // The first question comes into view by itself; later ones leave the focus where it is.
    if (begins && state && !['recording', 'loading'].includes(state.status) && !this.view?.visible) void this.focus();
  }

  private send(page: vscode.Webview): void {
    const { state, current } = this.sessions;
    const message: ToPage = {
      type: 'page',
      page: { state, notice: current?.notice ?? null, changedFiles: this.marks.changedFiles },
    };
    void page.postMessage(message);
  }

  private async receive(message: FromPage, page: vscode.Webview): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.send(page);
      case 'answer':
        return this.sessions.ask('algodebug/answer', { answer: message.answer, node: message.node });
      case 'undo':
        return this.sessions.ask('algodebug/undo', {});
      case 'ask':
        return this.sessions.ask('algodebug/ask', { node: message.node });
      case 'open':
        return openAt(message.file, message.line, false);
      case 'show':
        return this.marks.show();
      case 'debug':
        await vscode.commands.executeCommand('algodebug.debugCurrentFile');
        return;
      case 'value':
        return this.sendParts(message.ref, message.start, page);
    }
  }

  private async sendParts(ref: string, start: number, page: vscode.Webview): Promise<void> {
    let reply: ToPage;
    try {
      const parts = await this.sessions.request('algodebug/value', { ref, start, count: PARTS_AT_ONCE });
      if (!parts) return;
      reply = { type: 'parts', ref, start, page: parts };
    } catch (error) {
      reply = { type: 'noParts', ref, error: sentence(error) };
    }
    void page.postMessage(reply);
  }

  private frame(page: vscode.Webview): string {
    const nonce = randomBytes(16).toString('base64');
    const uri = (...path: string[]): string => page.asWebviewUri(vscode.Uri.joinPath(this.extension, ...path)).toString();
    return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${page.cspSource}; script-src 'nonce-${nonce}'">
<link rel="stylesheet" href="${uri('media', 'question.css')}">
<title>Question</title>
</head>
<body>
<div id="spoken" class="hidden" aria-live="polite"></div>
<main id="page"></main>
<script nonce="${nonce}" src="${uri('dist', 'page.js')}"></script>
</body>
</html>`;
  }
}
