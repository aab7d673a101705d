/** The answers so far, which can be changed, and those that cannot both be true. */

import { escape } from './html';
import type { Answer, Contradiction, HistoryEntry } from './protocol';

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

export function renderHistory(history: readonly HistoryEntry[]): string {
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

export function renderContradictions(contradictions: readonly Contradiction[]): string {
  if (contradictions.length === 0) return '';
  const items = contradictions.map(
    ({ answers, text }) => `<p>${escape(text.split(':')[0] ?? text)}:</p>
<ul class="plain">${answers.map((entry) => renderEntry(entry, true)).join('')}</ul>`,
  );
  return `<section class="notice" role="alert" data-testid="contradictions"><h3>Two answers cannot both be true</h3>
${items.join('')}<p>Change the one that was a mistake.</p></section>`;
}
