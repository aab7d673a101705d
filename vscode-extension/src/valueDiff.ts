/** What differs between a value before and after, so that the eye finds it in a long text: by words and brackets. */

export interface Piece {
  text: string;
  changed: boolean;
}

export interface Diff {
  before: Piece[];
  after: Piece[];
}

/** Longer texts are not compared: what they have in common is cut off at both ends only. */
const MOST_WORDS = 300;

export function diffOf(before: string, after: string): Diff {
  const old = wordsOf(before);
  const now = wordsOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const middle = [old.slice(start, old.length - end), now.slice(start, now.length - end)] as const;
  const kept = commonIn(...middle);
  const pieces = (words: string[], keep: ReadonlySet<number>): Piece[] =>
    joined(words.map((text, at) => ({ text, changed: at >= start && at < words.length - end && !keep.has(at - start) })));
  return { before: pieces(old, kept[0]), after: pieces(now, kept[1]) };
}

function wordsOf(text: string): string[] {
  return text.match(/\w+|\s+|./gsu) ?? [];
}

/** The positions of a longest common subsequence, in each of the two. */
function commonIn(old: readonly string[], now: readonly string[]): [Set<number>, Set<number>] {
  const kept: [Set<number>, Set<number>] = [new Set(), new Set()];
  if (old.length > MOST_WORDS || now.length > MOST_WORDS) return kept;
  const width = now.length + 1;
  const length = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number): number => length[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      length[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) {
      kept[0].add(i++);
      kept[1].add(j++);
    } else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return kept;
}

function joined(pieces: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  for (const { text, changed } of pieces) {
    const last = found.at(-1);
    if (last?.changed === changed) last.text += text;
    else found.push({ text, changed });
  }
  return found;
}
