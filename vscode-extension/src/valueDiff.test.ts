import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffOf, type Piece } from './valueDiff';

/** What changed in angle brackets. */
const shown = (pieces: Piece[]): string => pieces.map(({ text, changed }) => (changed ? `<${text}>` : text)).join('');

const CASES: [before: string, after: string, shownBefore: string, shownAfter: string][] = [
  ['100', '70', '<100>', '<70>'],
  ['[1, 2]', '[1, 2, 3]', '[1, 2]', '[1, 2<, 3>]'],
  ["{'a': 1, 'b': 2}", "{'a': 1, 'b': 3}", "{'a': 1, 'b': <2>}", "{'a': 1, 'b': <3>}"],
  ['[3, 1, 2]', '[1, 2, 3]', '[<3, >1, 2]', '[1, 2<, 3>]'],
  ['same', 'same', 'same', 'same'],
  ['', 'new', '', '<new>'],
  ['😀 a', '😀 b', '😀 <a>', '😀 <b>'],
];

for (const [before, after, shownBefore, shownAfter] of CASES) {
  test(`${before} → ${after}`, () => {
    const diff = diffOf(before, after);
    assert.equal(shown(diff.before), shownBefore);
    assert.equal(shown(diff.after), shownAfter);
  });
}

test('long texts differ between their common ends', () => {
  const numbers = (first: number): string => Array.from({ length: 1000 }, (_, at) => first + at).join(' ');
  const diff = diffOf(`[${numbers(0)}]`, `[${numbers(5)}]`);
  assert.equal(diff.after.map(({ text }) => text).join(''), `[${numbers(5)}]`);
  assert.deepEqual(diff.after.map(({ changed }) => changed), [false, true, false]);
});
