// Proves over HTTP how one listing is pushed: written whole, patched, ended, read, and which token may do it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createToken, revokeTokens } from '../../src/sources/registry/set-up.ts';
import { createSender, record, senderOf } from '../support/push/sender.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const crm = await createSender(service, 'crm');
const other = await createSender(service, 'other');

interface Found {
  readonly data: { readonly id: string; readonly price: number; readonly status: string }[];
}

const search = async (query = ''): Promise<Found['data']> =>
  ((await service.json(`/v1/search/sales?providerId=crm${query}`, service.keys.pro)) as Found).data;

test('a listing that is put is found by the next search, and the same again changes nothing', async () => {
  const first = await crm.put('a/1', record({ listPrice: 410_000 }));
  assert.equal(first.status, 201, first.text);
  assert.equal(first.json.result, 'created');
  const read = await crm.send('GET', '/listings/a%2F1');
  assert.equal(read.headers.get('etag'), first.headers.get('etag'));
  assert.match(first.headers.get('location') ?? '', /\/v1\/sources\/crm\/listings\/a%2F1$/);
  assert.deepEqual(
    (await search()).map(({ id, price }) => ({ id, price })),
    [{ id: first.json.id, price: 410_000 }],
  );
  const second = await crm.put('a/1', record({ listPrice: 410_000 }));
  assert.equal(second.status, 200);
  assert.equal(second.json.result, 'unchanged');
  const third = await crm.put('a/1', record({ listPrice: 405_000 }));
  assert.equal(third.json.result, 'changed');
  assert.equal(third.json.version, 2);
  assert.equal((await search())[0]?.price, 405_000);
});

test('a patch changes what it names: null removes, and a sale is CLOSED with its price', async () => {
  await crm.put('p', record({ bedrooms: 3, description: 'Bright.' }));
  const patched = await crm.send('PATCH', '/listings/p', { bedrooms: null, address: { unit: '4B' } });
  assert.equal(patched.json.result, 'changed', patched.text);
  const stored = await crm.send('GET', '/listings/p');
  const kept = stored.json.record as unknown as Record<string, unknown>;
  assert.equal(kept.description, 'Bright.');
  assert.equal('bedrooms' in kept, false);
  assert.equal((kept.address as { unit: string }).unit, '4B');
  const sold = await crm.send(
    'PATCH',
    '/listings/p',
    { status: 'CLOSED', closePrice: 390_000 },
    { 'content-type': 'application/merge-patch+json' },
  );
  assert.equal(sold.json.status, 'CLOSED', sold.text);
  const withdrawn = await crm.send('DELETE', '/listings/p?status=WITHDRAWN');
  assert.equal(withdrawn.status, 409, 'a sale is not withdrawn');
  assert.equal((await crm.send('GET', '/listings/p')).json.status, 'CLOSED');
  const none = await crm.send('PATCH', '/listings/nothing', { bedrooms: 1 });
  assert.equal(none.json.code, 'LISTING_NOT_FOUND');
});

test('a listing ends with the status that is named, and a later patch does not list it again', async () => {
  await crm.put('e', record());
  const ended = await crm.send('DELETE', '/listings/e?status=EXPIRED');
  assert.equal(ended.json.result, 'ended', ended.text);
  assert.equal(ended.json.status, 'EXPIRED');
  const patched = await crm.send('PATCH', '/listings/e', { bedrooms: 5 });
  assert.equal(patched.json.status, 'EXPIRED');
  assert.equal((await crm.send('DELETE', '/listings/e?status=SOLD')).json.code, 'INVALID_PARAMETER');
  assert.equal((await crm.send('DELETE', '/listings/unknown')).status, 404);
});

test('each fault has a pointer, and the nearest allowed value; what was stored stays, and shows the faults', async () => {
  await crm.put('f', record());
  const refused = await crm.put('f', {
    ...record(),
    status: 'ACTVE',
    listPrice: '400,000',
    price: 1,
    city: 'X',
    address: { citty: 'Springfield' },
    photos: ['ftp://x/y'],
    propertyType: null,
  });
  assert.equal(refused.status, 400);
  assert.equal(refused.json.code, 'INVALID_BODY');
  const byPointer = new Map(refused.json.errors?.map((error) => [error.pointer, error]));
  assert.equal(byPointer.get('/status')?.suggestion, 'ACTIVE');
  assert.equal(byPointer.get('/listPrice')?.detail, 'must be a number');
  assert.equal(byPointer.get('/price')?.suggestion, 'listPrice');
  assert.equal(byPointer.get('/city')?.suggestion, 'address/city');
  assert.equal(byPointer.get('/address/citty')?.suggestion, 'city');
  assert.match(byPointer.get('/photos')?.detail ?? '', /http/);
  assert.match(byPointer.get('/propertyType')?.detail ?? '', /missing/);
  const stored = await crm.send('GET', '/listings/f');
  assert.equal(stored.json.status, 'ACTIVE');
  assert.equal((stored.json as unknown as { faults: unknown[] }).faults.length, 7);
  await crm.put('f', record({ bedrooms: 4 }));
  assert.deepEqual((await crm.send('GET', '/listings/f')).json.faults, []);
});

test('a trial answers what would happen, and writes nothing', async () => {
  const trial = await crm.send('PUT', '/listings/trial?dryRun=true', record());
  assert.equal(trial.status, 200, trial.text);
  assert.deepEqual([trial.json.result, trial.json.dryRun], ['created', true]);
  assert.equal((await crm.send('GET', '/listings/trial')).status, 404);
});

test('If-Match guards a change by the version, and If-None-Match a creation', async () => {
  await crm.put('m', record());
  const first = (await crm.send('GET', '/listings/m')).headers.get('etag') ?? '';
  const stale = await crm.put('m', record({ listPrice: 1_000 }), { 'if-match': '"7"' });
  assert.equal(stale.json.code, 'PRECONDITION_FAILED');
  assert.equal((await crm.send('GET', '/listings/m')).json.version, 1);
  const weak = await crm.put('m', record({ listPrice: 1_000 }), { 'if-match': `W/${first}` });
  assert.equal(weak.json.code, 'PRECONDITION_FAILED', 'compared strongly');
  const changed = await crm.put('m', record({ listPrice: 1_000 }), { 'if-match': `"x", ${first}` });
  assert.equal(changed.json.result, 'changed');
  const second = changed.headers.get('etag') ?? '';
  assert.notEqual(second, first);
  assert.equal((await crm.put('m', record(), { 'if-none-match': '*' })).json.code, 'PRECONDITION_FAILED');
  assert.equal((await crm.put('new', record(), { 'if-match': '*' })).json.code, 'PRECONDITION_FAILED');
  assert.equal((await crm.send('GET', '/listings/m', undefined, { 'if-none-match': second })).status, 304);
});

test('an ETag changes with whatever GET shows, such as the sequence alone; faults come without one', async () => {
  const tagOf = async (): Promise<string | null> =>
    (await crm.send('GET', '/listings/tag')).headers.get('etag');
  const put = await crm.put('tag', record({ sequence: 1 }));
  const first = put.headers.get('etag') ?? '';
  assert.equal(await tagOf(), first);
  const raised = await crm.put('tag', record({ sequence: 2 }));
  assert.deepEqual([raised.json.result, raised.json.version], ['unchanged', 1]);
  const second = raised.headers.get('etag') ?? '';
  assert.notEqual(second, first, 'GET shows another sequence');
  assert.equal(await tagOf(), second);
  const lost = await crm.put('tag', record({ sequence: 3, bedrooms: 9 }), { 'if-match': first });
  assert.equal(lost.json.code, 'PRECONDITION_FAILED');
  for (const sequence of [1, 2]) {
    const late = await crm.put('tag', record({ sequence }));
    assert.equal(late.headers.get('etag'), second, 'a message that does not count leaves it');
  }
  await crm.put('tag', record({ sequence: 3, status: 'NO' }));
  assert.equal(await tagOf(), null);
  const ended = await crm.send('DELETE', '/listings/tag?sequence=4', undefined, { 'if-match': second });
  assert.equal(ended.json.result, 'ended', ended.text);
  assert.equal(await tagOf(), ended.headers.get('etag'));
});

test('an Idempotency-Key makes a request that is done once', async () => {
  const headers = { 'idempotency-key': 'one' };
  const first = await crm.put('i', record(), headers);
  await crm.put('i', record({ listPrice: 5 }));
  const again = await crm.put('i', record(), headers);
  assert.equal(again.text, first.text);
  assert.equal((await crm.send('GET', '/listings/i')).json.version, 2, 'it was not written again');
  assert.equal((await crm.put('i2', record(), headers)).json.code, 'IDEMPOTENCY_KEY_REUSED');
});

test('late and repeated messages never win over newer ones', async () => {
  await crm.put('o', record({ sequence: 5, listPrice: 500 }));
  const late = await crm.put('o', record({ sequence: 4, listPrice: 400 }));
  assert.deepEqual([late.status, late.json.result], [200, 'superseded']);
  const repeated = await crm.put('o', record({ sequence: 5, listPrice: 500 }));
  assert.equal(repeated.json.result, 'unchanged');
  assert.equal((await crm.put('o', record({ sequence: 5, listPrice: 501 }))).json.code, 'CONFLICT');
  assert.equal((await crm.put('o', record({ listPrice: 1 }))).json.code, 'INVALID_BODY', 'it has no place');
  const otherOrder = record({ modifiedAt: '2026-01-01T00:00:00Z' });
  assert.equal((await crm.put('o', otherOrder)).json.code, 'CONFLICT');
  assert.equal((await crm.send('DELETE', '/listings/o?sequence=9')).json.result, 'ended');
  assert.equal((await crm.put('o', record({ sequence: 8 }))).json.result, 'superseded');
  assert.equal((await crm.send('GET', '/listings/o')).json.status, 'WITHDRAWN');
  const faulty = await crm.put('o', record({ sequence: 8, status: 'NO' }));
  assert.deepEqual(
    [faulty.status, faulty.json.result],
    [200, 'superseded'],
    'late, so that its faults count for nothing',
  );
  assert.deepEqual((await crm.send('GET', '/listings/o')).json.faults, []);
  assert.equal((await crm.put('o', record({ sequence: 10, status: 'NO' }))).json.code, 'INVALID_BODY');
  const times = ['2026-02-01T00:00:00.002Z', '2026-02-01T00:00:00.001Z'];
  await crm.put('t', record({ modifiedAt: times[0] }));
  assert.equal((await crm.put('t', record({ modifiedAt: times[1] }))).json.result, 'superseded');
  const ahead = await crm.put(
    't',
    record({ modifiedAt: new Date(service.clock.now() + 2 * 86_400_000).toISOString() }),
  );
  assert.equal(ahead.json.errors?.[0]?.pointer, '/modifiedAt');
});

test('a token opens its own source, and nothing else', async () => {
  const foreign = senderOf(service.url, 'other', crm.token);
  assert.equal((await foreign.put('x', record())).json.code, 'INSUFFICIENT_SCOPE');
  for (const path of [
    '/v1/search/sales',
    '/v1/usage',
    '/v1/changes',
    '/v1/areas',
    '/v1/property/lst_x',
    '/v1/listing/lst_x',
  ]) {
    const answer = await service.get(path, crm.token);
    const { code } = (await answer.json()) as { code: string };
    assert.deepEqual([answer.status, code], [403, 'INSUFFICIENT_SCOPE'], path);
  }
  const byKey = senderOf(service.url, 'crm', service.keys.internal);
  assert.equal((await byKey.put('x', record())).json.code, 'INSUFFICIENT_SCOPE');
  const anonymous = await fetch(`${service.url}/v1/sources/crm/listings/x`);
  assert.equal(anonymous.status, 401);
  const junk = senderOf(service.url, 'crm', `src_${'x'.repeat(43)}`);
  const refused = await junk.put('x', record());
  assert.deepEqual([refused.status, refused.json.code], [401, 'INVALID_TOKEN']);
});

test('a token that is revoked is refused at the next request; a second one takes over before', async () => {
  const token = await createToken(service.database, 'other');
  const next = senderOf(service.url, 'other', token);
  assert.equal((await other.put('r', record())).status, 201);
  assert.equal(await revokeTokens(service.database, 'other', 'old'), 1);
  assert.equal((await other.put('r', record())).json.code, 'INVALID_TOKEN');
  assert.equal((await next.put('r', record())).json.result, 'unchanged');
});

test('a source has its own minute of requests', async () => {
  const busy = await createSender(service, 'busy');
  const answers = await Promise.all(Array.from({ length: 602 }, () => busy.send('GET', '/listings/none')));
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(refused.length, 2);
  assert.match(refused[0]?.headers.get('retry-after') ?? '', /^\d+$/);
  assert.equal((await crm.send('GET', '/listings/none')).status, 404);
});

test('a record of a source with a map has the names of its sender', async () => {
  const map = {
    kind: 'listings',
    source: { id: 'mapped', name: 'Mapped' },
    fields: {
      listingKey: { column: 'ref' },
      listingType: { constant: 'sale' },
      status: { column: 'state', values: { online: 'ACTIVE' } },
      propertyType: { constant: 'CONDO' },
      currency: { constant: 'EUR' },
      listPrice: { column: 'preis', format: '1.234,5' },
      upstreamModifiedAt: { column: 'changed' },
    },
  };
  const mapped = await createSender(service, 'mapped', { map: JSON.stringify(map) });
  const sent = { ref: 'a', state: 'online', preis: '1.250.000,00', changed: '2026-01-02T00:00:00Z' };
  const created = await mapped.put('a', sent);
  assert.equal(created.status, 201, created.text);
  assert.equal(
    (await mapped.put('a', { ...sent, changed: '2026-01-01T00:00:00Z' })).json.result,
    'superseded',
  );
  const patched = await mapped.send('PATCH', '/listings/a', {
    preis: '1.200.000,00',
    changed: '2026-01-03T00:00:00Z',
  });
  assert.equal(patched.json.result, 'changed', patched.text);
  const wrong = await mapped.put('a', { ...sent, state: 'onlin', changed: '2026-01-04T00:00:00Z' });
  assert.equal(wrong.json.errors?.[0]?.pointer, '/state');
});
