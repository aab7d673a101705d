/** Where a value comes from: a list to jump along, each place marked in its file while it is looked at. */

import * as vscode from 'vscode';
import type { Question, Span, Station, Write } from '../protocol';
import { openAt, rangeOf } from './places';
import { sentence, type Sessions } from './sessions';

interface Step extends vscode.QuickPickItem {
  station: Station | Write;
}

const ASK: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('comment-discussion'), tooltip: 'Ask About This Call' };

export class Origins implements vscode.Disposable {
  private readonly passed = vscode.window.createTextEditorDecorationType({
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    backgroundColor: new vscode.ThemeColor('algorithmicDebug.originBackground'),
    borderColor: new vscode.ThemeColor('algorithmicDebug.originBorder'),
    borderStyle: 'solid',
    borderWidth: '1px',
    overviewRulerColor: new vscode.ThemeColor('algorithmicDebug.originBorder'),
  });
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly sessions: Sessions,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscription = sessions.onDidChange(() => this.clear());
  }

  dispose(): void {
    vscode.Disposable.from(this.passed, this.subscription).dispose();
  }

  /** Asks which value of the question is meant, then lists the places it passed. */
  async choose(): Promise<void> {
    const question = this.sessions.state?.question;
    if (!question) return;
    const value = await chooseValue(question, 'Where does it come from?', () => true);
    if (value === undefined) return;
    try {
      const origin = await this.sessions.request('algodebug/origin', { node: question.id, mark: value });
      if (!origin?.stations.length) {
        void vscode.window.showInformationMessage(`Where ${value} comes from was not recorded.`);
        return;
      }
      this.list(`Where ${value} comes from`, 'The place where it was made comes first', origin.stations);
    } catch (error) {
      this.log.warn(`algodebug/origin: ${sentence(error)}`);
      void vscode.window.showInformationMessage(sentence(error));
    }
  }

  /** Asks which value of the question is meant, then lists who changed it. */
  async chooseWrites(): Promise<void> {
    const question = this.sessions.state?.question;
    if (!question) return;
    const value = await chooseValue(question, 'Who changed it?', (mark) => !mark.startsWith('printed['));
    if (value === undefined) return;
    try {
      const found = await this.sessions.request('algodebug/writes', { node: question.id, mark: value });
      if (!found?.writes.length) {
        void vscode.window.showInformationMessage(`Nothing that was recorded changed ${value}.`);
        return;
      }
      this.list(`Who changed ${value}`, 'The first change comes first', found.writes);
    } catch (error) {
      this.log.warn(`algodebug/writes: ${sentence(error)}`);
      void vscode.window.showInformationMessage(sentence(error));
    }
  }

  /** Opens one place and marks it. */
  async visit(file: string, line: number, range: Span | null | undefined, preserveFocus: boolean): Promise<void> {
    const editor = await openAt(file, line, preserveFocus);
    this.clear();
    if (range && !this.sessions.current?.sources.differs(file)) {
      editor.setDecorations(this.passed, [rangeOf(editor.document, range)]);
    }
  }

  private list(title: string, placeholder: string, stations: readonly (Station | Write)[]): void {
    const pick = vscode.window.createQuickPick<Step>();
    pick.title = title;
    pick.placeholder = placeholder;
    pick.matchOnDescription = true;
    pick.items = stations.map((station) => ({
      label: station.text || station.title,
      description: `${whatHappened(station)} · ${station.function} · ${station.file.split(/[\\/]/).at(-1)}:${station.line}`,
      buttons: station.node > 0 ? [ASK] : [],
      station,
    }));
    const visit = (step: Step | undefined, preserveFocus: boolean): void => {
      if (step) void this.visit(step.station.file, step.station.line, step.station.range, preserveFocus);
    };
    pick.onDidChangeActive(([step]) => visit(step, true));
    pick.onDidAccept(() => {
      visit(pick.activeItems[0], false);
      pick.hide();
    });
    pick.onDidTriggerItemButton(({ item }) => {
      pick.hide();
      void this.sessions.ask('algodebug/ask', { node: item.station.node });
    });
    pick.onDidHide(() => pick.dispose());
    pick.show();
  }

  private clear(): void {
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.passed, []);
  }
}

function whatHappened(station: Station | Write): string {
  if (!('target' in station) || station.what === 'made') return station.what;
  return `${station.target}: ${station.before?.text ?? '(nothing)'} → ${station.after?.text ?? '(nothing)'}`;
}

/** One of the values of a question, as a mark; parts can be typed behind it. */
export async function chooseValue(
  { inputs, outcome, changes, printed }: Question,
  title: string,
  isMeant: (mark: string) => boolean,
): Promise<string | undefined> {
  const result = outcome.kind === 'raise' ? 'exception' : 'result';
  const known = [
    ...(outcome.value ? [{ label: result, description: outcome.value.text }] : []),
    ...changes.map(({ target, after }) => ({ label: target, description: after?.text ?? 'removed' })),
    ...(printed?.text.replace(/\n$/, '').split('\n') ?? []).map((line, at) => ({ label: `printed[${at}]`, description: line })),
    ...inputs.map(({ name, value }) => ({ label: `argument ${name.replace(/^\*+/, '')}`, description: value.text })),
  ].filter(({ label }) => isMeant(label));
  return await new Promise((resolve) => {
    const pick = vscode.window.createQuickPick();
    pick.title = title;
    pick.placeholder = 'A value, or a part of one such as result[1].name';
    pick.items = known;
    pick.onDidChangeValue((typed) => {
      const part = typed.trim();
      const isPart = part !== '' && !known.some(({ label }) => label.startsWith(part));
      pick.items = isPart ? [{ label: part, description: 'this part', alwaysShow: true }, ...known] : known;
    });
    pick.onDidAccept(() => {
      resolve(pick.activeItems[0]?.label);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}
