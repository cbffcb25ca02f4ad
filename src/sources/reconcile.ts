// Reconciliation with a list of all keys: what the source no longer has is deleted, and what is not stored is fetched.

import type { Catalogue } from '../ingest/listing-writer.ts';
import { refuseEnding } from '../ingest/removal/ending-guard.ts';
import type { Clock } from '../lib/clock.ts';
import type { ListingDraft } from '../listings/draft.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import type { SourceMetrics } from './metrics.ts';
import { findDeletedKeys, findKeys } from './reconcile-store.ts';
import { feedFault, type ListedKeys, type Source } from './source.ts';

export interface ReconcileOptions {
  readonly source: Pick<Source, 'id' | 'records' | 'forget'>;
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: SourceMetrics;
  /** Called at the end of each transaction; throws where another process reads the source by now. */
  readonly hold: (tx: Transaction) => Promise<void>;
}

/** Keys read at once. */
const PAGE = 10_000;
/** Listings to a transaction. */
const BATCH = 500;
/** Listings that are fetched after one list at most; the next one finds the others. */
const MAX_FETCHED = 5_000;

/**
 * Deletes the stored listings that a list does not name, unless they are suspiciously many, and fetches those that only the
 * list names. Interrupted, it does the rest with the next list. Throws the LiveError of a list that is not believed.
 */
export async function reconcile(options: ReconcileOptions, { keys, total }: ListedKeys): Promise<void> {
  const { database, source } = options;
  const absent = new Set(keys);
  const missing: string[] = [];
  let [stored, after] = [0, ''];
  for (;;) {
    const page = await database.read((sql) => findKeys(sql, source.id, after, PAGE));
    for (const key of page) if (!absent.delete(key)) missing.push(key);
    stored += page.length;
    after = page.at(-1) ?? '';
    if (page.length < PAGE) break;
  }
  await fetchAbsent(options, [...absent].slice(0, MAX_FETCHED));
  const doubt =
    total !== null && total > keys.length
      ? `the source counts ${total} records and names ${keys.length}`
      : null;
  const refused = refuseEnding({ listed: keys.length, doubt, stored, ending: missing.length });
  if (refused !== null) throw feedFault('suspicious_keys', refused);
  for (let from = 0; from < missing.length; from += BATCH)
    await write(options, [], missing.slice(from, from + BATCH));
}

async function fetchAbsent(options: ReconcileOptions, keys: readonly string[]): Promise<void> {
  const { records } = options.source;
  if (records === undefined || keys.length === 0) return;
  for await (const { drafts, gone } of records(keys)) await write(options, drafts, gone);
}

/**
 * The drafts of a page, with photos also where they are the same as before the listing was deleted: those that were stored are erased.
 * Throws LiveError.
 */
export async function completeRestored(
  { source, database }: Pick<ReconcileOptions, 'source' | 'database'>,
  drafts: readonly ListingDraft[],
): Promise<readonly ListingDraft[]> {
  const { records, forget } = source;
  const bare = drafts.filter(({ photos }) => photos === null).map(({ listingKey }) => listingKey);
  if (records === undefined || forget === undefined || bare.length === 0) return drafts;
  const restored = await database.read((sql) => findDeletedKeys(sql, source.id, bare));
  if (restored.length === 0) return drafts;
  forget(restored);
  const whole = new Map<string, ListingDraft>();
  for await (const page of records(restored))
    for (const draft of page.drafts) whole.set(draft.listingKey, draft);
  return drafts.map((draft) => whole.get(draft.listingKey) ?? draft);
}

async function write(
  options: ReconcileOptions,
  read: readonly ListingDraft[],
  gone: readonly string[],
): Promise<void> {
  const { source, catalogue, database, clock, metrics, hold } = options;
  const drafts = await completeRestored(options, read);
  const written = await database.transaction(
    async (tx) => {
      const result = await catalogue.write(tx, source.id, drafts, clock.now(), gone);
      await hold(tx);
      return result;
    },
    { timeout: 60_000, planned: 'once' },
  );
  for (const kind of ['created', 'changed', 'unchanged', 'removed'] as const)
    metrics.records(kind, written[kind]);
}
