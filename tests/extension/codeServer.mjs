// A code-server (VS Code's workbench served to a browser) on a loopback port, with one extension and its own settings.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';

// Nothing that moves, asks, or looks for updates.
const QUIET = {
  'workbench.startupEditor': 'none',
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'git.enabled': false,
  'chat.commandCenter.enabled': false,
  'editor.minimap.enabled': false,
  'editor.cursorBlinking': 'solid',
  'window.restoreWindows': 'none',
  'files.hotExit': 'off',
  'files.exclude': { '**/.algodebug': true, '**/__pycache__': true },
  'remote.autoForwardPorts': false,
  'typescript.disableAutomaticTypeAcquisition': true,
  'workbench.colorTheme': 'Default Dark Modern',
};

/** Starts the server of `directory`'s installation; everything it writes is below `scratch`. */
export async function startCodeServer({ directory, scratch, vsix, settings = {}, port }) {
  const entry = path.join(directory, 'node_modules/code-server/out/node/entry.js');
  if (!existsSync(entry)) throw new Error(`no code-server in ${directory}: run tests/extension/install-code-server.sh`);
  const data = path.join(scratch, 'data');
  for (const folder of ['extensions', 'home']) mkdirSync(path.join(scratch, folder), { recursive: true });
  // Seen from the browser the server is a remote machine: settings about paths on it are read from Machine.
  for (const kind of ['User', 'Machine']) {
    mkdirSync(path.join(data, kind), { recursive: true });
    writeFileSync(path.join(data, kind, 'settings.json'), JSON.stringify({ ...QUIET, ...settings }, null, 2));
  }
  writeFileSync(path.join(scratch, 'config.yaml'), 'auth: none\n');
  const environment = {
    ...process.env,
    HOME: path.join(scratch, 'home'),
    XDG_CONFIG_HOME: path.join(scratch, 'config'),
    XDG_DATA_HOME: path.join(scratch, 'share'),
    CODE_SERVER_CONFIG: path.join(scratch, 'config.yaml'),
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
  };
  for (const name of ['PORT', 'VSCODE_IPC_HOOK_CLI', 'PYTHONPATH', 'VIRTUAL_ENV']) delete environment[name];
  const folders = ['--user-data-dir', data, '--extensions-dir', path.join(scratch, 'extensions')];
  const log = openSync(path.join(scratch, 'server.log'), 'w');

  execFileSync(process.execPath, [entry, ...folders, '--install-extension', vsix, '--force'], {
    env: environment,
    stdio: ['ignore', log, log],
  });
  const address = `127.0.0.1:${port ?? (await freePort())}`;
  const quiet = ['update-check', 'telemetry', 'workspace-trust', 'getting-started-override', 'proxy'];
  const server = spawn(
    process.execPath,
    [entry, '--auth', 'none', '--bind-addr', address, ...folders, ...quiet.map((what) => `--disable-${what}`)],
    { env: environment, stdio: ['ignore', log, log], detached: true },
  );
  const stop = () => {
    try {
      process.kill(-server.pid, 'SIGTERM');
    } catch {
      // It has ended already.
    }
  };
  for (let tries = 0; !(await isUp(address)); tries++) {
    if (tries > 600 || server.exitCode !== null) {
      stop();
      throw new Error(`code-server did not start, see ${path.join(scratch, 'server.log')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { address: `http://${address}`, stop, process: server };
}

async function isUp(address) {
  try {
    return (await fetch(`http://${address}/healthz`)).ok;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
