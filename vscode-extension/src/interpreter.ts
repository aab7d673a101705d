/** Asks a Python interpreter for its version. Where candidates come from is the editor's business. */

import { execFile } from 'node:child_process';

/** The oldest Python that the adapter and the recorder run on. */
export const OLDEST: Version = [3, 10];

export type Version = readonly [major: number, minor: number];

export function isRecentEnough([major, minor]: Version): boolean {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** Undefined when `python` cannot be run or is not a Python. `python` is a program's path or name, never a command line. */
export function versionOf(python: string): Promise<Version | undefined> {
  const probe = ['-I', '-c', 'import sys; print(*sys.version_info[:2])'];
  return new Promise((resolve) => {
    execFile(python, probe, { timeout: 20_000, windowsHide: true }, (error, output) => {
      const numbers = /^(\d+) (\d+)\s*$/.exec(output);
      resolve(error || !numbers ? undefined : [Number(numbers[1]), Number(numbers[2])]);
    });
  });
}

/** The first of `candidates` that runs, with its version. */
export async function firstThatRuns(
  candidates: readonly string[],
): Promise<{ python: string; version: Version } | undefined> {
  for (const python of candidates) {
    const version = await versionOf(python);
    if (version) return { python, version };
  }
  return undefined;
}
