/** How a node of the execution tree reads: icon, text beside it, and the sentence for a screen reader. */

import type { Kind, TreeNode, Verdict } from './protocol';

export interface Badge {
  /** Name of a codicon. */
  icon: string;
  /** Id of a theme colour, or undefined for the plain one. */
  color: string | undefined;
  text: string;
}

const BADGES: Record<Verdict, Badge> = {
  correct: { icon: 'pass', color: 'testing.iconPassed', text: 'right' },
  wrong: { icon: 'error', color: 'testing.iconFailed', text: 'wrong' },
  unknown: { icon: 'question', color: 'testing.iconUnset', text: 'not known' },
  trusted: { icon: 'verified', color: 'testing.iconPassed', text: 'trusted' },
  inadmissible: { icon: 'circle-slash', color: 'testing.iconSkipped', text: 'should not have been called like this' },
  'should-not-have-been-called': { icon: 'stop-circle', color: 'testing.iconSkipped', text: 'should not have happened' },
};

/** What a node is, where nobody has judged it. */
const KIND_ICONS: Record<Kind, string> = {
  routine: 'circle-outline',
  loop: 'sync',
  iteration: 'debug-step-over',
  range: 'list-selection',
  statement: 'dash',
  expression: 'symbol-operator',
};

export function badgeOf(node: TreeNode): Badge {
  if (node.buggy) return { icon: 'bug', color: 'testing.iconFailed', text: 'the bug is here' };
  if (node.current) return { icon: 'comment-discussion', color: 'charts.blue', text: 'asked about now' };
  if (node.verdict) return BADGES[node.verdict];
  return { icon: KIND_ICONS[node.kind], color: undefined, text: 'not judged' };
}

/** A code's title tells its kind; that it is code is said to those who do not see the icon. */
export function kindOf(node: TreeNode): string {
  return node.kind === 'routine' ? '' : node.kind === 'range' ? 'code' : node.kind;
}

export function descriptionOf(node: TreeNode): string {
  const badge = badgeOf(node);
  const judged = node.verdict !== null || node.buggy || node.current;
  return [node.outcome, judged ? `· ${badge.text}` : ''].filter((part) => part !== '').join(' ');
}

export function spokenLabel(node: TreeNode): string {
  const kind = kindOf(node);
  return `${kind === '' ? '' : `${kind}: `}${node.title} ${node.outcome}, ${badgeOf(node).text}`;
}

export function tooltipOf(node: TreeNode): string {
  const judge = node.source ? ` (${node.source})` : '';
  return `${node.title} ${node.outcome}\n${badgeOf(node).text}${judge}\n${node.file}:${node.line}`;
}
