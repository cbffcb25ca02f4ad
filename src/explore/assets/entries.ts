// Entry modules of pages: what a page may load, and everything that these import, is served.

/** Path of each in `src`, without its extension. */
export const ENTRIES = {
  front: 'explore/browser/front-page',
  home: 'explore/browser/home-page',
  map: 'explore/browser/map-page',
  market: 'explore/browser/market-page',
  account: 'explore/browser/account-page',
  refused: 'explore/browser/refused-page',
  watching: 'explore/browser/watching-page',
} as const;

export type EntryName = keyof typeof ENTRIES;
