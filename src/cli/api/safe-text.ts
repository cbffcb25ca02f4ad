// Text of others as a terminal may get it: nothing in it moves the cursor, changes colours or turns the direction of writing.

import { stripVTControlCharacters } from 'node:util';

/** C0, C1 and DEL, marks of direction, and separators of lines; tabs and line ends among them. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/gu;

/** One line without what a terminal acts on. */
export function safeLine(text: string): string {
  return stripVTControlCharacters(text).replace(/\s+/gu, ' ').replace(UNSAFE, '');
}

/** Lines and tabs stay. */
export function safeLines(text: string): string {
  return stripVTControlCharacters(text).replace(UNSAFE, (one) => (one === '\n' || one === '\t' ? one : ''));
}

/** JSON of the same value: what a terminal would act on stands as `\u009b`. */
export function safeJson(json: string): string {
  return json.replace(UNSAFE, (one) =>
    one === '\n' ? one : `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
