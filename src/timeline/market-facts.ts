// Owns keeping the market's facts true: worked out anew for each property that a transaction writes, and once for all.

import { instant } from '../listings/market-clock.ts';
import { PER_MONTH } from '../listings/stored-record.ts';
import type { Transaction } from '../postgres/client/database.ts';
import { invalidateFigures } from './figure-cache-store.ts';
import { type FigureChange, figureChanges, type ListingChange } from './figure-changes.ts';
import {
  findMarketEvents,
  findMarketListings,
  type MarketListingRow,
  replaceLives,
  writeMarketListings,
} from './market-facts-store.ts';
import { lifeOf } from './market-life.ts';

/** Writes what the market needs to know of the written listings, then the facts of these properties. */
export async function writeMarketFacts(
  tx: Transaction,
  writes: readonly ListingChange[],
  properties: readonly string[],
  observedAt: number,
): Promise<void> {
  await writeMarketListings(
    tx,
    writes.map((write) => marketRow(write, observedAt)),
  );
  await invalidateFigures(tx, await retellMarket(tx, properties, writes));
}

/** What the market needs to know of a write. */
export function marketRow(
  { id, draft, record, before, clock, propertyId, timeZone }: ListingChange,
  observedAt: number,
) {
  return {
    ...{ id, propertyId, listingType: draft.listingType, status: draft.status },
    createdAt: instant(before?.createdAt ?? null) ?? observedAt,
    onMarketOn: draft.onMarketDate,
    timeZone,
    clockEnd: clock.end,
    listPrice: draft.listPrice,
    originalPrice: record.originalPrice,
    closePrice: draft.closePrice,
    perMonth: draft.listingType === 'rental' ? PER_MONTH[draft.priceFrequency] : 1,
    monthsFree: draft.rental?.monthsFree ?? null,
  } satisfies MarketListingRow;
}

/** Works the facts of properties out from what is stored; gives what that and these writes change of figures. */
export async function retellMarket(
  tx: Transaction,
  properties: readonly string[],
  writes: readonly ListingChange[] = [],
): Promise<FigureChange[]> {
  const listings = Map.groupBy(await findMarketListings(tx, properties), (listing) => listing.propertyId);
  const ids = [...listings.values()].flatMap((some) => some.map(({ id }) => id));
  const events = Map.groupBy(await findMarketEvents(tx, ids), (event) => event.listingId);
  const lives = [...listings].map(([propertyId, some]) => ({
    propertyId,
    ...lifeOf(
      some,
      some.flatMap(({ id }) => events.get(id) ?? []),
    ),
  }));
  const before = await replaceLives(tx, properties, lives);
  const after = {
    stays: lives.flatMap(({ stays }) => stays),
    events: lives.flatMap(({ events: some }) => some),
  };
  return figureChanges(before, after, writes);
}
