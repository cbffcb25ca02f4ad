// Source files of the project for tests: what they import, and their text without comments or strings.
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text with comments blanked out; every line keeps its number. */
  readonly code: string;
  /** The text with comments and the insides of strings, templates and regular expressions blanked out. */
  readonly bare: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** From the project's root for files of the project, otherwise as written. */
  readonly target: string;
  readonly local: boolean;
  /** True where only types come over: gone when the program runs. */
  readonly typeOnly: boolean;
}

export async function sourceFiles(pattern: string): Promise<SourceFile[]> {
  const paths = await Array.fromAsync(
    glob(pattern, { cwd: ROOT, exclude: (path) => path.endsWith('node_modules') }),
  );
  return paths.toSorted().map(readSource);
}

export function readSource(path: string): SourceFile {
  return parseSource(path, readFileSync(join(ROOT, path), 'utf8'));
}

export function parseSource(path: string, text: string): SourceFile {
  const code = blank(text, false);
  return { path, text, code, bare: blank(text, true), imports: importsOf(path, code) };
}

const STATEMENT =
  /^\s*(?:import|export)\b(?!\s*\()\s*(type\b(?!\s*,|\s+from))?([^;'"`]*?)(?:from\s*)?(['"])([^'"]+)\3/gm;
const DYNAMIC = /\b(?:import|import\.meta\.resolve)\(\s*(['"])([^'"]+)\1/g;

function importsOf(path: string, code: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean) => {
    const local = specifier.startsWith('.');
    found.push({ target: local ? normalize(join(dirname(path), specifier)) : specifier, local, typeOnly });
  };
  for (const [whole, type, names = '', , specifier = ''] of code.matchAll(STATEMENT)) {
    if (/^\s*export\b/.test(whole) && !/from\s*['"]/.test(whole)) continue;
    add(specifier, type !== undefined || onlyTypes(names));
  }
  for (const [, , specifier = ''] of code.matchAll(DYNAMIC)) add(specifier, false);
  return found;
}

/** `import { type A, type B }` leaves nothing that runs either. */
function onlyTypes(names: string): boolean {
  const listed = /^\s*\{([^}]*)\}\s*$/
    .exec(names)?.[1]
    ?.split(',')
    .map((name) => name.trim());
  return listed?.filter((name) => name !== '').every((name) => name.startsWith('type ')) ?? false;
}

/** What may come before a slash that begins a regular expression rather than divides. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^\n]|\b(?:return|typeof|case|of|in|yield|await))\s*$/;
const TOKENS = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  regex: /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//y,
  string: /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y,
};

/** Walks the text once. Templates are a stack, since they hold code that holds templates. */
function blank(text: string, strings: boolean): string {
  let out = '';
  const open: number[] = [];
  const match = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const hollow = (token: string) =>
    strings ? token[0] + spaces(token.slice(1, -1)) + token.slice(-1) : token;
  const template = (from: number): number => {
    let at = from;
    while (at < text.length && text[at] !== '`' && !text.startsWith('${', at))
      at += text[at] === '\\' ? 2 : 1;
    const end = Math.min(text.length, at + (text[at] === '`' ? 1 : 2));
    const inside = text.slice(from, at);
    out += (strings ? spaces(inside) : inside) + text.slice(at, end);
    if (text[at] !== '`') open.push(0);
    return end;
  };
  for (let at = 0; at < text.length; ) {
    const char = text[at] ?? '';
    const comment = char === '/' ? match(TOKENS.comment, at) : undefined;
    const regex = char === '/' && BEFORE_REGEX.test(out.slice(-40)) ? match(TOKENS.regex, at) : undefined;
    const token = comment ?? regex ?? match(TOKENS.string, at);
    if (token !== undefined) {
      out += comment === undefined ? hollow(token) : spaces(token);
      at += token.length;
      continue;
    }
    out += char;
    at += 1;
    if (char === '`') at = template(at);
    else if (char === '{' && open.length > 0) open.push((open.pop() ?? 0) + 1);
    else if (char === '}' && open.length > 0) {
      const depth = open.pop() ?? 0;
      if (depth === 0) at = template(at);
      else open.push(depth - 1);
    }
  }
  return out;
}

function spaces(text: string): string {
  return text.replace(/[^\n]/g, ' ');
}
