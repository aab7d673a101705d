// The main job in a real VS Code: F5, a few questions, the buggy lines lit.
//
// Takes the steps below in one window, in order, as a user would; `harness.mjs` says how it is started.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { folder, python, scratch, shot, take, workbench } from './harness.mjs';
import { plain } from './workbench.mjs';

/** What is right about isprime.py, by the start of the question. */
const IS_PRIME_ANSWERS = {
  'main()': 'answer-wrong',
  'is_prime(9)': 'answer-wrong',
  'inflection_point(9)': 'answer-correct',
  'is_divisible(9, 2)': 'answer-correct',
};
/** The line of the definition a question is about. */
const DEFINED_AT = { inflection_point: 2, is_divisible: 4, is_prime: 6, main: 16 };
const definitionOf = (question) => DEFINED_AT[question.split('(')[0]];
const BUGGY_LINES = [7, 9, 10, 11, 12, 14, 15];

/** Answers by clicking until there is a verdict; gives the questions as they were read. */
async function answerAll(answers) {
  const asked = [];
  for (let left = 20; left > 0; left--) {
    const text = await workbench.currentQuestion();
    if (await workbench.part('verdict').isVisible()) return asked;
    asked.push(text);
    const [, button] = Object.entries(answers).find(([start]) => text.startsWith(start)) ?? [];
    assert.ok(button, `a question without an answer: ${text}`);
    await workbench.part(button).click();
    await workbench.notAsked(text);
  }
  throw new Error('no verdict after 20 questions');
}

/** The command lines of what a session started: adapter, debugger, program; from the kernel's list. */
function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      } catch {
        return '';
      }
    })
    .filter((command) => command.includes(scratch) && /python/.test(command.split(' ')[0]) && !command.includes('.py lsp'));
}

const nothingRuns = () =>
  workbench.until(() => processes().length === 0, () => `still running: ${processes().join('\n')}`);

const steps = {
  async 'the example opens and nothing is claimed before a run'() {
    await workbench.openFile('isprime.py');
    assert.deepEqual(await workbench.linesWithLeftBorder('4px'), []);
    assert.deepEqual(await workbench.lenses(), []);
  },

  async 'F5 without launch.json stops at a breakpoint on its line'() {
    await workbench.setBreakpoint('return n1 % n2 == 0');
    await workbench.start('Algorithmic Debug');
    await workbench.pausedAt(/is_divisible\s*isprime\.py\s*5:/);
  },

  async 'the paused program shows its variables and nothing of ours'() {
    await workbench.variable('n1').filter({ hasText: /9/ }).waitFor();
    await workbench.variable('n2').filter({ hasText: /2/ }).waitFor();
    // The editor asks for the top of the stack first.
    await workbench.until(async () => (await workbench.frames()).length > 1, () => 'there is but one frame');
    const frames = await workbench.frames();
    assert.deepEqual(
      frames.map((text) => text.replace(/\s*isprime\.py.*/, '')),
      ['is_divisible', 'is_prime', 'main', '<module>'],
    );
    await shot('1-breakpoint');
  },

  async 'adapter and program run in the interpreter of the settings'() {
    const commands = processes();
    assert.ok(commands.some((command) => command.startsWith(`${python} `) && command.endsWith('algodebug_server.py dap')));
    assert.ok(commands.some((command) => command.startsWith(`${python} `) && command.endsWith('isprime.py')));
  },

  async 'a step goes to the next line of the program'() {
    await workbench.page.keyboard.press('F10');
    await workbench.pausedAt(/is_prime\s*isprime\.py\s*1[24]:/); // which of the two, versions of Python differ
  },

  async 'the program goes on to its end, and a question opens'() {
    await workbench.page.keyboard.press('F5');
    await workbench.consoleLine('True').first().waitFor();
    const text = await workbench.currentQuestion();
    assert.match(text, /right\?$/);
    await workbench.part('answer-correct').waitFor();
    await shot('2-question');
  },

  async 'the execution tree shows the calls with what came out of them'() {
    const rows = workbench.tree('Execution Tree');
    await rows.filter({ hasText: 'main()' }).first().waitFor();
    await workbench.expand(rows.filter({ hasText: /main\(\)/ }).first());
    await workbench.expand(rows.filter({ hasText: /is_prime\(9\)/ }).first());
    await rows.filter({ hasText: /inflection_point\(9\).*3\.0/ }).first().waitFor();
    await rows.filter({ hasText: /is_divisible\(9, 2\).*False/ }).first().waitFor();
  },

  async 'an answer can be taken back'() {
    const first = await workbench.currentQuestion();
    await workbench.part('answer-unknown').click();
    await workbench.part('history-entry').first().waitFor();
    await workbench.part('undo').click();
    await workbench.part('history-entry').first().waitFor({ state: 'detached' });
    assert.equal(await workbench.currentQuestion(), first);
  },

  async 'a key answers in the view, and never lands in the program'() {
    const first = await workbench.currentQuestion();
    await workbench.part('question-text').click();
    await workbench.page.keyboard.press('d');
    await workbench.notAsked(first);
    // The debugger has gone along, without taking the keyboard with it.
    await workbench.standsOnlyAt(definitionOf(await workbench.currentQuestion()));
    await workbench.page.keyboard.press('u');
    await workbench.asked(first);
    await workbench.standsOnlyAt(definitionOf(first));
    assert.equal(await workbench.page.locator('.tab.dirty').count(), 0);
  },

  async 'a call picked in the execution tree is asked about'() {
    assert.equal(await workbench.askAboutCall('inflection_point(9)'), 'inflection_point(9) returned 3.0: right?');
    await workbench.standsOnlyAt(2);
    await workbench.variable('n').filter({ hasText: /9/ }).waitFor();
    assert.match(plain(await workbench.part('inputs').innerText()), /^n 9$/);
    assert.equal(plain(await workbench.part('outcome').innerText()), '3.0');
    await workbench.part('answer-correct').click();
    await workbench.notAsked('inflection_point(9) returned 3.0: right?');
  },

  async 'the answers lead to the call that is wrong'() {
    const asked = await answerAll(IS_PRIME_ANSWERS);
    assert.ok(asked.length <= 3, `asked ${asked.join(' | ')}`);
    assert.match(await workbench.currentQuestion(), /is_prime\(9\)/);
    assert.match(plain(await workbench.part('verdict-lines').innerText()), /^isprime\.py, lines 7, 9–12, 14–15$/);
  },

  async 'exactly the lines that ran in the wrong call are lit'() {
    await workbench.litLines(BUGGY_LINES);
    await workbench.standsOnlyAt(DEFINED_AT.is_prime);
  },

  async 'the code lenses tell what is known of each function'() {
    await workbench.lens('1 call · 1 wrong · buggy call here').waitFor();
    await workbench.lens('1 call · 1 correct').first().waitFor();
    await workbench.page.mouse.move(5, 5);
    await shot('3-verdict-dark');
  },

  async 'the marks stay readable in a light theme'() {
    await workbench.chooseTheme('Light Modern', 'vs');
    await workbench.litLines(BUGGY_LINES);
    await shot('4-verdict-light');
  },

  async 'the marks stay visible in high contrast, by their shape'() {
    await workbench.chooseTheme('Dark High Contrast', 'hc-black');
    await workbench.litLines(BUGGY_LINES);
    await shot('5-verdict-high-contrast');
    await workbench.chooseTheme('Dark Modern', 'vs-dark');
    await workbench.litLines(BUGGY_LINES);
  },

  async 'an edit takes the marks away and says why, its undoing brings them back'() {
    await workbench.line('i = 2').click();
    await workbench.page.keyboard.press('End');
    await workbench.page.keyboard.type('0');
    await workbench.litLines([]);
    await workbench.part('source-changed').waitFor();
    assert.match(plain(await workbench.part('source-changed').innerText()), /source changed since the recording/);
    await workbench.page.keyboard.press('Control+z');
    await workbench.litLines(BUGGY_LINES);
  },

  async 'a code lens opens the question about its function'() {
    assert.match(await workbench.askByLens('1 wrong', 'is_prime(9)'), /^is_prime\(9\) returned True: right\?$/);
    await workbench.part('answer-wrong').click();
    await workbench.part('verdict').waitFor();
  },

  async 'the question moves to the side bar and is all there'() {
    await workbench.command('Algorithmic Debug: Move Question to the Side Bar');
    await workbench.page.locator('.tab', { hasText: 'Question' }).waitFor({ state: 'detached' });
    await workbench.part('verdict').waitFor();
    await shot('6-side-bar');
    await workbench.command('Algorithmic Debug: Open Question Beside the Code');
    await workbench.page.locator('.tab', { hasText: 'Question' }).waitFor();
    await workbench.part('verdict').waitFor();
  },

  async 'Restart runs the program again and keeps the answers'() {
    await workbench.command('Remove All Breakpoints');
    await workbench.debugAction('Restart');
    await workbench.part('verdict').waitFor({ state: 'detached' });
    await workbench.consoleLine('True').first().waitFor();
    assert.match(await workbench.currentQuestion(), /^is_prime\(9\)/);
    await workbench.part('history-entry').filter({ hasText: 'stored answer' }).first().waitFor();
    await workbench.litLines(BUGGY_LINES);
  },

  async 'Stop ends it at once: views empty, nothing lit, no process left'() {
    await workbench.debugAction('Stop');
    await workbench.page.locator('.debug-toolbar').first().waitFor({ state: 'hidden' });
    await workbench.litLines([]);
    await workbench.page.locator('.tab', { hasText: 'Question' }).waitFor({ state: 'detached' });
    await nothingRuns();
  },

  async 'a question shows what a call changed, old and new, and values open'() {
    await workbench.showExplorer();
    await workbench.openFile('forgotten_update.py');
    await workbench.start('Algorithmic Debug');
    await workbench.currentQuestion();
    assert.doesNotMatch(await workbench.consoleText(), /Traceback|Error|WARNING/);
    await workbench.showRunAndDebug();
    const rows = workbench.tree('Execution Tree');
    // Not the tree of the session before, which the view shows until it is drawn anew.
    await rows.filter({ hasText: 'forgotten_update.py' }).waitFor();
    await workbench.expand(rows.filter({ hasText: 'main()' }).first());
    await workbench.part('question-text').filter({ hasText: 'Account.transfer(' }).waitFor();
    assert.match(plain(await workbench.part('changes').innerText()), /balance before 100 → after 70/);
    await workbench.part('inputs').locator('details.tree > summary').first().click();
    // What the call did not look at is left out, until somebody wants to see it.
    await workbench.part('inputs').getByTestId('gap').first().click();
    const owner = workbench.part('inputs').locator('.parts .row', { hasText: /owner.*'ann'/ }).first();
    await owner.waitFor();
    await shot('7-changes');
    // The page is drawn again, with another reason for the question; what was opened stays so.
    const reason = async () => plain((await workbench.part('why').textContent()) ?? '');
    const before = await reason();
    await workbench.askAboutCall('Account.transfer(');
    await workbench.until(async () => (await reason()) !== before, () => `still asked because of: ${before}`);
    assert.ok(await owner.isVisible());
  },

  async 'the method that forgets an update is found'() {
    await answerAll({
      'main(': 'answer-wrong',
      'balances(': 'answer-correct',
      'Account.withdraw(': 'answer-correct',
      'Account.deposit(': 'answer-correct',
      'Account.__init__(': 'answer-correct',
      'Account(': 'answer-correct',
      'Account.transfer(': 'answer-wrong',
    });
    assert.match(await workbench.currentQuestion(), /Account\.transfer\(/);
    await workbench.litLines([21, 23]);
    await shot('8-changes-verdict');
  },

  async 'a launch.json of the Python debugger works with its type changed, in the terminal'() {
    await workbench.debugAction('Stop');
    await workbench.page.locator('.debug-toolbar').first().waitFor({ state: 'hidden' });
    const configuration = {
      ...{ name: 'Python: quicksort', type: 'algorithmic-debug', request: 'launch' },
      ...{ program: '${workspaceFolder}/quicksort.py', console: 'integratedTerminal', justMyCode: true },
    };
    mkdirSync(path.join(folder, '.vscode'), { recursive: true });
    writeFileSync(path.join(folder, '.vscode', 'launch.json'), JSON.stringify({ version: '0.2.0', configurations: [configuration] }));
    await workbench.page.locator('.start-debug-action-item', { hasText: configuration.name }).waitFor();
    await workbench.page.keyboard.press('F5');
    await workbench.page.locator('.terminal-wrapper.active .xterm').first().waitFor();
    await workbench.part('place').filter({ hasText: 'quicksort.py' }).waitFor();
    await shot('9-terminal');
    const groups = await workbench.page.locator('.editor-group-container').allInnerTexts();
    assert.equal(groups.length, 2, 'the code in one group of editors, the question in the other');
  },

  async 'Run Without Debugging is recorded and asks, too'() {
    await workbench.debugAction('Stop');
    await workbench.page.locator('.debug-toolbar').first().waitFor({ state: 'hidden' });
    await workbench.page.keyboard.press('Control+F5');
    await workbench.part('place').filter({ hasText: 'quicksort.py' }).waitFor();
    await workbench.part('answer-correct').waitFor();
  },

  async 'closing the last session leaves nothing running'() {
    await workbench.debugAction('Stop');
    await workbench.page.locator('.debug-toolbar').first().waitFor({ state: 'hidden' });
    await nothingRuns();
  },
};

await take(steps);
