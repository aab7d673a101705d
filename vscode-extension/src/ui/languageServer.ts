/** The language server (code lenses, the verdict, hovers), running from the first Python file on. Without an interpreter there is none. */

import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { REFRESH_NOTIFICATION } from '../protocol';
import { serverCommand } from './debugType';
import type { Interpreters } from './interpreters';
import { sentence, type Sessions } from './sessions';

export class LanguageServer implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private client: LanguageClient | undefined;
  private starting: Promise<void> | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly interpreters: Interpreters,
    sessions: Sessions,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => this.consider(document)),
      sessions.onDidChange(() => this.refresh()),
    ];
    vscode.workspace.textDocuments.forEach((document) => this.consider(document));
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    void this.client?.dispose();
  }

  async restart(): Promise<void> {
    await this.starting;
    await this.client?.dispose();
    this.client = undefined;
    this.starting = this.start();
    await this.starting;
  }

  private consider(document: vscode.TextDocument): void {
    if (document.languageId === 'python' && document.uri.scheme === 'file') this.starting ??= this.start();
  }

  private refresh(): void {
    if (this.client?.isRunning()) void this.client.sendNotification(REFRESH_NOTIFICATION);
  }

  private async start(): Promise<void> {
    try {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
      const command = await this.interpreters.forAdapter(undefined, folder);
      const run = { command, args: serverCommand(this.context.extensionUri, 'lsp'), transport: TransportKind.stdio };
      this.client = new LanguageClient(
        'algodebug',
        'Algorithmic Debug',
        { run, debug: run },
        {
          documentSelector: [{ scheme: 'file', language: 'python' }],
          outputChannel: this.log,
          // Which of lenses, diagnostics and hovers are wanted: told at the start and after each change.
          synchronize: { configurationSection: 'algorithmicDebug' },
          // Of a session of ours they come from the debug adapter (`inlineValues.ts`).
          middleware: { provideInlineValues: () => [] },
        },
      );
      await this.client.start();
    } catch (error) {
      this.log.warn(`no code lenses: ${sentence(error)}`);
    }
  }
}
