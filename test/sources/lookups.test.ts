// Proves that what a source says of its values is read once a day, and that listings end as a fresh load would when it changes.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createOutbound } from '../../src/lib/outbound.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { findLookupReading, findLookups } from '../../src/sources/lookups/lookup-store.ts';
import type { Closing } from '../support/database/database.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { isLoaded, type ReplicatedSource, replicateSource } from '../support/sources/replica.ts';
import {
  replicateVendor,
  SYSTEM,
  TOKEN,
  type VendorReplica,
  type VendorRequest,
  type VendorServer,
  vendorSource,
} from '../support/sources/vendor-server.ts';
import { startVendorService } from '../support/sources/vendor-service.ts';

const DAY = 86_400_000;
/** Pages of lookups are small, so that there are several. */
const SMALL = { page: { size: 400 } };

/** First pages of lookups. */
const readings = ({ requests }: Pick<VendorServer, 'requests'>): VendorRequest[] =>
  requests.filter(({ url }) => url.pathname.endsWith('/Lookup') && !url.searchParams.has('$skiptoken'));

const readingOf = (database: Database) => database.read((sql) => findLookupReading(sql, 'reso'));

/** All that is shown of the listings that the source still has. */
const shown = (database: Database) =>
  database.read(async (sql) => {
    const listings = await sql`
      select listing_key, status, displayed, record from listing where status <> 'DELETED' order by 1`;
    const search = await sql`
      select to_jsonb(listing_search) - 'version' - 'updated_at' as row from listing_search where status <> 'DELETED' order by id`;
    const sent = await sql`
      select listing_id, reso.record from listing_reso as reso join listing on listing.id = listing_id
      where status <> 'DELETED' order by 1`;
    return { listings: [...listings], search: [...search], sent: [...sent] };
  });

const versions = async (database: Database) => {
  const rows = await database.read(
    (sql) =>
      sql<{ key: string; version: number }[]>`select listing_key as key, version from listing order by 1`,
  );
  return new Map(rows.map(({ key, version }) => [key, version]));
};

/** A replica of the same server on a database of its own. */
async function freshReplica(t: Closing, server: VendorServer, profile: string): Promise<ReplicatedSource> {
  const { database } = await testDatabase(t);
  return anotherReader(t, server, profile, database);
}

async function anotherReader(
  t: Closing,
  server: VendorServer,
  profile: string,
  database: Database,
): Promise<ReplicatedSource> {
  const { clock } = server;
  const replica = await replicateSource(t, { clock, database }, (counted) =>
    vendorSource(server, counted(createOutbound({ clock })), profile, SMALL),
  );
  await replica.passUntil('the source is followed', () => isLoaded(replica));
  return replica;
}

/** Requests for whole records that are not about changes, or single listings. */
const wholeReads = ({ requests }: Pick<VendorServer, 'requests'>, after: number): VendorRequest[] =>
  requests.slice(after).filter(({ url }) => {
    const filter = url.searchParams.get('$filter') ?? '';
    return /\/Property$/.test(url.pathname) && url.search.includes('ListPrice') && filter === '';
  });

async function subTypes({ database }: Pick<VendorReplica, 'database'>): Promise<Map<string, string>> {
  const rows = await database.read(
    (sql) => sql<{ key: string; type: string }[]>`
      select listing_key as key, record ->> 'propertySubType' as type from listing order by 1`,
  );
  return new Map(rows.map(({ key, type }) => [key, type]));
}

test('a value that is renamed at the source is known a day later: the catalogue is that of a fresh load, and what stays tells nobody', async (t) => {
  const replica = await replicateVendor(t, 'standard', { overrides: SMALL });
  const { database, vendor, world, clock } = replica;
  await replica.load();
  const paths = replica.requests.map(({ url }) => url.pathname.split('/').at(-1));
  assert.ok(paths.indexOf('Lookup') < paths.indexOf('Property'), 'the first listing is mapped by them');
  assert.ok(paths.filter((path) => path === 'Lookup').length > 1, 'page by page');
  assert.equal(readings(replica).length, 1);
  await replica.pass(600);
  assert.equal(readings(replica).length, 1);
  const before = await versions(database);
  const types = await subTypes(replica);
  const condos = [...types].filter(([, type]) => type === 'Condominium').map(([key]) => key);
  const [sent = '', ...untouched] = condos;
  assert.ok(untouched.length > 0);

  assert.ok(vendor.lookups.rename('PropertySubType', 'Condominium', 'Flat in a house'));
  world.change(sent, { ListPrice: 123_456 });
  await replica.pass(130);
  assert.equal((await subTypes(replica)).get(sent), 'Flat in a house', 'the dictionary lacks it');
  const asked = replica.requests.length;
  clock.advance(DAY);
  await replica.passUntil('the lookups are read', () => readings(replica).length === 2);
  await replica.passUntil('it is known', async () => (await subTypes(replica)).get(sent) === 'Condominium');
  await replica.pass(130);
  const [, second] = readings(replica);
  assert.match(second?.url.searchParams.get('$filter') ?? '', /^ModificationTimestamp ge 2024-01-14T/);
  assert.deepEqual(wholeReads(replica, asked), [], 'nothing is read again');
  const after = await versions(database);
  for (const [key, version] of before) if (key !== sent) assert.equal(after.get(key), version, key);

  const fresh = await freshReplica(t, replica, 'standard');
  assert.deepEqual(await shown(database), await shown(fresh.database));
  await fresh.replication.stop();

  // Whoever reads a listing live knows them, too.
  const live = vendorSource(
    replica,
    createOutbound({ clock }),
    'standard',
    {},
    {
      findLookups: (known) => database.read((sql) => findLookups(sql, 'reso', known)),
    },
  );
  const { signal } = new AbortController();
  assert.equal((await live.fetchOne(sent, signal)).propertySubType, 'Condominium');
  await live.close();

  // What nobody maps by maps nothing again.
  const [requested] = await database.read((sql) => sql`select requested_at as at from source_remap`);
  assert.ok(vendor.lookups.rename('WaterfrontFeatures', 'Bay Access', 'By the water'));
  clock.advance(DAY);
  // The last change is that of another listing from now on, so that the first one is not sent again.
  world.change([...types.keys()].find((key) => !condos.includes(key)) ?? '', { ListPrice: 234_567 });
  await replica.passUntil('they are read again', () => readings(replica).length === 4);
  await replica.pass(130);
  assert.deepEqual(
    [...(await database.read((sql) => sql`select requested_at as at from source_remap`))],
    [requested],
  );

  // A restart is no reason to read them.
  await replica.replication.stop();
  const again = await anotherReader(t, replica, 'standard', database);
  await again.pass(600);
  assert.equal(readings(replica).length, 4);
  // Once a week all of them are read; what was sent by a name in between is still known by it.
  assert.ok(vendor.lookups.rename('PropertySubType', 'Condominium', 'Flat'));
  clock.advance(7 * DAY);
  await again.passUntil('all are read', () => readings(replica).length === 5);
  assert.equal(readings(replica)[4]?.url.searchParams.has('$filter'), false);
  await again.pass(130);
  assert.equal((await subTypes(replica)).get(sent), 'Condominium');
});

test('a server without Lookup, or that refuses it, is read all the same, and asked again a day later', async (t) => {
  for (const [lookups, state, requests] of [
    ['absent', 'absent', 0],
    ['refused', 'refused', 1],
  ] as const) {
    const replica = await replicateVendor(t, 'trestle', { size: 15, quirks: { lookups } });
    await replica.load();
    await replica.pass(70);
    await replica.assertSame();
    assert.equal(replica.replication.status().failure, null);
    assert.equal((await readingOf(replica.database))?.state, state);
    assert.equal(readings(replica).length, requests);
    replica.vendor.quirks = { ...replica.vendor.quirks, lookups: 'served' };
    replica.clock.advance(DAY);
    await replica.passUntil(
      'they are read',
      async () => (await readingOf(replica.database))?.state === 'read',
    );
    await replica.replication.stop();
  }
});

test('lookups are read by the rules of each vendor', async (t) => {
  for (const vendor of ['bridge', 'mlsgrid'] as const) {
    const replica = await replicateVendor(t, vendor, { size: 15 });
    await replica.load();
    const reading = await readingOf(replica.database);
    assert.deepEqual([reading?.state, reading?.detail], ['read', null], vendor);
    const [kept] = await replica.database.read(
      (sql) => sql`
        select lookup, standard, legacy from source_lookup where lookup = 'PetsAllowed' and value = 'Cats OK'`,
    );
    assert.deepEqual(kept, { lookup: 'PetsAllowed', standard: 'Cats OK', legacy: 'CatsOk' });
    assert.equal(replica.vendor.quota.refusals, 0);
    await replica.replication.stop();
  }
});

test('a renamed text of $metadata is that of listings that were sent before, which are kept as they came', async (t) => {
  const replica = await replicateVendor(t, 'spark');
  const { database, vendor, clock } = replica;
  await replica.load();
  const statuses = async () => {
    const rows = await database.read(
      (sql) => sql<{ raw: string }[]>`select distinct record ->> 'statusRaw' as raw from listing order by 1`,
    );
    return rows.map(({ raw }) => raw);
  };
  assert.ok((await statuses()).includes('Sold'));
  assert.ok(vendor.lookups.rename('MlsStatus', 'Sold', 'Settled'));
  const asked = replica.requests.length;
  clock.advance(DAY);
  await replica.passUntil('it is read', async () => (await statuses()).includes('Settled'));
  assert.equal((await statuses()).includes('Sold'), false);
  assert.deepEqual(wholeReads(replica, asked), []);
});

test('a service tells what it knows of lookups, and counts what it does not know', async (t) => {
  const folder = await temporaryFolder(t, 'lookups');
  const stage = await startVendorService(t, 'mlsgrid', {
    prepare({ world }) {
      for (const { key } of [...world.market.visible()].slice(0, 2))
        world.change(key, { PropertySubType: 'Palace' });
    },
  });
  const { service } = stage;
  const text = async (path: string, key?: string) => (await service.get(path, key)).text();
  const told = () => text('/readyz?verbose', service.keys.internal);
  await stage.untilRead('it is reported', async () =>
    /"unknown values: PropertySubType 1"/.test(await told()),
  );
  const metrics = await text('/metrics', service.keys.internal);
  assert.match(metrics, /freehold_source_unknown_values\{source="reso",field="PropertySubType"\} 1\n/);
  assert.match(metrics, /freehold_source_unread_fields\{source="reso"\} 0\n/);
  const environment = { DATABASE_URL: service.databaseUrl, SOURCE: 'none', VENDOR_TOKEN: TOKEN };
  const source = {
    id: 'mls',
    name: 'Vendor',
    profile: 'mlsgrid',
    url: `${stage.url}/odata`,
    originatingSystem: SYSTEM,
    secrets: { bearerToken: 'VENDOR_TOKEN' },
  };
  await writeFile(join(folder, 'sources.json'), JSON.stringify({ sources: [source] }));
  const run = (...args: string[]) => runCommand(['sources', ...args], { folder, environment });
  const applied = await run('apply', join(folder, 'sources.json'));
  assert.equal(applied.code, 0, applied.stderr);
  // As if the process that reads it had read the same.
  await service.database.write(
    (sql) => sql`
      insert into source_lookup_reading (source, state, read_at, tried_at, due_at)
      select 'mls', state, read_at, tried_at, due_at from source_lookup_reading where source = 'reso'`,
  );
  await service.database.write(
    (sql) => sql`
      insert into source_lookup select 'mls', origin, lookup, key, value from source_lookup where source = 'reso'`,
  );
  const status = await run('status', 'mls');
  assert.match(status.stdout, /lookups +[\d,]+ values, read \d{4}-/, `${status.stdout}${status.stderr}`);
  const { lookups } = JSON.parse((await run('status', 'mls', '--json')).stdout);
  assert.equal(lookups.state, 'read');
  stage.vendor.quirks = { ...stage.vendor.quirks, lookups: 'refused' };
  assert.match((await run('test', 'mls')).stdout, /lookups +refused: The source answered 403/);
});
