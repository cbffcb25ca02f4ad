// Proves that a listing which the source reports as gone leaves the searches, and stays in its property's history.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listingId } from '../../src/ingest/identity.ts';
import { until } from '../support/check/until.ts';
import { startService } from '../support/service/service.ts';
import { startUpstream } from '../support/sources/upstream.ts';

interface Listing {
  readonly id: string;
  readonly propertyId: string;
  readonly status: string;
}

test('a listing that the source no longer shows is delisted with the round of changes that says so', async (t) => {
  const upstream = await startUpstream(t);
  const put = (ListingKey: string, ModificationTimestamp: string, more = {}) =>
    upstream.records.set(ListingKey, {
      ListingKey,
      ModificationTimestamp,
      StandardStatus: 'Active',
      PropertyType: 'Residential',
      ListPrice: 100_000,
      ...more,
    });
  for (const key of ['a', 'b', 'c']) put(key, '2026-01-01T00:00:00.000Z');
  const service = await startService(t, {
    environment: {
      SOURCE: 'reso',
      RESO_BASE_URL: upstream.url,
      RESO_TOKEN_URL: upstream.tokenUrl,
      RESO_CLIENT_ID: 'me',
      RESO_CLIENT_SECRET: 'hush',
    },
  });
  const found = async (): Promise<Map<string, Listing>> => {
    const path = '/v1/search/sales?limit=10&fields=id,propertyId,status';
    const { data } = (await service.json(path, service.keys.pro)) as { data: Listing[] };
    return new Map(data.map((listing) => [listing.id, listing]));
  };
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((key) => listingId('reso', key));
  const loaded = await found();
  assert.deepEqual([...loaded.keys()].toSorted(), [a, b, c].toSorted());

  put('b', '2026-01-02T00:00:00.000Z', { MlgCanView: false });
  put('d', '2026-01-02T00:00:00.000Z');
  // The new listing and the removal are of one page, so that they are committed together.
  await until('the new listing is found', async () => {
    service.clock.advance(60_000);
    return (await found()).has(d ?? '');
  });

  assert.deepEqual([...(await found()).keys()].toSorted(), [a, c, d].toSorted());
  const path = `/v1/property/${loaded.get(b ?? '')?.propertyId}?include=listings,history`;
  const property = (await service.json(path, service.keys.pro)) as {
    listings: Listing[];
    history: { event: string }[];
  };
  assert.deepEqual(
    property.listings.map(({ id, status }) => [id, status]),
    [[b, 'DELETED']],
  );
  assert.ok(property.history.some(({ event }) => event === 'DELISTED'));
});
