// Abandoned sources: those that the service has read by itself, and that no process is configured with any more.

import { findSourcesInUse } from '../ingest/removal/source-lock-store.ts';
import type { Sql } from '../postgres/client/database.ts';
import { findSources, type StoredSource } from './removal-store.ts';

/** The sample market's id as a source. */
export const SAMPLE = 'sample';

/** Ids of the sources that the service can read by itself, whether or not it has started. */
export const REPLICATED: readonly string[] = [SAMPLE, 'reso'];

/** The id of the source that a setting of SOURCE names; null: none. */
export const configuredSource = ({ kind }: { readonly kind: string }): string | null =>
  kind === 'none' ? null : kind;

/**
 * Sources that are stored, neither configured here nor set up in the database, and read by no other process.
 * @param configured the id of the source of this process's settings; null: none
 */
export async function findAbandoned(sql: Sql, configured: string | null): Promise<StoredSource[]> {
  const sources = (await findSources(sql)).filter(
    ({ id, kind, setBy, enabled, isReplicated, listings, areas }) =>
      id !== configured &&
      !(kind === 'reso' && setBy !== 'settings' && enabled) &&
      (isReplicated || REPLICATED.includes(id)) &&
      listings + areas > 0,
  );
  if (sources.length === 0) return [];
  const used = await findSourcesInUse(
    sql,
    sources.map(({ id }) => id),
  );
  return sources.filter(({ id }) => !used.includes(id));
}

/** `2,378 listings and 120 areas` */
export function describeStored({ listings, areas }: Pick<StoredSource, 'listings' | 'areas'>): string {
  const parts = [plural(listings, 'listing'), ...(areas > 0 ? [plural(areas, 'area')] : [])];
  return parts.join(' and ');
}

const plural = (count: number, noun: string): string =>
  `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
