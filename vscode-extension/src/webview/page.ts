/**
 * Runs inside the Question view. Puts the rendered page on the screen, turns clicks and keys into messages, and loads
 * the parts of a value when it is opened. Keeps nothing that the session does not know but what is folded open.
 */

import type { Answer, Depth, Span } from '../protocol';
import { renderAbout, renderOrigin, renderWrites } from '../aboutValue';
import { escape } from '../html';
import { renderMoreLines } from '../printedLines';
import { renderPage, spokenSummary } from '../questionPage';
import { PARTS_AT_ONCE, type Place, renderGap, renderParts, type Role } from '../valueRows';
import type { FromPage, ToPage, Wanted } from './messages';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const editor = acquireVsCodeApi();
const root = document.querySelector<HTMLElement>('#page')!;
const spoken = document.querySelector<HTMLElement>('#spoken')!;

/** What is on the screen, to leave it (and what is unfolded in it) alone when nothing changed. */
let shown = '';
let asking = false;

const KEYS: Record<string, string> = {
  y: '.answers [data-answer="correct"]',
  n: '.answers [data-answer="wrong"]',
  d: '.answers [data-answer="unknown"]',
  t: '.answers [data-answer="trust-function"]',
  u: '[data-action="undo"]',
  a: '[data-action="unfoldAll"]',
  e: '[data-depth="expression"]',
  '+': '[data-direction="in"]',
  '-': '[data-direction="out"]',
};
/** Of the value that has the focus. */
const VALUE_KEYS: Record<string, string> = {
  w: '[data-testid="mark-wrong"]',
  i: '[data-testid="mark-inadmissible"]',
  o: '[data-testid="origin"]',
  c: '[data-testid="writes"]',
  s: '[data-testid="slice"]',
};

addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  switch (data.type) {
    case 'page':
      return show(data);
    case 'parts':
      return showParts(data);
    case 'noParts':
      for (const tree of opened(data.wanted)) fill(tree, `<p class="notice">${escape(data.error)}</p>`, 0);
      return;
    case 'origin':
      return below(data, renderOrigin(data.origin));
    case 'writes':
      return below(data, renderWrites(data.writes));
    case 'lines':
      return moreLines(data);
    case 'noOrigin':
      return below(data, `<p class="notice">${escape(data.error)}</p>`);
    case 'markWrong':
      return markWrong();
    case 'unfoldAll':
      root.querySelector<HTMLElement>('[data-action="unfoldAll"]')?.click();
      return;
  }
});

function show({ page }: Extract<ToPage, { type: 'page' }>): void {
  const html = renderPage(page);
  if (shown === html) return;
  const focus = root.contains(document.activeElement) ? document.activeElement : null;
  const asked = root.querySelector('[data-testid="question"]')?.getAttribute('data-node');
  const open = [...root.querySelectorAll<HTMLDetailsElement>('details[data-keep][open]')].map((each) => each.dataset['keep']);
  shown = html;
  asking = page.state?.status === 'asking';
  draw(html);
  for (const name of open) root.querySelector(`details[data-keep="${name}"]`)?.setAttribute('open', '');
  const now = root.querySelector('[data-testid="question"]')?.getAttribute('data-node');
  if (asked !== now) scrollTo(0, 0);
  const focusAgain = focus instanceof HTMLElement && root.contains(focus) ? focus : root.querySelector<HTMLElement>('h2');
  if (focus) focusAgain?.focus({ preventScroll: true });
  spoken.textContent = spokenSummary(page);
}

/** The pieces of the page as they were drawn, before anything was unfolded in them. */
let pieces = new Map<string, Element>();

/** Keeps the pieces that read as before: what the user has unfolded in them stays unfolded. */
function draw(html: string): void {
  const next = document.createElement('template');
  next.innerHTML = html;
  const [question] = next.content.querySelectorAll('[data-testid="question"]');
  const node = question?.getAttribute('data-node') ?? '';
  const drawn = new Map<string, Element>();
  for (const piece of question?.children ?? []) drawn.set(`${node} ${piece.outerHTML}`, piece);
  for (const [text, piece] of drawn) {
    const before = pieces.get(text);
    if (!before) continue;
    piece.replaceWith(before);
    drawn.set(text, before);
  }
  pieces = drawn;
  root.replaceChildren(next.content);
}

// Values

/** The values on the page of which such parts were asked for. */
function opened({ ref, whole }: Wanted): HTMLDetailsElement[] {
  return [...root.querySelectorAll<HTMLDetailsElement>('details.tree')].filter(
    (each) => each.dataset['ref'] === ref && isWhole(each) === whole,
  );
}

function isWhole(tree: HTMLElement): boolean {
  return tree.dataset['whole'] === 'true';
}

function showParts({ wanted, page }: Extract<ToPage, { type: 'parts' }>): void {
  const { start, gap } = wanted;
  for (const tree of opened(wanted)) {
    if (gap === undefined) {
      fill(tree, renderParts(page, start, placeOf(tree)), start);
      continue;
    }
    const button = tree.querySelector(`:scope > .parts > .gap > [data-start="${start}"]`);
    const line = button?.closest<HTMLElement>('.gap');
    if (!line) continue;
    const before = line.previousElementSibling;
    const hadFocus = line.contains(document.activeElement);
    line.outerHTML = renderGap(page, start, gap, placeOf(tree));
    const first = before ? before.nextElementSibling : tree.querySelector(':scope > .parts > .row');
    if (hadFocus) first?.querySelector<HTMLElement>('summary, button')?.focus();
  }
}

function ask(tree: HTMLElement, start: number, gap?: number): void {
  const { ref = '', node } = tree.dataset;
  const wanted: Wanted = { ref, start, node: Number(node ?? -1), whole: isWhole(tree) };
  editor.postMessage({ type: 'value', ...wanted, ...(gap === undefined ? {} : { gap }) });
}

/** Shows all of a value, or leaves out again what the call did not look at. */
function unfold(button: HTMLElement, all: boolean): void {
  const inside = button.parentElement;
  if (!inside || (button.getAttribute('aria-expanded') === 'true') === all) return;
  button.setAttribute('aria-expanded', String(all));
  const [before, now] = all ? ['all', 'less'] : ['less', 'all'];
  button.textContent = `show ${now}`;
  button.ariaLabel = button.title = button.title.replace(`Show ${before}`, `Show ${now}`);
  const tree = button.previousElementSibling;
  const texts = tree instanceof HTMLDetailsElement ? tree.querySelector(':scope > summary') : inside;
  texts?.querySelector<HTMLElement>(':scope > .folded')?.toggleAttribute('hidden', all);
  texts?.querySelector<HTMLElement>(':scope > .whole')?.toggleAttribute('hidden', !all);
  if (!(tree instanceof HTMLDetailsElement)) return;
  tree.dataset['whole'] = String(all);
  tree.querySelector(':scope > .parts')?.remove();
  if (tree.open) ask(tree, 0);
}

function unfoldAll(button: HTMLElement): void {
  const all = button.getAttribute('aria-pressed') !== 'true';
  button.setAttribute('aria-pressed', String(all));
  for (const each of root.querySelectorAll<HTMLElement>('[data-testid="question"] [data-action="unfold"]')) unfold(each, all);
}

/** In the place of the button that asked for them. */
function moreLines({ node, start, page }: Extract<ToPage, { type: 'lines' }>): void {
  const asked = `button[data-action="lines"][data-node="${node}"][data-start="${start}"]`;
  for (const button of root.querySelectorAll<HTMLElement>(asked)) button.outerHTML = renderMoreLines(page);
}

function fill(tree: HTMLDetailsElement, html: string, start: number): void {
  let parts = tree.querySelector<HTMLElement>(':scope > .parts');
  if (!parts) {
    parts = document.createElement('div');
    parts.className = 'parts';
    tree.append(parts);
  }
  parts.querySelector(':scope > [data-action="parts"]')?.remove();
  if (start === 0) parts.innerHTML = html;
  else parts.insertAdjacentHTML('beforeend', html);
}

// What can be said about a value

function placeOf({ dataset }: HTMLElement): Place {
  return { mark: dataset['mark'] ?? '', role: (dataset['role'] ?? '') as Role, node: Number(dataset['node'] ?? -1) };
}

/** Unfolds what can be said about the value of a row, or folds it again. */
function about(line: HTMLElement, keepOpen = false): HTMLElement | undefined {
  const button = line.querySelector<HTMLElement>(':scope > .about');
  const known = line.nextElementSibling;
  if (known instanceof HTMLElement && known.classList.contains('panel')) {
    if (keepOpen) return known;
    known.remove();
    button?.setAttribute('aria-expanded', 'false');
    return undefined;
  }
  const panel = document.createElement('div');
  panel.className = 'panel';
  panel.innerHTML = renderAbout(placeOf(line), asking);
  line.after(panel);
  button?.setAttribute('aria-expanded', 'true');
  return panel;
}

function markWrong(): void {
  const line = focused() ?? firstOutput();
  if (!line) return;
  const panel = about(line, true);
  panel?.querySelector<HTMLElement>('[data-testid="mark-wrong"]')?.focus();
  panel?.scrollIntoView({ block: 'nearest' });
}

/** What came out of the call in question: its result, a change, a line it printed. */
function firstOutput(): HTMLElement | null {
  const output = '.row[data-role="output"]';
  return root.querySelector<HTMLElement>(`dl ${output}`) ?? root.querySelector<HTMLElement>(`:not(.output) > .printed ${output}`);
}

/** The row of the value that has the focus, or of the panel below it. */
function focused(): HTMLElement | null {
  const active = document.activeElement;
  const panel = active?.closest('.panel')?.previousElementSibling;
  return panel instanceof HTMLElement ? panel : (active?.closest<HTMLElement>('.row.marked') ?? null);
}

function below({ node, mark }: { node: number; mark: string }, html: string): void {
  for (const line of root.querySelectorAll<HTMLElement>('.row.marked')) {
    if (line.dataset['mark'] !== mark || Number(line.dataset['node']) !== node) continue;
    const panel = about(line, true);
    panel?.querySelector(':scope > .answer')?.remove();
    panel?.insertAdjacentHTML('beforeend', `<div class="answer">${html}</div>`);
  }
}

// `toggle` does not bubble, hence the capturing listener.
root.addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open) return;
    if (target.dataset['ref'] === undefined || target.querySelector(':scope > .parts')) return;
    ask(target, 0);
  },
  true,
);

root.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('button[data-action]') : null;
  if (button?.dataset['action'] === 'about') {
    const line = button.closest<HTMLElement>('.row');
    const panel = line && about(line);
    panel?.querySelector<HTMLElement>('button')?.focus();
    panel?.scrollIntoView({ block: 'nearest' });
    return;
  }
  const tree = button?.closest<HTMLElement>('details.tree');
  switch (button?.dataset['action']) {
    case 'unfold':
      return unfold(button, button.getAttribute('aria-expanded') !== 'true');
    case 'unfoldAll':
      return unfoldAll(button);
    case 'parts':
      if (tree) ask(tree, Number(button.dataset['start'] ?? PARTS_AT_ONCE));
      return;
    case 'gap':
      if (tree) ask(tree, Number(button.dataset['start']), Number(button.dataset['count']));
      return;
  }
  const message = button && messageOf(button);
  if (message) editor.postMessage(message);
});

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLInputElement) {
    if (event.key === 'Enter') {
      event.preventDefault();
      editor.postMessage(markMessage(event.target, 'wrong'));
    }
    return;
  }
  const key = event.key.toLowerCase();
  if (VALUE_KEYS[key] !== undefined) {
    const line = focused() ?? (key === 'w' ? firstOutput() : null);
    if (!line) return;
    event.preventDefault();
    // On a value of its own the key answers; without one it shows what the answer would be about.
    if (focused()) about(line, true)?.querySelector<HTMLButtonElement>(VALUE_KEYS[key])?.click();
    else markWrong();
    return;
  }
  const selector = KEYS[key];
  const button = selector ? root.querySelector<HTMLButtonElement>(selector) : null;
  if (!button || button.disabled) return;
  event.preventDefault();
  button.click();
});

function markMessage(element: HTMLElement, answer: Answer): FromPage {
  const { mark, node } = placeOf(element);
  const expected = element.parentElement?.querySelector<HTMLInputElement>('input.expected')?.value.trim();
  return {
    ...{ type: 'answer', answer, node, mark },
    ...(answer === 'wrong' && expected ? { expected } : {}),
    ...(answer === 'inadmissible' ? { argument: mark.replace(/^argument /, '').replace(/^(\w+).*$/s, '$1') } : {}),
  };
}

function messageOf(button: HTMLElement): FromPage | undefined {
  const { dataset } = button;
  const node = Number(dataset['node']);
  const mark = dataset['mark'] ?? '';
  switch (dataset['action']) {
    case 'answer':
      return { type: 'answer', answer: dataset['answer'] as Answer, node };
    case 'mark':
      return markMessage(button, dataset['answer'] as Answer);
    case 'ask':
      return { type: 'ask', node };
    case 'zoom':
      return { type: 'zoom', direction: dataset['direction'] as 'in' | 'out' };
    case 'depth':
      return { type: 'depth', depth: dataset['depth'] as Depth };
    case 'origin':
      return { type: 'origin', node, mark };
    case 'writes':
      return { type: 'writes', node, mark };
    case 'reduce':
      return { type: 'reduce', node, mark };
    case 'lines':
      return { type: 'lines', node, start: Number(dataset['start']) };
    case 'slice':
      return { type: 'slice', node, mark };
    case 'undo':
      return { type: 'undo' };
    case 'show':
      return { type: 'show' };
    case 'debug':
      return { type: 'debug' };
    case 'open': {
      const range = (dataset['range'] ?? '').split(' ').map(Number);
      const place = { type: 'open', file: dataset['file'] ?? '', line: Number(dataset['line']) } as const;
      return range.length === 4 ? { ...place, range: range as unknown as Span } : place;
    }
    default:
      return undefined;
  }
}

editor.postMessage({ type: 'ready' });
