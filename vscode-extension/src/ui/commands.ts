/** Everything a user can do, by command: each button of the views has one. */

import * as vscode from 'vscode';
import { enclosingDefinition } from '../definitions';
import { currentFile } from '../launchArguments';
import type { Answer } from '../protocol';
import type { CodeMarks } from './codeMarks';
import type { ExecutionTree, CallItem } from './executionTree';
import type { LanguageServer } from './languageServer';
import { chooseValue, type Origins } from './origins';
import { openAt } from './places';
import type { QuestionView } from './questionView';
import type { ReducedPrograms } from './reducedPrograms';
import type { Sessions } from './sessions';
import type { Slices } from './slices';

interface Parts {
  sessions: Sessions;
  marks: CodeMarks;
  slices: Slices;
  origins: Origins;
  reduced: ReducedPrograms;
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
  const { sessions, marks, slices, origins, reduced, view, tree, languageServer, log } = parts;

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
    'algodebug.callIsUnknown': onCall((item) => answer('unknown', item)),
    'algodebug.callIsInadmissible': onCall((item) => answer('inadmissible', item)),
    'algodebug.callShouldNotBe': onCall((item) => answer('should-not-have-been-called', item)),
    'algodebug.sliceOfCall': onCall(async ({ node }) => {
      await openAt(node.file, node.line, true);
      await slices.show(node.id);
    }),
    'algodebug.markWrongHere': () => view.markWrong(),
    'algodebug.markInadmissible': () => markInadmissible(sessions),
    'algodebug.whereFrom': () => origins.choose(),
    'algodebug.whoChanged': () => origins.chooseWrites(),
    'algodebug.reduceProgram': () => reduced.choose(),
    'algodebug.zoomIn': () => sessions.ask('algodebug/ask', { zoom: 'in' }),
    'algodebug.zoomOut': () => sessions.ask('algodebug/ask', { zoom: 'out' }),
    'algodebug.stopAtFunction': () => sessions.ask('algodebug/depth', { depth: 'function' }),
    'algodebug.lookInside': () => sessions.ask('algodebug/depth', { depth: 'code' }),
    'algodebug.lookInsideStatements': () => sessions.ask('algodebug/depth', { depth: 'expression' }),
    'algodebug.showLeftOut': () => view.showLeftOut(),
    'algodebug.changeAnswer': () => changeAnswer(sessions),
    'algodebug.showSlice': () => slices.show(),
    'algodebug.showSliceOf': () => showSliceOf(sessions, slices),
    'algodebug.hideSlice': () => slices.hide(),
    'algodebug.dimOthers': () => slices.dimOthers(true),
    'algodebug.undimOthers': () => slices.dimOthers(false),
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
    detail: name === state.strategy && state.question ? `This question, because ${state.question.why}` : undefined,
  }));
  // The one in use first, for Enter to leave it.
  items.sort((one, other) => Number(other.name === state.strategy) - Number(one.name === state.strategy));
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Which call to ask about next',
    placeHolder: 'Strategy',
    matchOnDescription: true,
  });
  if (chosen) await sessions.ask('algodebug/strategy', { name: chosen.name });
}

async function markInadmissible(sessions: Sessions): Promise<void> {
  const question = sessions.state?.question;
  if (!question) return;
  const mark = await chooseValue(question, 'Which argument makes no sense?', (each) => each.startsWith('argument '));
  if (mark === undefined) return;
  const argument = mark.replace(/^argument /, '').replace(/^(\w+).*$/s, '$1');
  await sessions.ask('algodebug/answer', { answer: 'inadmissible', node: question.id, mark, argument });
}

async function showSliceOf(sessions: Sessions, slices: Slices): Promise<void> {
  const question = sessions.state?.question;
  if (!question) return slices.show();
  const mark = await chooseValue(question, 'What does it depend on?', () => true);
  if (mark !== undefined) await slices.show(question.id, mark);
}

const CHANGED_TO: { label: string; answer: Answer }[] = [
  { label: 'Yes, it is right', answer: 'correct' },
  { label: 'No, it is wrong', answer: 'wrong' },
  { label: 'Don’t know', answer: 'unknown' },
  { label: 'Its arguments make no sense', answer: 'inadmissible' },
  { label: 'It should not have happened', answer: 'should-not-have-been-called' },
];

/** An earlier answer is replaced: what followed from it is found anew. */
async function changeAnswer(sessions: Sessions): Promise<void> {
  const { state } = sessions;
  if (!state) return;
  const last = new Map(state.history.filter(({ answer }) => !answer.startsWith('trust')).map((entry) => [entry.node, entry]));
  const entries = [...last.values()].reverse().map((entry) => ({
    label: entry.text,
    description: entry.answer + (entry.source === 'user' ? '' : ` (${entry.source})`),
    node: entry.node,
  }));
  const chosen = await vscode.window.showQuickPick(entries, { title: 'Which answer was a mistake?' });
  if (!chosen) return;
  const now = await vscode.window.showQuickPick(CHANGED_TO, { title: chosen.label });
  if (now) await sessions.ask('algodebug/answer', { answer: now.answer, node: chosen.node });
}

async function debugCurrentFile(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== 'python') {
    void vscode.window.showInformationMessage('Open the Python file to debug first.');
    return;
  }
  await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(document.uri), currentFile(document.uri.fsPath));
}
