/** What the page of the Question view and the extension tell each other. */

import type { Answer, ValuePage } from '../protocol';
import type { Page } from '../questionPage';

export type FromPage =
  | { type: 'ready' }
  | { type: 'answer'; answer: Answer; node: number }
  | { type: 'undo' }
  | { type: 'ask'; node: number }
  | { type: 'open'; file: string; line: number }
  | { type: 'show' }
  | { type: 'debug' }
  | { type: 'value'; ref: string; start: number };

export type ToPage =
  | { type: 'page'; page: Page }
  | { type: 'parts'; ref: string; start: number; page: ValuePage }
  | { type: 'noParts'; ref: string; error: string };
