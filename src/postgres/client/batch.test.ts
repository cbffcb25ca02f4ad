// Owns the proof that many are served at once as if each were alone: in order, each by its own result, and never without end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Batch } from './batch.ts';
import { databaseUnavailable } from './connection-errors.ts';

/** A batch whose runs are answered by hand: `runs` holds the items of each, in the order in which they began. */
function heldBatch() {
  const runs: (readonly string[])[] = [];
  const answers: { serve(): void; fail(error: Error): void }[] = [];
  const batch = new Batch<string, string>((items) => {
    runs.push(items);
    const { promise, resolve, reject } = Promise.withResolvers<(item: string, at: number) => string>();
    answers.push({ serve: () => resolve((item, at) => `${item} ${at}`), fail: reject });
    return promise;
  });
  return { batch, runs, answers };
}

test('who asks in one turn is served by one run, in the order of asking, and each gets its own result', async () => {
  const { batch, runs, answers } = heldBatch();
  const asked = Promise.all(['a', 'b', 'a'].map((item) => batch.ask(item)));
  await turn();
  assert.deepEqual(runs, [['a', 'b', 'a']]);
  answers[0]?.serve();
  assert.deepEqual(await asked, ['a 0', 'b 1', 'a 2']);
});

test('a lone caller is served at once; who comes while two runs are under way goes with the next', async () => {
  const { batch, runs, answers } = heldBatch();
  const asked: Promise<string>[] = [];
  for (const item of ['a', 'b', 'c', 'd']) {
    asked.push(batch.ask(item));
    await turn();
  }
  assert.deepEqual(runs, [['a'], ['b']]);
  answers[1]?.serve();
  assert.equal(await asked[1], 'b 0');
  await turn();
  await turn();
  assert.deepEqual(runs.at(-1), ['c', 'd']);
  answers[0]?.serve();
  answers[2]?.serve();
  assert.deepEqual(await Promise.all(asked), ['a 0', 'b 0', 'c 0', 'd 1']);
});

test('a database that cannot serve now fails all of a run, once, and the next run is served', async () => {
  const { batch, runs, answers } = heldBatch();
  const asked = ['a', 'b'].map((item) => batch.ask(item));
  await turn();
  const cause = databaseUnavailable(new Error('down'));
  answers[0]?.fail(cause);
  for (const result of await Promise.allSettled(asked))
    assert.deepEqual(result, { status: 'rejected', reason: cause });
  assert.equal(runs.length, 1, 'nothing is tried again: it may have been done');
  const next = batch.ask('c');
  await turn();
  answers[1]?.serve();
  assert.equal(await next, 'c 0');
});

test('one bad item among many fails alone', async () => {
  const fault = new Error('its row is damaged');
  const runs: (readonly string[])[] = [];
  const batch = new Batch<string, string>(async (items) => {
    runs.push(items);
    if (items.includes('bad')) throw fault;
    return (item) => item.toUpperCase();
  });
  const asked = ['a', 'bad', 'c'].map((item) => batch.ask(item));
  assert.deepEqual(await Promise.allSettled(asked), [
    { status: 'fulfilled', value: 'A' },
    { status: 'rejected', reason: fault },
    { status: 'fulfilled', value: 'C' },
  ]);
  assert.deepEqual(runs, [['a', 'bad', 'c'], ['a'], ['bad'], ['c']]);
});

test('of more than a thousand who wait, the last are sent away at once, and the others are served', async () => {
  const { batch, runs, answers } = heldBatch();
  const asked = Array.from({ length: 1_000 }, (_, index) => batch.ask(String(index)));
  await assert.rejects(batch.ask('one more'), { code: 'DATABASE_UNAVAILABLE' });
  await turn();
  assert.equal(runs[0]?.length, 1_000);
  answers[0]?.serve();
  assert.equal((await Promise.all(asked)).at(-1), '999 999');
});
