import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { completeLaunch, currentFile, DEBUG_TYPE, interpreterIn, parseEnvironment } from './launchArguments';

const around = {
  folder: '/w',
  console: 'integratedTerminal',
  justMyCode: true,
  strategy: 'divide-and-query',
  environmentFile: undefined,
};

test('what the user left out is filled in', () => {
  const complete = completeLaunch(currentFile('/w/a.py'), around);
  assert.equal(complete['cwd'], '/w');
  assert.equal(complete['console'], 'integratedTerminal');
  assert.equal(complete['internalConsoleOptions'], 'neverOpen');
  assert.equal(complete['recording'], true);
  assert.deepEqual(complete['env'], {});
});

test('what the user said stays', () => {
  const given = { ...currentFile('/w/a.py'), cwd: '/x', console: 'internalConsole', recording: false, justMyCode: false };
  const complete = completeLaunch(given, around);
  assert.equal(complete['cwd'], '/x');
  assert.equal(complete['workspaceFolder'], '/w');
  assert.equal(complete['recording'], false);
  assert.equal(complete['justMyCode'], false);
  assert.equal(complete['redirectOutput'], true);
});

test('the environment file comes before the environment, and is not passed on', () => {
  const given = { ...currentFile('/w/a.py'), env: { A: '1' }, envFile: '/w/.env' };
  const complete = completeLaunch(given, { ...around, environmentFile: 'A=0\nB=2\n' });
  assert.deepEqual(complete['env'], { A: '1', B: '2' });
  assert.equal('envFile' in complete, false);
});

test('environment files are read with quotes, comments and export', () => {
  const text = '# c\nexport A=1 # one\nB="x\\ny # z"\nC=\'$A\'\n\nnot a line\nD=\n';
  assert.deepEqual(parseEnvironment(text), { A: '1', B: 'x\ny # z', C: '$A', D: '' });
});

test('the interpreter is a program, or a program with its options', () => {
  const given = currentFile('/w/a.py');
  assert.equal(interpreterIn({ ...given, python: '/bin/py' }), '/bin/py');
  assert.equal(interpreterIn({ ...given, python: ['/bin/py', '-X', 'dev'] }), '/bin/py');
  assert.equal(interpreterIn({ ...given, python: '' }), undefined);
  assert.equal(interpreterIn(given), undefined);
});

test('every launch attribute of the Python debugger is accepted', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const [{ type, configurationAttributes }] = manifest.contributes.debuggers;
  assert.equal(type, DEBUG_TYPE);
  const accepted = Object.keys(configurationAttributes.launch.properties);
  const theirs =
    'args autoReload autoStartBrowser breakOnSystemExit clientOS code console consoleName cwd debugAdapterPath django env envFile ' +
    'gevent guiEventLoop jinja justMyCode logToFile module pathMappings program purpose pyramid python pythonArgs redirectOutput ' +
    'showReturnValue stopOnEntry subProcess sudo terminalQuoteCharacter';
  assert.deepEqual(
    theirs.split(' ').filter((attribute) => !accepted.includes(attribute)),
    [],
  );
});
