/**
 * The debug sessions of our type and the last state of each. The adapter owns the state: it is pulled whenever the
 * adapter says that it changed, and all views are drawn from it.
 */

import * as vscode from 'vscode';
import { canGoDown } from '../answerButtons';
import { DEBUG_TYPE } from '../launchArguments';
import { CHANGED_EVENT, type Requests, type State } from '../protocol';
import { RanSources } from './ranSources';

export interface Followed {
  readonly session: vscode.DebugSession;
  readonly sources: RanSources;
  state: State;
  /** What went wrong with the user's last request. */
  notice: string | null;
}

type Bodies = { [Name in keyof Requests]: Requests[Name][1] };

export class Sessions implements vscode.Disposable {
  private readonly followed = new Map<string, Followed>();
  private readonly pulling = new Map<string, { again: boolean }>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];
  /** The last recording of each session; a restart goes on under the same id. */
  private readonly recordings = new Map<string, string>();
  private currentId: string | undefined;

  /** Fires after each pulled state, and when a session begins or ends. */
  readonly onDidChange = this.changed.event;

  constructor(private readonly log: vscode.LogOutputChannel) {
    this.subscriptions = [
      vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
        createDebugAdapterTracker: (session) => this.track(session),
      }),
      vscode.debug.onDidReceiveDebugSessionCustomEvent(({ event, session }) => {
        if (event === CHANGED_EVENT) void this.pull(session.id);
      }),
      vscode.debug.onDidTerminateDebugSession(({ id }) => this.forget(id)),
      vscode.debug.onDidChangeActiveDebugSession((session) => {
        if (!session || !this.followed.has(session.id) || session.id === this.currentId) return;
        this.currentId = session.id;
        this.announce();
      }),
    ];
  }

  dispose(): void {
    for (const { sources } of this.followed.values()) sources.dispose();
    vscode.Disposable.from(this.changed, ...this.subscriptions).dispose();
  }

  /** The session the views show: the one active in the editor, or else the last one started. */
  get current(): Followed | undefined {
    return this.currentId === undefined ? undefined : this.followed.get(this.currentId);
  }

  get state(): State | null {
    return this.current?.state ?? null;
  }

  /** The recording whose answers a session that starts now goes on with: only a restart has one. */
  recordingBefore(id: string): string | undefined {
    return this.recordings.get(id);
  }

  /** For requests whose reply is the new state. What fails is shown in the view, where the user is looking. */
  async ask<Name extends 'algodebug/answer' | 'algodebug/undo' | 'algodebug/strategy' | 'algodebug/depth' | 'algodebug/ask'>(
    name: Name,
    body: Requests[Name][0],
  ): Promise<void> {
    const { current } = this;
    if (!current) return;
    try {
      const state = await this.request(name, body);
      current.notice = null;
      if (state) current.state = state;
    } catch (error) {
      current.notice = sentence(error);
      this.log.warn(`${name}: ${current.notice}`);
    }
    this.announce();
  }

  async request<Name extends keyof Requests>(name: Name, body: Requests[Name][0]): Promise<Bodies[Name] | undefined> {
    return (await this.current?.session.customRequest(name, body)) as Bodies[Name] | undefined;
  }

  private track(session: vscode.DebugSession): vscode.DebugAdapterTracker | undefined {
    // Child processes are debugged, but it is their parent that is recorded and asks.
    if (session.configuration.request !== 'launch' || session.configuration['recording'] === false) return undefined;
    this.followed.set(session.id, { session, sources: new RanSources(() => this.announce()), state: RECORDING, notice: null });
    this.currentId = session.id;
    this.announce();
    return {
      onDidSendMessage: (message: { type: string; event?: string }) => {
        if (message.type === 'event' && message.event === 'stopped') void this.pull(session.id);
      },
      onError: (error) => this.log.info(`adapter: ${error.message}`),
      onExit: (code) => this.log.info(`adapter ended with ${code}`),
    };
  }

  /** One pull at a time; a change during a pull leads to one more. */
  private async pull(id: string): Promise<void> {
    const running = this.pulling.get(id);
    if (running) {
      running.again = true;
      return;
    }
    const pull = { again: true };
    this.pulling.set(id, pull);
    try {
      while (pull.again && this.followed.has(id)) {
        pull.again = false;
        const followed = this.followed.get(id);
        const state = (await followed?.session.customRequest('algodebug/state', {})) as State | undefined;
        if (!followed || !state) break;
        if (state.status === 'recording' && followed.state.status !== 'recording') followed.sources.begin();
        if (state.question?.id !== followed.state.question?.id) followed.notice = null;
        followed.state = state;
        if (state.question || state.result) this.recordings.set(id, state.trace);
        this.announce();
      }
    } catch (error) {
      this.log.warn(`algodebug/state: ${sentence(error)}`);
    } finally {
      this.pulling.delete(id);
    }
  }

  private forget(id: string): void {
    this.followed.get(id)?.sources.dispose();
    if (!this.followed.delete(id)) return;
    if (this.currentId === id) this.currentId = [...this.followed.keys()].at(-1);
    this.announce();
  }

  private announce(): void {
    const status = this.state?.status;
    const context = (name: string, value: boolean): Thenable<unknown> =>
      vscode.commands.executeCommand('setContext', `algodebug.${name}`, value);
    void context('active', status !== undefined);
    void context('recorded', status === 'asking' || status === 'found' || status === 'exhausted');
    void context('asking', status === 'asking');
    void context('found', status === 'found');
    void context('canUndo', this.state?.canUndo ?? false);
    void context('canZoom', this.state?.canZoom ?? false);
    void context('canGoDown', this.state !== null && canGoDown(this.state));
    this.changed.fire();
  }
}

/** Until the adapter has told the first state. */
const RECORDING: State = {
  status: 'recording',
  question: null,
  result: null,
  strategy: '',
  strategies: [],
  history: [],
  nodes: 0,
  answered: 0,
  remaining: 0,
  trace: '',
  error: null,
  canUndo: false,
};

export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
