// Maker of areas from the addresses of listings, for catalogues into which nobody imported any.

import { ADDRESS_AREAS, addressAreas } from '../../areas/address-areas.ts';
import { areaId } from '../../areas/area.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { writeAreaDrafts } from '../area-writer.ts';
import { findAddressNames, findAreaIdsOfSource, hasImportedAreas } from './address-area-store.ts';
import { startReview } from './review-store.ts';

/** Areas of one transaction. */
const BATCH = 500;
/** Milliseconds; all search rows are read. */
const TIMEOUT = 300_000;

/**
 * Makes areas for names that have none yet; the review of areas then places all listings, without notifying watchers. Gives how
 * many areas were made.
 */
export async function makeAddressAreas(
  database: Database,
  lease: Pick<HeldLease, 'transaction'>,
  isStopped: () => boolean,
): Promise<number> {
  if (await database.read((sql) => hasImportedAreas(sql, ADDRESS_AREAS))) return 0;
  const names = await database.read(findAddressNames, { timeout: TIMEOUT });
  const known = await database.read((sql) => findAreaIdsOfSource(sql, ADDRESS_AREAS));
  const missing = addressAreas(names).filter(({ type, externalId }) => !known.has(areaId(type, externalId)));
  let made = 0;
  while (made < missing.length && !isStopped()) {
    const batch = missing.slice(made, made + BATCH);
    await lease.transaction(
      async (tx) => {
        await writeAreaDrafts(tx, ADDRESS_AREAS, batch, database.clock.now());
        await startReview(tx, 'areas');
      },
      { timeout: TIMEOUT },
    );
    made += batch.length;
  }
  return made;
}
