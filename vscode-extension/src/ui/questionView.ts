/**
 * The question, shown beside the code or in Run and Debug: there is one page, in one of the two places. Draws the
 * current state, passes clicks on, fetches the parts of values.
 */

import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Status } from '../protocol';
import { PARTS_AT_ONCE } from '../valueRows';
import type { FromPage, ToPage, Wanted } from '../webview/messages';
import type { CodeMarks } from './codeMarks';
import type { Origins } from './origins';
import { openAt } from './places';
import type { ReducedPrograms } from './reducedPrograms';
import { sentence, type Sessions } from './sessions';
import type { Slices } from './slices';

const LINES_AT_ONCE = 200;
const VIEW = 'algodebug.question';
/** Its group is locked by the setting that package.json contributes: files open beside the question, not on top of it. */
const PANEL = 'algodebug.questionPanel';

/** What the page has to do with the code. */
interface InTheCode {
  marks: CodeMarks;
  slices: Slices;
  origins: Origins;
  reduced: ReducedPrograms;
}

export class QuestionView implements vscode.WebviewViewProvider, vscode.Disposable {
  private readonly pages = new Set<vscode.Webview>();
  private readonly subscriptions: vscode.Disposable[];
  private view: vscode.WebviewView | undefined;
  private panel: vscode.WebviewPanel | undefined;
  private lastStatus: Status | undefined;
  private lastAsked: string | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly sessions: Sessions,
    private readonly code: InTheCode,
  ) {
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider(VIEW, this),
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
    this.fill(view.webview, view.onDidDispose, 'view');
    this.update();
  }

  /** Brings the question before the user. */
  async show(preserveFocus = false): Promise<void> {
    if (this.panel) this.panel.reveal(undefined, preserveFocus);
    else if (this.view) this.view.show(preserveFocus);
    else await vscode.commands.executeCommand(`${VIEW}.focus`);
  }

  openInEditor(preserveFocus = false): void {
    if (this.panel) return this.panel.reveal(undefined, preserveFocus);
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus };
    const panel = vscode.window.createWebviewPanel(PANEL, 'Question', place, { enableFindWidget: true });
    this.panel = panel;
    panel.iconPath = vscode.Uri.joinPath(this.extension, 'media', 'icon.png');
    panel.onDidDispose(() => {
      this.panel = undefined;
      void this.tellPlace();
    });
    this.fill(panel.webview, panel.onDidDispose, 'editor');
    void this.tellPlace();
  }

  async openInSideBar(): Promise<void> {
    this.panel?.dispose();
    await this.tellPlace();
    await this.show();
  }

  private async tellPlace(): Promise<void> {
    await vscode.commands.executeCommand('setContext', 'algodebug.questionInEditor', this.panel !== undefined);
  }

  private fill(page: vscode.Webview, onDidDispose: vscode.Event<void>, place: 'view' | 'editor'): void {
    page.options = {
      enableScripts: true,
      localResourceRoots: ['dist', 'media'].map((folder) => vscode.Uri.joinPath(this.extension, folder)),
    };
    page.onDidReceiveMessage((message: FromPage) => void this.receive(message, page));
    onDidDispose(() => this.pages.delete(page));
    this.pages.add(page);
    page.html = this.frame(page, place);
  }

  private update(): void {
    for (const page of this.pages) this.send(page);
    const { state } = this.sessions;
    if (this.view) {
      this.view.badge = state?.status === 'asking' ? { value: 1, tooltip: 'A question is waiting' } : undefined;
    }
    if (!state) this.panel?.dispose();
    const ready = isReady(state?.status);
    if (ready && !isReady(this.lastStatus)) void this.comeForward();
    else if (ready) this.followQuestion();
    this.lastStatus = state?.status;
    this.lastAsked = this.asked;
  }

  /** The first question comes into view by itself, without taking the keyboard from what the user does. */
  private async comeForward(): Promise<void> {
    const place = vscode.workspace.getConfiguration('algorithmicDebug').get('questionPlace', 'beside');
    if (place === 'beside') this.openInEditor(true);
    else await this.show(true);
  }

  private get asked(): string | undefined {
    const { current, state } = this.sessions;
    return state?.question ? `${current?.session.id} ${state.question.id}` : undefined;
  }

  /** Later questions bring the function they are about into view; the first one is shown by the editor's own stop. */
  private followQuestion(): void {
    const question = this.sessions.state?.question;
    if (question && this.asked !== this.lastAsked) void openAt(question.file, question.line, true);
  }

  private send(page: vscode.Webview): void {
    const { state, current } = this.sessions;
    const message: ToPage = {
      type: 'page',
      page: { state, notice: current?.notice ?? null, changedFiles: this.code.marks.changedFiles },
    };
    void page.postMessage(message);
  }

  private async receive(message: FromPage, page: vscode.Webview): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.send(page);
      case 'answer': {
        const { type, ...given } = message;
        return this.sessions.ask(`algodebug/${type}`, given);
      }
      case 'undo':
        return this.sessions.ask('algodebug/undo', {});
      case 'ask':
        return this.sessions.ask('algodebug/ask', { node: message.node });
      case 'zoom':
        return this.sessions.ask('algodebug/ask', { zoom: message.direction });
      case 'depth':
        return this.sessions.ask('algodebug/depth', { depth: message.depth });
      case 'open':
        return this.code.origins.visit(message.file, message.line, message.range, false);
      case 'slice':
        return this.code.slices.show(message.node, message.mark);
      case 'origin':
        return this.sendOrigin(message.node, message.mark, page);
      case 'writes':
        return this.sendWrites(message.node, message.mark, page);
      case 'lines':
        return this.sendLines(message.node, message.start, page);
      case 'reduce':
        return this.code.reduced.open(message.node, [message.mark]);
      case 'show':
        return this.code.marks.show();
      case 'debug':
        await vscode.commands.executeCommand('algodebug.debugCurrentFile');
        return;
      case 'value':
        return this.sendParts(message, page);
    }
  }

  private async sendParts({ ref, start, node, whole, gap }: Wanted, page: vscode.Webview): Promise<void> {
    const wanted: Wanted = { ref, start, node, whole, ...(gap === undefined ? {} : { gap }) };
    const count = Math.min(gap ?? PARTS_AT_ONCE, PARTS_AT_ONCE);
    let reply: ToPage;
    try {
      const about = node < 0 || whole || gap !== undefined ? {} : { node };
      const parts = await this.sessions.request('algodebug/value', { ref, start, count, ...about });
      if (!parts) return;
      reply = { type: 'parts', wanted, page: parts };
    } catch (error) {
      reply = { type: 'noParts', wanted, error: sentence(error) };
    }
    void page.postMessage(reply);
  }

  private async sendOrigin(node: number, mark: string, page: vscode.Webview): Promise<void> {
    let reply: ToPage;
    try {
      const origin = await this.sessions.request('algodebug/origin', { node, mark });
      if (!origin) return;
      reply = { type: 'origin', node, mark, origin };
    } catch (error) {
      reply = { type: 'noOrigin', node, mark, error: sentence(error) };
    }
    void page.postMessage(reply);
  }

  private async sendWrites(node: number, mark: string, page: vscode.Webview): Promise<void> {
    let reply: ToPage;
    try {
      const writes = await this.sessions.request('algodebug/writes', { node, mark });
      if (!writes) return;
      reply = { type: 'writes', node, mark, writes };
    } catch (error) {
      reply = { type: 'noOrigin', node, mark, error: sentence(error) };
    }
    void page.postMessage(reply);
  }

  private async sendLines(node: number, start: number, page: vscode.Webview): Promise<void> {
    try {
      const lines = await this.sessions.request('algodebug/printed', { node, start, count: LINES_AT_ONCE });
      if (lines) void page.postMessage({ type: 'lines', node, start, page: lines } satisfies ToPage);
    } catch (error) {
      void vscode.window.showInformationMessage(sentence(error));
    }
  }

  /** Shows what can be said about the outcome, with the keyboard there. */
  async markWrong(): Promise<void> {
    await this.show();
    for (const page of this.pages) void page.postMessage({ type: 'markWrong' } satisfies ToPage);
  }

  /** Shows what the question leaves out, or leaves it out again. */
  async showLeftOut(): Promise<void> {
    await this.show();
    for (const page of this.pages) void page.postMessage({ type: 'unfoldAll' } satisfies ToPage);
  }

  private frame(page: vscode.Webview, place: 'view' | 'editor'): string {
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
<body class="in-${place}">
<div id="spoken" class="hidden" aria-live="polite"></div>
<main id="page"></main>
<script nonce="${nonce}" src="${uri('dist', 'page.js')}"></script>
</body>
</html>`;
  }
}

function isReady(status: Status | undefined): boolean {
  return status !== undefined && status !== 'recording' && status !== 'loading';
}
