/**
 * Tells whether a Python file still reads as it did when the program ran. The texts of open files are kept from the
 * start of the run; a file opened later is compared by its time of change.
 */

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import * as vscode from 'vscode';

export class RanSources implements vscode.Disposable {
  private readonly hashes = new Map<string, string>();
  private readonly changed = new Set<string>();
  private readonly subscriptions: vscode.Disposable[];
  private started = Date.now();

  constructor(onDidChange: () => void) {
    this.begin();
    this.subscriptions = [
      vscode.workspace.onDidOpenTextDocument((document) => this.keep(document)),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.judge(document)) onDidChange();
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** The program starts (again) now. */
  begin(): void {
    this.started = Date.now();
    this.hashes.clear();
    this.changed.clear();
    for (const document of vscode.workspace.textDocuments) this.keep(document);
  }

  differs(file: string): boolean {
    if (this.changed.has(file)) return true;
    return !this.hashes.has(file) && writtenAfter(file, this.started);
  }

  private keep(document: vscode.TextDocument): void {
    const file = document.uri.fsPath;
    if (document.languageId !== 'python' || this.hashes.has(file)) return;
    if (writtenAfter(file, this.started)) this.changed.add(file);
    else this.hashes.set(file, hashOf(document));
  }

  /** True when the answer for the document has changed: an edit, or an edit taken back. */
  private judge(document: vscode.TextDocument): boolean {
    const file = document.uri.fsPath;
    const ran = this.hashes.get(file);
    if (ran === undefined) return false;
    const before = this.changed.has(file);
    const now = hashOf(document) !== ran;
    if (now) this.changed.add(file);
    else this.changed.delete(file);
    return before !== now;
  }
}

function hashOf(document: vscode.TextDocument): string {
  return createHash('sha256').update(document.getText()).digest('hex');
}

function writtenAfter(file: string, time: number): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > time;
}
