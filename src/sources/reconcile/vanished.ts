// Open houses that their source no longer has, and never said so: their listings are read again.

import type { ListingDraft } from '../../listings/draft.ts';
import type { OpenHouseList } from '../source.ts';

/** A listing with open houses that are not over, as it is stored. */
export interface HouseListing {
  readonly key: string;
  readonly openHouses: readonly Pick<NonNullable<ListingDraft['openHouses']>[number], 'id' | 'startsAt'>[];
}

/**
 * Keys of the listings with an open house to come that the source does not name; of all with one where it cannot say. `now`: milliseconds.
 * Those that have started are over soon, whatever the source says of them.
 */
export function listingsOfVanished(
  listings: readonly HouseListing[],
  listed: OpenHouseList,
  now: number,
): string[] {
  const from = new Date(now).toISOString();
  return listings.flatMap(({ key, openHouses }) => {
    const coming = openHouses.filter(({ startsAt }) => startsAt > from);
    const known = listed === 'unlisted' ? undefined : (listed.get(key) ?? new Set());
    // One that has no key at the source is known by its start here, which says nothing.
    if (known?.has(null)) return [];
    return coming.some(({ id }) => known === undefined || !known.has(id)) ? [key] : [];
  });
}
