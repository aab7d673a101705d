/** The answers to a question as buttons, and the ways from it to a part or to what it is a part of. */

import { baseName, escape, keyHint } from './html';
import type { Answer, Question, State } from './protocol';

interface Button {
  answer: Answer;
  label: string;
  title: string;
  key?: string;
}

export function renderAnswers(question: Question, state: State): string {
  const name = question.function.split('.').at(-1) ?? question.function;
  const code = isCode(question);
  const judge: Button[] = [
    { answer: 'correct', label: 'Yes', title: code ? 'The code did what it should' : 'The call did what it should', key: 'y' },
    { answer: 'wrong', label: 'No', title: 'The result or a change is wrong', key: 'n' },
  ];
  const others: Button[] = [
    { answer: 'unknown', label: 'Don’t know', title: 'Ask about something else', key: 'd' },
    {
      answer: 'trust-function',
      label: 'Trust this function',
      title: `Every call of ${name} is right: do not ask about it`,
      key: 't',
    },
  ];
  const rare: Button[] = [
    { answer: 'trust-module', label: 'Trust its whole file', title: `All functions in ${baseName(question.file)} are right` },
    {
      answer: 'inadmissible',
      label: code ? 'What was before makes no sense' : 'Its arguments make no sense',
      title: code ? 'What ran before is wrong' : 'The caller passed something it must not pass',
    },
    {
      answer: 'should-not-have-been-called',
      label: code ? 'It should not have run' : 'It should not have been called',
      title: code ? 'What decided that it runs is wrong' : 'The caller is wrong',
    },
  ];
  const button = ({ answer, label, title, key }: Button, style: string): string =>
    `<button class="${style}" data-action="answer" data-answer="${answer}" data-node="${question.id}"
 data-testid="answer-${answer}" title="${escape(title)}"${key ? ` aria-keyshortcuts="${key}"` : ''}>${escape(label)}${keyHint(key)}</button>`;
  return `<div class="answers" role="group" aria-label="Your answer">
<div class="judge">${judge.map((each) => button(each, `primary ${each.answer}`)).join('')}</div>
<div class="others">${others.map((each) => button(each, 'secondary')).join('')}${undoButton(state)}</div>
${renderZoom(question, state)}
<details class="more" data-keep="more" data-testid="more"><summary>More answers</summary><div class="others">${rare
    .map((each) => button(each, 'secondary'))
    .join('')}</div></details>
</div>`;
}

/** To a part of what is asked about, and to what it is a part of. */
function renderZoom(question: Question, state: State): string {
  const buttons: string[] = [];
  const zoom = (direction: 'in' | 'out', label: string, title: string, key: string): string =>
    `<button class="link" data-action="zoom" data-direction="${direction}" data-testid="zoom-${direction}" title="${title}"
 aria-keyshortcuts="${key}">${label}</button>`;
  if (question.canZoomOut) buttons.push(zoom('out', '− Zoom out', 'Ask about what this is a part of', '-'));
  if (question.canZoomIn) buttons.push(zoom('in', '+ Zoom in', 'Ask about a part of this', '+'));
  if (isCode(question)) {
    buttons.push(
      `<button class="link" data-action="depth" data-depth="function" data-testid="stop-at-function"
 title="No questions about the code inside functions">Stop at the function</button>`,
    );
  }
  if (isCode(question) && canGoDown(state)) buttons.push(goDown('link'));
  return buttons.length > 0 ? `<div class="zoom" role="group" aria-label="Zoom">${buttons.join('')}</div>` : '';
}

/** Is the question about code inside a call, not about a call? */
export function isCode({ kind }: Question): boolean {
  return kind !== 'routine';
}

/** Could the search go on inside statements? It does not yet. */
export function canGoDown({ status, question, result, depth }: State): boolean {
  if (depth === 'expression') return false;
  return (status === 'asking' && question !== null && isCode(question)) || (status === 'found' && result !== null);
}

/** To the expression in a statement. */
export function goDown(style: string): string {
  return `<button class="${style}" data-action="depth" data-depth="expression" data-testid="go-down"
 title="Go on inside the statement, to the expression to blame" aria-keyshortcuts="e">Which expression?${keyHint('e')}</button>`;
}

export function undoButton({ canUndo }: State): string {
  return `<button class="secondary" data-action="undo" data-testid="undo" title="Take the last answer back"
 aria-keyshortcuts="u"${canUndo ? '' : ' disabled'}>Undo${keyHint('u')}</button>`;
}
