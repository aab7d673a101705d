// `make vscode`: VS Code in the browser, on a loopback port, with the built extension and the folder of examples.
// Runs until it is interrupted. PORT chooses the port.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCodeServer } from '../../tests/extension/codeServer.mjs';

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const scratch = path.join(repository, '.build', 'vscode');
mkdirSync(scratch, { recursive: true });

const server = await startCodeServer({
  directory: process.env.CODE_SERVER_DIR ?? path.join(repository, '.build', 'code-server'),
  scratch,
  vsix: path.join(repository, 'vscode-extension', 'algorithmic-debug.vsix'),
  port: process.env.PORT,
  settings: { 'algorithmicDebug.python': path.join(repository, '.venv', 'bin', 'python') },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, server.stop);
server.process.on('exit', () => process.exit());

const folder = new URLSearchParams({ folder: path.join(repository, 'examples') });
console.log(`${server.address}/?${folder}`);
console.log('Open a program and press F5. Ctrl+C ends it.');
