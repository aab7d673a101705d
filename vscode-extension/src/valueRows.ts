/**
 * Values on the page of the Question view: one in a row, its parts when it is opened, page by page. What the call did
 * not look at is left out; a button of the value, and one of each gap between its parts, shows it.
 */

import { escape } from './html';
import type { Value, ValuePage, ValuePart } from './protocol';
import type { Piece } from './valueDiff';

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

/** A value of a question about which nothing can be said. */
export function unnamed(node: number): Place {
  return { mark: '', role: '', node };
}

const NOWHERE = unnamed(-1);

/** A small container shows its parts at once: one of them may be what is wrong. */
export function opensByItself(value: Value): boolean {
  const { text, literal, type } = value;
  return (literal || isFolded(value)) && text.length <= 60 && !SCALARS.has(type);
}

export function valueRow(name: string, value: Value, place: Place, beside = '', open = false): string {
  return row(name, `${renderValue(value, place, undefined, open)} ${beside}`, place);
}

/** `place` gives the row a button for what can be said about its value. */
export function row(name: string, body: string, place: Place = NOWHERE): string {
  const { mark } = place;
  if (mark === '') return `<div class="row"><dt>${escape(name)}</dt><dd>${body}</dd></div>`;
  const label = `What about ${mark}: wrong here, where it comes from…`;
  return `<div class="row marked"${dataOf(place)}><dt>${escape(name)}</dt><dd>${body}</dd>
<button class="about" data-action="about" aria-expanded="false" aria-label="${escape(label)}" title="${escape(label)}"></button></div>`;
}

/** Types whose text is all there is to see. */
const SCALARS = new Set(['int', 'float', 'complex', 'str', 'bytes', 'bool', 'None', 'NoneType', 'ellipsis', 'NotImplementedType']);

/** `pieces` are those of the text that is shown. */
export function renderValue(value: Value, place: Place = NOWHERE, pieces?: readonly Piece[], open = false): string {
  const doubt = value.certain
    ? ''
    : ' <span class="doubt" title="Something that was not recorded may have changed this value">not certain</span>';
  const shown = pieces ? pieces.map(renderPiece).join('') : escape(textShown(value));
  const type = escape(value.type);
  const folded = isFolded(value);
  const whole = folded ? `<code class="value whole" title="${type}" hidden>${escape(value.text)}</code>` : '';
  const text = `<code class="value${folded ? ' folded' : ''}" title="${type}">${shown}</code>${whole}${doubt}`;
  const button = folded ? unfoldButton(place) : '';
  if ((SCALARS.has(value.type) && value.literal) || value.ref === '') return text + button;
  return `<details class="tree" data-ref="${escape(value.ref)}"${dataOf(place)}${open ? ' open' : ''}><summary>${text}</summary></details>${button}`;
}

/** The text of a value without what the call did not look at. */
export function textShown({ text, shown }: Value): string {
  return shown ?? text;
}

export function isFolded(value: Value): boolean {
  return textShown(value) !== value.text;
}

function unfoldButton({ mark }: Place): string {
  const label = `Show all${mark === '' ? '' : ` of ${mark}`}, with what the call did not look at`;
  return ` <button class="link unfold" data-action="unfold" aria-expanded="false" data-testid="unfold"
 aria-label="${escape(label)}" title="${escape(label)}">show all</button>`;
}

function dataOf({ mark, role, node }: Place): string {
  const named = mark === '' ? '' : ` data-mark="${escape(mark)}" data-role="${role}"`;
  return named + (node < 0 ? '' : ` data-node="${node}"`);
}

function renderPiece({ text, changed }: Piece): string {
  return changed ? `<mark>${escape(text)}</mark>` : escape(text);
}

/** The inside of an opened value; `start` is the number of the first of its parts that are not on the page yet. */
export function renderParts(page: ValuePage, start: number, place: Place = NOWHERE): string {
  const { value, length, parts, leftOut = [] } = page;
  const gaps = new Map(leftOut.map((gap) => [gap.before, gapRow(value.ref, gap.start, gap.count)]));
  const items = parts.map((part, at) => (gaps.get(at) ?? '') + partRow(part, place));
  const rows = items.join('') + (gaps.get(parts.length) ?? '');
  if (start === 0 && rows === '') {
    return `<p class="quiet">${value.literal ? 'Nothing inside.' : `<code class="whole">${escape(value.text)}</code>`}</p>`;
  }
  const next = page.next === undefined ? start + parts.length : (page.next ?? length ?? 0);
  const left = (length ?? next) - next;
  const more =
    left > 0 && parts.length > 0
      ? `<button class="link" data-action="parts" data-ref="${escape(value.ref)}" data-start="${next}">${Math.min(
          left,
          PARTS_AT_ONCE,
        )} more of ${length}</button>`
      : '';
  return rows + more;
}

/** Parts that had been left out, and the gap that remains behind them. */
export function renderGap({ value, parts }: ValuePage, start: number, count: number, place: Place = NOWHERE): string {
  const left = count - parts.length;
  const rest = left > 0 && parts.length > 0 ? gapRow(value.ref, start + parts.length, left) : '';
  return parts.map((part) => partRow(part, place)).join('') + rest;
}

function partRow({ label, path, value }: ValuePart, place: Place): string {
  return valueRow(label, value, place.mark === '' ? unnamed(place.node) : { ...place, mark: place.mark + path });
}

function gapRow(ref: string, start: number, count: number): string {
  const label = `Show ${count === 1 ? 'the part' : `the ${count} parts`} that the call did not look at`;
  return `<div class="row gap"><button class="link" data-action="gap" data-ref="${escape(ref)}" data-start="${start}"
 data-count="${count}" data-testid="gap" aria-label="${label}" title="${label}">…${count === 1 ? '' : `×${count}`}</button></div>`;
}
