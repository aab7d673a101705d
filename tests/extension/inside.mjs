// Inside a call, in a real VS Code: parts of values marked, where they come from, what they depend on, questions about
// loops and statements, answers changed.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { folder, shot, take, workbench } from './harness.mjs';
import { plain } from './workbench.mjs';

const FILE = 'extremes.py';

const ASKED_CODE = '5px';
const SLICE = '6px';

/** All that the session wrote down of the answers. */
function answers() {
  const kept = path.join(folder, '.algodebug');
  return readdirSync(kept)
    .filter((name) => name.endsWith('.session.jsonl'))
    .flatMap((name) => readFileSync(path.join(kept, name), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const row = (mark) => workbench.question.locator(`.row.marked[data-mark="${mark}"]`);
const about = async (mark) => {
  await row(mark).waitFor();
  await row(mark).locator('> .about').click();
};
/** The lines of the place that a question about code names: "Lines 14–15: …" */
const linesNamed = (text) => {
  const [, first, last] = /^Lines? (\d+)(?:–(\d+))?/.exec(text) ?? assert.fail(`no lines in: ${text}`);
  return Array.from({ length: Number(last ?? first) - Number(first) + 1 }, (_, at) => Number(first) + at);
};

const steps = {
  async 'a small result shows its parts, each to be pointed at'() {
    await workbench.openFile(FILE);
    await workbench.start('Algorithmic Debug');
    await workbench.asked('extremes(');
    await row('result[1]').waitFor();
    assert.match(plain(await row('result[1]').innerText()), /^1 7$/);
    assert.equal(plain(await workbench.part('inputs').innerText()), 'prices [3, 2, 7]');
  },

  async 'a line of what was printed can be called wrong, before anything else'() {
    await workbench.part('output').locator('> summary').click();
    await about('printed[0]');
    await shot('inside-1-output');
    await workbench.question.locator('.panel [data-mark="printed[0]"][data-action="mark"]').click();
    await workbench.part('history-entry').filter({ hasText: /at printed\[0\]/ }).waitFor();
    assert.equal(await workbench.part('output').count(), 0);
    await workbench.part('undo').click();
    await workbench.part('output').waitFor();
    await workbench.asked('extremes(');
  },

  async 'the values that names had stand beside the code'() {
    await workbench.line('most = max').filter({ hasText: /3\s→\s3\s→\s7/ }).waitFor();
    await shot('inside-1-question');
  },

  async 'the way of a value is a list to jump along'() {
    await workbench.part('inputs').locator('details.tree > summary').first().click();
    await about('argument prices[2]');
    await workbench.part('origin').click();
    await workbench.part('station').first().waitFor();
    const stations = (await workbench.part('station').allInnerTexts()).map(plain);
    assert.match(stations[0], /^made price = price - 1 discounts · extremes\.py:8$/);
    await shot('inside-2-origin');
    await workbench.part('station').first().click();
    await workbench.page.locator('.editor-instance .current-line-margin, .line-numbers.active-line-number').filter({ hasText: /^8$/ }).first().waitFor();
  },

  async 'who changed a value is a list to jump along, too'() {
    const panel = workbench.question.locator('.panel:has([data-mark="argument prices[2]"])');
    await panel.getByTestId('writes').click();
    await panel.getByTestId('write').first().waitFor();
    const writes = (await panel.getByTestId('write').allInnerTexts()).map(plain);
    assert.deepEqual(writes, ['nothing → 7 result.append(price) discounts · extremes.py:9']);
    await shot('inside-2-writes');
  },

  async 'what a value depends on is lit, and the rest is dimmed on request'() {
    await about('result[1]');
    await workbench.question.locator('.panel:has([data-mark="result[1]"]) [data-testid="slice"]').click();
    // What is made of the most has no part in it.
    const isLit = async (line) => (await workbench.linesWithLeftBorder(SLICE)).includes(line);
    await workbench.until(async () => (await isLit(18)) && (await isLit(8)), () => 'the slice is not lit');
    assert.ok(!(await isLit(15)) && !(await isLit(19)));
    await workbench.command('Algorithmic Debug: Dim Everything Else');
    await workbench.until(async () => (await workbench.dimmedLines()).includes(19), () => 'line 19 is as bright as before');
    const dimmed = await workbench.dimmedLines();
    assert.ok(!dimmed.includes(17) && !dimmed.includes(14), `dimmed: ${dimmed}`);
    await workbench.page.mouse.move(5, 5);
    await shot('inside-3-slice-dimmed');
    await workbench.command('Algorithmic Debug: Show Everything Again');
    await workbench.until(async () => (await workbench.dimmedLines()).length === 0, () => 'still dimmed');
    await workbench.command('Algorithmic Debug: Stop Showing What It Depends On');
    await workbench.litLines([], SLICE);
    await about('result[1]');
  },

  async 'a part is marked wrong with what it should be, by the keyboard alone'() {
    await workbench.part('question-text').click();
    await row('result[1]').locator('> .about').focus();
    await workbench.page.keyboard.press('Enter');
    await workbench.part('mark-wrong').waitFor();
    await workbench.page.keyboard.press('Tab');
    await workbench.page.keyboard.type('2');
    await shot('inside-4-mark');
    await workbench.page.keyboard.press('Enter');
    await workbench.part('verdict').waitFor();
    const given = answers().at(-1);
    assert.equal(given.answer, 'wrong');
    assert.equal(given.mark, 'result[1]');
    assert.equal(given.expected, '2');
    assert.match(await workbench.currentQuestion(), /^extremes\(/);
  },

  async 'the program is reduced to what a value needs, in an editor of its own'() {
    await workbench.command('Algorithmic Debug: Open a Reduced Program That Computes a Value');
    await workbench.page.locator('.tab.active', { hasText: 'Untitled' }).waitFor();
    await workbench.line('def extremes').waitFor();
    await shot('inside-4-reduced');
    await workbench.command('View: Revert and Close Editor');
    await workbench.page.locator('.tab', { hasText: 'Untitled' }).waitFor({ state: 'detached' });
  },

  async 'the verdict is listed among the problems'() {
    await workbench.command('View: Focus Problems');
    const problem = workbench.page.locator('.markers-panel .monaco-list-row', { hasText: /extremes\(.*is\swhere\sit\sgoes\swrong/ });
    await problem.first().waitFor();
    await shot('inside-4-problems');
  },

  async 'the search goes on inside the function, at lines that are lit'() {
    await workbench.part('look-inside').click();
    const text = await workbench.asked('Line');
    await workbench.litLines(linesNamed(text), ASKED_CODE);
    await shot('inside-5-code');
  },

  async 'a question about code is zoomed into and out of, by keys as well'() {
    const first = await workbench.currentQuestion();
    await workbench.part('zoom-in').click();
    await workbench.notAsked(first);
    const part = await workbench.currentQuestion();
    await workbench.litLines(linesNamed(part), ASKED_CODE);
    const [inner, outer] = [linesNamed(part), linesNamed(first)];
    assert.ok(inner.every((line) => outer.includes(line)), `${part} is not in ${first}`);
    await workbench.part('question-text').click();
    await workbench.page.keyboard.press('-');
    await workbench.asked(first);
  },

  async 'the execution tree shows the code of a call when it is unfolded'() {
    await workbench.showRunAndDebug();
    for (const pane of ['Variables', 'Watch', 'Breakpoints', 'Call Stack']) await workbench.foldPane(pane);
    const rows = workbench.tree('Execution Tree');
    await workbench.expand(rows.filter({ hasText: 'main()' }).first());
    await workbench.expand(rows.filter({ hasText: /extremes\(/ }).first());
    await workbench.expand(rows.filter({ hasText: /of\sextremes,\sstep\sby\sstep/ }).first());
    await rows.filter({ hasText: /lines\s14–15.*least\s=\s3/ }).first().waitFor();
    await workbench.page.mouse.move(5, 5);
    await shot('inside-6-tree');
  },

  async 'code is judged from the tree'() {
    const entry = workbench.part('history-entry').filter({ hasText: /Lines 14–15.*yes/s });
    await workbench.judge(/lines\s14–15/, 'This Is Right', entry);
  },

  async 'an iteration says which it is, and the line to blame is found'() {
    // What is right: before the loop; and of the iterations the one in which nothing is taken for the least.
    for (let left = 12; left > 0 && !(await workbench.part('verdict').isVisible()); left--) {
      const text = await workbench.currentQuestion();
      const wrong = (/after .*least = 7/.test(text) || /returned \[7, 7\]/.test(text)) && !text.startsWith('Line 18');
      if (/^Lines 16–19, iteration/.test(text)) {
        assert.match(plain(await workbench.part('iterations').innerText()), /^Iterations? \d( to \d)? of 3$/);
        await shot('inside-7-iteration');
      }
      await workbench.part(wrong ? 'answer-wrong' : 'answer-correct').click();
      await workbench.notAsked(text);
      await workbench.currentQuestion();
    }
    assert.match(await workbench.currentQuestion(), /extremes\(.*in line 17: `if price > least|in line 17: `price > least/);
    await workbench.litLines([17]);
    await shot('inside-8-verdict-dark');
  },

  async 'the marks are there in a light theme and in high contrast'() {
    const lit = await workbench.linesWithLeftBorder('4px');
    assert.ok(lit.length > 0);
    for (const [theme, kind, name] of [
      ['Light Modern', 'vs', 'light'],
      ['Dark High Contrast', 'hc-black', 'high-contrast'],
    ]) {
      await workbench.chooseTheme(theme, kind);
      await workbench.litLines(lit);
      await workbench.command('Algorithmic Debug: Dim Everything Else');
      await workbench.until(async () => (await workbench.dimmedLines()).includes(5), () => 'nothing is dimmed');
      await workbench.page.mouse.move(5, 5);
      await shot(`inside-9-verdict-${name}`);
      await workbench.command('Algorithmic Debug: Show Everything Again');
    }
    await workbench.chooseTheme('Dark Modern', 'vs-dark');
  },

  async 'an earlier answer is changed, and what followed from it is found anew'() {
    const before = await workbench.currentQuestion();
    const entry = workbench.question.locator('[data-testid="history"] > li', { hasText: '`if price > least`' });
    await entry.getByTestId('revise').first().click();
    await entry.getByTestId('revise-correct').first().click();
    await workbench.notAsked(before);
    await workbench.part('history-entry').filter({ hasText: 'changed later' }).first().waitFor();
    await shot('inside-10-changed');
  },

  async 'strategies are named in words'() {
    await workbench.command('Algorithmic Debug: Choose Strategy…');
    const names = workbench.page.locator('.quick-input-list .monaco-list-row');
    await names.filter({ hasText: /Divide and query \(fewest questions\).*in use/s }).waitFor();
    await names.filter({ hasText: /Top-down \(from caller to callee\)/ }).first().click();
    await workbench.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  },

  async 'the search is sent down to the expression by a key'() {
    await workbench.part('go-down').waitFor();
    await shot('inside-11-down');
    await workbench.part('question-text').or(workbench.part('verdict')).first().click();
    await workbench.page.keyboard.press('e');
    await workbench.part('go-down').waitFor({ state: 'detached' });
    await workbench.currentQuestion();
  },
};

await take(steps);
