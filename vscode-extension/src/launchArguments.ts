/**
 * The launch configuration as the adapter gets it: what the user left out is filled in here, after the editor has
 * replaced its variables. Knows the conventions of the Python debugger, so that an existing configuration works with
 * only its `type` changed.
 */

export interface LaunchArguments {
  [attribute: string]: unknown;
  type: string;
  name: string;
  request: string;
}

export const DEBUG_TYPE = 'algorithmic-debug';

/** What F5 means in a Python file when there is no configuration. */
export function currentFile(file: string): LaunchArguments {
  return { type: DEBUG_TYPE, request: 'launch', name: 'Algorithmic Debug: current file', program: file };
}

export interface Surroundings {
  /** Folder of the workspace, or else of the program. */
  folder: string | undefined;
  console: string;
  justMyCode: boolean;
  strategy: string;
  /** Content of the environment file, undefined when there is none. */
  environmentFile: string | undefined;
}

export function completeLaunch(given: LaunchArguments, around: Surroundings): LaunchArguments {
  const complete: LaunchArguments = { ...given };
  const fill = (attribute: string, value: unknown): void => {
    if (complete[attribute] === undefined && value !== undefined) complete[attribute] = value;
  };
  fill('cwd', around.folder);
  // Not for the user to say: where the language server looks for what the code lenses show.
  complete['workspaceFolder'] = around.folder;
  fill('console', around.console);
  fill('justMyCode', around.justMyCode);
  fill('showReturnValue', true);
  fill('subProcess', true);
  fill('recording', true);
  fill('strategy', around.strategy);
  if (complete['console'] === 'internalConsole') fill('redirectOutput', true);
  else fill('internalConsoleOptions', 'neverOpen');
  const fromFile = around.environmentFile === undefined ? {} : parseEnvironment(around.environmentFile);
  complete['env'] = { ...fromFile, ...asRecord(given['env']) };
  delete complete['envFile'];
  return complete;
}

/** `NAME=value` lines; `export`, comments, quotes and `\n` in double quotes as the Python extension reads them. */
export function parseEnvironment(text: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line);
    if (!match) continue;
    const [, name = '', raw = ''] = match;
    const quoted = /^(['"])(.*)\1$/.exec(raw);
    if (!quoted) variables[name] = raw.replace(/\s+#.*$/, '');
    else variables[name] = quoted[1] === '"' ? (quoted[2] ?? '').replaceAll('\\n', '\n') : (quoted[2] ?? '');
  }
  return variables;
}

/** `python` may be a program or a program with arguments, as the Python debugger allows. */
export function interpreterIn(given: LaunchArguments): string | undefined {
  const python = Array.isArray(given['python']) ? given['python'][0] : given['python'];
  return typeof python === 'string' && python !== '' ? python : undefined;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
