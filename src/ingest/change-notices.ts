// Notifications to other processes about changed properties.

import { ALL_PROPERTIES, LISTINGS_CHANNEL } from '../listings/property-cache.ts';
import type { Sql } from '../postgres/client/database.ts';
import { notify } from '../postgres/client/listen.ts';

/** PostgreSQL takes payloads below 8,000 bytes; where the ids do not fit, all properties count as changed. */
const MAX_PAYLOAD = 7_900;

/** Notifies, once the transaction commits, that these properties changed; without ids: that any may have. */
export async function notifyChanged(tx: Sql, propertyIds?: readonly string[]): Promise<void> {
  const payload = propertyIds?.join() ?? ALL_PROPERTIES;
  await notify(tx, LISTINGS_CHANNEL, payload.length > MAX_PAYLOAD ? ALL_PROPERTIES : payload);
}
