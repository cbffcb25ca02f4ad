// Proves that a server which nobody here wrote is replicated by the profile of any server: a package of the npm registry.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createOutbound } from '../../src/lib/outbound.ts';
import { readProfile } from '../../src/sources/reso/profiles/profile.ts';
import { resoSource } from '../../src/sources/reso/transport/client.ts';
import { LiveError } from '../../src/sources/source.ts';
import { testDatabase } from '../support/database/database.ts';
import { startProgram } from '../support/process/children.ts';
import { clientsSkip } from '../support/process/client-packages.ts';
import { manualClock } from '../support/service/clock.ts';
import { replicateSource } from '../support/sources/replica.ts';

const DAY = 86_400_000;
const skip = clientsSkip();
const at = { after };
const never = new AbortController().signal;

const recordOf = (number: number, price: number, modified: string) => ({
  ListingKey: `k${number}`,
  ListingId: `A${number}`,
  ListPrice: price,
  StandardStatus: 'Active',
  PropertyType: 'Residential',
  City: 'Ashcombe',
  BedroomsTotal: 3,
  PhotosCount: 4,
  ModificationTimestamp: modified,
});

async function startServer() {
  const child = startProgram(at, '../clients/odata/server.ts', []);
  const root = (await child.line()) ?? '';
  const tell = async (order: object) => {
    child.tell(JSON.stringify(order));
    assert.equal(await child.line(), 'done');
  };
  const prices = new Map<string, readonly unknown[]>();
  return {
    root,
    /** Price and number of photos, by key. */
    prices,
    async put(record: ReturnType<typeof recordOf>) {
      await tell({ put: record });
      prices.set(record.ListingKey, [record.ListPrice, record.PhotosCount]);
    },
    async remove(key: string) {
      await tell({ remove: key });
      prices.delete(key);
    },
  };
}

test('simple-odata-server is loaded, followed, swept and read live', { skip }, async () => {
  const server = await startServer();
  for (let number = 10; number < 60; number++)
    await server.put(recordOf(number, 100_000 + number, `2026-01-04T00:00:${number}.000Z`));
  const { database } = await testDatabase(at);
  const clock = manualClock();
  const replica = await replicateSource(at, { clock, database }, (outbound) =>
    resoSource({
      id: 'foreign',
      name: 'Foreign',
      url: server.root,
      // Its parser knows no times.
      profile: readProfile('standard', { watermark: { literal: 'quoted' } }),
      credentials: { kind: 'bearer', token: 'none' },
      outbound: outbound(createOutbound({ clock })),
      clock,
    }),
  );
  const assertSame = async () => assert.deepEqual(await replica.stored(), server.prices);
  await replica.load();
  await assertSame();

  await server.put(recordOf(20, 222_222, '2026-01-05T12:00:10.000Z'));
  await server.put(recordOf(70, 777_777, '2026-01-05T12:00:20.000Z'));
  await replica.pass(130);
  await assertSame();

  await server.remove('k30');
  clock.advance(DAY);
  await replica.pass(130);
  await assertSame();
  assert.equal(replica.replication.status().failure, null);

  const draft = await replica.source.fetchOne('k20', never);
  assert.equal(draft.listPrice, 222_222);
  await assert.rejects(
    replica.source.fetchOne('k30', never),
    (error) => error instanceof LiveError && error.code === 'not_found_upstream',
  );
});
