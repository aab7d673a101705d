/** Small pieces that everything on the page of the Question view is made of. Every text from outside is escaped here. */

export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function baseName(file: string): string {
  return file.split(/[\\/]/).at(-1) ?? file;
}

/** The letter that does the same as a button. */
export function keyHint(key: string | undefined): string {
  return key ? `<kbd aria-hidden="true">${key.toUpperCase()}</kbd>` : '';
}

/** A place in the code, to be opened. */
export function placeLink(name: string, file: string, line: number): string {
  return `<p class="place"><button class="link" data-action="open" data-file="${escape(file)}" data-line="${line}"
 data-testid="place" title="Open ${escape(file)}">${escape(name)} · ${escape(baseName(file))}:${line}</button></p>`;
}
