import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editorColumn, linesLeft, litFiles, litIn, litLines, nameLines, runsOf } from './highlightedLines';
import type { Result, Span } from './protocol';

const on = (...lines: number[]): Span[] => lines.map((line) => [line, 4, line, 20]);

function verdict(bright: Span[], faint: Span[], found = true): Result {
  const code = [{ file: '/w/a.py', bright, faint }];
  return {
    ...{ found, node: 2, function: 'f', file: '/w/a.py', line: 5, bright, faint, code },
    ...{ questions: 3, answered_by: { user: 3 }, candidates: [], title: 'f(9)', text: '' },
  };
}

test('a line with several spans is lit once, in order', () => {
  assert.deepEqual(litLines([[9, 0, 9, 3], [7, 0, 7, 3], [9, 5, 9, 8]]), [7, 9]);
});

test('a line that did not run is never inside a run', () => {
  assert.deepEqual(runsOf([7, 9, 10, 11, 12, 14, 15]), [[7, 7], [9, 12], [14, 15]]);
});

test('a bright line is not faint as well', () => {
  const [file] = litFiles(verdict(on(7, 9), on(9, 10)));
  assert.deepEqual(file, { file: '/w/a.py', bright: [[7, 7], [9, 9]], faint: [[10, 10]], parts: [[9, 4, 9, 20]] });
});

test('nothing is lit while nothing is found', () => {
  assert.deepEqual(litFiles(verdict(on(7), [], false)), []);
  assert.deepEqual(litFiles(null), []);
});

test('lines are named as a reader would', () => {
  assert.equal(nameLines(runsOf([7, 9, 10, 11, 12, 14])), '7, 9–12, 14');
});

test('a line that is bright in part names the part', () => {
  const [file] = litIn([{ file: '/w/a.py', bright: [[3, 4, 3, 9], [4, 0, 4, 9]], faint: [[3, 12, 3, 20]] }]);
  assert.deepEqual(file?.parts, [[3, 4, 3, 9]]);
});

test('what is neither bright nor faint is left', () => {
  const [file] = litIn([{ file: '/w/a.py', bright: on(2), faint: on(4) }]);
  assert.deepEqual(file && linesLeft(file, 6), [[1, 1], [3, 3], [5, 6]]);
});

test('columns count characters, the editor counts units of them', () => {
  assert.equal(editorColumn('s = "😀" + x', 10), 11);
  assert.equal(editorColumn('s = 1', 4), 4);
});
