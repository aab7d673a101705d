/**
 * From the spans of a verdict to the lines an editor lights up. Lines, not columns: a line is lit when any part of it
 * ran in the buggy call, and a line that did not run is never inside a run of lit lines.
 */

import type { CodeOfFile, Result, Span } from './protocol';

/** First and last line, both counted from 1 and both lit. */
export type LineRun = readonly [first: number, last: number];

export interface LitFile {
  file: string;
  bright: LineRun[];
  faint: LineRun[];
  /** The bright pieces of lines on which something is faint, too. */
  parts: Span[];
}

export function litLines(spans: readonly Span[]): number[] {
  const lines = new Set<number>();
  for (const [line, , endLine] of spans) {
    for (let at = line; at <= endLine; at++) lines.add(at);
  }
  return [...lines].sort((a, b) => a - b);
}

export function runsOf(lines: readonly number[]): LineRun[] {
  const runs: [number, number][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last && line === last[1] + 1) last[1] = line;
    else runs.push([line, line]);
  }
  return runs;
}

export function litFiles(result: Result | null): LitFile[] {
  if (!result?.found) return [];
  return litIn(result.code.length > 0 ? result.code : [result]);
}

export function litIn(code: readonly CodeOfFile[]): LitFile[] {
  return code.map(({ file, bright, faint }) => {
    const lit = new Set(litLines(bright));
    const quiet = litLines(faint).filter((line) => !lit.has(line));
    return { file, bright: runsOf([...lit]), faint: runsOf(quiet), parts: partsOf(bright, faint) };
  });
}

/** Of lines that are only partly bright: the bright pieces. */
function partsOf(bright: readonly Span[], faint: readonly Span[]): Span[] {
  const quiet = new Set(litLines(faint));
  return bright.filter(([line, , endLine]) => line === endLine && quiet.has(line));
}

/** What is left of `1 … count` without the lines that are lit. */
export function linesLeft({ bright, faint }: LitFile, count: number): LineRun[] {
  const lit = new Set([...bright, ...faint].flatMap(([first, last]) => linesIn([first, last])));
  return runsOf(linesIn([1, count]).filter((line) => !lit.has(line)));
}

export function linesIn([first, last]: LineRun): number[] {
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => first + at);
}

/** A column in characters as one in UTF-16 units, which is what the editor counts in. */
export function editorColumn(text: string, column: number): number {
  return Array.from(text).slice(0, column).join('').length;
}

/** "7, 9–12, 14–15": how the lines are named in a sentence. */
export function nameLines(runs: readonly LineRun[]): string {
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}
