/** Everything a user can do, by command: each button of the views has one. */

import * as vscode from 'vscode';
import { enclosingDefinition } from '../definitions';
import { currentFile } from '../launchArguments';
import type { Answer } from '../protocol';
import { type CodeMarks, openAt } from './codeMarks';
import type { ExecutionTree, CallItem } from './executionTree';
import type { LanguageServer } from './languageServer';
import type { QuestionView } from './questionView';
import type { Sessions } from './sessions';

interface Parts {
  sessions: Sessions;
  marks: CodeMarks;
  view: QuestionView;
  tree: ExecutionTree;
  languageServer: LanguageServer;
  log: vscode.LogOutputChannel;
}

const ANSWERS: Record<string, Answer> = {
  'algodebug.answerYes': 'correct',
  'algodebug.answerNo': 'wrong',
  'algodebug.answerUnknown': 'unknown',
  'algodebug.answerInadmissible': 'inadmissible',
  'algodebug.answerShouldNotHaveBeenCalled': 'should-not-have-been-called',
  'algodebug.trustFunction': 'trust-function',
  'algodebug.trustModule': 'trust-module',
};

export function registerCommands(context: vscode.ExtensionContext, parts: Parts): void {
  const { sessions, marks, view, tree, languageServer, log } = parts;

  const answer = async (given: Answer, item?: CallItem): Promise<void> => {
    const node = item?.node.id ?? sessions.state?.question?.id;
    if (node !== undefined) await sessions.ask('algodebug/answer', { answer: given, node });
  };

  const askAbout = async (file?: string, line?: number): Promise<void> => {
    const at = file !== undefined && line !== undefined ? { file, line } : definitionAtCursor();
    if (!at) {
      void vscode.window.showInformationMessage('Put the cursor in a Python function to be asked about its calls.');
      return;
    }
    if (!sessions.current) {
      void vscode.window.showInformationMessage('Start Algorithmic Debug first: no recording is open.');
      return;
    }
    await sessions.ask('algodebug/ask', at);
    await view.show();
  };

  const handlers: Record<string, (...given: never[]) => unknown> = {
    'algodebug.undo': () => sessions.ask('algodebug/undo', {}),
    'algodebug.askAbout': askAbout,
    'algodebug.askAboutCall': onCall(async ({ node }) => {
      await sessions.ask('algodebug/ask', { node: node.id });
      await view.show();
    }),
    'algodebug.openCall': onCall(({ node }) => openAt(node.file, node.line, true)),
    'algodebug.callIsRight': onCall((item) => answer('correct', item)),
    'algodebug.callIsWrong': onCall((item) => answer('wrong', item)),
    'algodebug.trustCalled': onCall((item) => answer('trust-function', item)),
    'algodebug.showMore': (parent: number) => tree.showMore(parent),
    'algodebug.chooseStrategy': () => chooseStrategy(sessions),
    'algodebug.showBuggyCode': () => marks.show(),
    'algodebug.focusQuestion': () => view.show(),
    'algodebug.openQuestionInEditor': () => view.openInEditor(),
    'algodebug.openQuestionInSideBar': () => view.openInSideBar(),
    'algodebug.debugCurrentFile': debugCurrentFile,
    'algodebug.restartLanguageServer': () => languageServer.restart(),
    'algodebug.showLog': () => log.show(),
  };
  for (const [command, given] of Object.entries(ANSWERS)) handlers[command] = () => answer(given);
  for (const [command, handler] of Object.entries(handlers)) {
    context.subscriptions.push(vscode.commands.registerCommand(command, handler));
  }
}

/** The editor hands over nothing when the tree is being drawn anew at that moment: then there is nothing to do it to. */
function onCall(act: (item: CallItem) => unknown): (item: CallItem | undefined) => unknown {
  return (item) => (item ? act(item) : undefined);
}

function definitionAtCursor(): { file: string; line: number } | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'python') return undefined;
  const lines = editor.document.getText().split(/\r?\n/);
  const found = enclosingDefinition(lines, editor.selection.active.line + 1);
  return found && { file: editor.document.uri.fsPath, line: found.line };
}

async function chooseStrategy(sessions: Sessions): Promise<void> {
  const { state } = sessions;
  if (!state) return;
  const items = state.strategies.map(({ name, label }) => ({
    name,
    label,
    description: name === state.strategy ? 'in use' : '',
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: 'Which call to ask about next', placeHolder: 'Strategy' });
  if (chosen) await sessions.ask('algodebug/strategy', { name: chosen.name });
}

async function debugCurrentFile(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'python') {
    void vscode.window.showInformationMessage('Open the Python file to debug first.');
    return;
  }
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(document.uri), currentFile(document.uri.fsPath));
}
