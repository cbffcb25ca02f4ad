// Proves that a process that ends is started again, patiently, and that nothing is left running after a stop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { manualClock } from '../../test/support/service/clock.ts';
import { type SupervisedProcess, supervise } from './supervisor.ts';

interface FakeProcess extends SupervisedProcess {
  end(how: string): void;
}

function fakeProcess(): FakeProcess {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  return { ended, end: resolve, stop: async () => resolve('told to') };
}

function watched(launch: (runs: FakeProcess[]) => Promise<FakeProcess> = async () => fakeProcess()) {
  const clock = manualClock();
  const runs = [fakeProcess()];
  const lines: string[] = [];
  const supervisor = supervise(runs[0] as FakeProcess, {
    name: 'It',
    clock,
    log: (line) => lines.push(line),
    async launch() {
      const run = await launch(runs);
      runs.push(run);
      return run;
    },
  });
  const advance = async (milliseconds: number) => {
    await nextTurn();
    clock.advance(milliseconds);
    await nextTurn();
  };
  return { clock, runs, lines, supervisor, advance };
}

test('a process that keeps ending is started again after pauses that grow to five seconds and no further', async () => {
  const { runs, advance, supervisor } = watched();
  for (const pause of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
    const before = runs.length;
    runs.at(-1)?.end('killed');
    await advance(pause - 1);
    assert.equal(runs.length, before, `nothing before ${pause} ms`);
    await advance(1);
    assert.equal(runs.length, before + 1, `again after ${pause} ms`);
  }
  await supervisor.stop();
});

test('after a process has lived for ten seconds the pauses begin anew', async () => {
  const { runs, advance, supervisor } = watched();
  for (const pause of [100, 200, 400]) {
    runs.at(-1)?.end('killed');
    await advance(pause);
  }
  await advance(10_000);
  runs.at(-1)?.end('killed');
  await advance(100);
  assert.equal(runs.length, 5);
  await supervisor.stop();
});

test('a start that fails is told of and tried again', async () => {
  let attempts = 0;
  const { runs, lines, advance, supervisor } = watched(async () => {
    if (++attempts < 3) throw new Error('no room');
    return fakeProcess();
  });
  runs[0]?.end('signal SIGKILL');
  for (const pause of [100, 200, 400]) await advance(pause);
  assert.equal(runs.length, 2);
  assert.deepEqual(lines, [
    'It ended unexpectedly (signal SIGKILL); restarting it',
    'no room',
    'no room',
    'It is running again',
  ]);
  await supervisor.stop();
});

test('a stop ends what runs, and also what was being started at that moment; nothing is started after it', async () => {
  const { promise: started, resolve: start } = Promise.withResolvers<FakeProcess>();
  const { runs, clock, advance, supervisor } = watched(() => started);
  runs[0]?.end('killed');
  await advance(100);
  const stopped = supervisor.stop();
  const late = fakeProcess();
  start(late);
  await stopped;
  assert.equal(await late.ended, 'told to');
  assert.equal(clock.waiting, 0);
});
