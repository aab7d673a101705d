/**
 * Runs inside the Question view. Puts the rendered page on the screen, turns clicks and keys into messages, and loads
 * the parts of a value when it is opened. Keeps nothing that the session does not know but what is folded open.
 */

import type { Answer } from '../protocol';
import { escape, PARTS_AT_ONCE, renderPage, renderParts, spokenSummary } from '../questionPage';
import type { FromPage, ToPage } from './messages';

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const editor = acquireVsCodeApi();
const root = document.querySelector<HTMLElement>('#page')!;
const spoken = document.querySelector<HTMLElement>('#spoken')!;

/** What is on the screen, to leave it (and what is unfolded in it) alone when nothing changed. */
let shown = '';

const KEYS: Record<string, string> = {
  y: '[data-answer="correct"]',
  n: '[data-answer="wrong"]',
  d: '[data-answer="unknown"]',
  t: '[data-answer="trust-function"]',
  u: '[data-action="undo"]',
};

addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  if (data.type === 'page') show(data);
  else if (data.type === 'parts') {
    for (const tree of opened(data.ref)) fill(tree, renderParts(data.page, data.start), data.start);
  } else {
    for (const tree of opened(data.ref)) fill(tree, `<p class="notice">${escape(data.error)}</p>`, 0);
  }
});

function show({ page }: Extract<ToPage, { type: 'page' }>): void {
  const html = renderPage(page);
  if (shown === html) return;
  const hadFocus = root.contains(document.activeElement);
  const asked = root.querySelector('[data-testid="question"]')?.getAttribute('data-node');
  const open = [...root.querySelectorAll<HTMLDetailsElement>('details[data-keep][open]')].map((each) => each.dataset['keep']);
  shown = html;
  root.innerHTML = html;
  for (const name of open) root.querySelector(`details[data-keep="${name}"]`)?.setAttribute('open', '');
  const now = root.querySelector('[data-testid="question"]')?.getAttribute('data-node');
  if (asked !== now) scrollTo(0, 0);
  if (hadFocus) root.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
  spoken.textContent = spokenSummary(page);
}

function opened(ref: string): HTMLDetailsElement[] {
  return [...root.querySelectorAll<HTMLDetailsElement>('details.tree')].filter((each) => each.dataset['ref'] === ref);
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

// `toggle` does not bubble, hence the capturing listener.
root.addEventListener(
  'toggle',
  ({ target }) => {
    if (!(target instanceof HTMLDetailsElement) || !target.open) return;
    const ref = target.dataset['ref'];
    if (ref === undefined || target.querySelector(':scope > .parts')) return;
    editor.postMessage({ type: 'value', ref, start: 0 });
  },
  true,
);

root.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('button[data-action]') : null;
  const message = button && messageOf(button);
  if (message) editor.postMessage(message);
});

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const selector = KEYS[event.key.toLowerCase()];
  const button = selector ? root.querySelector<HTMLButtonElement>(`button${selector}`) : null;
  if (!button || button.disabled) return;
  event.preventDefault();
  button.click();
});

function messageOf({ dataset }: HTMLElement): FromPage | undefined {
  const node = Number(dataset['node']);
  switch (dataset['action']) {
    case 'answer':
      return { type: 'answer', answer: dataset['answer'] as Answer, node };
    case 'ask':
      return { type: 'ask', node };
    case 'undo':
      return { type: 'undo' };
    case 'show':
      return { type: 'show' };
    case 'debug':
      return { type: 'debug' };
    case 'open':
      return { type: 'open', file: dataset['file'] ?? '', line: Number(dataset['line']) };
    case 'parts':
      return { type: 'value', ref: dataset['ref'] ?? '', start: Number(dataset['start'] ?? PARTS_AT_ONCE) };
    default:
      return undefined;
  }
}

editor.postMessage({ type: 'ready' });
