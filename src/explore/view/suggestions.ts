// What is suggested for a text in the search box. Pure, for pages and browsers.

import type { HomeKind } from './state.ts';

export interface SuggestedHome {
  readonly id: string;
  readonly listingType: HomeKind;
  readonly address: string;
}

export interface Suggestions {
  readonly places: readonly { readonly id: string; readonly name: string; readonly type: string }[];
  /** On the market, by the start of their address: none whose address is withheld. */
  readonly homes: readonly SuggestedHome[];
  /** The id of the home with this listing number; null: there is none. */
  readonly listing: string | null;
}
