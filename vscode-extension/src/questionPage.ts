/**
 * The Question view as HTML: a function of the last state of the session and nothing else. Elements say what they do
 * in `data-…` attributes (`data-action`, `data-answer`, `data-node`, `data-ref`); the script of the page turns clicks
 * into messages. Every text from outside is escaped here.
 */

import { litFiles, nameLines } from './highlightedLines';
import type {
  Answer,
  Candidate,
  Change,
  Contradiction,
  HistoryEntry,
  Iterations,
  Origin,
  OutcomeKind,
  Printed,
  PrintedPage,
  Question,
  Read,
  Result,
  State,
  Station,
  Value,
  ValuePage,
  Write,
  Writes,
} from './protocol';
import { diffOf, type Piece } from './valueDiff';

/** All that the view shows. */
export interface Page {
  /** Null: no session of ours is running. */
  state: State | null;
  /** What went wrong with the last thing the user did, or null. */
  notice: string | null;
  /** Files whose text is no longer what ran. */
  changedFiles: string[];
}

/** How many parts of a value are asked for at once. */
export const PARTS_AT_ONCE = 50;

/**
 * Where on the page a value is, for what can be said about it. `mark` is its name in an answer: `result[1]`,
 * `argument x[0]`, `self.total`; empty where nothing can be said.
 */
export interface Place {
  mark: string;
  role: Role;
  node: number;
}

/** Of what went in, that it makes no sense; of what came out, that it is wrong; of what was read, where it is from. */
export type Role = 'input' | 'read' | 'output' | '';

const NOWHERE: Place = { mark: '', role: '', node: -1 };

export function renderPage(page: Page): string {
  const notice = page.notice ? `<p class="notice" role="alert" data-testid="notice">${escape(page.notice)}</p>` : '';
  const notes = (page.state?.notes ?? []).map((note) => `<p class="notice">${escape(note)}</p>`).join('');
  return notice + notes + renderContradictions(page.state?.contradictions ?? []) + renderState(page);
}

/** The one sentence a screen reader says when the page changes. */
export function spokenSummary({ state }: Page): string {
  switch (state?.status) {
    case 'asking':
      return state.question?.text ?? '';
    case 'found':
    case 'exhausted':
      return state.result?.text ?? '';
    case 'recording':
      return 'Recording the program.';
    case 'loading':
      return 'Reading the recording.';
    case 'failed':
      return state.error?.error ?? '';
    default:
      return '';
  }
}

function renderState(page: Page): string {
  const { state } = page;
  switch (state?.status) {
    case undefined:
      return EMPTY;
    case 'recording':
      return waiting('recording', 'Recording your program', 'When it ends, you are asked about a few of its calls.');
    case 'loading':
      return waiting('loading', 'Reading the recording', 'The first question follows.');
    case 'asking':
      return state.question ? renderQuestion(state.question, state) : waiting('loading', 'Choosing a question', '');
    case 'found':
    case 'exhausted':
      return state.result ? renderVerdict(state.result, state, page.changedFiles) : '';
    case 'failed':
      return renderFailure(state);
  }
}

const EMPTY = `<section data-testid="empty">
<p>Your Python program gives a wrong result? Run it with <b>Algorithmic Debug</b>: it is recorded, and you are asked
about a few of its calls. Your answers lead to the lines that are wrong.</p>
<p><button class="primary" data-action="debug" data-testid="debug-file">Debug Current File</button></p>
<p class="quiet">No breakpoints needed. Or press F5 and choose <i>Algorithmic Debug</i>.</p>
</section>`;

function waiting(testid: string, title: string, text: string): string {
  return `<section data-testid="${testid}"><h2 tabindex="-1">${title}…</h2><div class="busy" role="progressbar"
 aria-label="${title}"></div><p class="quiet">${text}</p></section>`;
}

// --- asking ----------------------------------------------------------------------------------------------------------

function renderQuestion(question: Question, state: State): string {
  const left = question.remaining;
  const progress = `Question ${state.answered + 1}${left > 0 ? ` · about ${left} left` : ''}`;
  const why = question.why
    ? `<details class="why" data-keep="why"><summary>Why this question?</summary><p data-testid="why">Because
 ${escape(question.why)}.</p></details>`
    : '';
  return `<section data-testid="question" data-node="${question.id}" data-kind="${question.kind}">
<p class="eyebrow"><span data-testid="progress">${progress}</span></p>
<h2 tabindex="-1" data-testid="question-text">${escape(question.text)}</h2>
${place(question.function, question.file, question.line)}
${renderOutput(state)}
${renderIterations(question.iterations ?? null)}
${renderInputs(question)}
${renderReads(question)}
${renderOutcome(question)}
${renderChanges(question)}
${renderPrinted(question)}
${renderSharing(question.sharing ?? [])}
${renderAnswers(question, state)}
${why}
</section>
${renderHistory(state.history)}`;
}

/** Is the question about code inside a call, not about a call? */
function isCode({ kind }: Question): boolean {
  return kind !== 'routine';
}

function place(name: string, file: string, line: number): string {
  return `<p class="place"><button class="link" data-action="open" data-file="${escape(file)}" data-line="${line}"
 data-testid="place" title="Open ${escape(file)}">${escape(name)} · ${escape(baseName(file))}:${line}</button></p>`;
}

/** Which of the iterations, in words and as a stretch of a line. */
function renderIterations(iterations: Iterations | null): string {
  if (!iterations) return '';
  const { first, last, count } = iterations;
  const words = first === last ? `Iteration ${first} of ${count}` : `Iterations ${first} to ${last} of ${count}`;
  const width = Math.max(((last - first + 1) / count) * 100, 2);
  const start = Math.min(((first - 1) / count) * 100, 100 - width);
  return `<p class="iterations" data-testid="iterations">${words}
<svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="6"/><rect
 class="these" x="${start.toFixed(2)}" width="${width.toFixed(2)}" height="6"/></svg></p>`;
}

function renderInputs(question: Question): string {
  const { inputs, id } = question;
  if (inputs.length === 0) {
    return isCode(question) ? '' : '<p class="quiet" data-testid="inputs">Called without arguments.</p>';
  }
  const rows = inputs.map(({ name, value }) => valueRow(name, value, { mark: `argument ${plainName(name)}`, role: 'input', node: id }));
  return `<h3>${isCode(question) ? 'Before' : 'Called with'}</h3><dl data-testid="inputs">${rows.join('')}</dl>`;
}

/** `*args` is an argument named args. */
function plainName(name: string): string {
  return name.replace(/^\*+/, '');
}

function renderReads({ reads = [], id }: Question): string {
  if (reads.length === 0) return '';
  const rows = reads.map(({ name, kind, value }: Read) => {
    const label = `<span class="quiet">${escape(kind)}</span>`;
    if (!value) return row(name, `<i class="quiet">not known</i> ${label}`);
    // Only of globals the name says where they are.
    const known = kind === 'global' && /^\w+$/.test(name);
    return valueRow(name, value, known ? { mark: `global ${name}`, role: 'read', node: id } : NOWHERE, label);
  });
  return `<h3>Read besides</h3><dl data-testid="reads">${rows.join('')}</dl>`;
}

const OUTCOME_TITLES: Record<OutcomeKind, string> = {
  return: 'Returned',
  raise: 'Raised',
  yield: 'Yielded',
  'fall-through': 'Ran through',
  break: 'Left the loop',
  continue: 'Went on to the next iteration',
  unfinished: 'Had not returned when the recording ended',
  value: 'Gave',
  '': '',
};

function renderOutcome(question: Question): string {
  const { kind, value } = question.outcome;
  if (question.module && kind === 'return') return '';
  if (isCode(question) && !value) {
    const way = question.way ?? '';
    return way === '' ? '' : `<h3 class="${kind}">And</h3><p data-testid="way">${escape(way)}</p>`;
  }
  const place: Place = { mark: kind === 'raise' ? 'exception' : 'result', role: 'output', node: question.id };
  const shown = value ? `<dl data-testid="outcome">${valueRow('', value, place, '', opensByItself(value))}</dl>` : '';
  return `<h3 class="${kind}">${OUTCOME_TITLES[kind]}</h3>${shown}`;
}

/** A small container shows its parts at once: one of them may be what is wrong. */
function opensByItself({ text, literal, type }: Value): boolean {
  return literal && text.length <= 60 && !SCALARS.has(type);
}

function renderChanges(question: Question): string {
  const { changes, id, module = '' } = question;
  if (changes.length === 0) {
    const nothing = isCode(question) && !question.way && !question.outcome.value && !question.printed;
    return nothing ? '<p class="quiet" data-testid="changes">Nothing is changed.</p>' : '';
  }
  const rows = changes.map(({ target, before, after }: Change) => {
    const diff = before && after ? diffOf(before.text, after.text) : null;
    const old = before ? renderValue(before, NOWHERE, diff?.before) : '<i class="quiet">not there</i>';
    const place: Place = { mark: target, role: 'output', node: id };
    if (module && !before && after) return valueRow(target.replace(/^global /, ''), after, place);
    const now = after ? renderValue(after, place, diff?.after) : '<i class="quiet">removed</i>';
    return row(
      target,
      `<div class="change"><span class="hidden">before</span><div class="before">${old}</div>
<span class="arrow" aria-hidden="true">→</span><span class="hidden">after</span><div class="after">${now}</div></div>`,
      place,
    );
  });
  return `<h3>${module ? 'Bound' : 'Changed'}</h3><dl data-testid="changes">${rows.join('')}</dl>`;
}

function renderPrinted(question: Question): string {
  const { printed = null, id } = question;
  if (!printed) return '';
  // Lines have names by the call that printed them.
  const lines = isCode(question) ? `<pre data-testid="printed">${escape(printed.text)}</pre>` : renderLines(printed, id);
  return `<h3>Printed</h3>${lines}`;
}

/** Before the first answer: most programs show what is wrong with them in what they print. */
function renderOutput({ printed = null, root = 0, answered }: State): string {
  if (!printed || answered > 0) return '';
  return `<details class="output" data-keep="output" data-testid="output"><summary>Is a line of what the program printed
 wrong?</summary>${renderLines(printed, root)}</details>`;
}

/** A row for each line; the ones that are left out are loaded when somebody wants them. */
function renderLines({ text, certain, more = 0 }: Printed, node: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const rest = more > 0 ? moreLines(node, lines.length - 1) : '';
  // Of the last line more may follow.
  const shown = more > 0 ? lines.slice(0, -1) : lines;
  const doubt = certain ? '' : '<p class="quiet">Some of it may read otherwise.</p>';
  return `<div class="printed" data-testid="printed">${shown.map((line, at) => lineRow(line, at, node)).join('')}${rest}</div>${doubt}`;
}

function moreLines(node: number, start: number): string {
  return `<button class="link" data-action="lines" data-node="${node}" data-start="${start}" data-testid="more-lines">More lines</button>`;
}

function lineRow(line: string, at: number, node: number): string {
  const text = `<code class="line">${line === '' ? '&nbsp;' : escape(line)}</code>`;
  return row('', text, { mark: `printed[${at}]`, role: 'output', node });
}

/** The next lines of what was printed. */
export function renderMoreLines({ lines, more, node }: PrintedPage): string {
  const rows = lines.map(({ text, number }) => lineRow(text, number, node)).join('');
  const last = lines.at(-1);
  return rows + (more && last ? moreLines(node, last.number + 1) : '');
}

/** Two names for one object: what is changed by one is changed by the other. */
function renderSharing(sharing: readonly string[]): string {
  if (sharing.length === 0) return '';
  const items = sharing.map((text) => `<li><code>${escape(text)}</code></li>`);
  return `<h3>The same object</h3><ul class="plain sharing" data-testid="sharing">${items.join('')}</ul>`;
}

function valueRow(name: string, value: Value, place: Place, beside = '', open = false): string {
  return row(name, `${renderValue(value, place, undefined, open)} ${beside}`, place);
}

/** `place` gives the row a button for what can be said about its value. */
function row(name: string, body: string, place: Place = NOWHERE): string {
  const { mark, role, node } = place;
  if (mark === '') return `<div class="row"><dt>${escape(name)}</dt><dd>${body}</dd></div>`;
  const label = `What about ${mark}: wrong here, where it comes from…`;
  return `<div class="row marked" data-mark="${escape(mark)}" data-role="${role}" data-node="${node}"><dt>${escape(name)}</dt><dd>${body}</dd>
<button class="about" data-action="about" aria-expanded="false" aria-label="${escape(label)}" title="${escape(label)}"></button></div>`;
}

/** What can be said about a value, below its row. */
export function renderAbout({ mark, role, node }: Place, asking: boolean): string {
  const data = `data-mark="${escape(mark)}" data-node="${node}"`;
  const buttons: string[] = [];
  if (asking && role === 'output') {
    buttons.push(
      `<button class="primary wrong" data-action="mark" data-answer="wrong" ${data} data-testid="mark-wrong"
 title="${escape(mark)} is wrong" aria-keyshortcuts="w">Wrong here${keyHint('w')}</button>
<input class="expected" ${data} data-testid="expected" placeholder="should be…" aria-label="What ${escape(mark)} should be; Enter answers" spellcheck="false">`,
    );
  }
  if (asking && role === 'input') {
    buttons.push(
      `<button class="secondary" data-action="mark" data-answer="inadmissible" ${data} data-testid="mark-inadmissible"
 title="It must not be called with this" aria-keyshortcuts="i">Makes no sense${keyHint('i')}</button>`,
    );
  }
  const printed = mark.startsWith('printed[');
  buttons.push(
    `<button class="secondary" data-action="origin" ${data} data-testid="origin"
 title="The calls and lines this value came through" aria-keyshortcuts="o">Where is it from?${keyHint('o')}</button>`,
    printed
      ? ''
      : `<button class="secondary" data-action="writes" ${data} data-testid="writes"
 title="Each change of this value until now, and when it was made" aria-keyshortcuts="c">Who changed it?${keyHint('c')}</button>`,
    `<button class="secondary" data-action="slice" ${data} data-testid="slice"
 title="Show in the code what this value depends on" aria-keyshortcuts="s">Depends on…${keyHint('s')}</button>`,
    `<button class="secondary" data-action="reduce" ${data} data-testid="reduce"
 title="A program that computes this without the rest. It is run to see that it does.">Reduced program</button>`,
  );
  return `<div class="others" role="group" aria-label="About ${escape(mark)}">${buttons.join('')}</div>`;
}

/** The way of a value, the place where it was made first. */
export function renderOrigin({ mark, stations }: Origin): string {
  if (stations.length === 0) return `<p class="quiet" data-testid="no-origin">Where ${escape(mark)} comes from was not recorded.</p>`;
  const items = stations.map(
    (station: Station) => `<li><button class="entry" data-action="open" data-file="${escape(station.file)}" data-line="${station.line}"
 data-range="${(station.range ?? []).join(' ')}" data-testid="station" title="Open ${escape(baseName(station.file))}:${station.line}"><span
 class="what">${escape(station.what)}</span><code>${escape(station.text)}</code><span class="quiet">${escape(station.function)} ·
 ${escape(baseName(station.file))}:${station.line}</span></button>${
   station.node > 0
     ? `<button class="link ask" data-action="ask" data-node="${station.node}" title="Ask about ${escape(station.title)}">ask</button>`
     : ''
 }</li>`,
  );
  return `<ol class="plain origin" data-testid="stations" aria-label="Where ${escape(mark)} comes from">${items.join('')}</ol>`;
}

/** The changes of a value in order, each with what was there before. */
export function renderWrites({ mark, writes }: Writes): string {
  if (writes.length === 0) {
    return `<p class="quiet" data-testid="no-writes">Nothing that was recorded changed ${escape(mark)}.</p>`;
  }
  const shown = (value: Value | null): string => (value ? `<code>${escape(value.text)}</code>` : '<i class="quiet">nothing</i>');
  const items = writes.map((write: Write) => {
    const other = write.target === mark.replace(/^(argument|global) /, '') ? '' : `<code>${escape(write.target)}</code> `;
    const change =
      write.what === 'made'
        ? `made${write.after ? ` as ${shown(write.after)}` : ''}`
        : `${other}${shown(write.before)} → ${shown(write.after)}`;
    return `<li><button class="entry" data-action="open" data-file="${escape(write.file)}" data-line="${write.line}"
 data-range="${(write.range ?? []).join(' ')}" data-testid="write" title="Open ${escape(baseName(write.file))}:${write.line}"><span
 class="what">${change}</span><code>${escape(write.text)}</code><span class="quiet">${escape(write.function)} ·
 ${escape(baseName(write.file))}:${write.line}</span></button>${
   write.node > 0
     ? `<button class="link ask" data-action="ask" data-node="${write.node}" title="Ask about ${escape(write.title)}">ask</button>`
     : ''
 }</li>`;
  });
  return `<ol class="plain origin" data-testid="writes-list" aria-label="Who changed ${escape(mark)}">${items.join('')}</ol>`;
}

interface Button {
  answer: Answer;
  label: string;
  title: string;
  key?: string;
}

function renderAnswers(question: Question, state: State): string {
  const name = question.function.split('.').at(-1) ?? question.function;
  const code = isCode(question);
  const judge: Button[] = [
    { answer: 'correct', label: 'Yes', title: code ? 'The code did what it should' : 'The call did what it should', key: 'y' },
    { answer: 'wrong', label: 'No', title: 'The result or a change is wrong', key: 'n' },
  ];
  const others: Button[] = [
    { answer: 'unknown', label: 'Don’t know', title: 'Ask about something else', key: 'd' },
    {
      answer: 'trust-function',
      label: 'Trust this function',
      title: `Every call of ${name} is right: do not ask about it`,
      key: 't',
    },
  ];
  const rare: Button[] = [
    { answer: 'trust-module', label: 'Trust its whole file', title: `All functions in ${baseName(question.file)} are right` },
    {
      answer: 'inadmissible',
      label: code ? 'What was before makes no sense' : 'Its arguments make no sense',
      title: code ? 'What ran before is wrong' : 'The caller passed something it must not pass',
    },
    {
      answer: 'should-not-have-been-called',
      label: code ? 'It should not have run' : 'It should not have been called',
      title: code ? 'What decided that it runs is wrong' : 'The caller is wrong',
    },
  ];
  const button = ({ answer, label, title, key }: Button, style: string): string =>
    `<button class="${style}" data-action="answer" data-answer="${answer}" data-node="${question.id}"
 data-testid="answer-${answer}" title="${escape(title)}"${key ? ` aria-keyshortcuts="${key}"` : ''}>${escape(label)}${keyHint(key)}</button>`;
  return `<div class="answers" role="group" aria-label="Your answer">
<div class="judge">${judge.map((each) => button(each, `primary ${each.answer}`)).join('')}</div>
<div class="others">${others.map((each) => button(each, 'secondary')).join('')}${undoButton(state)}</div>
${renderZoom(question)}
<details class="more" data-keep="more" data-testid="more"><summary>More answers</summary><div class="others">${rare
    .map((each) => button(each, 'secondary'))
    .join('')}</div></details>
</div>`;
}

/** To a part of what is asked about, and to what it is a part of. */
function renderZoom(question: Question): string {
  const buttons: string[] = [];
  const zoom = (direction: 'in' | 'out', label: string, title: string, key: string): string =>
    `<button class="link" data-action="zoom" data-direction="${direction}" data-testid="zoom-${direction}" title="${title}"
 aria-keyshortcuts="${key}">${label}</button>`;
  if (question.canZoomOut) buttons.push(zoom('out', '− Zoom out', 'Ask about what this is a part of', '-'));
  if (question.canZoomIn) buttons.push(zoom('in', '+ Zoom in', 'Ask about a part of this', '+'));
  if (isCode(question)) {
    buttons.push(
      `<button class="link" data-action="depth" data-depth="function" data-testid="stop-at-function"
 title="No questions about the code inside functions">Stop at the function</button>`,
    );
  }
  return buttons.length > 0 ? `<div class="zoom" role="group" aria-label="Zoom">${buttons.join('')}</div>` : '';
}

function undoButton({ canUndo }: State): string {
  return `<button class="secondary" data-action="undo" data-testid="undo" title="Take the last answer back"
 aria-keyshortcuts="u"${canUndo ? '' : ' disabled'}>Undo${keyHint('u')}</button>`;
}

function keyHint(key: string | undefined): string {
  return key ? `<kbd aria-hidden="true">${key.toUpperCase()}</kbd>` : '';
}

// --- the verdict -----------------------------------------------------------------------------------------------------

function renderVerdict(result: Result, state: State, changedFiles: readonly string[]): string {
  const answers = `${result.questions} ${result.questions === 1 ? 'answer' : 'answers'}`;
  const lines = litFiles(result)
    .filter(({ bright }) => bright.length > 0)
    .map(({ file, bright }) => `${baseName(file)}, ${isOne(bright) ? 'line' : 'lines'} ${nameLines(bright)}`);
  const changed = changedFiles.map(
    (file) => `<p class="notice" data-testid="source-changed">${escape(baseName(file))}: source changed since the
 recording. Its lines are not marked.</p>`,
  );
  const found = result.found
    ? `<p class="eyebrow">Found after ${answers}</p>
<h2 tabindex="-1" data-testid="verdict">${escape(result.text)}</h2>
${place(result.function, result.file, result.line)}
<h3>Look here</h3>
<p data-testid="verdict-lines">${lines.map(escape).join('<br>')}</p>
<p class="quiet">These lines ran in this call itself. The calls it made are right, so the mistake is here.</p>
${changed.join('')}
<p class="buttons"><button class="primary" data-action="show" data-testid="show-in-editor">Show in Editor</button>
${lookInside(state)}${undoButton(state)}</p>`
    : `<p class="eyebrow">No more questions after ${answers}</p>
<h2 tabindex="-1" data-testid="verdict">${escape(result.text)}</h2>
<p class="quiet">Nobody could judge some of them. Click one to be asked about it again.</p>
<p>${undoButton(state)}</p>`;
  return `<section data-testid="result">${found}${renderCandidates(result.candidates)}</section>
${renderHistory(state.history)}`;
}

function lookInside({ canZoom = false }: State): string {
  return canZoom
    ? `<button class="secondary" data-action="depth" data-depth="code" data-testid="look-inside"
 title="Go on with questions about its loops and statements">Look inside</button>`
    : '';
}

function isOne(runs: readonly (readonly [number, number])[]): boolean {
  return runs.length === 1 && runs[0]?.[0] === runs[0]?.[1];
}

function renderCandidates(candidates: readonly Candidate[]): string {
  if (candidates.length === 0) return '';
  const items = candidates.map(
    ({ node, title, file, line }) => `<li><button class="entry" data-action="ask" data-node="${node}"
 title="Ask about this call"><code>${escape(title)}</code><span class="quiet">${escape(baseName(file))}:${line}</span></button></li>`,
  );
  return `<h3>Calls that may hold the bug</h3><ul class="plain" data-testid="candidates">${items.join('')}</ul>`;
}

function renderFailure({ error, history }: State): string {
  return `<section data-testid="failed"><h2 tabindex="-1">${escape(error?.error ?? 'Something went wrong.')}</h2>
<p>${escape(error?.hint ?? '')}</p></section>${renderHistory(history)}`;
}

// --- answers so far --------------------------------------------------------------------------------------------------

const ANSWER_WORDS: Record<string, { mark: string; word: string; style: string }> = {
  correct: { mark: '✓', word: 'yes', style: 'yes' },
  wrong: { mark: '✗', word: 'no', style: 'no' },
  unknown: { mark: '?', word: 'don’t know', style: '' },
  inadmissible: { mark: '–', word: 'arguments make no sense', style: '' },
  'should-not-have-been-called': { mark: '–', word: 'should not have been called', style: '' },
  trusted: { mark: '✓', word: 'trusted', style: 'yes' },
  'trust-function': { mark: '✓', word: 'function trusted', style: 'yes' },
  'trust-module': { mark: '✓', word: 'file trusted', style: 'yes' },
};

function renderHistory(history: readonly HistoryEntry[]): string {
  if (history.length === 0) return '';
  // Of several answers about one node the last one holds.
  const last = new Map(history.map(({ node }, at) => [node, at]));
  const items = history.map((entry, at) => renderEntry(entry, last.get(entry.node) === at));
  return `<section><h3>Your answers</h3><ol class="plain" data-testid="history">${items.join('')}</ol></section>`;
}

function renderEntry(entry: HistoryEntry, holds: boolean): string {
  const { node, text, answer, source } = entry;
  const { mark, word, style } = ANSWER_WORDS[answer] ?? { mark: '·', word: answer, style: '' };
  const judge = source === '' || source === 'user' ? '' : ` · ${source}`;
  const details = detailsOf(entry);
  return `<li class="${holds ? '' : 'revised'}"><button class="entry" data-action="ask" data-node="${node}" data-testid="history-entry"
 title="Ask about this again"><span class="mark ${style}" aria-hidden="true">${mark}</span><code>${escape(text)}</code>
<span class="quiet">${escape(word + details + judge)}${holds ? '' : ' (changed later)'}</span></button>${holds ? renderRevision(entry) : ''}</li>`;
}

/** " at result[1], should be 3" */
function detailsOf({ mark, expected, argument }: HistoryEntry): string {
  const where = mark ?? argument ?? '';
  return (where === '' ? '' : ` at ${where}`) + (expected ? `, should be ${expected}` : '');
}

const REVISIONS: [Answer, string][] = [
  ['correct', 'Yes'],
  ['wrong', 'No'],
  ['unknown', 'Don’t know'],
];

/** Another answer for a node: what followed from the old one is found anew. */
function renderRevision({ node, answer, text }: HistoryEntry): string {
  const others = REVISIONS.filter(([other]) => other !== answer);
  if (answer.startsWith('trust')) return '';
  const buttons = others.map(
    ([other, label]) => `<button class="link" data-action="answer" data-answer="${other}" data-node="${node}"
 data-testid="revise-${other}">${label}</button>`,
  );
  return `<details class="revise"><summary title="Change this answer" aria-label="Change the answer about ${escape(text)}"
 data-testid="revise">change</summary><span role="group" aria-label="Another answer">${buttons.join(' ')}</span></details>`;
}

function renderContradictions(contradictions: readonly Contradiction[]): string {
  if (contradictions.length === 0) return '';
  const items = contradictions.map(
    ({ answers, text }) => `<p>${escape(text.split(':')[0] ?? text)}:</p>
<ul class="plain">${answers.map((entry) => renderEntry(entry, true)).join('')}</ul>`,
  );
  return `<section class="notice" role="alert" data-testid="contradictions"><h3>Two answers cannot both be true</h3>
${items.join('')}<p>Change the one that was a mistake.</p></section>`;
}

// --- values ----------------------------------------------------------------------------------------------------------

/** Types whose text is all there is to see. */
const SCALARS = new Set(['int', 'float', 'complex', 'str', 'bytes', 'bool', 'None', 'NoneType', 'ellipsis', 'NotImplementedType']);

export function renderValue(value: Value, place: Place = NOWHERE, pieces?: readonly Piece[], open = false): string {
  const doubt = value.certain
    ? ''
    : ' <span class="doubt" title="Something that was not recorded may have changed this value">not certain</span>';
  const shown = pieces ? pieces.map(renderPiece).join('') : escape(value.text);
  const text = `<code class="value" title="${escape(value.type)}">${shown}</code>${doubt}`;
  const whole = SCALARS.has(value.type) && value.literal;
  if (whole || value.ref === '') return text;
  const where = place.mark === '' ? '' : ` data-mark="${escape(place.mark)}" data-role="${place.role}" data-node="${place.node}"`;
  return `<details class="tree" data-ref="${escape(value.ref)}"${where}${open ? ' open' : ''}><summary>${text}</summary></details>`;
}

function renderPiece({ text, changed }: Piece): string {
  return changed ? `<mark>${escape(text)}</mark>` : escape(text);
}

/** The inside of an opened value; `start` is the number of its parts that are on the page already. */
export function renderParts({ value, length, parts }: ValuePage, start: number, place: Place = NOWHERE): string {
  const items = parts
    .map(({ label, path, value: part }) => {
      const inside = place.mark === '' ? NOWHERE : { ...place, mark: place.mark + path };
      return valueRow(label, part, inside);
    })
    .join('');
  const shown = start + parts.length;
  if (shown === 0) {
    return `<p class="quiet">${value.literal ? 'Nothing inside.' : `<code class="whole">${escape(value.text)}</code>`}</p>`;
  }
  const left = (length ?? shown) - shown;
  const more =
    left > 0 && parts.length > 0
      ? `<button class="link" data-action="parts" data-ref="${escape(value.ref)}" data-start="${shown}">${Math.min(
          left,
          PARTS_AT_ONCE,
        )} more of ${length}</button>`
      : '';
  return items + more;
}

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}
