// Proves over HTTP that listings named by pushed events are read again from their source, once each, and what becomes of failures.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EVENTS } from '../../src/access/tiers/tiers.ts';
import { writeRegistered } from '../../src/sources/registry/registry-store.ts';
import { createToken } from '../../src/sources/registry/set-up.ts';
import { LiveError } from '../../src/sources/source.ts';
import { until } from '../support/check/until.ts';
import { createSender, senderOf } from '../support/push/sender.ts';
import { startLive } from '../support/sources/live-service.ts';
import { draftOf } from '../support/sources/memory-source.ts';

const service = await startLive({ after });
const { source, database, clock } = service;
await database.write((sql) =>
  writeRegistered(
    sql,
    { id: source.id, name: 'Memory', kind: 'reso', settings: {}, setBy: 'command' },
    new Date(clock.now()),
  ),
);
const feed = senderOf(service.url, source.id, await createToken(database, source.id));

const send = (body: unknown, headers = {}) => feed.send('POST', '/events', body, headers);
const event = (key: string | number, name = 'Property') => ({
  EntityEventSequence: 1101,
  ResourceName: name,
  ResourceRecordKey: key,
});
const several = (...keys: readonly string[]) => ({
  '@reso.context': 'urn:reso:metadata:2.0:resource:entityevent',
  value: keys.map((key) => event(key)),
});
const listing = async (key: string) =>
  (await (await service.get(`/v1/listing/${service.id(key)}/record`, service.keys.internal)).json()) as {
    readonly price?: number;
    readonly status?: string;
    readonly code?: string;
  };

async function waiting(): Promise<number> {
  const rows = await database.read(
    (sql) => sql<{ count: number }[]>`select count(*)::int as count from entity_event`,
  );
  return rows[0]?.count ?? 0;
}

/** Lets the worker look again and again until nothing waits. */
const untilWorkedOff = () =>
  until('nothing waits', async () => {
    clock.advance(2_000);
    return (await waiting()) === 0;
  });

async function metric(name: string, labels: string): Promise<number> {
  const text = await (await service.get('/metrics')).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(labels));
  return Number(line?.split(' ').at(-1) ?? 0);
}

test('one event or several have their listings read again: changed, new and gone ones', async () => {
  source.put(draftOf('a', { ListPrice: 222 }), '2026-01-02T00:00:00.000Z');
  source.put(draftOf('77', { ListPrice: 77 }), '2026-01-02T00:00:00.000Z');
  source.listings.delete('c');
  const single = await send({ '@reso.context': 'urn:reso:metadata:2.0:resource:entityevent', ...event(77) });
  assert.deepEqual(
    [single.status, single.json],
    [200, { object: 'event_receipt', received: 1, queued: 1, ignored: 0 } as never],
  );
  const batch = await send(several('a', 'c', 'unknown'), { entityeventsource: 'https://mls.example' });
  assert.deepEqual(
    [batch.status, batch.json],
    [200, { object: 'event_receipt', received: 3, queued: 3, ignored: 0 } as never],
  );
  await untilWorkedOff();
  assert.equal((await listing('a')).price, 222);
  assert.equal((await listing('77')).price, 77);
  assert.equal((await listing('c')).status, 'DELETED');
  assert.equal((await listing('unknown')).code, 'LISTING_NOT_FOUND');
  assert.equal(await metric('freehold_entity_event_reads_total', 'outcome="gone"'), 2);
});

test('a listing is read once for all events about it, and again for one that comes while it is read', async () => {
  source.fetched.length = 0;
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  source.beforeFetch = () => held;
  await send(several('a', 'a', 'a'));
  await send(several('a'));
  await until('it is being read', () => {
    clock.advance(2_000);
    return source.fetched.length === 1;
  });
  source.put(draftOf('a', { ListPrice: 333 }), '2026-01-03T00:00:00.000Z');
  await send(several('a'));
  release();
  await untilWorkedOff();
  source.beforeFetch = async () => {};
  assert.deepEqual(source.fetched, ['a', 'a']);
  assert.equal((await listing('a')).price, 333);
});

test('what cannot be read is refused with a pointer and queues nothing; unknown members and resources are passed over', async () => {
  const faulty = await send({ value: [event('a'), { ResourceName: 'Property' }, 7, event('', '')] });
  assert.equal(faulty.json.code, 'INVALID_BODY');
  assert.deepEqual(
    faulty.json.errors?.map(({ pointer }) => pointer),
    ['/value/1/ResourceRecordKey', '/value/2', '/value/3/ResourceName', '/value/3/ResourceRecordKey'],
  );
  assert.equal((await send([])).json.code, 'INVALID_BODY');
  assert.equal(await waiting(), 0);
  const rich = await send({
    value: [{ ...event('m1', 'Media'), Data: { Media: [1] }, more: null }, event('o1', 'OpenHouse')],
    x: 1,
  });
  assert.deepEqual(rich.json, { object: 'event_receipt', received: 2, queued: 0, ignored: 2 } as never);
  const large = await send({ ...event('a'), Data: 'x'.repeat(EVENTS.bodyBytes) });
  assert.equal(large.json.code, 'PAYLOAD_TOO_LARGE');
});

test('a read that fails is tried again later, and after five is left to the rounds of changes', async () => {
  source.fetched.length = 0;
  for (let at = 0; at < 2; at++) source.failures.push(new LiveError('fetch_failed', 'no'));
  await send(several('b'));
  await untilWorkedOff();
  assert.equal(source.fetched.length, 3);
  for (let at = 0; at < 5; at++) source.failures.push(new LiveError('parse_failed', 'no'));
  const left = await metric('freehold_entity_event_reads_total', 'outcome="left"');
  await send(several('b'));
  await untilWorkedOff();
  assert.equal(source.fetched.length, 8);
  assert.equal(await metric('freehold_entity_event_reads_total', 'outcome="left"'), left + 1);
});

test('a source that fails as a whole is left alone for as long as it asks, and its events wait', async () => {
  source.fetched.length = 0;
  source.failures.push(new LiveError('upstream_rate_limited', 'wait', { retryAfter: 120_000 }));
  await send(several('b'));
  await until('it has been read', () => {
    clock.advance(2_000);
    return source.fetched.length === 1;
  });
  for (let round = 0; round < 40; round++) {
    clock.advance(2_000);
    await new Promise(setImmediate);
  }
  assert.equal(await waiting(), 1);
  assert.equal(source.fetched.length, 1, 'nothing is read within the two minutes');
  clock.advance(60_000);
  await untilWorkedOff();
  assert.equal(source.fetched.length, 2);
});

test('a full queue answers 429 with Retry-After', async () => {
  const later = new Date(clock.now() + 3_600_000);
  await database.write(
    (sql) => sql`
      insert into entity_event (source, resource, record_key, received_at, due_at)
      select ${source.id}, 'Property', 'k' || at, ${later}, ${later} from generate_series(1, ${EVENTS.queued}) as at`,
  );
  const full = await send(several('a'));
  assert.deepEqual([full.status, full.json.code], [429, 'RATE_LIMITED']);
  assert.equal(full.headers.get('retry-after'), '60');
  await database.write((sql) => sql`delete from entity_event`);
  assert.equal((await send(several('a'))).status, 200);
  await untilWorkedOff();
});

test('only the token of the source opens it, and only where this service reads the source', async () => {
  const crm = await createSender(service, 'crm');
  const foreign = senderOf(service.url, source.id, crm.token);
  assert.equal((await foreign.send('POST', '/events', event('a'))).json.code, 'INSUFFICIENT_SCOPE');
  assert.equal((await crm.send('POST', '/events', event('a'))).json.code, 'CONFLICT');
  const byKey = senderOf(service.url, source.id, service.keys.internal);
  assert.equal((await byKey.send('POST', '/events', event('a'))).json.code, 'INSUFFICIENT_SCOPE');
});
