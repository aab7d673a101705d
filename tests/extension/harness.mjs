// What all scripts of this folder begin and end with: an editor of their own, the steps in order, one JSON line for each.
//
//   node SCRIPT CODE_SERVER VSIX EXAMPLES PYTHON ARTEFACTS
//
// PYTHON is a bare interpreter: everything of ours comes out of the .vsix.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCodeServer } from './codeServer.mjs';
import { Workbench } from './workbench.mjs';

export const [directory, vsix, examples, python, artefacts] = process.argv.slice(2);
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export const scratch = mkdtempSync(path.join(tmpdir(), 'algodebug-editor-'));
/** The folder that is open: a copy of the examples, and of the programs of these tests, before the window sees it. */
export const folder = path.join(scratch, 'programs');
cpSync(examples, folder, { recursive: true, filter: (file) => !/\.algodebug|__pycache__/.test(file) });
cpSync(path.join(path.dirname(fileURLToPath(import.meta.url)), 'programs'), folder, { recursive: true });
mkdirSync(artefacts, { recursive: true });

const server = await startCodeServer({
  ...{ directory, scratch, vsix },
  settings: {
    'algorithmicDebug.python': python,
    'algorithmicDebug.adapterPython': python,
    'algorithmicDebug.console': 'internalConsole',
    'debug.internalConsoleOptions': 'openOnSessionStart',
    'workbench.quickOpen.closeOnFocusLost': false,
  },
});

function end(failed) {
  server.stop();
  if (failed) cpSync(path.join(scratch, 'data', 'logs'), path.join(artefacts, 'logs'), { recursive: true, force: true });
  rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
}

export const workbench = await Workbench.open({ executablePath, address: server.address, folder }).catch((error) => {
  end(true);
  throw error;
});

export const shot = (name) => workbench.screenshot(path.join(artefacts, `${name}.png`));

/** Takes the steps until one fails, then ends the editor and this process. */
export async function take(steps) {
  let failed = false;
  const report = (step, ok, error) => console.log(JSON.stringify({ step, ok, error }));
  try {
    for (const [step, run] of Object.entries(steps)) {
      try {
        await run();
        report(step, true);
      } catch (error) {
        failed = true;
        report(step, false, `${error?.stack ?? error}\nin view: ${await workbench.inView()}`);
        await shot('failed').catch(() => undefined);
        break;
      }
    }
  } finally {
    await workbench.close().catch(() => undefined);
    end(failed);
  }
  process.exit(failed ? 1 : 0);
}
