// Proves what readers get where a size cannot be made: a queue that is full, a process that was killed, a picture that is none, a package that does not run.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../test/support/service/clock.ts';
import { BulkheadFull } from '../lib/bulkhead.ts';
import { createMetrics } from '../lib/metrics.ts';
import { Problem } from '../lib/problem.ts';
import { PhotoSizes } from './photo-sizes.ts';
import { ResizerEnded, ResizerUnavailable } from './sizes/resizer-process.ts';
import type { ResizeResult } from './sizes/resizer-protocol.ts';

const SHOWN = {
  source: 'a',
  addressDisplayed: true,
  copy: { hash: 'ab', format: 'jpeg' },
  url: null,
} as const;
const SIZE = { width: 320, format: 'webp' } as const;
const { signal } = new AbortController();

function start(answer: () => Promise<ResizeResult>) {
  const clock = manualClock();
  const kept = new Map<string, Buffer>();
  const state = { runs: 0, isAvailable: true };
  const sizes = new PhotoSizes({
    clock,
    metrics: createMetrics(),
    originals: { read: async () => ({ file: Buffer.from('original'), format: 'jpeg' }) },
    cache: {
      get: async (name) => kept.get(name) ?? null,
      put: async (name, file) => void kept.set(name, file),
    },
    resizer: {
      get isAvailable() {
        return state.isAvailable;
      },
      async run(load) {
        state.runs += 1;
        return (await load()) && answer();
      },
    },
  });
  return { clock, kept, state, read: (key = 'lst_a-1') => sizes.read(key, SHOWN, SIZE, signal) };
}

const refusal = async (read: Promise<unknown>) => {
  const error = await read.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem);
  return [error.status, error.headers?.['retry-after']];
};

test('a size is made once for all who want it meanwhile, and comes from the cache then', async () => {
  const { read, state, kept } = start(async () => ({ state: 'resized', file: Buffer.from('small') }));
  const all = await Promise.all([read(), read(), read()]);
  for (const each of [...all, await read()])
    assert.deepEqual(each, { file: Buffer.from('small'), contentType: 'image/webp', isSized: true });
  assert.equal(state.runs, 1);
  assert.deepEqual([...kept.keys()], ['lst_a-1.320.webp']);
});

test('a full queue is 503 for five seconds, and nothing is remembered of it', async () => {
  const { read, state } = start(() => Promise.reject(new BulkheadFull('full')));
  assert.deepEqual(await refusal(read()), [503, '5']);
  assert.deepEqual(await refusal(read()), [503, '5']);
  assert.equal(state.runs, 2);
});

test('a picture whose process was killed is 503, and is left alone for ten minutes', async () => {
  const { read, state, clock } = start(() => Promise.reject(new ResizerEnded('killed')));
  assert.deepEqual(await refusal(read()), [503, '600']);
  clock.advance(500_000);
  assert.deepEqual(await refusal(read()), [503, '100']);
  assert.equal(state.runs, 1);
  clock.advance(100_000);
  await refusal(read());
  assert.equal(state.runs, 2);
});

test('a file that cannot be decoded has no size, and is looked at once an hour', async () => {
  const { read, state, clock } = start(async () => ({ state: 'refused', reason: 'damaged' }));
  assert.deepEqual([await read(), await read()], [null, null]);
  assert.equal(state.runs, 1);
  clock.advance(3_600_000);
  assert.equal(await read(), null);
  assert.equal(state.runs, 2);
});

test('where nothing can be decoded, originals take the place of sizes', async () => {
  const { read, state } = start(() => Promise.reject(new ResizerUnavailable('no package')));
  const original = { file: Buffer.from('original'), contentType: 'image/jpeg', isSized: false };
  assert.deepEqual(await read(), original);
  state.isAvailable = false;
  assert.deepEqual(await read(), original);
  assert.equal(state.runs, 1);
});
