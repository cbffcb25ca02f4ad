// Proves that several sources are read side by side: each by itself, whatever becomes of the others, and as they come and go.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listingId } from '../../src/ingest/identity.ts';
import { pauseSource, requestSync, resumeSource } from '../../src/sources/control-store.ts';
import { applySourcesFile } from '../../src/sources/registry/set-up.ts';
import { readPosition } from '../../src/sources/store.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { startService } from '../support/service/service.ts';
import { parseEvents } from '../support/sources/live-service.ts';
import { FAULTS, startUpstream, status, type Upstream } from '../support/sources/upstream.ts';

const LOOK = 3_000;
const ROUND = 60_000;

const folder = await temporaryFolder({ after }, 'several');
const at = { after };
const [north, south, west] = await Promise.all([startUpstream(at), startUpstream(at), startUpstream(at)]);
for (const [name, upstream] of Object.entries({ north, south, west }))
  for (let number = 0; number < 4; number++) put(upstream, `${name}-${number}`, 100_000 + number);

function put(upstream: Upstream, key: string, price: number, modified = '2026-01-01T00:00:00Z'): void {
  upstream.records.set(key, {
    ListingKey: key,
    ListPrice: price,
    StandardStatus: 'Active',
    PropertyType: 'Residential',
    ModificationTimestamp: modified,
  });
}

await writeFile(join(folder, 'id.txt'), 'someone\n');
const secrets = async (name: string, { tokenUrl }: Upstream) => {
  await writeFile(join(folder, `${name}.txt`), tokenUrl);
  return {
    tokenUrl: { file: `${name}.txt` },
    clientId: { file: 'id.txt' },
    clientSecret: { file: 'id.txt' },
  };
};
const entry = async (id: string, upstream: Upstream, more: object = {}) => ({
  id,
  name: `The ${id}`,
  url: upstream.url,
  secrets: await secrets(id, upstream),
  ...more,
});

const stored = await testDatabase(at);
const { database } = stored;

async function apply(...sources: readonly unknown[]): Promise<void> {
  const file = join(folder, 'sources.json');
  await writeFile(file, JSON.stringify({ sources }));
  await applySourcesFile(database, { file, variables: {}, setBy: 'file' });
}

south.faults.list = status(401);
await apply(
  await entry('north', north),
  await entry('south', south, { currency: 'EUR' }),
  await entry('bad-host', { ...north, url: 'http://127.0.0.1:1/odata' }),
);
const service = await startService(at, { createDatabase: async () => stored });
const { clock, get } = service;

const loadedAt = async (id: string) => (await database.read((sql) => readPosition(sql, id))).loadedAt;
const checks = async () => {
  clock.advance(1_000); // What readiness remembers is over.
  const answer = await get('/readyz?verbose');
  const { checks } = (await answer.json()) as {
    checks: { name: string; ok: boolean; required: boolean; detail?: string }[];
  };
  return { status: answer.status, of: (id: string) => checks.find(({ name }) => name === `source ${id}`) };
};
const keysOf = async (source: string) =>
  database.read(
    (sql) => sql<{ key: string; currency: string; price: number }[]>`
      select listing_key as key, price, currency from listing join listing_search using (id)
      where source = ${source} order by 1`,
  );

test('one source is read, while another refuses its token and a third has no host', async () => {
  await until('the north is loaded', async () => (await loadedAt('north')) !== null);
  assert.equal(await loadedAt('south'), null);
  await until('the failures are known', async () => {
    const { of } = await checks();
    return of('south')?.ok === false && of('bad-host')?.ok === false;
  });
  const { status, of } = await checks();
  assert.equal(status, 200);
  assert.deepEqual(of('north'), { name: 'source north', required: false, ok: true, detail: 'following' });
  assert.match(of('south')?.detail ?? '', /upstream_unauthorized/);
  assert.match(of('bad-host')?.detail ?? '', /upstream_unavailable|fetch_failed|timeout/);
  const text = await (await get('/metrics')).text();
  assert.match(text, /freehold_source_records_total\{source="north",result="created"\} 4/);
  assert.match(text, /freehold_source_failures_total\{source="south",code="upstream_unauthorized"\} \d/);
});

test('it is read as soon as its server accepts it, into its own currency, from a position of its own', async () => {
  delete south.faults.list;
  await until('the south is loaded', async () => {
    clock.advance(ROUND);
    return (await loadedAt('south')) !== null;
  });
  const currencies = async (source: string) => [
    ...new Set((await keysOf(source)).map((row) => row.currency)),
  ];
  assert.deepEqual([await currencies('north'), await currencies('south')], [['USD'], ['EUR']]);
});

test('a live request goes to the source of its listing', async () => {
  const [before, other] = [south.requests.length, north.requests.length];
  const answer = await get(`/v1/listing/${listingId('south', 'south-1')}`, service.keys.internal);
  const events = parseEvents(await answer.text());
  assert.ok(
    events.some(({ event }) => event === 'live'),
    JSON.stringify(events),
  );
  assert.ok(south.requests.slice(before).some((path) => decodeURIComponent(path).includes("('south-1')")));
  // It is read meanwhile too.
  assert.ok(north.requests.slice(other).every((path) => !decodeURIComponent(path).includes('south-1')));
});

test('a source that is added is read within seconds, and no more once it is removed', async () => {
  const created = await runCommand(
    [
      'sources',
      'create',
      'west',
      '--url',
      west.url,
      '--client-id',
      'WEST_ID',
      '--client-secret',
      'WEST_ID',
      '--token-url',
      'WEST_TOKENS',
    ],
    { folder, environment: { DATABASE_URL: stored.url, SOURCE: 'none' } },
  );
  assert.equal(created.code, 0, created.stderr);
  assert.match(created.stderr, /Not set here: WEST_TOKENS, WEST_ID\. The service needs them/);
  clock.advance(LOOK);
  await until('its secret is missing', async () => (await checks()).of('west')?.ok === false);
  assert.match(
    (await checks()).of('west')?.detail ?? '',
    /missing_secret.*the variable WEST_TOKENS is not set/,
  );
  process.env.WEST_ID = 'someone';
  process.env.WEST_TOKENS = west.tokenUrl;
  await until('the west is loaded', async () => {
    clock.advance(LOOK);
    return (await loadedAt('west')) !== null;
  });
  const removal = runCommand(['sources', 'remove', 'west', '--yes'], {
    folder,
    environment: { DATABASE_URL: stored.url, SOURCE: 'none' },
  });
  let isRemoved = false;
  void removal.then(() => (isRemoved = true));
  await until('the west is removed', () => {
    clock.advance(LOOK);
    return isRemoved;
  });
  const { code, stdout, stderr } = await removal;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /west is removed: 4 listings/);
  const requests = west.requests.length;
  clock.advance(ROUND);
  assert.equal((await checks()).of('west'), undefined);
  assert.equal(west.requests.length, requests);
});

test('a paused source is read no more until it is resumed, and a requested round comes at once', async () => {
  await database.write((sql) => pauseSource(sql, 'north', new Date(clock.now())));
  clock.advance(LOOK);
  await until(
    'it is paused',
    async () => (await checks()).of('north')?.detail?.startsWith('paused since') === true,
  );
  const lease = () =>
    database.read(
      (sql) => sql`select from work_lease where name = 'reading of north' and holder is not null`,
    );
  await until('its lease is given back', async () => (await lease()).length === 0);
  const requests = north.requests.length;
  put(north, 'north-1', 90_000, '2026-02-01T00:00:00Z');
  clock.advance(ROUND);
  await until(
    'the south is read meanwhile',
    async () => (await checks()).of('south')?.detail === 'following',
  );
  const stream = await get(`/v1/listing/${listingId('north', 'north-0')}`, service.keys.internal);
  assert.match(await stream.text(), /upstream_unavailable.*has paused reading/);
  assert.equal(north.requests.length, requests);
  await database.write((sql) => resumeSource(sql, 'north'));
  clock.advance(LOOK);
  const priceOf = async () => (await keysOf('north')).find(({ key }) => key === 'north-1')?.price;
  await until('the change is read', async () => (await priceOf()) === 90_000);
  await until('it rests', async () => (await checks()).of('north')?.detail === 'following');
  put(north, 'north-1', 80_000, '2026-02-02T00:00:00Z');
  await database.write((sql) => requestSync(sql, 'north'));
  clock.advance(LOOK);
  await until('a round comes before it is due', async () => (await priceOf()) === 80_000);
});

test('status, sync, pause and resume say what they do, as tables and as JSON', async () => {
  const environment = { DATABASE_URL: stored.url, SOURCE: 'none' };
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(['sources', ...args], { folder, environment });
    return { code, text: stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> };
  };
  const all = await run('status');
  assert.match(all.text, /^ID +STATE +LAST READ +LAG +FAILURE$/m);
  assert.match(all.text, /^north +following +2\d{3}-/m);
  assert.match(all.text, /^bad-host +failing .*(?:upstream_unavailable|fetch_failed|timeout)/m);
  const one = (await run('status', 'bad-host', '--json')).json();
  assert.deepEqual([one.state, one.loadedAt, one.setBy], ['failing', null, 'file']);
  assert.match((await run('status', 'north')).text, /^position +\{"phase":"changes"/m);
  assert.match(
    (await run('status', 'nothing')).stderr,
    /reads no source nothing: there are bad-host, north, south/,
  );
  assert.match((await run('pause', 'north')).text, /north is paused/);
  assert.match((await run('sync', 'north')).stderr, /is paused: `freehold sources resume north`/);
  assert.equal((await run('status', 'north', '--json')).json().state, 'paused');
  assert.deepEqual((await run('resume', 'north', '--json')).json(), {
    id: 'north',
    paused: false,
    changed: true,
  });
  assert.match((await run('resume', 'north')).text, /was not paused/);
  const synced = (await run('sync', 'north', '--json')).json();
  assert.equal(synced.requested, true);
  clock.advance(LOOK);
});

test('test says what a server offers and lacks, shows a record, and writes nothing', async () => {
  const environment = { DATABASE_URL: stored.url, SOURCE: 'none' };
  const contents = () =>
    database.read(async (sql) => [
      ...(await sql`select source, count(*)::int as count from listing group by 1 order by 1`),
      ...(await sql`select source, version::int as count from source_position where source = 'bad-host'`),
    ]);
  const before = await contents();
  const tested = await runCommand(['sources', 'test', 'south', '--json'], { folder, environment });
  assert.equal(tested.code, 0, tested.stderr);
  const found = JSON.parse(tested.stdout) as {
    records: number;
    fits: string[];
    metadata: { fields: number; expandable: string[]; lacks: string[] };
    sample: { listingKey: string; currency: string };
  };
  assert.deepEqual([found.records, found.metadata.fields, found.metadata.expandable], [4, 7, ['Media']]);
  assert.ok(found.fits.includes('standard') && !found.fits.includes('bridge'));
  assert.ok(found.metadata.lacks.includes('BedroomsTotal'));
  assert.deepEqual([found.sample.listingKey, found.sample.currency], ['south-0', 'EUR']);
  const text = (await runCommand(['sources', 'test', 'south'], { folder, environment })).stdout;
  assert.match(text, /^profile +standard fits \(nothing particular\)$/m);
  assert.match(text, /^records +4$/m);
  const failed = await runCommand(['sources', 'test', 'bad-host'], { folder, environment });
  assert.match(failed.stderr, /http:\/\/127\.0\.0\.1:1\/odata: (?:upstream_unavailable|fetch_failed)/);
  assert.deepEqual(await contents(), before);
});

test('bad data of one source stops no other', async () => {
  north.faults.list = FAULTS.html;
  put(south, 'south-9', 1, '2026-03-01T00:00:00Z');
  await until('the south is read on', async () => {
    // The next round may not be planned yet.
    clock.advance(ROUND / 10);
    return (await keysOf('south')).length === 5;
  });
  await until('the north fails', async () => (await checks()).of('north')?.ok === false);
});
