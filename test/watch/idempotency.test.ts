// Proof with two processes that a request with an Idempotency-Key is done once, and gets one answer. R9.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../src/lib/clock.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService, type TestService } from '../support/service/service.ts';
import type { DEATHS } from '../support/watch/child.ts';
import { startWatchProcess } from '../support/watch/processes.ts';
import { sendWatcher, subscriber, type WatcherAnswer } from '../support/watch/watchers.ts';
import { webhooksOf } from '../support/watch/webhooks.ts';

const { database, url: databaseUrl } = await testDatabase({ after });
const at = { database, clock: systemClock } as unknown as TestService;
const { subscribe } = subscriber(at);
const ids = await writer(at)(draft('one', { listPrice: 100_000 }), draft('two', { listPrice: 1 }));
const target = { type: 'listing', listingId: ids.get('one') ?? '' };

const startChild = () => startWatchProcess({ after }, databaseUrl);
const children = [await startChild(), await startChild()] as const;

interface Place {
  readonly url: string;
}

const create = (place: Place, key: string, idempotencyKey: string, body: object = { target }) =>
  sendWatcher(place, 'POST', '', { key, body, headers: { 'idempotency-key': idempotencyKey } });

/** Sends it until it is no longer under way, and again after a 503: what a client does. */
async function createAtLast(place: Place, key: string, idempotencyKey: string): Promise<WatcherAnswer> {
  for (;;) {
    const answer = await create(place, key, idempotencyKey);
    if (answer.code !== 'CONFLICT' && answer.status !== 503) return answer;
    assert.match(answer.headers.get('retry-after') ?? '', answer.status === 409 ? /^1$/ : /^\d+$/);
  }
}

async function watchersOf(place: Place, key: string): Promise<number> {
  const { watcher } = await sendWatcher(place, 'GET', '', { key });
  return (watcher as unknown as { data: unknown[] }).data.length;
}

test('R9: 100 requests at once with one key over two processes create one watcher, and all get its answer', async () => {
  const { key } = await subscribe('internal');
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => createAtLast(children[index % 2] ?? children[0], key, 'first')),
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1, 'the same bytes');
  assert.equal(new Set(answers.map(({ headers }) => headers.get('location'))).size, 1);
  assert.equal(await watchersOf(children[0], key), 1);
  const [{ count = 0 } = {}] = await database.read(
    (sql) =>
      sql<
        { count: number }[]
      >`select count(*)::int from change where watcher_id = ${answers[0]?.watcher.id ?? ''}`,
  );
  assert.equal(count, 1, 'one entry of the log');
});

test('R9: the same value in another form is the same body, another body is refused, also in the other process', async () => {
  const { key } = await subscribe('pro');
  const body = { target, name: 'A', metadata: { a: '1', b: '2' } };
  const first = await create(children[0], key, 'k', body);
  assert.equal(first.status, 201);
  const reordered = { metadata: { b: '2', a: '1' }, name: 'A', target };
  assert.equal((await create(children[1], key, 'k', reordered)).text, first.text);
  for (const other of [{ ...body, name: 'B' }, { target }, {}]) {
    const refused = await create(children[1], key, 'k', other);
    assert.deepEqual([refused.status, refused.code], [422, 'IDEMPOTENCY_KEY_REUSED']);
  }
  assert.equal(await watchersOf(children[0], key), 1);
});

for (const death of ['before the commit', 'after the commit'] satisfies (typeof DEATHS)[number][])
  test(`R9: a process killed ${death} leaves nothing half done, and the repeated request gets one watcher`, async () => {
    const { key } = await subscribe('pro');
    const doomed = await startChild();
    doomed.child.tell(death);
    assert.equal(await doomed.child.line(), 'doomed');
    await assert.rejects(
      createAtLast(doomed, key, 'k').then(({ text }) => assert.equal(text, 'no answer')),
      TypeError,
    );
    await doomed.child.ended;
    const expected = death === 'before the commit' ? 0 : 1;
    assert.equal(await watchersOf(children[0], key), expected);
    const repeated = await createAtLast(children[0], key, 'k');
    assert.equal(repeated.status, 201);
    assert.equal((await createAtLast(children[1], key, 'k')).text, repeated.text);
    assert.equal(await watchersOf(children[1], key), 1);
  });

/** Permitted by the settings of the processes; nothing is sent there. */
const delivery = [{ type: 'webhook', url: 'http://127.0.0.1:9/hook' }];

for (const death of ['before the commit', 'after the commit'] satisfies (typeof DEATHS)[number][])
  test(`R9: after a process was killed ${death}, the repeated request shows the one secret that the webhook has`, async () => {
    const { key } = await subscribe('pro');
    const doomed = await startChild();
    doomed.child.tell(death);
    assert.equal(await doomed.child.line(), 'doomed');
    await assert.rejects(create(doomed, key, 'k', { target, delivery }), TypeError);
    await doomed.child.ended;
    const written = await database.read(
      (sql) => sql`select from idempotency_key where sealed_body is not null`,
    );
    const repeated = await create(children[0], key, 'k', { target, delivery });
    assert.equal(repeated.status, 201, repeated.text);
    const [webhook] = webhooksOf(repeated);
    assert.match(webhook?.secret ?? '', /^whsec_/);
    for (const child of children)
      assert.equal(
        (await create(child, key, 'k', { target, delivery })).text,
        repeated.text,
        'the same bytes',
      );
    const again = { key, body: { delivery: [{ ...delivery[0], secret: webhook?.secret }] } };
    const known = await sendWatcher(children[1], 'PATCH', `/${repeated.watcher.id}`, again);
    assert.equal(known.status, 200, `the webhook signs with it: ${known.text}`);
    const kept = await database.read((sql) => sql`select from idempotency_key where sealed_body is not null`);
    assert.equal(kept.length - written.length, death === 'before the commit' ? 1 : 0);
    assert.equal(await watchersOf(children[0], key), 1);
  });

test('the key belongs to its owner: another owner that sends it gets a watcher of its own', async () => {
  const [ann, ben] = [await subscribe('pro', 'ann'), await subscribe('pro', 'ben')];
  const ours = await create(children[0], ann.key, 'shared');
  const theirs = await create(children[0], ben.key, 'shared', { target, name: 'other' });
  assert.equal(theirs.status, 201);
  assert.notEqual(theirs.watcher.id, ours.watcher.id);
  const second = await subscribe('pro', 'ann');
  assert.equal(
    (await create(children[1], second.key, 'shared')).text,
    ours.text,
    'a key of the same customer',
  );
});

test('a refusal is not kept, nor is an answer after 24 hours; a malformed key is told', async (t) => {
  const service = await startService(t, { clock: manualClock(Date.UTC(2026, 5, 1, 12)) });
  const written = await writer(service)(draft('one', { listPrice: 1 }));
  const watched = { target: { type: 'listing', listingId: written.get('one') ?? '' } };
  const { key } = await subscriber(service).subscribe('pro');
  assert.equal((await create(service, key, 'k', {})).status, 400);
  const first = await create(service, key, 'k', watched);
  assert.equal(first.status, 201);
  service.clock.advance(86_399_000);
  assert.equal((await create(service, key, 'k', watched)).text, first.text);
  service.clock.advance(2_000);
  const later = await create(service, key, 'k', { ...watched, name: 'later' });
  assert.equal(later.status, 201);
  assert.notEqual(later.watcher.id, first.watcher.id);
  for (const malformed of ['a b', 'x'.repeat(256), 'schön']) {
    const refused = await create(service, key, Buffer.from(malformed).toString('latin1'), watched);
    assert.deepEqual([refused.status, refused.code], [400, 'INVALID_PARAMETER'], malformed);
  }
});
