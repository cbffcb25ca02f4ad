// Index of area names for autocomplete, tolerant of typos.

import type { AreaType } from '../listings/vocabulary.ts';
import { Spelling } from '../text/spelling.ts';
import { plainLetters as plain, splitWords, tokenize } from '../text/tokenize.ts';
import type { QueryWord } from './query.ts';

/** An area as the index takes it. */
export interface NamedArea {
  readonly no: number;
  readonly type: AreaType;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly codes: Readonly<Record<string, string>>;
}

/** Bounds what one area can take of the memory, and what one word costs to compare. */
const MOST_WORDS = 40;
const LONGEST_WORD = 60;
/** Areas entered before others get a turn: building never holds up a request for long. */
const SLICE = 1_000;

interface Entry {
  readonly no: number;
  readonly type: AreaType;
  /** The name and each alias, in compared words. */
  readonly names: readonly string[];
}

export class AreaNameIndex {
  readonly #entries: Entry[] = [];
  /** For each word the places of the entries that have it. */
  readonly #having = new Map<string, number[]>();
  #words: readonly string[] = [];
  #spelling = new Spelling([]);

  /** `areas` come in the order in which equally good ones are told: the best known first. */
  static async of(areas: readonly NamedArea[]): Promise<AreaNameIndex> {
    const names = new AreaNameIndex();
    for (const [at, area] of areas.entries()) {
      if (at % SLICE === SLICE - 1) await new Promise(setImmediate);
      names.#enter(area);
    }
    names.#words = [...names.#having.keys()].sort();
    names.#spelling = new Spelling(names.#words);
    return names;
  }

  #enter({ no, type, name, aliases, codes }: NamedArea): void {
    const place = this.#entries.length;
    const called = [name, ...aliases];
    this.#entries.push({ no, type, names: called.map(compared) });
    const words = [...called, ...Object.values(codes)].flatMap((text) => [
      ...splitWords(text).map(plain),
      ...tokenize(text).map(plain),
    ]);
    for (const word of [...new Set(words)].slice(0, MOST_WORDS)) {
      if (word.length > LONGEST_WORD) continue;
      const places = this.#having.get(word);
      if (places) places.push(place);
      else this.#having.set(word, [place]);
    }
  }

  /** Numbers of the areas that the text is likely to mean, the likeliest first; only of the type, if one is given. */
  *likely(text: string, words: readonly QueryWord[], type: AreaType | null): Generator<number> {
    for (const places of this.#exact(text, words) ?? this.#misspelt(words)) {
      for (const place of places) {
        const entry = this.#entries[place];
        if (entry && (type === null || entry.type === type)) yield entry.no;
      }
    }
  }

  /** Numbers of the areas that misspelt words are likely to mean; null where some area has the words as they are. */
  forgiven(words: readonly QueryWord[]): number[] | null {
    if (this.#meeting(words.map((word) => this.#beginningWith(word))).places.length > 0) return null;
    return this.#misspelt(words)
      .flat()
      .map((place) => this.#entries[place]?.no ?? 0);
  }

  /** Places by how well the names fit: called so, beginning so, having the words. Null where there are none. */
  #exact(text: string, words: readonly QueryWord[]): number[][] | null {
    const asked = compared(text);
    const [called, beginning, having]: [number[], number[], number[]] = [[], [], []];
    const { places } = this.#meeting(words.map((word) => this.#beginningWith(word)));
    for (const place of places) {
      const names = this.#entries[place]?.names ?? [];
      if (names.includes(asked)) called.push(place);
      else if (names.some((name) => name.startsWith(asked))) beginning.push(place);
      else having.push(place);
    }
    return places.length === 0 ? null : [called, beginning, having];
  }

  /** Places by the steps that the words are away, whole words before beginnings, short names before long ones. */
  #misspelt(words: readonly QueryWord[]): number[][] {
    const { places, costs } = this.#meeting(words.map((word) => this.#near(word)));
    const fits: number[][] = [];
    for (const place of places) {
      const names = this.#entries[place]?.names ?? [];
      const isLonger = names.every((name) => name.split(' ').length > words.length);
      const fit = 2 * (costs[place] ?? 0) + (isLonger ? 1 : 0);
      fits[fit] ??= [];
      fits[fit].push(place);
    }
    return [...fits].map((fitting) => fitting ?? []);
  }

  #beginningWith({ beginning, forms }: QueryWord): MatchedWord[] {
    const start = plain(beginning);
    const found: MatchedWord[] = forms.map((form) => ({ word: plain(form), cost: 0 }));
    for (let at = firstFrom(this.#words, start); at < this.#words.length; at++) {
      const word = this.#words[at] ?? '';
      if (!word.startsWith(start)) break;
      found.push({ word, cost: 0 });
    }
    return found;
  }

  #near(asked: QueryWord): MatchedWord[] {
    const word = plain(asked.beginning);
    const most = forgivenSteps(word);
    if (most === 0) return this.#beginningWith(asked);
    const near = [...this.#spelling.near(word, most)].map(({ at, steps, whole }) => ({
      word: this.#words[at] ?? '',
      cost: 2 * steps + (whole ? 0 : 1),
    }));
    return [...this.#beginningWith(asked), ...near].sort((a, b) => a.cost - b.cost);
  }

  /** The places of entries that meet every word, in their order, and of each place the sum of its least costs. */
  #meeting(words: readonly (readonly MatchedWord[])[]): { places: number[]; costs: Uint8Array } {
    const met = new Uint8Array(this.#entries.length);
    const costs = new Uint8Array(this.#entries.length);
    for (const [at, found] of words.entries()) {
      // The cheapest come first, so the first to meet an entry is its cost.
      for (const { word, cost } of found) {
        for (const place of this.#having.get(word) ?? []) {
          if (met[place] !== at) continue;
          met[place] = at + 1;
          costs[place] = (costs[place] ?? 0) + cost;
        }
      }
    }
    const places: number[] = [];
    for (let place = 0; place < met.length; place++) if (met[place] === words.length) places.push(place);
    return { places, costs };
  }
}

interface MatchedWord {
  readonly word: string;
  readonly cost: number;
}

const compared = (text: string): string => tokenize(text).map(plain).join(' ');

/** Numbers and short words mean themselves. */
function forgivenSteps(word: string): number {
  if (word.length < 4 || word.length > LONGEST_WORD || /\d/.test(word)) return 0;
  return word.length < 8 ? 1 : 2;
}

/** The place of the first word that is not before this one. */
function firstFrom(words: readonly string[], start: string): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((words[middle] ?? '') < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
