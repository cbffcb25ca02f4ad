// Proves that what a RESO server said of a listing can be had in its own fields, but for what is nobody's business or withheld.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { UpstreamRecord } from '../../src/sources/reso/mapping/decode.ts';
import { mapProperty } from '../../src/sources/reso/mapping/map.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const { database, clock, keys } = service;
const catalogue = createCatalogue(database);

const HOUSE: UpstreamRecord = {
  ListingKey: 'k1',
  StandardStatus: 'Active',
  PropertyType: 'Residential Lease',
  ListPrice: '2,100.00',
  StreetNumber: '12',
  StreetName: 'Oak',
  StreetSuffix: 'Street',
  UnparsedAddress: '12 Oak Street',
  City: 'Aldern',
  Latitude: 40.123456,
  Longitude: -90.654321,
  ParcelNumber: 'P-1',
  TaxYear: 2024,

  PublicRemarks: 'Come to 12 Oak Street.',
  RentControlYN: true,
  PetsAllowed: ['Cats OK'],
  Stories: null,
  ModificationTimestamp: '2026-01-05T00:00:00Z',
  BedroomsTotal: 2.0,
  InternetAddressDisplayYN: true,
  VirtualTourURLUnbranded: 'https://tour.example/12-oak',
};
const PRIVATE: UpstreamRecord = {
  PrivateRemarks: 'Key under the mat',
  OwnerName: 'A. Person',
  LockBoxSerialNumber: '7',
  '@odata.id': 'x',
  Media: [{ MediaKey: 'm', MediaURL: 'https://photos.example/m' }],
};
/** What is to be kept of a record: what it holds of what we ask for. */
const given = (record: UpstreamRecord) =>
  Object.fromEntries(Object.entries(record).filter(([name, value]) => value !== null && !(name in PRIVATE)));

async function bring(...records: UpstreamRecord[]): Promise<ReadonlyMap<string, string>> {
  const drafts = records.flatMap((record) => mapProperty(record, { currency: 'USD', note: () => {} }) ?? []);
  const { ids } = await database.transaction((tx) => catalogue.write(tx, 'reso', drafts, clock.now()));
  return ids;
}

interface Found {
  readonly id: string;
  readonly version: number;
  readonly rental: { readonly rentControl: boolean | null } | null;
  readonly reso?: Readonly<Record<string, unknown>> | null;
}
const search = async (query: string, key: string = keys.pro): Promise<readonly Found[]> => {
  const { data }: { data: Found[] } = await service.json(`/v1/search/rentals?${query}`, key);
  return data;
};

const ids = await bring(
  { ...HOUSE, ...PRIVATE },
  { ...HOUSE, ListingKey: 'k2', ParcelNumber: 'P-12', InternetAddressDisplayYN: false, RentControlYN: 'N' },
  {
    ...HOUSE,
    ListingKey: 'k3',
    ParcelNumber: 'P-13',
    RentControlYN: null,
    InternetEntireListingDisplayYN: false,
  },
  { ...HOUSE, ListingKey: 'k4', ParcelNumber: 'P-14', RentControlYN: null },
);
const id = (key: string): string => ids.get(key) ?? assert.fail();

test('a listing and its property tell the fields that were asked for, as the source gave them', async () => {
  const [found] = await search(`ids=${id('k1')}&include=reso`);
  assert.deepEqual(found?.reso, given(HOUSE));
  const posted = await fetch(`${service.url}/v1/search/rentals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${keys.pro}` },
    body: JSON.stringify({ ids: [id('k1')], include: ['reso'], fields: ['id'], format: 'ndjson', limit: 5 }),
  });
  const {
    cursor: _,
    attribution,
    fetchedAt,
    ...line
  } = JSON.parse(await posted.text()) as Record<string, unknown>;
  assert.deepEqual(line, { id: id('k1'), object: 'listing', reso: given(HOUSE) });
  assert.ok(attribution && fetchedAt);
  const property: { reso: unknown } = await service.json(`/v1/property/${id('k1')}?include=reso`, keys.free);
  assert.deepEqual(property.reso, given(HOUSE));
  const bare: { reso: unknown } = await service.json(`/v1/property/${id('k1')}`, keys.free);
  assert.deepEqual([bare.reso, (await search(`ids=${id('k1')}`))[0]?.reso], [null, undefined]);
});

test('where the address is withheld, nothing in any field names the house or says where it stands', async () => {
  const [found] = await search(`ids=${id('k2')}&include=reso`);
  const property: { reso: unknown } = await service.json(`/v1/property/${id('k2')}?include=reso`, keys.pro);
  assert.deepEqual(property.reso, found?.reso);
  assert.doesNotMatch(JSON.stringify(found?.reso), /oak|40\.12|-90\.65|P-1|2024/i);
  const { ListPrice, PublicRemarks, City } = found?.reso ?? {};
  assert.deepEqual([ListPrice, City, PublicRemarks], ['2,100.00', 'Aldern', 'Come to (address withheld).']);
  const [whole] = await search(`ids=${id('k2')}&include=reso&display=ignore`, keys.internal);
  assert.equal(whole?.reso?.UnparsedAddress, '12 Oak Street');
  assert.deepEqual(await search(`ids=${id('k3')}&include=reso`), []);
});

test('what changes only in the source’s own words is told anew without a new version; older pages change nothing', async () => {
  const [before] = await search(`ids=${id('k1')}`);
  const later = { ...HOUSE, ListPrice: '2100', ModificationTimestamp: '2026-01-06T00:00:00Z' };
  await bring(later);
  const [after] = await search(`ids=${id('k1')}&include=reso`);
  assert.deepEqual([after?.reso, after?.version], [given(later), before?.version]);
  await bring({ ...HOUSE, ListPrice: '1900', ModificationTimestamp: '2026-01-01T00:00:00Z' });
  assert.deepEqual((await search(`ids=${id('k1')}&include=reso`))[0]?.reso, given(later));
});

test('rent control is filtered by what is known: yes, no, and neither for what is not said', async () => {
  const told = async (query: string) => (await search(query)).map((each) => each.id).sort();
  assert.deepEqual(await told('rentControl=true'), [id('k1')]);
  assert.deepEqual(await told('rentControl=false'), [id('k2')]);
  assert.deepEqual(await told(''), [id('k1'), id('k2'), id('k4')].sort());
  const byId = new Map((await search('')).map((each) => [each.id, each.rental?.rentControl]));
  assert.deepEqual([byId.get(id('k1')), byId.get(id('k2')), byId.get(id('k4'))], [true, false, null]);
  assert.equal((await service.get('/v1/search/sales?rentControl=true', keys.pro)).status, 400);
});

test('a listing of an earlier release has no record of RESO and an unknown rent control', async () => {
  await database.write(
    (sql) =>
      sql`update listing set record = (record::jsonb #- '{rental,rentControl}')::json where id = ${id('k4')}`,
  );
  await database.write((sql) => sql`delete from listing_reso where listing_id = ${id('k4')}`);
  const [found] = await search(`ids=${id('k4')}&include=reso`);
  assert.deepEqual([found?.reso, found?.rental?.rentControl], [null, null]);
});
