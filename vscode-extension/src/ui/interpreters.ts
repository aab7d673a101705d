/** Which Python runs the program, and which runs the adapter and the language server. */

import * as vscode from 'vscode';
import { firstThatRuns, isRecentEnough, OLDEST, versionOf } from '../interpreter';

/** The part used here of what the Python extension exports. */
interface PythonExtension {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(path: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

/** Says in one sentence why there is no interpreter. */
export class NoInterpreter extends Error {}

export class Interpreters {
  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** The interpreter of the user's program: given, else the Python extension's, else the setting, else from the path. */
  async forProgram(given: string | undefined, resource: vscode.Uri | undefined): Promise<string> {
    if (given) return given;
    const selected = await this.selectedInPythonExtension(resource);
    if (selected) return selected;
    const setting = settingOf('python', resource);
    if (setting) return setting;
    const found = await firstThatRuns(process.platform === 'win32' ? ['py', 'python'] : ['python3', 'python']);
    if (!found) throw new NoInterpreter('Algorithmic Debug found no Python interpreter.');
    return found.python;
  }

  /** The interpreter of our own processes, checked to be new enough. */
  async forAdapter(program: string | undefined, resource: vscode.Uri | undefined): Promise<string> {
    const python = settingOf('adapterPython', resource) ?? (await this.forProgram(program, resource));
    const version = await versionOf(python);
    if (!version) throw new NoInterpreter(`Algorithmic Debug cannot run the Python interpreter ${python}.`);
    if (!isRecentEnough(version)) {
      throw new NoInterpreter(
        `Algorithmic Debug needs Python ${OLDEST.join('.')} or newer; ${python} is Python ${version.join('.')}.`,
      );
    }
    return python;
  }

  private async selectedInPythonExtension(resource: vscode.Uri | undefined): Promise<string | undefined> {
    const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
    if (!extension) return undefined;
    try {
      const { environments } = await extension.activate();
      const path = environments?.getActiveEnvironmentPath(resource);
      const environment = path && (await environments?.resolveEnvironment(path));
      return environment?.executable.uri?.fsPath;
    } catch (error) {
      this.log.warn(`the Python extension told no interpreter: ${String(error)}`);
      return undefined;
    }
  }
}

/** Offers what can be done about it, next to the message. */
export async function reportNoInterpreter(error: NoInterpreter): Promise<void> {
  const settings = 'Open Settings';
  const select = 'Select Interpreter';
  const actions = vscode.extensions.getExtension('ms-python.python') ? [select, settings] : [settings];
  const chosen = await vscode.window.showErrorMessage(error.message, ...actions);
  if (chosen === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'algorithmicDebug.python');
  if (chosen === select) await vscode.commands.executeCommand('python.setInterpreter');
}

function settingOf(name: 'python' | 'adapterPython', resource: vscode.Uri | undefined): string | undefined {
  const value = vscode.workspace.getConfiguration('algorithmicDebug', resource).get<string>(name)?.trim();
  return value ? value : undefined;
}
