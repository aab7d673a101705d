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
  /** The text without what the call did not look at, where that is something. */
  shown?: string | null;
}

/** Of code inside a call also how a loop or an iteration was left. */
export type OutcomeKind =
  | 'return'
  | 'raise'
  | 'yield'
  | 'fall-through'
  | 'break'
  | 'continue'
  | 'unfinished'
  | 'value'
  | '';

export interface Outcome {
  kind: OutcomeKind;
  value: Value | null;
  /** False: a generator that could have yielded more, had it been asked to. */
  ended?: boolean;
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

/** Something that was read besides the arguments. */
export interface Read {
  name: string;
  kind: string;
  value: Value | null;
}

export interface Printed {
  text: string;
  certain: boolean;
  /** Prints that are left out, at the end. */
  more?: number;
}

/** Counted from 1. */
export interface Iterations {
  first: number;
  last: number;
  count: number;
}

/** What a node of the execution tree stands for: a call, or code inside one. */
export type Kind = 'routine' | 'loop' | 'iteration' | 'range' | 'statement' | 'expression';

export interface Question {
  id: number;
  kind: Kind;
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
  printed?: Printed | null;
  reads?: Read[];
  /** Sentences such as "result is items". */
  sharing?: string[];
  /** Of code inside a call: where it is. */
  range?: Span | null;
  /** … and the call. */
  call?: number | null;
  /** How the code was left, in words. */
  way?: string;
  iterations?: Iterations | null;
  /** Whose body it is, of an imported module. */
  module?: string;
  canZoomIn?: boolean;
  canZoomOut?: boolean;
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

/** The code to blame inside the call found. */
export interface Blamed {
  kind: string;
  node: number | null;
  line: number;
  range: Span;
  /** Lines between which something may be missing. */
  between: [number, number] | null;
  title: string;
  text: string;
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
  blamed?: Blamed | null;
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
  kind?: Kind;
  mark?: string | null;
  expected?: string | null;
  argument?: string | null;
}

/** Two answers that cannot both be true. */
export interface Contradiction {
  answers: HistoryEntry[];
  text: string;
}

export interface StrategyName {
  name: string;
  label: string;
}

export interface Failure {
  error: string;
  hint: string;
}

/** How far a search goes: "auto" looks inside functions where there are no calls to ask about. */
export type Depth = 'function' | 'code' | 'expression' | 'auto';

export interface State {
  status: Status;
  question: Question | null;
  result: Result | null;
  strategy: string;
  strategies: StrategyName[];
  history: HistoryEntry[];
  nodes: number;
  answered: number;
  remaining: number;
  trace: string;
  error: Failure | null;
  canUndo: boolean;
  /** The search is over, and could go on inside the function. */
  canZoom?: boolean;
  depth?: Depth;
  contradictions?: Contradiction[];
  notes?: string[];
  /** What the node printed that the search started with. */
  printed?: Printed | null;
  /** … and that node. */
  root?: number;
}

export type Answer =
  | 'correct'
  | 'wrong'
  | 'unknown'
  | 'inadmissible'
  | 'should-not-have-been-called'
  | 'trust-function'
  | 'trust-module';

export type Verdict = 'correct' | 'wrong' | 'unknown' | 'trusted' | 'inadmissible' | 'should-not-have-been-called';

export interface TreeNode {
  id: number;
  kind: Kind;
  title: string;
  function: string;
  file: string;
  line: number;
  /** Of code inside a call: where it is. */
  range: Span | null;
  verdict: Verdict | null;
  source: string | null;
  buggy: boolean;
  current: boolean;
  children: number;
  /** There is code inside it that can be looked at. */
  code: boolean;
  outcome: string;
}

export interface TreePage {
  node: TreeNode;
  children: TreeNode[];
  total: number;
}

/** A part of a value; `path` leads to it: `[0]`, `['k']`, `.x`. */
export interface ValuePart {
  label: string;
  path: string;
  value: Value;
}

/** Parts that a question leaves out: `count` of them from number `start` on, before one of the page's. */
export interface LeftOut {
  before: number;
  start: number;
  count: number;
}

/** `next` is the number of the first part of the next page. */
export interface ValuePage {
  value: Value;
  length: number | null;
  parts: ValuePart[];
  leftOut?: LeftOut[];
  next?: number | null;
}

export interface Slice {
  node: number;
  mark: string;
  kind: string;
  files: CodeOfFile[];
  nodes: number[];
  /** False when something could not be followed. */
  complete: boolean;
}

/** A place that a value passed on its way. */
export interface Station {
  node: number;
  function: string;
  title: string;
  file: string;
  line: number;
  range: Span | null;
  text: string;
  what: string;
}

/** From where the value was made to where it is. */
export interface Origin {
  node: number;
  mark: string;
  stations: Station[];
}

/** A place that changed a value, or (`what` is "made") made it; null: there was none. */
export interface Write {
  node: number;
  function: string;
  title: string;
  file: string;
  line: number;
  range: Span | null;
  text: string;
  what: string;
  target: string;
  before: Value | null;
  after: Value | null;
}

/** Who changed a value until the moment at which it is shown, in order. */
export interface Writes {
  node: number;
  mark: string;
  writes: Write[];
}

/** A line of output, counted from 0; `mark` names it in an answer. */
export interface PrintedLine {
  number: number;
  text: string;
  certain: boolean;
  mark: string;
}

export interface PrintedPage {
  node: number;
  lines: PrintedLine[];
  more: boolean;
}

export interface ReducedFile {
  file: string;
  text: string;
}

/** A program that gives some values without the rest. The first file is that of the first value. */
export interface ReducedProgram {
  node: number;
  marks: string[];
  files: ReducedFile[];
  lines: number;
  linesBefore: number;
}

/** The values that a name got at one place, in one line. */
export interface PlacedValues {
  name: string;
  text: string;
  count: number;
  range: Span;
}

export interface NodeValues {
  node: number;
  file: string;
  values: PlacedValues[];
}

/** Every custom request: its arguments and its reply. */
export interface Requests {
  'algodebug/state': [Record<string, never>, State];
  'algodebug/answer': [{ answer: Answer; node?: number; mark?: string; expected?: string; argument?: string }, State];
  'algodebug/undo': [Record<string, never>, State];
  'algodebug/strategy': [{ name: string }, State];
  'algodebug/depth': [{ depth: Depth }, State];
  'algodebug/ask': [{ node?: number; file?: string; line?: number; zoom?: 'in' | 'out' }, State];
  'algodebug/tree': [{ node?: number; start?: number; count?: number; code?: boolean }, TreePage];
  'algodebug/value': [{ ref: string; start?: number; count?: number; node?: number }, ValuePage];
  'algodebug/slice': [{ node: number; mark?: string; kind?: string; other?: string }, Slice];
  'algodebug/origin': [{ node: number; mark: string }, Origin];
  'algodebug/writes': [{ node: number; mark: string }, Writes];
  'algodebug/printed': [{ node?: number; start?: number; count?: number }, PrintedPage];
  'algodebug/executableSlice': [{ node: number; marks: string[] }, ReducedProgram];
  'algodebug/values': [{ node: number }, NodeValues];
}

/** Sent by the adapter after `initialized`, whenever a view may look different. */
export const CHANGED_EVENT = 'algodebug/changed';

/** Sent to the language server after each change, so that it shows its lenses anew. */
export const REFRESH_NOTIFICATION = 'algodebug/refresh';
