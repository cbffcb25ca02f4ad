// What the service says of a view, as its JSON has it.

import type { MapBox } from '../../page/map/mercator.ts';
import type { RowHome } from '../parts/home-row.ts';
import type { FirstLoad } from '../parts/notices.ts';
import type { CountedChange, FilterCounts } from '../view/filter-counts.ts';
import { NO_COUNTS } from '../view/filter-counts.ts';

/** lng, lat, homes, median price, and the box around them. */
export type ViewCluster = readonly [number, number, number, number | null, number, number, number, number];

/** id, `s` for sale or `r` to rent, price, beds, lng, lat, and flags: 1 dropped, 2 new, 4 sold, 8 under contract, 16 at an approximate place. */
export type ViewPin = readonly [string, 's' | 'r', number | null, number | null, number, number, number];

export interface View {
  readonly total: number;
  readonly medianPrice: number | null;
  readonly currency: string | null;
  /** Homes that are left out since they are priced in other currencies; null: there are none, or the query names its currency. */
  readonly otherCurrencies: { readonly homes: number; readonly currencies: readonly string[] } | null;
  readonly asOf: string;
  readonly sources: readonly {
    readonly id: string;
    readonly name: string;
    readonly attribution: string;
    readonly logoUrl: string | null;
    readonly confirmedAt: string | null;
  }[];
  readonly areas: readonly { readonly id: string; readonly name: string; readonly type: string }[];
  readonly box: MapBox;
  readonly zoom: number;
  readonly clusters: readonly ViewCluster[];
  readonly pins: readonly ViewPin[];
  readonly list: readonly (RowHome & { readonly lat: number | null; readonly lng: number | null })[];
  readonly firstRow: number;
  readonly nextCursor: string | null;
  readonly limitedTo: 'sign-in' | null;
  /** Why homes are left out that the view has; `retryAfter` in seconds. */
  readonly limit: { readonly code: string; readonly detail: string; readonly retryAfter: number } | null;
  /** A source whose first load is under way; null: none is. */
  readonly loading: FirstLoad | null;
}

/** Counts of a view's filters, and the ways out where it has no homes. */
export interface ViewCounts extends FilterCounts {
  readonly ways: readonly CountedChange[];
}

export const NO_VIEW_COUNTS: ViewCounts = { ...NO_COUNTS, ways: [] };
