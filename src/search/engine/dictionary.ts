// Dictionary of a column: words as codes from 1 on, in the order in which they came; 0 stands for an unknown word.

import { STATUSES } from '../../listings/vocabulary.ts';
import type { ListColumn } from '../query/condition.ts';
import { CODE_COLUMNS, type CodeColumn, LIST_COLUMNS } from './columns.ts';

/** Words are added and never taken away, so that codes stay what they are for every reader. */
export class Dictionary {
  readonly #codes = new Map<string, number>();
  readonly #words: string[] = [''];

  constructor(words: Iterable<string> = []) {
    for (const word of words) this.code(word);
  }

  /** The code of a word, which is added if it is new; 0 for null. */
  code(word: string | null): number {
    if (word === null) return 0;
    const known = this.#codes.get(word);
    if (known !== undefined) return known;
    const code = this.#words.push(word) - 1;
    this.#codes.set(word, code);
    return code;
  }

  /** The code of a word; undefined if no listing ever had it. */
  find(word: string): number | undefined {
    return this.#codes.get(word);
  }

  /** The word of a code above 0. */
  word(code: number): string {
    return this.#words[code] ?? '';
  }

  /** One more than the highest code. */
  get size(): number {
    return this.#words.length;
  }

  /** All words in the order of their codes, to make the same dictionary elsewhere. */
  words(): readonly string[] {
    return this.#words.slice(1);
  }
}

/** The dictionaries of all columns, shared by listings of both types. */
export type Dictionaries = Readonly<Record<CodeColumn | ListColumn, Dictionary>>;

/** The code of the status ACTIVE in every dictionary of statuses. */
export const ACTIVE = STATUSES.indexOf('ACTIVE') + 1;

/** Those with the given words, else empty ones; that of statuses always begins with all of them, so that their codes are known. */
export function createDictionaries(
  words: Partial<Readonly<Record<CodeColumn | ListColumn, readonly string[]>>> = {},
): Dictionaries {
  const columns = [...CODE_COLUMNS, ...LIST_COLUMNS];
  return Object.fromEntries(
    columns.map((column) => [column, new Dictionary(words[column] ?? FIRST_WORDS[column])]),
  ) as unknown as Dictionaries;
}

const FIRST_WORDS: Partial<Readonly<Record<CodeColumn | ListColumn, readonly string[]>>> = {
  status: STATUSES,
};
