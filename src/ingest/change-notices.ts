// Change notices: every transaction that writes listings tells other processes which properties changed.

import { ALL_PROPERTIES, LISTINGS_CHANNEL } from '../listings/property-cache.ts';
import type { Sql } from '../postgres/client/database.ts';
import { notify } from '../postgres/client/listen.ts';

/** PostgreSQL takes payloads below 8,000 bytes; a change of more properties than fit speaks of all. */
const LONGEST_PAYLOAD = 7_900;

/** Tells, once the transaction is committed, that these properties changed; without ids, that any may have. */
export async function tellChanged(tx: Sql, propertyIds?: readonly string[]): Promise<void> {
  const payload = propertyIds?.join() ?? ALL_PROPERTIES;
  await notify(tx, LISTINGS_CHANNEL, payload.length > LONGEST_PAYLOAD ? ALL_PROPERTIES : payload);
}
