// Owns keeping the market's facts true: worked out anew for each property that a transaction writes, and once for all.

import type { ListingWrite } from '../ingest/write-plan.ts';
import { PER_MONTH } from '../listings/listing.ts';
import { instant } from '../listings/market-clock.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { invalidateFigures } from './figure-cache-store.ts';
import { type FigureChange, figureChanges } from './figure-changes.ts';
import {
  findMarketEvents,
  findMarketListings,
  isMarketComplete,
  type MarketListingRow,
  markMarketComplete,
  missingMarketListings,
  nextProperties,
  replaceLives,
  writeMarketListings,
} from './market-facts-store.ts';
import { lifeOf } from './market-life.ts';

/** Writes what the market needs to know of the written listings, then the facts of these properties. */
export async function writeMarketFacts(
  tx: Transaction,
  writes: readonly ListingWrite[],
  properties: readonly string[],
  observedAt: number,
): Promise<void> {
  await writeMarketListings(
    tx,
    writes.map((write) => marketRow(write, observedAt)),
    'replace',
  );
  await invalidateFigures(tx, await retellMarket(tx, properties, writes));
}

/** What the market needs to know of a write. */
export function marketRow(
  { id, draft, record, before, clock, propertyId, timeZone }: ListingWrite,
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
  writes: readonly ListingWrite[] = [],
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

const BATCH = 1_000;

/**
 * Brings the facts up to what is stored, where an earlier release wrote listings without them; does nothing once that
 * is done. A batch a transaction: it can be stopped at any time, and others may write meanwhile.
 */
export async function completeMarketFacts(database: Database): Promise<void> {
  if (await database.read(isMarketComplete)) return;
  const part = <T>(work: (tx: Transaction) => Promise<T>) => database.transaction(work, { timeout: 0 });
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after;
    after = await part(async (tx) => {
      const { last, rows } = await missingMarketListings(tx, from, BATCH);
      await writeMarketListings(tx, rows, 'keep');
      return last;
    });
  }
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after;
    after = await part(async (tx) => {
      const properties = await nextProperties(tx, from, BATCH);
      if (properties.length > 0) await invalidateFigures(tx, await retellMarket(tx, properties));
      return properties.at(-1) ?? null;
    });
  }
  await part(markMarketComplete);
}
