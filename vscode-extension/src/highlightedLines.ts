/**
 * From the spans of a verdict to the lines an editor lights up. Lines, not columns: a line is lit when any part of it
 * ran in the buggy call, and a line that did not run is never inside a run of lit lines.
 */

import type { Result, Span } from './protocol';

/** First and last line, both counted from 1 and both lit. */
export type LineRun = readonly [first: number, last: number];

export interface LitFile {
  file: string;
  bright: LineRun[];
  faint: LineRun[];
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
  const code = result.code.length > 0 ? result.code : [result];
  return code.map(({ file, bright, faint }) => {
    const lit = litLines(bright);
    const quiet = litLines(faint).filter((line) => !lit.includes(line));
    return { file, bright: runsOf(lit), faint: runsOf(quiet) };
  });
}

/** "7, 9–12, 14–15": how the lines are named in a sentence. */
export function nameLines(runs: readonly LineRun[]): string {
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}
