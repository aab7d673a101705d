// Bundles the extension (dist/extension.js), the script of the Question view (dist/page.js) and, with --tests, the tests.
import { build } from 'esbuild';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..'));
const production = process.argv.includes('--production');
const common = { bundle: true, sourcemap: !production, minify: production, logLevel: 'warning' };
const node = { ...common, platform: 'node', target: 'node20', format: 'cjs', external: ['vscode'] };

if (process.argv.includes('--tests')) {
  rmSync('out', { recursive: true, force: true });
  const tests = readdirSync('src').filter((file) => file.endsWith('.test.ts'));
  await build({ ...node, entryPoints: tests.map((file) => `src/${file}`), outdir: 'out' });
} else {
  rmSync('dist', { recursive: true, force: true });
  await build({ ...node, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js' });
  await build({ ...common, entryPoints: ['src/webview/page.ts'], outfile: 'dist/page.js', target: 'es2022', format: 'iife' });
}
