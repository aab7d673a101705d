/**
 * What the adapter and the extension say to each other beyond the Debug Adapter Protocol: the bodies of the custom
 * requests `algodebug/…` and of the event `algodebug/changed`. Mirrors the adapter's JSON; nothing here computes.
 */

/** One value as it was at a time. `ref` asks for its parts; `text` may be cut, then `literal` is false. */
export interface Value {
  text: string;
  type: string;
  literal: boolean;
  /** False when something that was not recorded may have changed it. */
  certain: boolean;
  ref: string;
}

export type OutcomeKind = 'return' | 'raise' | 'yield' | 'fall-through' | 'unfinished';

export interface Outcome {
  kind: OutcomeKind;
  value: Value | null;
}

export interface Input {
  name: string;
  value: Value;
}

/** `before` null: did not exist before; `after` null: no longer exists. */
export interface Change {
  target: string;
  before: Value | null;
  after: Value | null;
}

export interface Question {
  id: number;
  kind: string;
  function: string;
  file: string;
  line: number;
  inputs: Input[];
  outcome: Outcome;
  changes: Change[];
  why: string;
  remaining: number;
  text: string;
  title: string;
}

/** line, column, end line, end column: lines count from 1, columns from 0. */
export type Span = [number, number, number, number];

export interface CodeOfFile {
  file: string;
  bright: Span[];
  faint: Span[];
}

export interface Candidate {
  node: number;
  function: string;
  file: string;
  line: number;
  title: string;
}

export interface Result {
  found: boolean;
  node: number | null;
  function: string;
  file: string;
  line: number;
  bright: Span[];
  faint: Span[];
  code: CodeOfFile[];
  questions: number;
  answered_by: Record<string, number>;
  candidates: Candidate[];
  title: string;
  text: string;
}

export type Status = 'recording' | 'loading' | 'asking' | 'found' | 'exhausted' | 'failed';

export interface HistoryEntry {
  node: number;
  title: string;
  /** The call with what came out of it. */
  text: string;
  answer: string;
  source: string;
  file: string;
  line: number;
}

export interface State {
  status: Status;
  question: Question | null;
  result: Result | null;
  strategy: string;
  strategies: { name: string; label: string }[];
  history: HistoryEntry[];
  nodes: number;
  answered: number;
  remaining: number;
  trace: string;
  error: { error: string; hint: string } | null;
  canUndo: boolean;
}

export type Answer =
  | 'correct'
  | 'wrong'
  | 'unknown'
  | 'inadmissible'
  | 'should-not-have-been-called'
  | 'trust-function'
  | 'trust-module';

export type Verdict = 'correct' | 'wrong' | 'unknown' | 'trusted' | 'inadmissible';

export interface TreeNode {
  id: number;
  title: string;
  function: string;
  file: string;
  line: number;
  verdict: Verdict | null;
  source: string | null;
  buggy: boolean;
  current: boolean;
  children: number;
  outcome: string;
}

export interface TreePage {
  node: TreeNode;
  children: TreeNode[];
  total: number;
}

export interface ValuePage {
  value: Value;
  length: number | null;
  parts: { label: string; path: string; value: Value }[];
}

/** Every custom request: its arguments and its reply. */
export interface Requests {
  'algodebug/state': [Record<string, never>, State];
  'algodebug/answer': [{ answer: Answer; node?: number }, State];
  'algodebug/undo': [Record<string, never>, State];
  'algodebug/strategy': [{ name: string }, State];
  'algodebug/ask': [{ node: number } | { file: string; line: number }, State];
  'algodebug/tree': [{ node?: number; start?: number; count?: number }, TreePage];
  'algodebug/value': [{ ref: string; start?: number; count?: number }, ValuePage];
}

/** Sent by the adapter after `initialized`, whenever a view may look different. */
export const CHANGED_EVENT = 'algodebug/changed';

/** Sent to the language server after each change, so that it shows its lenses anew. */
export const REFRESH_NOTIFICATION = 'algodebug/refresh';
