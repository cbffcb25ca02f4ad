// Size of an answer: how many tokens it takes an agent, and long lists and texts shortened until it fits.

import type { Projection } from './projection.ts';
import { cutText } from './untrusted.ts';

/** Tokens of an answer, both its forms together. */
const MAX_TOKENS = 8_000;
/** Characters of JSON in a token, few enough for short records full of ids. */
const CHARACTERS = 2.6;

/** The size of an answer as a share of what may be. Letters beyond ASCII count as a token each. */
export function sizeOf(answer: object): number {
  const text = JSON.stringify(answer);
  const others = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  return ((text.length - others) / CHARACTERS + others) / MAX_TOKENS;
}

/** How far an answer is shortened. */
export interface Shortening {
  /** Items of a list, or members of an object with more than these and more than twenty. */
  readonly items: number;
  /** Characters of a text of others. */
  readonly text: number;
  /** Whether the text repeats the records as JSON. */
  readonly block: boolean;
}

/** One after the other, until the answer fits. */
export const SHORTENINGS: readonly Shortening[] = [
  { items: 10, text: 1_500, block: true },
  { items: 5, text: 600, block: true },
  { items: 5, text: 600, block: false },
  { items: 2, text: 300, block: false },
  { items: 1, text: 100, block: false },
];

/** Members of an object that is not a list of figures by name. */
const MAX_MEMBERS = 60;
const FIGURES = new Set(['metrics', 'definitions', 'stats']);

export interface Shortened extends Projection {
  /** The lists that were cut: `photos: 5 of 40`. */
  readonly cut: readonly string[];
}

/** The projection with lists, figures and texts of others cut; the rows of the answer, at the path `rows`, all stay. */
export function shorten({ value, untrusted, isCut }: Projection, to: Shortening, rows: string): Shortened {
  const cut = new Map<string, string>();

  function walk(of: unknown, path: string): unknown {
    if (Array.isArray(of)) {
      const kept = path === rows ? of : of.slice(0, to.items);
      if (kept.length < of.length) cut.set(path, `${path}: ${kept.length} of ${of.length}`);
      return kept.map((item) => walk(item, path));
    }
    if (typeof of !== 'object' || of === null) return of;
    const members = Object.entries(of);
    const max = FIGURES.has(path.slice(path.lastIndexOf('.') + 1)) ? to.items : MAX_MEMBERS;
    if (members.length > max) cut.set(path, `${path}: ${max} of ${members.length}`);
    return Object.fromEntries(
      members
        .slice(0, max)
        .map(([name, member]) => [name, walk(member, path === '' ? name : `${path}.${name}`)]),
    );
  }

  const short = walk(value, '') as Projection['value'];
  const texts = untrusted
    .filter(({ at }) => isThere(short, at))
    .map(({ at, text }) => ({ at, text: cutText(text, to.text) }));
  const isShorter = texts.some(({ text }) => text.length >= to.text);
  return { value: short, untrusted: texts, isCut: isCut || isShorter, cut: [...cut.values()] };
}

/** Whether the object that a text was taken from is still there. */
function isThere(value: unknown, pointer: string): boolean {
  let at: unknown = value;
  for (const name of pointer.split('/').slice(1, -1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return true;
}
