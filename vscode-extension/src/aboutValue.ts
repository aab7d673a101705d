/** What can be said about a value, below its row: that it is wrong, where it comes from, who changed it. */

import { baseName, escape, keyHint } from './html';
import type { Origin, Station, Value, Write, Writes } from './protocol';
import type { Place } from './valueRows';

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
