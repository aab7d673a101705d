import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeNode } from './protocol';
import { badgeOf, descriptionOf, spokenLabel } from './treeLabels';

const node: TreeNode = {
  ...{ id: 3, kind: 'routine', title: 'f(9)', function: 'f', file: '/w/a.py', line: 2, range: null, verdict: null },
  ...{ source: null, buggy: false, current: false, children: 0, code: true, outcome: '= 3.0' },
};

test('a call not judged shows what came out, and nothing more', () => {
  assert.equal(descriptionOf(node), '= 3.0');
  assert.equal(badgeOf(node).icon, 'circle-outline');
});

test('a verdict is said in words as well as by an icon', () => {
  const verdicts = ['correct', 'wrong', 'unknown', 'trusted', 'inadmissible', 'should-not-have-been-called'] as const;
  const badges = verdicts.map((verdict) => badgeOf({ ...node, verdict }));
  assert.equal(new Set(badges.map(({ icon }) => icon)).size, verdicts.length);
  assert.equal(new Set(badges.map(({ text }) => text)).size, verdicts.length);
  assert.equal(descriptionOf({ ...node, verdict: 'wrong' }), '= 3.0 · wrong');
});

test('the buggy call stands out from other wrong ones', () => {
  assert.equal(spokenLabel({ ...node, verdict: 'wrong', buggy: true }), 'f(9) = 3.0, the bug is here');
});

test('code inside a call has an icon for what it is, and says it', () => {
  const kinds = ['routine', 'loop', 'iteration', 'range', 'statement', 'expression'] as const;
  assert.equal(new Set(kinds.map((kind) => badgeOf({ ...node, kind }).icon)).size, kinds.length);
  const loop = { ...node, kind: 'loop', title: 'lines 4–6: `for x in xs`', outcome: 'total = 6' } as const;
  assert.equal(spokenLabel(loop), 'loop: lines 4–6: `for x in xs` total = 6, not judged');
});
