import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Question, Result, State, Value } from './protocol';
import { renderPage, renderParts, renderValue, spokenSummary } from './questionPage';

const value = (text: string, type = 'int', more: Partial<Value> = {}): Value => ({
  ...{ text, type, literal: true, certain: true, ref: '1@2' },
  ...more,
});

const question: Question = {
  ...{ id: 4, kind: 'routine', function: 'Account.transfer', file: '/w/bank.py', line: 21 },
  inputs: [{ name: 'amount', value: value('30') }],
  outcome: { kind: 'return', value: value('True', 'bool') },
  changes: [
    { target: 'self.balance', before: value('100'), after: value('70') },
    { target: 'global SEEN', before: null, after: value('1') },
  ],
  ...{ why: 'it splits the remaining 6 in half', remaining: 2 },
  ...{ text: 'transfer(<Account>, 30) returned True: right?', title: 'transfer(<Account>, 30)' },
};

const asking: State = {
  ...{ status: 'asking', question, result: null, strategy: 'top-down', strategies: [] },
  history: [{ node: 1, title: 'main()', text: 'main() returned 3', answer: 'wrong', source: 'user', file: '/w/bank.py', line: 3 }],
  ...{ nodes: 6, answered: 1, remaining: 2, trace: '/t', error: null, canUndo: true },
};

const result: Result = {
  ...{ found: true, node: 2, function: 'f', file: '/w/a.py', line: 5, bright: [], faint: [] },
  code: [{ file: '/w/a.py', bright: [[7, 0, 7, 9], [9, 0, 9, 9]], faint: [] }],
  ...{ questions: 1, answered_by: { user: 1 }, candidates: [], title: 'f(9)', text: 'f(9) is wrong.' },
};

const draw = (state: State | null, more = {}): string => renderPage({ state, notice: null, changedFiles: [], ...more });
/** What a reader reads. */
const read = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')
    .trim();

test('without a session the view says how to start', () => {
  assert.match(read(draw(null)), /Debug Current File/);
});

test('a question shows the call, what it got, what it did and what it changed', () => {
  const text = read(draw(asking));
  assert.match(text, /Question 2 · about 2 left transfer\(<Account>, 30\) returned True: right\?/);
  assert.match(text, /Called with amount 30 Returned True Changed self\.balance before 100 → after 70 global SEEN before not there → after 1/);
  assert.match(text, /Because it splits the remaining 6 in half\./);
  assert.match(text, /Your answers ✗ main\(\) returned 3 no/);
});

test('each answer is a button with the node it is about', () => {
  for (const answer of ['correct', 'wrong', 'unknown', 'trust-function', 'trust-module', 'inadmissible']) {
    assert.match(draw(asking), new RegExp(`data-answer="${answer}" data-node="4"`));
  }
});

test('undo is there only when there is something to take back', () => {
  assert.doesNotMatch(draw(asking), /data-testid="undo"[^>]* disabled/);
  assert.match(draw({ ...asking, canUndo: false }), /data-testid="undo"[^>]* disabled/);
});

test('the verdict names the lines', () => {
  const text = read(draw({ ...asking, status: 'found', question: null, result }));
  assert.match(text, /Found after 1 answer f\(9\) is wrong\. f · a\.py:5 Look here a\.py, lines 7, 9/);
});

test('without a verdict the calls that may hold the bug are named', () => {
  const candidates = [{ node: 2, function: 'f', file: '/w/a.py', line: 5, title: 'f(9)' }];
  const open = { ...result, found: false, text: 'The bug is in one of 1 calls: f(9)', candidates };
  const html = draw({ ...asking, status: 'exhausted', question: null, result: open });
  assert.match(read(html), /No more questions after 1 answer .* Calls that may hold the bug f\(9\) a\.py:5/);
  assert.match(html, /data-action="ask" data-node="2"/);
});

test('a source that changed after the run is said', () => {
  const text = read(draw({ ...asking, status: 'found', result }, { changedFiles: ['/w/a.py'] }));
  assert.match(text, /a\.py: source changed since the recording/);
});

test('a failure shows what to do', () => {
  const error = { error: 'The recording is damaged.', hint: 'Run again.' };
  assert.match(read(draw({ ...asking, status: 'failed', error })), /The recording is damaged\. Run again\./);
});

test('texts of the program cannot become markup', () => {
  const nasty = '<img src=x onerror="alert(1)">';
  const html = draw({ ...asking, question: { ...question, text: nasty, inputs: [{ name: nasty, value: value(nasty, 'str') }] } });
  assert.doesNotMatch(html, /<img/);
  assert.ok(read(html).includes(nasty));
});

test('a scalar is whole, a container opens, and so does a text that was cut', () => {
  assert.doesNotMatch(renderValue(value('3')), /<details/);
  assert.match(renderValue(value('[1, 2]', 'list')), /<details class="tree" data-ref="1@2">/);
  assert.match(renderValue(value("'aaa…", 'str', { literal: false })), /<details/);
});

test('a value that may have changed unseen is marked', () => {
  assert.match(read(renderValue(value('[1]', 'list', { certain: false }))), /not certain/);
});

test('the parts of a long value come a page at a time', () => {
  const parts = Array.from({ length: 50 }, (_, at) => ({ label: `${at}`, path: `[${at}]`, value: value(`${at}`) }));
  const first = renderParts({ value: value('[…]', 'list'), length: 120, parts }, 0);
  assert.match(first, /data-start="50">50 more of 120</);
  const last = renderParts({ value: value('[…]', 'list'), length: 120, parts: parts.slice(0, 20) }, 100);
  assert.doesNotMatch(last, /more of/);
});

test('a screen reader hears the question', () => {
  assert.equal(spokenSummary({ state: asking, notice: null, changedFiles: [] }), question.text);
});
