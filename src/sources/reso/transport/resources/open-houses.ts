// Open houses of records, where they are a resource of their own.

import { LiveError } from '../../../source.ts';
import type { UpstreamRecord } from '../../mapping/decode.ts';
import { type Asking, batchesOf, readAll } from './by-keys.ts';
import { openHousesFrom } from './offered.ts';
import { openHousesUrl } from './resource-queries.ts';

/** Statuses of a server that does not answer for open houses of listings. */
const REFUSED: readonly (number | null)[] = [400, 404, 405, 501];

/** The records with all their open houses, in place of those that are known; as they are where the server refuses to say. Throws LiveError. */
export async function withOpenHouses(
  records: readonly UpstreamRecord[],
  asking: Asking,
): Promise<readonly UpstreamRecord[]> {
  const { root, rules } = asking;
  if (openHousesFrom(rules) !== 'resource') return records;
  const { flag } = rules.profile.deletes;
  const keyOf = (record: UpstreamRecord) => String(record[rules.keyField]);
  const found = new Map<string, UpstreamRecord[]>();
  for (const batch of batchesOf(records.map(keyOf), rules.profile)) {
    const houses = await readAll(openHousesUrl(root, batch, rules), asking).catch((error: unknown) => {
      if (error instanceof LiveError && REFUSED.includes(error.status)) return null;
      throw error;
    });
    if (houses === null) continue;
    for (const key of batch) found.set(key, []);
    for (const house of houses)
      if (flag === null || house[flag] !== false) found.get(String(house.ListingKey))?.push(house);
  }
  return records.map((record) => {
    const houses = found.get(keyOf(record));
    return houses === undefined ? record : { ...record, OpenHouse: houses };
  });
}
