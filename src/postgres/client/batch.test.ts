// Proof that the items of a batch are served as if each were alone: in order, each by its own result, and bounded in number.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { batch } from './batch.ts';
import { databaseUnavailable } from './connection-errors.ts';

/** Batches that are answered by hand: `runs` holds the items of each, in the order in which they began. */
function heldBatch() {
  const runs: (readonly string[])[] = [];
  const answers: { serve(): void; fail(error: Error): void }[] = [];
  const request = batch<string, string>((items) => {
    runs.push(items);
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    answers.push({ serve: () => resolve(items.map((item, index) => `${item} ${index}`)), fail: reject });
    return promise;
  });
  return { request, runs, answers };
}

test('what is requested in one turn is one batch, in the order of the requests, and each gets its own result', async () => {
  const { request, runs, answers } = heldBatch();
  const results = Promise.all(['a', 'b', 'a'].map((item) => request(item)));
  await turn();
  assert.deepEqual(runs, [['a', 'b', 'a']]);
  answers[0]?.serve();
  assert.deepEqual(await results, ['a 0', 'b 1', 'a 2']);
});

test('a lone request is served at once; what is requested while two batches are under way goes with the next', async () => {
  const { request, runs, answers } = heldBatch();
  const results: Promise<string>[] = [];
  for (const item of ['a', 'b', 'c', 'd']) {
    results.push(request(item));
    await turn();
  }
  assert.deepEqual(runs, [['a'], ['b']]);
  answers[1]?.serve();
  assert.equal(await results[1], 'b 0');
  await turn();
  await turn();
  assert.deepEqual(runs.at(-1), ['c', 'd']);
  answers[0]?.serve();
  answers[2]?.serve();
  assert.deepEqual(await Promise.all(results), ['a 0', 'b 0', 'c 0', 'd 1']);
});

test('a database that cannot serve now fails a whole batch, once, and the next batch is served', async () => {
  const { request, runs, answers } = heldBatch();
  const results = ['a', 'b'].map((item) => request(item));
  await turn();
  const cause = databaseUnavailable(new Error('down'));
  answers[0]?.fail(cause);
  for (const result of await Promise.allSettled(results))
    assert.deepEqual(result, { status: 'rejected', reason: cause });
  assert.equal(runs.length, 1, 'nothing is tried again: it may have been done');
  const next = request('c');
  await turn();
  answers[1]?.serve();
  assert.equal(await next, 'c 0');
});

test('one bad item among many fails alone', async () => {
  const fault = new Error('its row is damaged');
  const runs: (readonly string[])[] = [];
  const request = batch<string, string>(async (items) => {
    runs.push(items);
    if (items.includes('bad')) throw fault;
    return items.map((item) => item.toUpperCase());
  });
  const results = ['a', 'bad', 'c'].map((item) => request(item));
  assert.deepEqual(await Promise.allSettled(results), [
    { status: 'fulfilled', value: 'A' },
    { status: 'rejected', reason: fault },
    { status: 'fulfilled', value: 'C' },
  ]);
  assert.deepEqual(runs, [['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
});

test('beyond a thousand items in the queue the last are refused at once, and the others are served', async () => {
  const { request, runs, answers } = heldBatch();
  const results = Array.from({ length: 1_000 }, (_, index) => request(String(index)));
  await assert.rejects(request('one more'), { code: 'DATABASE_UNAVAILABLE' });
  await turn();
  assert.equal(runs[0]?.length, 1_000);
  answers[0]?.serve();
  assert.equal((await Promise.all(results)).at(-1), '999 999');
});
