// Resolved query: a search plan's names looked up in the database before it becomes SQL.

import type { NamedArea } from '../../areas/name-store.ts';

/** What is known of how many active listings lie in shapes. */
export interface ShapeEstimate {
  /** About how many. */
  readonly listings: number;
  /** Which share that is of all active listings of their type, from 0 to 1. */
  readonly share: number;
}

/** What the words of a query stand for: themselves or the names they misspell, and the areas called so. */
export interface WordMeaning {
  readonly spellings: readonly string[];
  readonly areaNos: readonly number[];
}

export type WordMeanings = ReadonlyMap<string, WordMeaning>;

/** What a plan's names stand for: its areas and its words, looked up before the plan becomes SQL. */
export interface ResolvedQuery {
  readonly areas: readonly NamedArea[];
  readonly areaNos: readonly number[];
  /** Active listings in them, as the areas are counted: about so many rows are walked through at most. */
  readonly areaListings: number;
  /** About how many active listings lie in the shapes that are asked for; null: none is, or it is unknown. */
  readonly inShape: ShapeEstimate | null;
  readonly words: WordMeanings;
  /** About how many active listings meet queries of the text index, where it matters. */
  readonly sizes: ReadonlyMap<string, number>;
}
