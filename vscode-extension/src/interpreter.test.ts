import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { firstThatRuns, isRecentEnough, versionOf } from './interpreter';

test('3.10 is the oldest Python', () => {
  assert.deepEqual(
    ([[2, 7], [3, 9], [3, 10], [3, 14], [4, 0]] as const).map(isRecentEnough),
    [false, false, true, true, true],
  );
});

test('what is no interpreter is passed over, whatever characters are in its path', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'an interpreter & more '));
  const fake = path.join(folder, 'python 3');
  writeFileSync(fake, '#!/bin/sh\necho 3 12\n');
  chmodSync(fake, 0o755);
  try {
    assert.equal(await versionOf(path.join(folder, 'missing')), undefined);
    assert.equal(await versionOf('true'), undefined);
    assert.deepEqual(await firstThatRuns(['true', fake]), { python: fake, version: [3, 12] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
