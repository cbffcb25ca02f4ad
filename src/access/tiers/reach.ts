// Reach: the listings that one caller may see by the way its request came.

/** Channels that listings leave the service by; `mcp` is whatever passes through the MCP endpoint. */
export const CHANNELS = ['search', 'stream', 'export', 'watchers', 'market', 'explorer', 'mcp'] as const;
export type Channel = (typeof CHANNELS)[number];

export const isChannel = (word: string | undefined): word is Channel =>
  CHANNELS.some((channel) => channel === word);

/** How the terms of a source want its listings shown. */
export interface Display {
  /** Of the source as it is set up, for records that do not name it; null: it is not set up. */
  readonly name: string | null;
  /** The line of a listing, with placeholders; null: what the source states, the brokerage and the source. */
  readonly attribution: string | null;
  /** Follows each line; null: nothing does. */
  readonly disclaimer: string | null;
  /** An https URL; null: none. */
  readonly logo: string | null;
}

/** Of sources whose terms ask for nothing. */
export const PLAIN: Display = { name: null, attribution: null, disclaimer: null, logo: null };

/** What licences open to one caller on one channel. Two of equal keys open the same, and show it alike. */
export interface Reach {
  /** A part of the keys of caches, empty where everything is open and no terms say how it is shown. */
  readonly key: string;
  /** Whether all known licences are open, so that nothing need be asked of single listings. */
  readonly isWhole: boolean;
  /** Numbers of the open licences, ascending. */
  readonly open: readonly number[];
  /** Whether listings under the licence of this number are open. */
  has(licence: number): boolean;
  /** Ids of the sources that anything is open of. */
  readonly sources: readonly string[];
  /** How listings of a source are shown. */
  displayOf(source: string): Display;
  /** The source whose listings are under the licence of this number. */
  sourceOf(licence: number): string;
  /** What is open to the same caller in answers that are made to be kept: CSV, JSON lines. */
  readonly exported: Reach;
}

/** In place of the source of a listing that is gone, with its licence. */
export const UNKNOWN_SOURCE = '(unknown)';

/** Opens nothing: what a caller has of whom nothing is known yet. */
export const NOTHING: Reach = {
  key: 'nothing',
  isWhole: false,
  open: [],
  has: () => false,
  sources: [],
  displayOf: () => PLAIN,
  sourceOf: () => UNKNOWN_SOURCE,
  get exported() {
    return NOTHING;
  },
};

/** Opens everything that is stored, for work that shows nothing to anybody. */
export const EVERYTHING: Reach = {
  key: '',
  isWhole: true,
  open: [],
  has: () => true,
  sources: [],
  displayOf: () => PLAIN,
  sourceOf: () => UNKNOWN_SOURCE,
  get exported() {
    return EVERYTHING;
  },
};
