/**
 * The Question view as HTML: a function of the last state of the session and nothing else. Elements say what they do
 * in `data-…` attributes (`data-action`, `data-answer`, `data-node`, `data-ref`); the script of the page turns clicks
 * into messages. Every text from outside is escaped.
 */

import { isCode, renderAnswers } from './answerButtons';
import { renderContradictions, renderHistory } from './answersSoFar';
import { escape, keyHint, placeLink } from './html';
import { renderLines } from './printedLines';
import type { Change, Iterations, OutcomeKind, Question, Read, State } from './protocol';
import { diffOf } from './valueDiff';
import { isFolded, opensByItself, type Place, renderValue, row, textShown, unnamed, valueRow } from './valueRows';
import { renderVerdict } from './verdictPage';

/** All that the view shows. */
export interface Page {
  /** Null: no session of ours is running. */
  state: State | null;
  /** What went wrong with the last thing the user did, or null. */
  notice: string | null;
  /** Files whose text is no longer what ran. */
  changedFiles: string[];
}

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
${placeLink(question.function, question.file, question.line)}
${renderLeftOut(question)}
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

/** That not all is shown, and all of it at once. */
function renderLeftOut({ inputs, reads = [], outcome, changes }: Question): string {
  const values = [...inputs, ...reads].map(({ value }) => value);
  values.push(outcome.value, ...changes.flatMap(({ before, after }) => [before, after]));
  if (!values.some((value) => value && isFolded(value))) return '';
  return `<p class="quiet left-out" data-testid="left-out">What the call did not look at is left out (…).
<button class="link" data-action="unfoldAll" aria-pressed="false" aria-keyshortcuts="a" data-testid="unfold-all">Show
 everything${keyHint('a')}</button></p>`;
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
    return valueRow(name, value, known ? { mark: `global ${name}`, role: 'read', node: id } : unnamed(id), label);
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
  const soFar = question.outcome.ended === false ? ' so far' : '';
  return `<h3 class="${kind}">${OUTCOME_TITLES[kind]}${soFar}</h3>${shown}`;
}

function renderChanges(question: Question): string {
  const { changes, id, module = '' } = question;
  if (changes.length === 0) {
    const nothing = isCode(question) && !question.way && !question.outcome.value && !question.printed;
    return nothing ? '<p class="quiet" data-testid="changes">Nothing is changed.</p>' : '';
  }
  const rows = changes.map(({ target, before, after }: Change) => {
    const diff = before && after ? diffOf(textShown(before), textShown(after)) : null;
    const old = before ? renderValue(before, unnamed(id), diff?.before) : '<i class="quiet">not there</i>';
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

/** Two names for one object: what is changed by one is changed by the other. */
function renderSharing(sharing: readonly string[]): string {
  if (sharing.length === 0) return '';
  const items = sharing.map((text) => `<li><code>${escape(text)}</code></li>`);
  return `<h3>The same object</h3><ul class="plain sharing" data-testid="sharing">${items.join('')}</ul>`;
}

function renderFailure({ error, history }: State): string {
  return `<section data-testid="failed"><h2 tabindex="-1">${escape(error?.error ?? 'Something went wrong.')}</h2>
<p>${escape(error?.hint ?? '')}</p></section>${renderHistory(history)}`;
}
