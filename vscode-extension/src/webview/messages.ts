/** What the page of the Question view and the extension tell each other. */

import type { Answer, Depth, Origin, PrintedPage, Span, ValuePage, Writes } from '../protocol';
import type { Page } from '../questionPage';

/** Parts of a value of the question about `node`; `whole`: with nothing left out; `gap`: so many that had been. */
export interface Wanted {
  ref: string;
  start: number;
  node: number;
  whole: boolean;
  gap?: number;
}

export type FromPage =
  | { type: 'ready' }
  | { type: 'answer'; answer: Answer; node: number; mark?: string; expected?: string; argument?: string }
  | { type: 'undo' }
  | { type: 'ask'; node: number }
  | { type: 'zoom'; direction: 'in' | 'out' }
  | { type: 'depth'; depth: Depth }
  | { type: 'open'; file: string; line: number; range?: Span }
  | { type: 'show' }
  | { type: 'debug' }
  | ({ type: 'value' } & Wanted)
  | { type: 'origin'; node: number; mark: string }
  | { type: 'writes'; node: number; mark: string }
  | { type: 'lines'; node: number; start: number }
  | { type: 'reduce'; node: number; mark: string }
  | { type: 'slice'; node: number; mark: string };

export type ToPage =
  | { type: 'page'; page: Page }
  | { type: 'parts'; wanted: Wanted; page: ValuePage }
  | { type: 'noParts'; wanted: Wanted; error: string }
  | { type: 'origin'; node: number; mark: string; origin: Origin }
  | { type: 'writes'; node: number; mark: string; writes: Writes }
  /** What was asked about a value cannot be told. */
  | { type: 'noOrigin'; node: number; mark: string; error: string }
  | { type: 'lines'; node: number; start: number; page: PrintedPage }
  /** Opens what can be said about the whole outcome: a command asked for it. */
  | { type: 'markWrong' }
  /** Shows what is left out, or leaves it out again: a command asked for it. */
  | { type: 'unfoldAll' };
