// Licences: what sources of each kind are set up with, marks of single listings, and blocks by commands.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { findTerms, writeTerms } from '../../src/licence/licence-store.ts';
import { OWN, type Terms } from '../../src/licence/terms/terms.ts';
import { createPushSource } from '../../src/sources/registry/set-up.ts';
import { mapProperty } from '../../src/sources/reso/mapping/map.ts';
import { readProfile } from '../../src/sources/reso/profiles/profile.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { importFile } from '../support/catalogue/imports.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { startSecondService } from '../support/service/second-service.ts';
import { startService } from '../support/service/service.ts';

const at = { after };
const service = await startService(at);
const { database, clock, keys } = service;
const catalogue = createCatalogue(database);
const folder = await temporaryFolder(at, 'licences');

const write = (source: string, permissions: Readonly<Record<string, readonly string[]>>) =>
  database.transaction((tx) =>
    catalogue.write(
      tx,
      source,
      Object.entries(permissions).map(([key, marks]) =>
        draft(key, {
          permissions: marks,
          listPrice: 100_000,
          location: { lat: 10, lng: 20, precision: 'exact' },
        }),
      ),
      clock.now(),
    ),
  );

const permit = (source: string, terms: Terms) =>
  database.transaction((tx) => writeTerms(tx, source, terms, new Date(clock.now())));

async function keysAt(path: string, key?: string, url = service.url): Promise<string[]> {
  const headers = {
    'cache-control': 'no-cache',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const answer = await fetch(`${url}${path}`, { headers });
  const { data = [] } = (await answer.json()) as { data?: { provider: { listingKey: string } }[] };
  return data.map(({ provider }) => provider.listingKey).sort();
}

test('marks say who sees a listing: IDX everybody, VOW people with a subscription, BO no page', async () => {
  const { marks } = readProfile('mlsgrid', { originatingSystem: 'grid' }).licence;
  await permit('grid', { ...OWN, marks });
  await write('grid', { idx: ['IDX'], both: ['IDX', 'VOW'], vow: ['VOW'], bo: ['BO'] });
  const found = '/v1/search/sales?providerId=grid';
  await until('all are known', async () => (await keysAt(found, keys.internal)).length === 4);
  // What is public anywhere needs the mark of what is public.
  assert.deepEqual(await keysAt(found), ['both', 'idx']);
  const total = async (key?: string): Promise<number> =>
    ((await (await service.get('/explore/view?providerId=grid', key)).json()) as { total: number }).total;
  assert.equal(await total(), 2);
  assert.equal(await total(keys.pro), 3);
});

test('a record without a mark is withheld where the profile expects one', () => {
  const { marks } = readProfile('mlsgrid', { originatingSystem: 'grid' }).licence;
  const mapped = (more: object) =>
    mapProperty(
      { ListingKey: 'a', PropertyType: 'Residential', ...more },
      { currency: 'USD', note: () => {}, marks },
    );
  assert.equal(mapped({})?.display.listing, false);
  assert.equal(mapped({ MlgCanUse: ['unheard of'] })?.display.listing, false);
  assert.equal(mapped({ MlgCanUse: ['VOW'] })?.display.listing, true);
  assert.deepEqual(mapped({ MlgCanUse: 'IDX,VOW' })?.permissions, ['IDX', 'VOW']);
});

test('nothing is known of a feed: agents and exports get nothing of it until its operator says so', () => {
  for (const name of ['standard', 'bridge', 'mlsgrid', 'spark', 'trestle']) {
    const { mcp, export: exported, search } = readProfile(name, { originatingSystem: 'x' }).licence.channels;
    assert.deepEqual([name, mcp, exported, search], [name, 'off', 'off', 'subscribers']);
  }
});

test('what is pushed and imported is the operator’s own, unless they say otherwise', async () => {
  const licence = { channels: { mcp: 'off' } } as const;
  await createPushSource(database, { id: 'crm', name: 'CRM', kind: 'push', licence }, {});
  assert.deepEqual(await database.read((sql) => findTerms(sql, 'crm')), {
    ...OWN,
    channels: { ...OWN.channels, mcp: 'off' },
  });
  const file = { name: 'small.csv', content: 'id,price\n1,100\n' };
  await importFile(database, folder, { ...file, map: { licence: { maximumAge: 86_400 } } });
  assert.equal((await database.read((sql) => findTerms(sql, 'small')))?.maximumAge, 86_400);
  await importFile(database, folder, file);
  assert.equal(await database.read((sql) => findTerms(sql, 'small')), null);
});

test('a source that was not read for too long is not shown until it is', async () => {
  await permit('slow', { ...OWN, maximumAge: 3_600 });
  await write('slow', { one: [] });
  const found = '/v1/search/sales?providerId=slow';
  await until('it is shown', async () => {
    clock.advance(5_000);
    return (await keysAt(found, keys.internal)).length === 1;
  });
  clock.advance(3_700_000);
  await until('it is too old', async () => {
    clock.advance(5_000);
    return (await keysAt(found, keys.internal)).length === 0;
  });
  await write('slow', { one: [] });
  await until('it is shown again', async () => {
    clock.advance(5_000);
    return (await keysAt(found, keys.internal)).length === 1;
  });
});

test('commands block and open channels in every process, and say what counts', async (t) => {
  await write('abor', { a: [] });
  const second = await startSecondService(t, service);
  const found = '/v1/search/sales?providerId=abor';
  const seen = async (): Promise<readonly number[]> =>
    Promise.all(
      [service.url, second.url].map(async (url) => (await keysAt(found, keys.internal, url)).length),
    );
  const are = (what: string, number: number) =>
    until(what, async () => (await seen()).every((each) => each === number));
  await are('both show it', 1);
  const environment = { DATABASE_URL: service.databaseUrl, SOURCE: 'none' };
  const run = (...args: string[]) => runCommand(['sources', ...args], { folder, environment });
  const blocked = await run('block', 'abor', '--json');
  assert.deepEqual(JSON.parse(blocked.stdout), { source: 'abor', blocked: ['all'] });
  await are('neither shows it', 0);
  assert.match((await run('licence')).stdout, /^abor +blocked/m);
  const partly = await run('unblock', 'abor', '--channel', 'mcp');
  assert.match(partly.stderr, /blocked together/);
  assert.match((await run('unblock', 'abor')).stdout, /abor is not blocked/);
  await are('both show it again', 1);
  assert.match((await run('block', 'abor', '--channel', 'serach')).stderr, /did you mean search\?/);
  assert.match((await run('block', 'aborr')).stderr, /Did you mean abor\?/);
});
