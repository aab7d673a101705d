/**
 * The Execution Tree view: every recorded call under its caller, and the code that a call executed itself beside the calls
 * it made. Fetched when unfolded, and a page at a time.
 */

import * as vscode from 'vscode';
import type { TreeNode, TreePage } from '../protocol';
import { badgeOf, descriptionOf, spokenLabel, tooltipOf } from '../treeLabels';
import { sentence, type Sessions } from './sessions';

const PAGE = 100;

export interface CallItem {
  kind: 'call';
  node: TreeNode;
}

/** Under a call: the loops, iterations and statements that it executed itself. */
export interface CodeItem {
  kind: 'code';
  of: TreeNode;
}

/** Stands for the children that have not been fetched yet. */
export interface MoreItem {
  kind: 'more';
  parent: number;
  left: number;
}

export type Item = CallItem | CodeItem | MoreItem;

export class ExecutionTree implements vscode.TreeDataProvider<Item>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Item | undefined>();
  private readonly subscriptions: vscode.Disposable[];
  /** How many children of a node are shown, where it is more than one page. */
  private readonly shown = new Map<number, number>();
  private readonly view: vscode.TreeView<Item>;
  private drawnFor = '';
  private unfolded = false;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly sessions: Sessions,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.view = vscode.window.createTreeView<Item>('algodebug.tree', { treeDataProvider: this, showCollapseAll: true });
    this.subscriptions = [
      this.view,
      sessions.onDidChange(() => this.update()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(this.changed, ...this.subscriptions).dispose();
  }

  showMore(parent: number): void {
    this.shown.set(parent, (this.shown.get(parent) ?? PAGE) + PAGE);
    this.changed.fire(undefined);
  }

  getTreeItem(item: Item): vscode.TreeItem {
    if (item.kind === 'more') {
      const more = new vscode.TreeItem(`${Math.min(item.left, PAGE)} more of ${item.left}…`);
      more.id = `more ${item.parent} ${item.left}`;
      more.command = { command: 'algodebug.showMore', title: 'Show More', arguments: [item.parent] };
      return more;
    }
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const session = this.sessions.current?.session.id;
    if (item.kind === 'code') {
      const code = new vscode.TreeItem('code', Collapsed);
      code.id = `${session} code ${item.of.id}`;
      code.description = `of ${item.of.function}, step by step`;
      code.tooltip = `The loops, iterations and statements that ${item.of.title} executed itself`;
      code.iconPath = new vscode.ThemeIcon('code');
      code.contextValue = 'codeOf';
      return code;
    }
    const { node } = item;
    const folded = node.id === 0 ? Expanded : Collapsed;
    const label = new vscode.TreeItem(node.title, node.children > 0 || node.code ? folded : None);
    const badge = badgeOf(node);
    label.id = `${session} ${node.id}`;
    label.description = descriptionOf(node);
    label.tooltip = tooltipOf(node);
    label.iconPath = new vscode.ThemeIcon(badge.icon, badge.color ? new vscode.ThemeColor(badge.color) : undefined);
    label.accessibilityInformation = { label: spokenLabel(node) };
    label.contextValue = node.id === 0 ? 'root' : node.kind === 'routine' ? 'call' : 'code';
    label.command = { command: 'algodebug.openCall', title: 'Open', arguments: [item] };
    return label;
  }

  async getChildren(item?: Item): Promise<Item[]> {
    if (item?.kind === 'more' || !this.isRecorded) return [];
    const parent = item?.kind === 'code' ? item.of : item?.node;
    const page = await this.fetch(parent?.id, item?.kind === 'code');
    if (!page) return [];
    if (!parent) return [{ kind: 'call', node: page.node }];
    const items: Item[] = page.children.map((node) => ({ kind: 'call', node }));
    const left = page.total - items.length;
    if (left > 0) items.push({ kind: 'more', parent: parent.id, left });
    const hasCode = item?.kind === 'call' && parent.kind === 'routine' && parent.code;
    return hasCode ? [...items, { kind: 'code', of: parent }] : items;
  }

  /** Only the root is ever revealed. */
  getParent(): undefined {
    return undefined;
  }

  private get isRecorded(): boolean {
    return ['asking', 'found', 'exhausted'].includes(this.sessions.state?.status ?? '');
  }

  private async fetch(node: number | undefined, code: boolean): Promise<TreePage | undefined> {
    const count = node === undefined ? 0 : (this.shown.get(node) ?? PAGE);
    try {
      return await this.sessions.request('algodebug/tree', node === undefined ? { count } : { node, start: 0, count, code });
    } catch (error) {
      this.log.warn(`algodebug/tree: ${sentence(error)}`);
      return undefined;
    }
  }

  private update(): void {
    const { state, current } = this.sessions;
    const verdict = state?.result?.node ?? '';
    const drawn = [current?.session.id, state?.status, state?.question?.id, state?.trace, verdict, JSON.stringify(state?.history)];
    if (drawn.join(' ') === this.drawnFor) return;
    if (!state || state.status === 'recording') this.shown.clear();
    this.drawnFor = drawn.join(' ');
    this.changed.fire(undefined);
    if (this.isRecorded) void this.unfoldView();
  }

  /** The editor starts views of others in Run and Debug folded; the user is shown once in a window that this is there. */
  private async unfoldView(): Promise<void> {
    if (this.unfolded) return;
    this.unfolded = true;
    const [root] = await this.getChildren();
    if (root && !this.view.visible) await this.view.reveal(root, { select: false, focus: false, expand: true });
  }
}
