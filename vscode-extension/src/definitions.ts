/** Finds the function definition around a line of Python text: what "ask about this function" means at a cursor. */

export interface Definition {
  /** Counted from 1. */
  line: number;
  name: string;
}

const DEFINITION = /^(\s*)(?:async\s+)?def\s+([^\s(\[]+)/;

/** The innermost `def` whose block holds `line` (from 1), or undefined at module level. */
export function enclosingDefinition(lines: readonly string[], line: number): Definition | undefined {
  let indent = Infinity;
  for (let at = line; at >= 1; at--) {
    const text = lines[at - 1] ?? '';
    if (text.trim() === '' || text.trimStart().startsWith('#')) continue;
    const match = DEFINITION.exec(text);
    const depth = text.length - text.trimStart().length;
    if (match && (at === line || depth < indent)) return { line: at, name: match[2] ?? '' };
    indent = Math.min(indent, depth);
    if (indent === 0) return undefined;
  }
  return undefined;
}
