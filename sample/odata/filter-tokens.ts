// Tokenizer of $filter: cuts its text into names, operators and literals.
import { badRequest } from './problem.ts';

export type Literal =
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'null'; readonly value: null }
  | { readonly type: 'date'; readonly value: string }
  | { readonly type: 'instant'; readonly value: number };

export type Token =
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'literal'; readonly literal: Literal; readonly at: number }
  | { readonly kind: '(' | ')' | ','; readonly at: number };

const PATTERNS = {
  space: /\s+/y,
  mark: /[(),]/y,
  string: /'((?:[^']|'')*)'/y,
  instant: /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(?:Z|[+-]\d\d:\d\d)/iy,
  date: /\d{4}-\d\d-\d\d(?![\dT])/y,
  number: /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y,
  word: /[A-Za-z_][A-Za-z0-9_]*/y,
} as const;

/** Cuts the text into tokens; a 400 says where it stops making sense. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const space = matchAt(PATTERNS.space, text, at);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    const [token, length] = readToken(text, at);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function readToken(text: string, at: number): [Token, number] {
  const mark = matchAt(PATTERNS.mark, text, at)?.[0];
  if (mark === '(' || mark === ')' || mark === ',') return [{ kind: mark, at }, 1];
  for (const kind of ['string', 'instant', 'date', 'number', 'word'] as const) {
    const match = matchAt(PATTERNS[kind], text, at);
    if (match === null) continue;
    const token: Token =
      kind === 'word' ? readWord(match[0], at) : { kind: 'literal', literal: readLiteral(kind, match), at };
    return [token, match[0].length];
  }
  throw badRequest(`$filter: cannot read "${text.slice(at, at + 20)}" at position ${at}`);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function readWord(word: string, at: number): Token {
  if (word === 'true' || word === 'false')
    return { kind: 'literal', literal: { type: 'boolean', value: word === 'true' }, at };
  if (word === 'null') return { kind: 'literal', literal: { type: 'null', value: null }, at };
  return { kind: 'word', text: word, at };
}

function readLiteral(kind: 'string' | 'instant' | 'date' | 'number', match: RegExpExecArray): Literal {
  const text = match[0];
  if (kind === 'string') return { type: 'string', value: (match[1] ?? '').replaceAll("''", "'") };
  if (kind === 'number') return { type: 'number', value: Number(text) };
  const value = Date.parse(text);
  // Date.parse lets the 30th of February through as the 2nd of March.
  const real =
    Number.isFinite(value) &&
    new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10));
  if (!real) throw badRequest(`$filter: ${text} is not a date of the calendar`);
  return kind === 'date' ? { type: 'date', value: text } : { type: 'instant', value };
}
