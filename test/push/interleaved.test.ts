// Proves by requests that meet in the database that a sale outlasts a snapshot, that no two writers wait for each other, and what an
// Idempotency-Key keeps of a body that did not come whole.

import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, test } from 'node:test';
import { PUSH } from '../../src/access/tiers/tiers.ts';
import type { Transaction } from '../../src/postgres/client/database.ts';
import { lockMessages } from '../../src/push/push-store.ts';
import { deleteTokens, lockRegistered } from '../../src/sources/registry/registry-store.ts';
import { until } from '../support/check/until.ts';
import { createSender, type Line, record } from '../support/push/sender.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const { database } = service;

/** Resolves once so many statements wait for locks of others. */
const waitingFor = (count: number): Promise<unknown> =>
  until(`${count} statements wait`, async () => {
    const waiting = await database.read(
      (sql) => sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length >= count;
  });

/** What two locks taken the wrong way round end with, at once instead of after a second. */
const shortWait = (tx: Transaction) => tx`set local lock_timeout = '300ms'`;

test('a sale that comes while a snapshot is compared stays a sale', async () => {
  const shop = await createSender(service, 'shop');
  await shop.put('kept', record({ sequence: 1 }));
  await shop.put('sold', record({ sequence: 1 }));
  const [sale, snapshot] = await database.transaction(async (tx) => {
    await lockMessages(tx, shop.id, ['sold']);
    const closed = shop.put('sold', record({ sequence: 2, status: 'CLOSED', closePrice: 390_000 }));
    await waitingFor(1);
    const taken = shop.send('POST', '/snapshot?sequence=3', ['kept']);
    await waitingFor(2);
    return [closed, taken];
  });
  assert.equal((await sale).json.result, 'changed');
  assert.equal((await snapshot).json.ended, 0, (await snapshot).text);
  assert.equal((await shop.send('GET', '/listings/sold')).json.status, 'CLOSED');
});

test('a token that is revoked while a message waits for it ends without a deadlock', async () => {
  const crm = await createSender(service, 'crm');
  const message = await database.transaction(async (tx) => {
    await lockRegistered(tx, crm.id);
    const sent = crm.put('x', record());
    await waitingFor(1);
    await shortWait(tx);
    await deleteTokens(tx, crm.id, null);
    return { sent };
  });
  assert.equal((await message.sent).json.code, 'INVALID_TOKEN');
});

test('records that are refused are locked in the order of all others', async () => {
  const crm = await createSender(service, 'order');
  await crm.batch([record({ listingKey: 'a' }), record({ listingKey: 'z' })]);
  const lines = await database.transaction(async (tx) => {
    await lockMessages(tx, crm.id, ['a']);
    const batch = crm.batch([record({ listingKey: 'z', status: 'NO' }), record({ listingKey: 'a' })]);
    await waitingFor(1);
    await shortWait(tx);
    await lockMessages(tx, crm.id, ['z']);
    return { batch };
  });
  assert.deepEqual(
    (await lines.batch).map(({ result }) => result),
    ['rejected', 'unchanged'],
  );
});

test('records that are to be sent again later are judged again under the same Idempotency-Key', async () => {
  const busy = await createSender(service, 'busy');
  const part = Array.from({ length: PUSH.bodyRecords }, () => '1');
  for (let sent = 0; sent < PUSH.records; sent += PUSH.bodyRecords) await busy.batch(part);
  const again = () => busy.batch([record({ listingKey: 'late' })], '', { 'idempotency-key': 'later' });
  assert.equal((await again())[0]?.problem?.code, 'RATE_LIMITED');
  service.clock.advance(60_000);
  assert.equal((await again())[0]?.result, 'created');
  await busy.put('late', record({ listPrice: 1 }));
  assert.equal((await again())[0]?.result, 'created', 'the answer that is kept');
});

test('a body that broke off may be sent again whole under its Idempotency-Key', async () => {
  const slow = await createSender(service, 'slow');
  const headers = { 'idempotency-key': 'cut' };
  const [first, second] = [record({ listingKey: 'one' }), record({ listingKey: 'two' })];
  let text = '';
  const request = httpRequest(
    `${service.url}/v1/sources/slow/listings`,
    {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${slow.token}`, 'content-type': 'application/x-ndjson' },
    },
    (response) => response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)),
  );
  request.on('error', () => {});
  request.write(`${JSON.stringify(first)}\n`);
  while (!text.endsWith('\n')) {
    service.clock.advance(10_000);
    await slow.send('GET', '/listings/one');
  }
  request.destroy();
  const cut = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  assert.deepEqual(
    cut.map(({ result, problem }) => problem?.code ?? result),
    ['created', 'REQUEST_TIMEOUT'],
  );
  const whole = await slow.batch([first, second], '', headers);
  assert.deepEqual(
    whole.map(({ result }) => result),
    ['unchanged', 'created'],
  );
});
