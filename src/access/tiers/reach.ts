// Reach: the listings that one caller may see by the way its request came.

/** Channels that listings leave the service by; `mcp` is whatever passes through the MCP endpoint. */
export const CHANNELS = ['search', 'stream', 'export', 'watchers', 'market', 'explorer', 'mcp'] as const;
export type Channel = (typeof CHANNELS)[number];

export const isChannel = (word: string | undefined): word is Channel =>
  CHANNELS.some((channel) => channel === word);

/** What licences open to one caller on one channel. Two of equal keys open the same. */
export interface Reach {
  /** A part of the keys of caches, empty where everything is open. */
  readonly key: string;
  /** Whether all known licences are open, so that nothing need be asked of single listings. */
  readonly isWhole: boolean;
  /** Numbers of the open licences, ascending. */
  readonly open: readonly number[];
  /** Whether listings under the licence of this number are open. */
  has(licence: number): boolean;
  /** What is open to the same caller in answers that are made to be kept: CSV, JSON lines. */
  readonly exported: Reach;
}

/** Opens nothing: what a caller has of whom nothing is known yet. */
export const NOTHING: Reach = {
  key: 'nothing',
  isWhole: false,
  open: [],
  has: () => false,
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
  get exported() {
    return EVERYTHING;
  },
};
