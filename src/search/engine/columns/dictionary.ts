// Dictionary of a column: words as codes from 1 on, in the order in which they came; 0 stands for an unknown word.

import { eventLoop } from '../../../lib/scheduler.ts';
import { STATUSES } from '../../../listings/vocabulary.ts';
import { zipOf } from '../../../text/place-key.ts';
import type { ListColumn } from '../../query/condition.ts';
import { byColumn, CODE_COLUMNS, type CodeColumn, LIST_COLUMNS } from './columns.ts';
import { GrowableArray } from './shared-arrays.ts';

/** Words are added and never taken away, so that codes stay what they are for every reader. */
export class Dictionary {
  readonly #codes = new Map<string, number>();
  readonly #words: string[] = [''];
  /** Codes of the words that are found by a part of them too, by that part. */
  readonly #longer = new Map<string, number[]>();
  readonly #partOf: (word: string) => string | null;
  /** The same in memory that threads share. */
  readonly #bytes = new GrowableArray(Uint8Array);
  readonly #ends = new GrowableArray(Uint32Array);

  /** `partOf` gives the part of a word by which it is found too; default: there is none. */
  constructor(words: Iterable<string> = [], partOf: (word: string) => string | null = () => null) {
    this.#partOf = partOf;
    for (const word of words) this.code(word);
  }

  /** The code of a word, which is added if it is new; 0 for null. */
  code(word: string | null): number {
    if (word === null) return 0;
    const known = this.#codes.get(word);
    if (known !== undefined) return known;
    const code = this.#words.push(word) - 1;
    this.#codes.set(word, code);
    const part = this.#partOf(word);
    if (part !== null) this.#longer.set(part, [...(this.#longer.get(part) ?? []), code]);
    this.#bytes.append(Buffer.from(word));
    this.#ends.push(this.#bytes.length);
    return code;
  }

  /** The code of a word; undefined if no listing ever had it. */
  find(word: string): number | undefined {
    return this.#codes.get(word);
  }

  /** The codes of a word and of those that it is a part of, as a ZIP code is of one with a delivery route. */
  findAll(word: string): readonly number[] {
    const longer = this.#longer.get(word) ?? [];
    const code = this.#codes.get(word);
    return code === undefined ? longer : [code, ...longer];
  }

  /** The word of a code above 0. */
  word(code: number): string {
    return this.#words[code] ?? '';
  }

  /** One more than the highest code. */
  get size(): number {
    return this.#words.length;
  }

  /** All words so far in memory that threads share: words that are added later never change it. */
  shared(): SharedWords {
    return { ends: this.#ends.filled(), bytes: this.#bytes.filled() };
  }
}

/** Words in the order of their codes: where the bytes of each end, which begin where those of the one before end. */
export interface SharedWords {
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

/** The dictionaries of all columns, shared by listings of both types. */
export type Dictionaries = Readonly<Record<DictionaryColumn, Dictionary>>;

type DictionaryColumn = CodeColumn | ListColumn;
export type SharedDictionaries = Readonly<Record<DictionaryColumn, SharedWords>>;

/** The code of the status ACTIVE in every dictionary of statuses. */
export const ACTIVE = STATUSES.indexOf('ACTIVE') + 1;

const COLUMNS = [...CODE_COLUMNS, ...LIST_COLUMNS];

/** Empty ones; that of statuses begins with all of them, so that their codes are known. */
export const createDictionaries = (): Dictionaries =>
  byColumn(COLUMNS, (column) => emptyDictionary(column, column === 'status' ? STATUSES : []));

const emptyDictionary = (column: DictionaryColumn, words: Iterable<string> = []): Dictionary =>
  column === 'postalCode' ? new Dictionary(words, zipOf) : new Dictionary(words);

export const shareDictionaries = (dictionaries: Dictionaries): SharedDictionaries =>
  byColumn(COLUMNS, (column) => dictionaries[column].shared());

/** Dictionaries with the same codes as those that were shared. */
export async function copyDictionaries(shared: SharedDictionaries): Promise<Dictionaries> {
  const copies = byColumn(COLUMNS, (column) => emptyDictionary(column));
  for (const column of COLUMNS)
    await eventLoop.forEach(wordsOf(shared[column]), (word) => copies[column].code(word));
  return copies;
}

function* wordsOf({ ends, bytes }: SharedWords): Generator<string> {
  let start = 0;
  for (const end of ends) {
    yield Buffer.from(bytes.subarray(start, end)).toString();
    start = end;
  }
}
