// A digest that a request names by its cursor, for the owner who was told it.

import type { Database } from '../../postgres/client/database.ts';
import { invalidCursor, parseCursor, requireKept } from './cursor.ts';
import { type DigestRange, findDigest } from './digest-store.ts';

const NAME = 'digest';

/**
 * Where the events of a digest of this watcher stand. Throws INVALID_CURSOR for any other event's cursor, CURSOR_EXPIRED for a
 * digest that is no longer kept.
 * @param requireWatcher throws unless the caller has the watcher; not called for a digest of a watcher that is deleted by now
 */
export async function requireDigest(
  database: Database,
  {
    owner,
    watcherId,
    cursor,
  }: { readonly owner: string; readonly watcherId: string; readonly cursor: string },
  requireWatcher: () => Promise<void>,
): Promise<DigestRange> {
  const position = parseCursor(cursor, NAME);
  const { digest, ...range } = await database.read((sql) => findDigest(sql, owner, position), {
    planned: 'once',
  });
  if (digest !== null && position.watcherId === watcherId) return digest;
  await requireWatcher();
  requireKept(position, range, NAME);
  throw invalidCursor(NAME, 'is not the cursor of a watcher.digest event of this watcher');
}

/** The position of the digest itself, behind all its events. */
export const digestPosition = ({ watcherId, sequence }: DigestRange) => ({
  sequence,
  watcherId,
  type: 'watcher.digest',
  ordinal: 0,
});
