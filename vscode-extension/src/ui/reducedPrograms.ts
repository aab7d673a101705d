/** A program that computes a value without the rest: asked for by the user, run by the adapter, opened as a new text. */

import * as vscode from 'vscode';
import type { ReducedProgram } from '../protocol';
import { chooseValue } from './origins';
import { sentence, type Sessions } from './sessions';

export class ReducedPrograms {
  constructor(
    private readonly sessions: Sessions,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Asks which value of the question (or of the call found) is meant. */
  async choose(): Promise<void> {
    const { state } = this.sessions;
    const { question, result, history = [] } = state ?? {};
    if (!question) {
      if (result?.node == null) return;
      // What was marked as wrong in it is what matters.
      const marked = history.filter(({ node, answer }) => node === result.node && answer === 'wrong').at(-1)?.mark;
      return this.open(result.node, [marked ?? '']);
    }
    const mark = await chooseValue(question, 'Which value should the reduced program compute?', () => true);
    if (mark !== undefined) await this.open(question.id, [mark]);
  }

  async open(node: number, marks: string[]): Promise<void> {
    const what = marks.join(', ') || 'the outcome';
    let program: ReducedProgram | undefined;
    try {
      // The adapter shows the progress, and takes the wish to cancel.
      program = await this.sessions.request('algodebug/executableSlice', { node, marks });
    } catch (error) {
      this.log.warn(`algodebug/executableSlice: ${sentence(error)}`);
      void vscode.window.showInformationMessage(sentence(error));
      return;
    }
    for (const { text } of program?.files.slice().reverse() ?? []) {
      const document = await vscode.workspace.openTextDocument({ language: 'python', content: text });
      await vscode.window.showTextDocument(document, { preview: false });
    }
    if (program) {
      const { lines, linesBefore } = program;
      vscode.window.setStatusBarMessage(`$(beaker) ${lines} of ${linesBefore} lines give ${what}.`, 8000);
    }
  }
}
