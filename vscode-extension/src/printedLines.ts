/** What was printed, line by line: each can be called wrong. */

import { escape } from './html';
import type { Printed, PrintedPage } from './protocol';
import { row } from './valueRows';

/** A row for each line; the ones that are left out are loaded when somebody wants them. */
export function renderLines({ text, certain, more = 0 }: Printed, node: number): string {
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
