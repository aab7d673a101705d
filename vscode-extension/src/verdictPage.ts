/** What is shown when the search is over: the call, its lines, what can be done next. */

import { canGoDown, goDown, undoButton } from './answerButtons';
import { renderHistory } from './answersSoFar';
import { litFiles, nameLines } from './highlightedLines';
import { baseName, escape, placeLink } from './html';
import type { Candidate, Result, State } from './protocol';

export function renderVerdict(result: Result, state: State, changedFiles: readonly string[]): string {
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
${placeLink(result.function, result.file, result.line)}
<h3>Look here</h3>
<p data-testid="verdict-lines">${lines.map(escape).join('<br>')}</p>
<p class="quiet">These lines ran in this call itself. The calls it made are right, so the mistake is here.</p>
${changed.join('')}
<p class="buttons"><button class="primary" data-action="show" data-testid="show-in-editor">Show in Editor</button>
${lookInside(state)}${canGoDown(state) ? goDown('secondary') : ''}${undoButton(state)}</p>`
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
