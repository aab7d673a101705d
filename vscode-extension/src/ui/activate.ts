/** Puts the parts together: sessions in the middle, views and marks around them, the language server beside. */

import * as vscode from 'vscode';
import { DEBUG_TYPE } from '../launchArguments';
import { CodeMarks } from './codeMarks';
import { registerCommands } from './commands';
import { registerDebugType } from './debugType';
import { ExecutionTree } from './executionTree';
import { InlineValues } from './inlineValues';
import { Interpreters } from './interpreters';
import { LanguageServer } from './languageServer';
import { Origins } from './origins';
import { QuestionView } from './questionView';
import { ReducedPrograms } from './reducedPrograms';
import { Sessions } from './sessions';
import { Slices } from './slices';

export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Algorithmic Debug', { log: true });
  const interpreters = new Interpreters(log);
  const sessions = new Sessions(log);
  const marks = new CodeMarks(sessions);
  const slices = new Slices(sessions, log);
  const origins = new Origins(sessions, log);
  const reduced = new ReducedPrograms(sessions, log);
  const view = new QuestionView(context.extensionUri, sessions, { marks, slices, origins, reduced });
  const values = new InlineValues(sessions, log);
  const tree = new ExecutionTree(sessions, log);
  const languageServer = new LanguageServer(context, interpreters, sessions, log);
  context.subscriptions.push(log, sessions, marks, slices, origins, view, values, tree, languageServer);
  registerDebugType(context, interpreters, sessions);
  registerCommands(context, { sessions, marks, slices, origins, reduced, view, tree, languageServer, log });
  void vscode.commands.executeCommand('setContext', 'algodebug.ready', true);
  log.info(`ready for sessions of type ${DEBUG_TYPE}`);
}

export function deactivate(): void {
  // All that was started is in the context's subscriptions.
}
