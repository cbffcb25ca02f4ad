// Listings that are stored of a source, in the words of its history.

import { propertyFields } from '../../../../sample/fields/property.ts';
import type { Database } from '../../../../src/postgres/client/database.ts';
import { type ListingState, stateOf } from './source-history.ts';
import type { VendorMachine } from './vendor-machine.ts';

/** Those that the source still has, by key. */
export async function readStored(
  database: Database,
  source: string,
): Promise<ReadonlyMap<string, ListingState>> {
  const rows = await database.read(
    (sql) => sql<{ key: string; status: string; price: number; closePrice: number | null; photos: number }[]>`
      select listing_key as key, listing.status, (record ->> 'price')::float8 as price,
        (record ->> 'closePrice')::float8 as "closePrice",
        (record ->> 'photoCount')::int as photos
      from listing
      where source = ${source} and listing.status <> 'DELETED' order by listing_key`,
  );
  return new Map(rows.map(({ key, status, ...facts }) => [key, stateOf(status, facts)]));
}

/** Letters of a local status, however it is spelled. */
const lettersOf = (text: unknown): string =>
  String(text)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** Sub-type and local status of the listings that the source still has, by key. */
export async function readNames(database: Database, source: string): Promise<ReadonlyMap<string, string>> {
  const rows = await database.read(
    (sql) => sql<{ key: string; type: string; status: string }[]>`
      select listing_key as key, record ->> 'propertySubType' as type, record ->> 'statusRaw' as status
      from listing where source = ${source} and status <> 'DELETED' order by listing_key`,
  );
  return new Map(rows.map(({ key, type, status }) => [key, `${type} ${lettersOf(status)}`]));
}

/** The same as the server has them: sub-types in the dictionary's words, statuses in its own. */
export function namesAt({ server }: Pick<VendorMachine, 'server'>): ReadonlyMap<string, string> {
  const { market } = server.world;
  const context = {
    neighborhoods: market.land.neighborhoods,
    now: market.lastAt,
    baseUrl: '',
    photosUrl: '',
  };
  const names = [...market.visible()].flatMap((listing) => {
    const [type, status] = ['PropertySubType', 'MlsStatus'].map((name) =>
      String(propertyFields.get(name)?.get(listing, context)),
    );
    const local = server.vendor.lookups.textOf('MlsStatus', status ?? '');
    return listing.status === 'Delete' ? [] : [[listing.key, `${type} ${lettersOf(local)}`] as const];
  });
  return new Map(names.sort(([a], [b]) => (a < b ? -1 : 1)));
}
