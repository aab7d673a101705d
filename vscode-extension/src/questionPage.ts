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
  HistoryEntry,
  Outcome,
  OutcomeKind,
  Question,
  Result,
  State,
  Value,
  ValuePage,
} from './protocol';

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

export function renderPage(page: Page): string {
  const notice = page.notice ? `<p class="notice" role="alert" data-testid="notice">${escape(page.notice)}</p>` : '';
  return notice + renderState(page);
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
  return `<section data-testid="question" data-node="${question.id}">
<p class="eyebrow"><span data-testid="progress">${progress}</span></p>
<h2 tabindex="-1" data-testid="question-text">${escape(question.text)}</h2>
${place(question.function, question.file, question.line)}
${renderInputs(question)}
${renderOutcome(question.outcome)}
${renderChanges(question.changes)}
${renderAnswers(question, state)}
${why}
</section>
${renderHistory(state.history)}`;
}

function place(name: string, file: string, line: number): string {
  return `<p class="place"><button class="link" data-action="open" data-file="${escape(file)}" data-line="${line}"
 data-testid="place" title="Open ${escape(file)}">${escape(name)} · ${escape(baseName(file))}:${line}</button></p>`;
}

function renderInputs({ inputs }: Question): string {
  if (inputs.length === 0) return '<p class="quiet" data-testid="inputs">Called without arguments.</p>';
  const rows = inputs.map(({ name, value }) => row(name, renderValue(value)));
  return `<h3>Called with</h3><dl data-testid="inputs">${rows.join('')}</dl>`;
}

const OUTCOME_TITLES: Record<OutcomeKind, string> = {
  return: 'Returned',
  raise: 'Raised',
  yield: 'Yielded',
  'fall-through': 'Ran through',
  unfinished: 'Had not returned when the recording ended',
};

function renderOutcome({ kind, value }: Outcome): string {
  const shown = value ? `<dl data-testid="outcome">${row('', renderValue(value))}</dl>` : '';
  return `<h3 class="${kind}">${OUTCOME_TITLES[kind]}</h3>${shown}`;
}

function renderChanges(changes: readonly Change[]): string {
  if (changes.length === 0) return '';
  const rows = changes.map(({ target, before, after }) => {
    const old = before ? renderValue(before) : '<i class="quiet">not there</i>';
    const now = after ? renderValue(after) : '<i class="quiet">removed</i>';
    return row(
      target,
      `<div class="change"><span class="hidden">before</span><div class="before">${old}</div>
<span class="arrow" aria-hidden="true">→</span><span class="hidden">after</span><div class="after">${now}</div></div>`,
    );
  });
  return `<h3>Changed</h3><dl data-testid="changes">${rows.join('')}</dl>`;
}

function row(name: string, body: string): string {
  return `<div class="row"><dt>${escape(name)}</dt><dd>${body}</dd></div>`;
}

interface Button {
  answer: Answer;
  label: string;
  title: string;
  key?: string;
}

function renderAnswers(question: Question, state: State): string {
  const name = question.function.split('.').at(-1) ?? question.function;
  const judge: Button[] = [
    { answer: 'correct', label: 'Yes', title: 'The call did what it should', key: 'y' },
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
    { answer: 'inadmissible', label: 'Its arguments make no sense', title: 'The caller passed something it must not pass' },
    { answer: 'should-not-have-been-called', label: 'It should not have been called', title: 'The caller is wrong' },
  ];
  const button = ({ answer, label, title, key }: Button, style: string): string =>
    `<button class="${style}" data-action="answer" data-answer="${answer}" data-node="${question.id}"
 data-testid="answer-${answer}" title="${escape(title)}"${key ? ` aria-keyshortcuts="${key}"` : ''}>${escape(label)}${keyHint(key)}</button>`;
  return `<div class="answers" role="group" aria-label="Your answer">
<div class="judge">${judge.map((each) => button(each, `primary ${each.answer}`)).join('')}</div>
<div class="others">${others.map((each) => button(each, 'secondary')).join('')}${undoButton(state)}</div>
<details class="more" data-keep="more" data-testid="more"><summary>More answers</summary><div class="others">${rare
    .map((each) => button(each, 'secondary'))
    .join('')}</div></details>
</div>`;
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
<p><button class="primary" data-action="show" data-testid="show-in-editor">Show in Editor</button>
${undoButton(state)}</p>`
    : `<p class="eyebrow">No more questions after ${answers}</p>
<h2 tabindex="-1" data-testid="verdict">${escape(result.text)}</h2>
<p class="quiet">Click a call to be asked about it again.</p>
<p>${undoButton(state)}</p>`;
  return `<section data-testid="result">${found}${renderCandidates(result.candidates)}</section>
${renderHistory(state.history)}`;
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
  const items = history.map(({ node, text, answer, source }) => {
    const { mark, word, style } = ANSWER_WORDS[answer] ?? { mark: '·', word: answer, style: '' };
    const judge = source === '' || source === 'user' ? '' : ` · ${source}`;
    return `<li><button class="entry" data-action="ask" data-node="${node}" data-testid="history-entry"
 title="Ask about this call again"><span class="mark ${style}" aria-hidden="true">${mark}</span><code>${escape(text)}</code>
<span class="quiet">${escape(word + judge)}</span></button></li>`;
  });
  return `<section><h3>Your answers</h3><ol class="plain" data-testid="history">${items.join('')}</ol></section>`;
}

// --- values ----------------------------------------------------------------------------------------------------------

/** Types whose text is all there is to see. */
const SCALARS = new Set(['int', 'float', 'complex', 'str', 'bytes', 'bool', 'None', 'NoneType', 'ellipsis', 'NotImplementedType']);

export function renderValue(value: Value): string {
  const doubt = value.certain
    ? ''
    : ' <span class="doubt" title="Something that was not recorded may have changed this value">not certain</span>';
  const text = `<code class="value" title="${escape(value.type)}">${escape(value.text)}</code>${doubt}`;
  const whole = SCALARS.has(value.type) && value.literal;
  if (whole || value.ref === '') return text;
  return `<details class="tree" data-ref="${escape(value.ref)}"><summary>${text}</summary></details>`;
}

/** The inside of an opened value; `start` is the number of its parts that are on the page already. */
export function renderParts({ value, length, parts }: ValuePage, start: number): string {
  const items = parts.map(({ label, value: part }) => row(label, renderValue(part))).join('');
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
