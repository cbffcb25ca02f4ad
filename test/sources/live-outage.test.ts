// Proves that a source in an outage gets ten requests and then one every ten seconds, that Retry-After holds for live reads, and what operators see of it.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { listingId } from '../../src/ingest/identity.ts';
import { applySourcesFile } from '../../src/sources/registry/set-up.ts';
import { readPosition } from '../../src/sources/store.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { startService } from '../support/service/service.ts';
import { parseEvents } from '../support/sources/live-service.ts';
import { startUpstream, status } from '../support/sources/upstream.ts';

const at = { after };
const folder = await temporaryFolder(at, 'outage');
const [north, closed] = await Promise.all([startUpstream(at), startUpstream(at)]);
const LISTINGS = 30;
for (const upstream of [north, closed]) {
  upstream.pageSize = 100;
  for (let number = 0; number < LISTINGS; number++)
    upstream.records.set(`n${number}`, {
      ListingKey: `n${number}`,
      ListPrice: 100_000,
      StandardStatus: 'Active',
      PropertyType: 'Residential',
      PublicRemarks: 'Call Ann at 555-0100',
      ModificationTimestamp: '2026-01-01T00:00:00Z',
    });
}
await writeFile(join(folder, 'id.txt'), 'someone');
const secretsOf = async (name: string, tokenUrl: string) => {
  await writeFile(join(folder, `${name}.txt`), tokenUrl);
  return {
    tokenUrl: { file: `${name}.txt` },
    clientId: { file: 'id.txt' },
    clientSecret: { file: 'id.txt' },
  };
};
const stored = await testDatabase(at);
const { database } = stored;
const environment = { DATABASE_URL: stored.url, SOURCE: 'none' };
const file = join(folder, 'sources.json');
const hour = { windows: [{ seconds: 3_600, requests: 500 }] };
await writeFile(
  file,
  JSON.stringify({
    sources: [
      {
        id: 'north',
        name: 'North',
        url: north.url,
        secrets: await secretsOf('north', north.tokenUrl),
        limits: hour,
      },
      {
        id: 'closed',
        name: 'Closed',
        url: closed.url,
        secrets: await secretsOf('closed', closed.tokenUrl),
        live: false,
      },
    ],
  }),
);
await applySourcesFile(database, { file, variables: {}, setBy: 'file' });
const service = await startService(at, { createDatabase: async () => stored });
const { clock, get } = service;
await until('both are loaded', async () => {
  clock.advance(1_000);
  const positions = await database.read((sql) =>
    Promise.all(['north', 'closed'].map((id) => readPosition(sql, id))),
  );
  return positions.every(({ loadedAt }) => loadedAt !== null);
});

/** The code of the error event of a live read; null: it was answered. */
async function live(source: string, key: string): Promise<string | null> {
  const answer = await get(`/v1/listing/${listingId(source, key)}`, service.keys.internal);
  const events = parseEvents(await answer.text());
  const error = events.find(({ event }) => event === 'error');
  return error === undefined ? null : (JSON.parse(error.data) as { code: string }).code;
}

const entities = () => north.listingRequests.filter((path) => path.includes("('")).length;

test('thirty live reads in an outage are ten requests, then one every ten seconds until the source is back', async () => {
  const before = entities();
  north.faults.entity = status(500);
  const codes: (string | null)[] = [];
  for (let number = 0; number < LISTINGS; number++) codes.push(await live('north', `n${number}`));
  assert.equal(entities() - before, 10);
  assert.ok(codes.every((code) => code !== null));
  assert.deepEqual(new Set(codes.slice(10)), new Set(['upstream_unavailable']));
  clock.advance(10_000);
  for (let number = 0; number < 5; number++) assert.notEqual(await live('north', `n${number}`), null);
  assert.equal(entities() - before, 11);
  delete north.faults.entity;
  clock.advance(10_000);
  for (let number = 0; number < 5; number++) assert.equal(await live('north', `n${number}`), null);
  assert.equal(entities() - before, 16);
});

test('a source that must not be read live gets no request', async () => {
  const before = closed.requests.length;
  assert.equal(await live('closed', 'n1'), 'live_unsupported');
  assert.equal(closed.requests.length, before);
});

const check = async (headers: Record<string, string> = {}) => {
  clock.advance(1_000);
  const answer = await get('/readyz?verbose', undefined, headers);
  const { checks } = (await answer.json()) as {
    checks: { name: string; detail?: string; operatorDetail?: string }[];
  };
  return checks.find(({ name }) => name === 'source north') ?? assert.fail();
};

test('budgets are shown to operators: in the status, the metrics, the readiness and doctor', async () => {
  const shown = /\d+ of 500 requests in an hour/;
  assert.match((await check()).operatorDetail ?? '', shown);
  assert.equal((await check({ 'x-forwarded-for': '203.0.113.9' })).operatorDetail, undefined);
  const one = await runCommand(['sources', 'status', 'north'], { folder, environment });
  assert.match(one.stdout, /^budget +\d+ of 500 requests in an hour$/m);
  await until('the metrics have it', async () => {
    clock.advance(10_000);
    const text = await (await get('/metrics')).text();
    return /freehold_source_budget_used\{source="north",share="requests",seconds="3600",unit="requests"\} [1-9]/.test(
      text,
    );
  });
  const text = await (await get('/metrics')).text();
  assert.match(text, /freehold_source_stopped\{source="north"\} 0/);
  const doctor = await runCommand(['doctor', '--json'], { folder, environment });
  const { findings } = JSON.parse(doctor.stdout) as {
    findings: { name: string; state: string; detail: string }[];
  };
  const of = (name: string) => findings.find((finding) => finding.name === name);
  assert.equal(of('source north')?.state, 'ok');
  assert.equal(of('source closed')?.state, 'ok');
  assert.match(of('budget of source north')?.detail ?? '', shown);
});

test('a page whose records have no keys is reported with one of them, and without what must not be kept', async () => {
  north.faults.list = (_, response) => {
    const record = { PublicRemarks: 'Call Ann at 555-0100', StandardStatus: 'Active' };
    response.end(JSON.stringify({ value: Array.from({ length: 10 }, () => record) }));
  };
  const SAMPLE = '{"StandardStatus":"Active"}, also: PublicRemarks';
  await until('the failure is reported', async () => {
    clock.advance(5_000);
    return (await check()).operatorDetail?.includes(SAMPLE) === true;
  });
  const { detail, operatorDetail } = await check();
  assert.match(detail ?? '', /missing_keys/);
  assert.doesNotMatch(`${detail} ${operatorDetail}`, /Ann|555/);
  const one = await runCommand(['sources', 'status', 'north'], { folder, environment });
  assert.ok(one.stdout.includes(SAMPLE), one.stdout);
  delete north.faults.list;
});

test('one source that fails hides no other in doctor', async () => {
  north.faults.list = status(500);
  const doctor = await runCommand(['doctor', '--json'], { folder, environment });
  const { findings } = JSON.parse(doctor.stdout) as { findings: { name: string; state: string }[] };
  const stateOf = (name: string) => findings.find((finding) => finding.name === name)?.state;
  assert.deepEqual([stateOf('source north'), stateOf('source closed')], ['fail', 'ok']);
  delete north.faults.list;
});

test('a Retry-After holds for live reads and for the reader', async () => {
  clock.advance(60_000);
  await until('it is read again', async () => {
    clock.advance(10_000);
    return (await live('north', 'n0')) === null;
  });
  north.faults.entity = status(429, { 'retry-after': '900' });
  assert.equal(await live('north', 'n1'), 'upstream_rate_limited');
  const before = north.listingRequests.length;
  for (const key of ['n2', 'n3', 'n4']) assert.equal(await live('north', key), 'upstream_rate_limited');
  clock.advance(120_000);
  await until(
    'the reader waits too',
    async () => (await check()).detail?.includes('upstream_rate_limited') === true,
  );
  assert.equal(north.listingRequests.length, before);
  assert.match((await check()).operatorDetail ?? '', /the source wants no request before 20/);
});
