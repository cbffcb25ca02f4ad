// Proves the bounds of decoding: two pictures at once, a queue with an end, processes that are killed when they take too long and end when idle.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '../../../test/support/check/until.ts';
import { STUB } from '../../../test/support/media/stub-resizer.ts';
import { manualClock } from '../../../test/support/service/clock.ts';
import { BulkheadFull } from '../../lib/bulkhead.ts';
import { Resizer } from './resizer.ts';
import { IDLE_LIMIT, ResizerEnded, ResizerUnavailable, TIME_LIMIT } from './resizer-process.ts';

const PROGRAM = new URL('../../../test/support/media/stub-resizer.ts', import.meta.url);

function start(t: TestContext, maxQueue = 2) {
  const clock = manualClock();
  const unavailable: Error[] = [];
  const resizer = new Resizer({
    clock,
    program: PROGRAM,
    maxQueue,
    onUnavailable: (error) => unavailable.push(error),
  });
  // What runs does not keep a process from ending.
  const alive = setInterval(() => {}, 1_000);
  t.after(() => {
    resizer.close();
    clearInterval(alive);
  });
  const run = (what: keyof typeof STUB, signal = new AbortController().signal) =>
    resizer.run(
      async () => ({
        file: Buffer.from([STUB[what]]),
        size: { width: 320, format: 'webp' },
        isStrict: false,
      }),
      signal,
    );
  return { clock, resizer, run, unavailable };
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

test('a process answers one picture after another, knows nothing of the environment, and ends when it is idle', async (t) => {
  const { clock, resizer, run } = start(t);
  assert.deepEqual(resizer.pids, []);
  const first = await run('echo');
  assert.deepEqual(first, { state: 'resized', file: Buffer.from([STUB.echo]) });
  const [pid = 0, ...others] = resizer.pids;
  assert.deepEqual(others, []);
  const names = await run('environment');
  assert.ok(names?.state === 'resized' && !names.file.includes('PATH'));
  assert.deepEqual(resizer.pids, [pid]);
  clock.advance(IDLE_LIMIT);
  await until('the process ends', () => isGone(pid));
  assert.equal((await run('echo'))?.state, 'resized');
  assert.notDeepEqual(resizer.pids, [pid]);
  // One that has grown is not used again.
  const [grown] = resizer.pids;
  await run('grow');
  await run('echo');
  assert.notEqual(resizer.pids[0], grown);
});

test('two run at once, others wait, what is more is refused, and who leaves the queue takes no turn', async (t) => {
  const { clock, run, resizer } = start(t);
  const stuck = [run('hang'), run('hang')];
  const leaving = new AbortController();
  const left = run('echo', leaving.signal);
  const waiting = run('echo');
  await assert.rejects(run('echo'), BulkheadFull);
  await until('both run', () => resizer.pids.length === 2);
  leaving.abort(new Error('left'));
  await assert.rejects(left, /left/);
  const pids = [...resizer.pids];
  clock.advance(TIME_LIMIT);
  // Together: either may end first.
  await Promise.all(stuck.map((each) => assert.rejects(each, ResizerEnded)));
  await until('they are killed', () => pids.every(isGone));
  assert.equal((await waiting)?.state, 'resized');
});

test('a process that dies fails its picture alone, and the next one gets another', async (t) => {
  const { run } = start(t);
  await assert.rejects(run('die'), /ended \(code 1\)/);
  assert.equal((await run('echo'))?.state, 'resized');
});

test('where the package does not run it is noted once, and nothing is started again', async (t) => {
  const { run, resizer, unavailable } = start(t);
  assert.equal(resizer.isAvailable, true);
  for (let time = 0; time < 2; time++) await assert.rejects(run('unavailable'), ResizerUnavailable);
  assert.equal(resizer.isAvailable, false);
  assert.deepEqual(
    unavailable.map(({ message }) => message),
    ['no such package'],
  );
});
