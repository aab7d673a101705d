import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderAbout, renderOrigin, renderWrites } from './aboutValue';
import { renderMoreLines } from './printedLines';
import type { Question, Result, State, Value } from './protocol';
import { renderPage, spokenSummary } from './questionPage';
import { renderGap, renderParts, renderValue } from './valueRows';

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

test('a generator that was asked no further is told from one that ended', () => {
  const outcome = { kind: 'yield', value: value('[8]', 'list') } as const;
  const told = (more: object): string => read(draw({ ...asking, question: { ...question, outcome: { ...outcome, ...more } } }));
  assert.match(told({ ended: false }), /Yielded so far \[8\]/);
  assert.match(told({}), /Yielded \[8\]/);
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

// --- code inside a call ---

const code: Question = {
  ...question,
  ...{ id: 12, kind: 'range', line: 27, range: [27, 4, 30, 22], call: 4, way: 'the loop was left' },
  inputs: [{ name: 'total', value: value('0') }],
  outcome: { kind: 'break', value: null },
  changes: [{ target: 'prices', before: value('[3, 2]', 'list'), after: value('[3, 5]', 'list') }],
  iterations: { first: 3, last: 5, count: 10 },
  ...{ canZoomIn: true, canZoomOut: true },
};

test('code inside a call shows before and after, which iterations, and how it was left', () => {
  const text = read(draw({ ...asking, question: code }));
  assert.match(text, /Iterations 3 to 5 of 10 .*Before total 0 And the loop was left Changed prices before \[3, 2 \] → after \[3, 5 \]/);
});

test('it can be zoomed out of and into, and the search stopped at the function', () => {
  const html = draw({ ...asking, question: code });
  for (const action of ['zoom" data-direction="out', 'zoom" data-direction="in', 'depth" data-depth="function']) {
    assert.ok(html.includes(`data-action="${action}"`), action);
  }
  const leaf = draw({ ...asking, question: { ...code, canZoomIn: false, canZoomOut: false } });
  assert.doesNotMatch(leaf, /data-action="zoom"/);
});

test('code that did nothing says so', () => {
  const idle = { ...code, changes: [], way: '' };
  assert.match(read(draw({ ...asking, question: idle })), /Nothing is changed\./);
});

test('what was read besides the arguments, what is one object and what was printed are shown', () => {
  const reads = [
    { name: 'RATE', kind: 'global', value: value('2') },
    { name: 'k', kind: 'closure', value: null },
  ];
  const html = draw({ ...asking, question: { ...question, reads, sharing: ['result is items'], printed: { text: 'hi\n', certain: true } } });
  assert.match(read(html), /Read besides RATE 2 global k not known closure .* Printed hi The same object result is items/);
  assert.match(html, /data-mark="global RATE"/);
  assert.doesNotMatch(html, /data-mark="global k"/);
});

// --- marks ---

test('every value that went in or came out can be pointed at by its name in an answer', () => {
  const inside = { ...question, inputs: [{ name: '*rest', value: value('(1, 2)', 'tuple') }] };
  const html = draw({ ...asking, question: inside });
  for (const mark of ['argument rest', 'result', 'self.balance', 'global SEEN']) {
    assert.match(html, new RegExp(`class="row marked" data-mark="${mark.replace('.', '\\.')}"`));
  }
  const raised = { ...question, outcome: { kind: 'raise', value: value("KeyError('a')", 'KeyError') } } as const;
  assert.match(draw({ ...asking, question: raised }), /data-mark="exception"/);
});

test('a part of a value is named by the way to it', () => {
  const page = { value: value('{…}', 'dict'), length: 1, parts: [{ label: "'k'", path: "['k']", value: value('[1]', 'list') }] };
  const html = renderParts(page, 0, { mark: 'result[0]', role: 'output', node: 4 });
  assert.match(html, /data-mark="result\[0\]\[&#39;k&#39;\]" data-role="output" data-node="4"/);
  assert.doesNotMatch(renderParts(page, 0), /data-mark/);
});

test('of what came out it can be said that it is wrong, of what went in that it makes no sense', () => {
  const about = (role: 'input' | 'output' | 'read', open = true): string => renderAbout({ mark: 'x[0]', role, node: 4 }, open);
  assert.match(about('output'), /data-action="mark" data-answer="wrong" data-mark="x\[0\]" data-node="4"/);
  assert.match(about('output'), /<input class="expected"/);
  assert.match(about('input'), /data-answer="inadmissible"/);
  for (const role of ['input', 'output', 'read'] as const) assert.match(about(role), /data-action="origin"/);
  assert.doesNotMatch(about('output', false) + about('read'), /data-action="mark"/);
});

test('where a value comes from is a list to jump along', () => {
  const station = { node: 3, function: 'add', title: 'add(1)', file: '/w/a.py', line: 9, range: [9, 4, 9, 8] as [number, number, number, number] };
  const html = renderOrigin({ node: 4, mark: 'result', stations: [{ ...station, text: 'x = <b>', what: 'made' }] });
  assert.match(read(html), /^made x = <b> add · a\.py:9 ask$/);
  assert.match(html, /data-action="open" data-file="\/w\/a.py" data-line="9"\s+data-range="9 4 9 8"/);
  assert.match(read(renderOrigin({ node: 4, mark: 'result', stations: [] })), /was not recorded/);
});

// --- answers that were mistakes ---

test('an earlier answer can be changed, and says where it pointed', () => {
  const [entry] = asking.history;
  assert.ok(entry);
  const html = draw({ ...asking, history: [{ ...entry, mark: 'result[1]', expected: '3' }] });
  assert.match(read(html), /no at result\[1\], should be 3 change Yes Don’t know/);
  assert.match(html, /data-answer="correct" data-node="1"\s+data-testid="revise-correct"/);
});

test('of two answers about one call the earlier one no longer holds', () => {
  const [entry] = asking.history;
  assert.ok(entry);
  const html = draw({ ...asking, history: [entry, { ...entry, answer: 'correct' }] });
  assert.match(read(html), /main\(\) returned 3 no \(changed later\) ✓ main\(\) returned 3 yes change/);
});

test('answers that cannot both be true are shown together, each to be changed', () => {
  const [entry] = asking.history;
  assert.ok(entry);
  const answers = [entry, { ...entry, node: 2, answer: 'correct' }];
  const html = draw({ ...asking, contradictions: [{ answers, text: 'the same question was answered differently: …' }] });
  assert.match(read(html), /^Two answers cannot both be true the same question was answered differently: ✗ main\(\)/);
  assert.match(html, /data-answer="correct" data-node="1"[^]*data-answer="wrong" data-node="2"/);
});

test('once the function is found, the search can go on inside it', () => {
  const found = { ...asking, status: 'found', question: null, result } as const;
  assert.match(draw({ ...found, canZoom: true }), /data-action="depth" data-depth="code"/);
  assert.doesNotMatch(draw({ ...found, canZoom: false }), /data-depth="code"/);
});

test('each printed line can be called wrong', () => {
  const printed = { text: 'total 3\n<b>\n', certain: true, more: 0 };
  const html = draw({ ...asking, question: { ...question, printed } });
  assert.match(read(html), /Printed total 3 <b>/);
  assert.match(html, /data-mark="printed\[1\]" data-role="output" data-node="4"/);
  assert.doesNotMatch(html, /data-action="lines"/);
});

test('lines that are left out are loaded on demand', () => {
  const printed = { text: 'a\nb\nxyz', certain: true, more: 7 };
  const html = draw({ ...asking, question: { ...question, printed } });
  assert.doesNotMatch(read(html), /xyz/);
  assert.match(html, /data-action="lines" data-node="4" data-start="2"/);
  const lines = [{ number: 2, text: 'half', certain: true, mark: 'printed[2]' }];
  const more = renderMoreLines({ node: 4, lines, more: true });
  assert.match(more, /data-mark="printed\[2\]".*data-start="3"/s);
  assert.doesNotMatch(renderMoreLines({ node: 4, lines, more: false }), /data-start/);
});

test('before the first answer the output of the program can say what is wrong', () => {
  const state = { ...asking, printed: { text: 'mean 3\n', certain: true }, root: 0 };
  const html = draw({ ...state, answered: 0 });
  assert.match(read(html), /Is a line of what the program printed wrong\? mean 3/);
  assert.match(html, /data-mark="printed\[0\]" data-role="output" data-node="0"/);
  assert.doesNotMatch(draw(state), /data-testid="output"/);
});

test('a printed line has no history of changes, other values have', () => {
  const about = (mark: string): string => renderAbout({ mark, role: 'output', node: 4 }, true);
  assert.doesNotMatch(about('printed[0]'), /data-action="writes"/);
  assert.match(about('printed[0]'), /data-action="mark" data-answer="wrong"/);
  assert.match(about('self.total'), /data-action="writes" data-mark="self\.total" data-node="4"/);
  assert.match(about('self.total'), /data-action="reduce"/);
});

test('changes of a value say what was there before, and who wrote it', () => {
  const place = { node: 3, function: 'Account.pay', title: 'pay(5)', file: '/w/bank.py', line: 7, range: null, text: 'self.x = 5' };
  const writes = [
    { ...place, what: 'made', target: 'self.x', before: null, after: value('0') },
    { ...place, what: 'written', target: 'self.x', before: value('0'), after: value('5') },
    { ...place, what: 'written', target: 'self.x[0]', before: null, after: value('1') },
  ];
  const html = renderWrites({ node: 4, mark: 'argument self.x', writes });
  const text = read(html);
  assert.match(text, /made as 0 self\.x = 5 Account\.pay · bank\.py:7/);
  assert.match(text, /0 → 5 self\.x = 5/);
  assert.match(text, /self\.x\[0\] nothing → 1/);
  assert.match(html, /data-action="ask" data-node="3"/);
  assert.match(read(renderWrites({ node: 4, mark: 'a', writes: [] })), /Nothing that was recorded changed a\./);
});

test('what the call did not look at is left out, and can be shown', () => {
  const given = value('[1, 2, 3, 4, 5]', 'list', { shown: '[…×4, 5]' });
  const html = draw({ ...asking, question: { ...question, inputs: [{ name: 'xs', value: given }] } });
  assert.match(html, /class="value folded" title="list">\[…×4, 5\]</);
  assert.match(html, /class="value whole" title="list" hidden>\[1, 2, 3, 4, 5\]</);
  assert.match(html, /data-action="unfold" aria-expanded="false"[^>]*aria-label="Show all of argument xs, with what the call did not look at"/);
  assert.match(html, /data-action="unfoldAll" aria-pressed="false"/);
  assert.match(html, /data-ref="1@2" data-mark="argument xs" data-role="input" data-node="4"/);
  assert.doesNotMatch(draw({ ...asking, question }), /unfold/);
});

test('changes are told apart by what is shown of them', () => {
  const before = value('[0, 1, 2, 3, 4]', 'list', { shown: '[0, …×4]' });
  const after = value('[9, 1, 2, 3, 4]', 'list', { shown: '[9, …×4]' });
  const html = draw({ ...asking, question: { ...question, changes: [{ target: 'xs', before, after }] } });
  assert.match(html, /\[<mark>9<\/mark>, …×4\]/);
});

test('gaps stand between the parts of an opened value, and give way to what they left out', () => {
  const part = (at: number) => ({ label: String(at), path: `[${at}]`, value: value(String(at)) });
  const list = value('[…]', 'list');
  const leftOut = [
    { before: 0, start: 0, count: 12 },
    { before: 2, start: 14, count: 1 },
  ];
  const html = renderParts({ value: list, length: 15, parts: [part(12), part(13)], leftOut, next: null }, 0);
  assert.deepEqual(
    [...html.matchAll(/<dt>(\d+)<|data-start="(\d+)"\s+data-count="(\d+)"/g)].map(([, label, start, count]) => label ?? `${start}+${count}`),
    ['0+12', '12', '13', '14+1'],
  );
  assert.match(html, /aria-label="Show the 12 parts that the call did not look at"[^>]*>…×12</);
  assert.doesNotMatch(html, / more of /);
  const opened = renderGap({ value: list, length: 15, parts: [part(0), part(1)], next: 2 }, 0, 12);
  assert.match(opened, /<dt>0<.*<dt>1<.*data-start="2"\s+data-count="10"/s);
});

test('the next page starts where the adapter says', () => {
  const parts = [{ label: '7', path: '[7]', value: value('7') }];
  const html = renderParts({ value: value('[…]', 'list'), length: 900, parts, leftOut: [{ before: 0, start: 0, count: 7 }], next: 800 }, 0);
  assert.match(html, /data-action="parts" data-ref="1@2" data-start="800">50 more of 900</);
});

test('the search can be told to go down to the expression, until it does', () => {
  const code: Question = { ...question, kind: 'statement' };
  assert.match(draw({ ...asking, question: code, depth: 'code' }), /data-depth="expression"[^>]*aria-keyshortcuts="e"/);
  assert.doesNotMatch(draw({ ...asking, question: code, depth: 'expression' }), /data-depth="expression"/);
  assert.doesNotMatch(draw({ ...asking, depth: 'auto' }), /data-depth="expression"/);
  assert.match(draw({ ...asking, status: 'found', question: null, result, depth: 'code' }), /data-depth="expression"/);
});
