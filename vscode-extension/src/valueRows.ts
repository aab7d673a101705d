/** Values on the page of the Question view: one in a row, its parts when it is opened, page by page. */

import { escape } from './html';
import type { Value, ValuePage } from './protocol';
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

export const NOWHERE: Place = { mark: '', role: '', node: -1 };

/** A small container shows its parts at once: one of them may be what is wrong. */
export function opensByItself({ text, literal, type }: Value): boolean {
  return literal && text.length <= 60 && !SCALARS.has(type);
}

export function valueRow(name: string, value: Value, place: Place, beside = '', open = false): string {
  return row(name, `${renderValue(value, place, undefined, open)} ${beside}`, place);
}

/** `place` gives the row a button for what can be said about its value. */
export function row(name: string, body: string, place: Place = NOWHERE): string {
  const { mark, role, node } = place;
  if (mark === '') return `<div class="row"><dt>${escape(name)}</dt><dd>${body}</dd></div>`;
  const label = `What about ${mark}: wrong here, where it comes from…`;
  return `<div class="row marked" data-mark="${escape(mark)}" data-role="${role}" data-node="${node}"><dt>${escape(name)}</dt><dd>${body}</dd>
<button class="about" data-action="about" aria-expanded="false" aria-label="${escape(label)}" title="${escape(label)}"></button></div>`;
}

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
