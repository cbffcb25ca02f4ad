// What tests wait for before they count on notifications.

import type { Database } from '../../../src/postgres/client/database.ts';
import { listen } from '../../../src/postgres/client/listen.ts';

/** Resolves once everything that listens on this database by now has joined its channel: channels are joined in order. */
export async function untilListening(database: Database): Promise<void> {
  const { promise: joined, resolve } = Promise.withResolvers<void>();
  const probe = listen(database, 'probe', () => {}, resolve);
  await joined;
  await probe.close();
}
