// Counts of active listings per area: which changes of listings change which counts.

import type { ListingType, Status } from '../listings/vocabulary.ts';

/** A change of the number of active listings in an area. */
export interface CountChange {
  readonly areaNo: number;
  readonly listingType: ListingType;
  readonly licenceNo: number;
  readonly change: number;
}

/** What decides whether and where a listing is counted. */
interface Counted {
  readonly listingType: ListingType;
  readonly status: Status;
  readonly licenceNo: number;
  readonly displayed: boolean;
  readonly areaNos: readonly number[];
}

/** The changes of area counts that changes of listings make, zero sums left out. */
export function countChanges(
  changes: readonly { readonly before: Counted | null; readonly after: Counted }[],
): CountChange[] {
  const sums = new Map<string, CountChange>();
  const add = (listing: Counted | null, change: number): void => {
    if (listing?.status !== 'ACTIVE' || !listing.displayed) return;
    const { listingType, licenceNo } = listing;
    for (const areaNo of listing.areaNos) {
      const key = `${areaNo} ${listingType} ${licenceNo}`;
      const sum = (sums.get(key)?.change ?? 0) + change;
      sums.set(key, { areaNo, listingType, licenceNo, change: sum });
    }
  };
  for (const { before, after } of changes) {
    add(before, -1);
    add(after, 1);
  }
  return [...sums.values()].filter((sum) => sum.change !== 0);
}
