// The workbench as a user sees it: what is on the screen is found by its text and role, and waited for, never slept for.
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const extension = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../vscode-extension');
const { chromium } = createRequire(path.join(extension, 'package.json'))('playwright-core');

/** Long enough for a busy machine; nothing waits that long when it works. */
const PATIENCE = Number(process.env.PATIENCE ?? 60_000);

const BROWSER = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
];

export class Workbench {
  static async open({ executablePath, address, folder }) {
    const browser = await chromium.launch({ executablePath, headless: true, args: BROWSER });
    const page = await browser.newPage({ viewport: { width: 1440, height: 960 } });
    page.setDefaultTimeout(PATIENCE);
    const workbench = new Workbench(browser, page);
    // A window whose first connection to the server fails stays empty until its user loads it anew.
    for (let tries = 0; ; tries++) {
      try {
        await page.goto(`${address}/?${new URLSearchParams({ folder })}`, { waitUntil: 'domcontentloaded' });
        await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
        return workbench;
      } catch (error) {
        if (tries < 2) continue;
        const seen = await workbench.inView();
        await workbench.close();
        throw new Error(`${error}\nin view: ${seen}`);
      }
    }
  }

  constructor(browser, page) {
    this.browser = browser;
    this.page = page;
  }

  async close() {
    await this.browser.close();
  }

  /** What can be read in the window, for the report of a step that failed. */
  async inView() {
    return this.page.evaluate(() => document.body.innerText).then(plain, (error) => `nothing: ${error}`);
  }

  async screenshot(file, clip) {
    await this.page.screenshot({ path: file, clip });
  }

  /** Runs a command by its title in the palette. */
  async command(title) {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(`>${title}`);
    const row = this.page.locator('.quick-input-list .monaco-list-row', { has: this.page.getByText(title, { exact: true }) });
    await row.first().click();
  }

  async openFile(name) {
    await this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).dblclick();
    await this.page.locator('.tab.active', { hasText: name }).waitFor();
    await this.page.locator('.view-lines .view-line').first().waitFor();
    // The extension's button in the title: what it contributes (breakpoints in Python among it) is known from now on.
    await this.page.locator('.editor-actions .action-label[aria-label^="Debug Current File"]').waitFor();
  }

  line(text) {
    return this.page.locator('.editor-instance .view-lines .view-line').filter({ hasText: spaced(text) }).first();
  }

  /** F9 in a line. The key is not bound until all extensions are known, so it is pressed until it has an effect. */
  async setBreakpoint(text) {
    const mark = this.page.locator('.codicon-debug-breakpoint').first();
    for (let tries = 0; ; tries++) {
      await this.line(text).click();
      await this.page.keyboard.press('F9');
      try {
        return await mark.waitFor({ timeout: 3000 });
      } catch (error) {
        if (tries === 10) throw error;
      }
    }
  }

  /** F5; chooses the debugger in the list that a workspace without launch.json may show. */
  async start(debuggerName) {
    const { page } = this;
    const choice = page.locator('.quick-input-list .monaco-list-row', { hasText: debuggerName });
    const running = page.locator('.debug-toolbar');
    // In a window that has just opened the key is not bound yet.
    for (let tries = 0; ; tries++) {
      await page.keyboard.press('F5');
      try {
        await choice.or(running).first().waitFor({ timeout: 10_000 });
        break;
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
    if (await choice.first().isVisible()) await choice.first().click();
    await running.first().waitFor();
  }

  async debugAction(label) {
    await this.page.locator(`.debug-toolbar .action-label[aria-label^="${label}"]`).click();
  }

  /** Waits until the program is paused and the top frame reads like this; gives the frame's text. */
  async pausedAt(pattern) {
    const top = this.page.locator('.debug-call-stack .stack-frame').first().filter({ hasText: pattern });
    await top.waitFor();
    return plain(await top.innerText());
  }

  /** Numbers of the lines on which the editor marks where a paused program stands. */
  async standsAt() {
    return this.lines('.debug-top-stack-frame-line, .debug-focused-stack-frame-line');
  }

  /** Waits until the one place where the editor says that the program stands is this line. */
  async standsOnlyAt(line) {
    let lines = [];
    const isThere = async () => (lines = await this.standsAt()).join() === String(line);
    await this.until(isThere, () => `the program stands at {${lines.join()}}, not at ${line}`);
  }

  async frames() {
    return (await this.page.locator('.debug-call-stack .monaco-list-row .stack-frame').allInnerTexts()).map(plain);
  }

  variable(name) {
    return this.page.locator('.debug-variables .monaco-list-row').filter({ hasText: new RegExp(`^\\s*${name}\\b`) });
  }

  /** Lines of the Debug Console with this text in a piece of its own. */
  consoleLine(text) {
    return this.page.locator('.repl .monaco-list-row', { has: this.page.getByText(text, { exact: true }) });
  }

  tree(title) {
    return this.page.locator('.pane', { has: this.page.locator('.pane-header', { hasText: title }) }).locator('.monaco-list-row');
  }

  /**
   * Asks about a call by the button of its row, and waits for the question. The tree is drawn anew after every answer,
   * and a click in that moment is lost, for a user as well: it is repeated.
   */
  async askAboutCall(title) {
    const row = this.tree('Execution Tree').filter({ hasText: title }).first();
    await row.waitFor();
    for (let tries = 0; ; tries++) {
      await row.hover();
      await row.locator('.action-label[aria-label="Ask About This Call"]').click();
      try {
        const text = this.part('question-text').filter({ hasText: title });
        await text.waitFor({ timeout: 5000 });
        return plain(await text.innerText());
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
  }

  /** Unfolds a row; repeated for the reason above. */
  async expand(row) {
    await row.waitFor();
    const isOpen = async () => (await row.getAttribute('aria-expanded')) === 'true';
    for (let tries = 0; tries < 10 && !(await isOpen()); tries++) {
      await row.locator('.monaco-tl-twistie').click();
      await this.until(isOpen, () => '', 3000).catch(() => undefined);
    }
  }

  /** All that is in the Debug Console, as far as it is in view. */
  async consoleText() {
    return (await this.page.locator('.repl .monaco-list-row').allInnerTexts()).map(plain).join('\n');
  }

  async showExplorer() {
    await this.page.keyboard.press('Control+Shift+E');
    await this.page.locator('.explorer-folders-view').waitFor();
  }

  async showRunAndDebug() {
    await this.page.keyboard.press('Control+Shift+D');
    await this.page.locator('.debug-call-stack').waitFor();
  }

  /** Folds a view of the side bar, to make room for others. */
  async foldPane(title) {
    const header = this.page.locator(`.pane-header[aria-label^="${title}"]`).first();
    if ((await header.getAttribute('aria-expanded')) === 'true') await header.click({ position: { x: 40, y: 10 } });
  }

  async lenses() {
    return (await this.page.locator('.codelens-decoration a').allInnerTexts()).map(plain);
  }

  lens(text) {
    return this.page.locator('.codelens-decoration a').filter({ hasText: spaced(text) });
  }

  /** Clicks a lens and waits for the question about a call; repeated, because lenses are drawn anew, too. */
  async askByLens(text, start) {
    for (let tries = 0; ; tries++) {
      await this.lens(text).first().click();
      try {
        const asked = this.part('question-text').filter({ hasText: start });
        await asked.waitFor({ timeout: 5000 });
        return plain(await asked.innerText());
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
  }

  /** Does something to a row of the Execution Tree by its context menu until it shows; the tree is drawn anew, see above. */
  async judge(title, action, effect) {
    const row = this.tree('Execution Tree').filter({ hasText: title }).first();
    const item = this.page.locator('.monaco-menu .action-item', { hasText: action }).first();
    for (let tries = 0; ; tries++) {
      await row.click({ button: 'right' });
      try {
        await item.waitFor({ timeout: 5000 });
        await this.page.waitForTimeout(500); // a menu that was just opened takes no clicks: they may be of its opening
        await item.click({ timeout: 5000 });
        return await effect.waitFor({ timeout: 5000 });
      } catch (error) {
        if (tries === 5) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Numbers of the lines whose text is drawn fainter than usual. */
  async dimmedLines() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.editor-instance .monaco-editor')].flatMap((editor) => {
        const numbers = [...editor.querySelectorAll('.margin-view-overlays .line-numbers')].map((each) => ({
          number: Number(each.textContent),
          top: each.getBoundingClientRect().top,
        }));
        return [...editor.querySelectorAll('.view-lines .view-line')]
          .filter((line) => [...line.querySelectorAll('span span')].some((span) => Number(getComputedStyle(span).opacity) < 0.5))
          .map((line) => numbers.find((each) => Math.abs(each.top - line.getBoundingClientRect().top) < 2)?.number)
          .sort((a, b) => a - b);
      }),
    );
  }

  /** The page inside the webview that holds `[data-testid=…]`. */
  get question() {
    return this.page.frameLocator('iframe.webview.ready').first().frameLocator('iframe#active-frame');
  }

  part(testid) {
    return this.question.getByTestId(testid);
  }

  /** Waits for the question about a call, and gives its text. */
  async asked(start) {
    const text = this.part('question-text').filter({ hasText: start });
    await text.waitFor();
    return plain(await text.innerText());
  }

  /** Waits until something else than this question is on the page. */
  async notAsked(text) {
    const { question } = this;
    const other = question.locator('[data-testid="question-text"], [data-testid="verdict"]').filter({ hasNotText: text });
    await other.first().waitFor();
  }

  async currentQuestion() {
    const shown = this.part('question-text').or(this.part('verdict'));
    await shown.first().waitFor();
    return plain(await shown.first().innerText());
  }

  /** Numbers of the lines on which a decoration with this left border is drawn, by what the browser computed. */
  async linesWithLeftBorder(width) {
    return this.lines('.cdr', width);
  }

  /** Numbers of the lines (from 1) with such marks, of all code that is in view; a border's width narrows the marks. */
  async lines(selector, borderWidth) {
    return this.page.evaluate(
      ([wanted, width]) => {
        const isMeant = (mark) => {
          const style = getComputedStyle(mark);
          return style.borderLeftWidth === width && /^(solid|double)$/.test(style.borderLeftStyle) && mark.getBoundingClientRect().width > 100;
        };
        const lines = [...document.querySelectorAll('.editor-instance .monaco-editor')].flatMap((editor) => {
          const numbers = [...editor.querySelectorAll('.margin-view-overlays .line-numbers')].map((each) => ({
            number: Number(each.textContent),
            top: each.getBoundingClientRect().top,
          }));
          const marks = [...editor.querySelector('.view-overlays').querySelectorAll(wanted)];
          return marks
            .filter((mark) => width === undefined || isMeant(mark))
            .map((mark) => numbers.find((each) => Math.abs(each.top - mark.getBoundingClientRect().top) < 2)?.number);
        });
        return [...new Set(lines)].sort((a, b) => a - b);
      },
      [selector, borderWidth],
    );
  }

  /** Waits until exactly these lines are lit; what is lit in the end is in the error. */
  async litLines(expected, width = '4px') {
    const wanted = expected.join(',');
    const deadline = Date.now() + PATIENCE / 2;
    for (;;) {
      const lit = (await this.linesWithLeftBorder(width)).join(',');
      if (lit === wanted) return lit;
      if (Date.now() > deadline) throw new Error(`lit lines are {${lit}}, not {${wanted}}`);
      await this.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
    }
  }

  async until(holds, describe, patience = PATIENCE / 2) {
    const deadline = Date.now() + patience;
    while (!(await holds())) {
      if (Date.now() > deadline) throw new Error(describe());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** `kind` is the workbench's class for it: vs (light), vs-dark, hc-black, hc-light. */
  async chooseTheme(name, kind) {
    await this.command('Preferences: Color Theme');
    const input = this.page.locator('.quick-input-widget input');
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
    await input.fill(name);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click();
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await this.page.locator(`.monaco-workbench.${kind}`).waitFor();
    await this.question.locator(`body.vscode-${{ vs: 'light', 'vs-dark': 'dark' }[kind] ?? 'high-contrast'}`).waitFor();
  }
}

/** Text as read: the workbench writes no-break spaces. */
export function plain(text) {
  return text.replace(/\s+/g, ' ').trim();
}

function spaced(text) {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(escaped.replace(/ /g, '\\s'));
}
