// Fills bundled/ with everything the extension runs in Python: our two packages, their libraries, the entry script.
// `node scripts/bundle.mjs [PYTHON]`; PYTHON needs pip, any version will do.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const extension = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const repository = path.dirname(extension);
const bundled = path.join(extension, 'bundled');
const requirements = path.join(extension, 'server', 'requirements.txt');
const venv = path.join(repository, '.venv', 'bin', 'python');
const python = process.argv[2] ?? (existsSync(venv) ? venv : 'python3');

mkdirSync(bundled, { recursive: true });

const tool = path.join(bundled, 'tool');
rmSync(tool, { recursive: true, force: true });
for (const source of ['adapter/algodebug', 'tracer/algotrace']) {
  cpSync(path.join(repository, source), path.join(tool, path.basename(source)), {
    recursive: true,
    filter: (file) => !file.endsWith('__pycache__') && !file.endsWith('.pyc'),
  });
}
copyFileSync(path.join(extension, 'server', 'algodebug_server.py'), path.join(bundled, 'algodebug_server.py'));

// The libraries are installed again only when their list has changed.
const libs = path.join(bundled, 'libs');
const stamp = path.join(libs, '.requirements.sha256');
const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  rmSync(libs, { recursive: true, force: true });
  execFileSync(
    python,
    [
      ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-compile', '--no-deps'],
      ...['--only-binary=:all:', '--implementation', 'py', '--abi', 'none', '--platform', 'any'],
      ...['--python-version', '3.10', '--target', libs, '--requirement', requirements],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  rmSync(path.join(libs, 'bin'), { recursive: true, force: true });
  // debugpy's sources of its compiled parts, and debug symbols: most of the size, and nothing runs them.
  for (const file of readdirSync(libs, { recursive: true })) {
    if (/\.(pdb|c|pyx|pyd)$/.test(file)) rmSync(path.join(libs, file));
  }
  writeFileSync(stamp, wanted);
}
