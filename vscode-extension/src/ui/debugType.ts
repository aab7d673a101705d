/** The debug type: from F5 to a running adapter. */

import * as vscode from 'vscode';
import { completeLaunch, currentFile, DEBUG_TYPE, interpreterIn, type LaunchArguments } from '../launchArguments';
import { type Interpreters, NoInterpreter, reportNoInterpreter } from './interpreters';
import type { Sessions } from './sessions';

export function registerDebugType(context: vscode.ExtensionContext, interpreters: Interpreters, sessions: Sessions): void {
  const { Initial, Dynamic } = vscode.DebugConfigurationProviderTriggerKind;
  const configurations = new Configurations(interpreters);
  context.subscriptions.push(
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, configurations, Initial),
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, { provideDebugConfigurations: proposals }, Dynamic),
    vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, new Adapters(context.extensionUri, interpreters, sessions)),
  );
}

function proposals(): LaunchArguments[] {
  return [currentFile('${file}')];
}

class Configurations implements vscode.DebugConfigurationProvider {
  constructor(private readonly interpreters: Interpreters) {}

  provideDebugConfigurations(): LaunchArguments[] {
    return proposals();
  }

  /** Without a launch.json the configuration is empty: the file in the editor is meant. */
  async resolveDebugConfiguration(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    const envFile = folder ? '${workspaceFolder}/.env' : undefined;
    if (configuration.request) return { envFile, ...configuration };
    if (vscode.window.activeTextEditor?.document.languageId !== 'python') {
      await vscode.window.showErrorMessage('Open the Python file to debug, then start Algorithmic Debug again.');
      return undefined;
    }
    return { envFile, ...currentFile('${file}') };
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (configuration.request !== 'launch') return configuration;
    const resource = folder?.uri ?? vscode.window.activeTextEditor?.document.uri;
    const settings = vscode.workspace.getConfiguration('algorithmicDebug', resource);
    const complete = completeLaunch(configuration, {
      folder: folder?.uri.fsPath,
      console: settings.get('console', 'integratedTerminal'),
      justMyCode: settings.get('justMyCode', true),
      strategy: settings.get('strategy', 'divide-and-query'),
      environmentFile: await textOf(configuration['envFile']),
    });
    try {
      complete['python'] ??= await this.interpreters.forProgram(interpreterIn(complete), resource);
      return complete;
    } catch (error) {
      return refuse(error);
    }
  }
}

class Adapters implements vscode.DebugAdapterDescriptorFactory {
  constructor(
    private readonly extension: vscode.Uri,
    private readonly interpreters: Interpreters,
    private readonly sessions: Sessions,
  ) {}

  async createDebugAdapterDescriptor({
    id,
    configuration,
    workspaceFolder,
  }: vscode.DebugSession): Promise<vscode.DebugAdapterDescriptor | undefined> {
    const { connect } = configuration as { connect?: { host?: string; port: number } };
    // A child process of the program: its adapter runs already, and tells where.
    if (configuration.request === 'attach' && connect) return new vscode.DebugAdapterServer(connect.port, connect.host);
    try {
      const given = interpreterIn(configuration as LaunchArguments);
      const python = await this.interpreters.forAdapter(given, workspaceFolder?.uri);
      const before = this.sessions.recordingBefore(id);
      const keeping = before === undefined ? [] : ['--answers-of', before];
      return new vscode.DebugAdapterExecutable(python, [...serverCommand(this.extension, 'dap'), ...keeping]);
    } catch (error) {
      await refuse(error);
      throw error;
    }
  }
}

/** Isolated from the user's PYTHONPATH and site folder: these belong to the program, not to the adapter. */
export function serverCommand(extension: vscode.Uri, command: 'dap' | 'lsp'): string[] {
  return ['-I', vscode.Uri.joinPath(extension, 'bundled', 'algodebug_server.py').fsPath, command];
}

async function textOf(file: unknown): Promise<string | undefined> {
  if (typeof file !== 'string' || file === '') return undefined;
  try {
    return Buffer.from(await vscode.workspace.fs.readFile(vscode.Uri.file(file))).toString('utf8');
  } catch {
    return undefined;
  }
}

/** Ends a start with the message that says what to do, instead of the editor's general one. */
async function refuse(error: unknown): Promise<undefined> {
  if (!(error instanceof NoInterpreter)) throw error;
  void reportNoInterpreter(error);
  return undefined;
}
