// Proves that a disk that fails is never a false success: what was confirmed is kept, the rest is refused, and it heals.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../src/lib/clock.ts';
import { type ChaosApp, startChaosApp } from './support/chaos-app.ts';
import { failCalls, mountSmallDisk, tracingFault } from './support/chaos-disk.ts';
import { examine, newLedger, writeCity, writeOn } from './support/chaos-ledger.ts';
import { newReaders, readOn } from './support/chaos-readers.ts';
import { isReady, postmasterOf } from './support/chaos-service.ts';
import { until } from './support/children.ts';
import { atEnd, temporaryFolder } from './support/database.ts';

const NOTHING_WRONG = { lost: 0, missing: 0, extra: 0, torn: 0 };
const MEBIBYTES = 160;
/** Refusals: by then the server has ended over the fault, and cannot start for it. */
const ENOUGH = 100;

interface Trouble {
  /** Begins it. */
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

/** Writes and reads all the while; begins the trouble, waits until writes are refused, ends it, and looks what is there. */
async function endure(t: TestContext, app: ChaosApp, { begin, end }: Trouble): Promise<void> {
  await writeCity(app.database);
  const ledger = newLedger();
  const readers = newReaders(app.keys.internal);
  const stopping = new AbortController();
  const load = [1, 2, 3].map((number) => writeOn(`disk${number}`, app.database, ledger, stopping.signal));
  load.push(readOn(app.url, readers, stopping.signal));
  const stop = async () => {
    stopping.abort();
    await Promise.all(load);
  };
  atEnd(t, stop);
  await until('writes are confirmed', async () => ledger.acknowledged.length > 20);
  await begin();
  await until('writes are refused', async () => ledger.refused > ENOUGH);
  const during = ledger.acknowledged.length;
  await end();
  const begun = systemClock.monotonic();
  await until('writes are confirmed again', async () => ledger.acknowledged.length > during + 10);
  await until('the service is ready', () => isReady(app.url));
  const seconds = (systemClock.monotonic() - begun) / 1_000;
  await stop();
  t.diagnostic(
    `${app.lines.length} lines in the log, ${ledger.acknowledged.length} confirmed, ${ledger.refused} refused, well again after ${seconds.toFixed(1)} s`,
  );
  assert.deepEqual([...ledger.faults, ...readers.wrong], []);
  assert.deepEqual(await examine(app.database, ledger), NOTHING_WRONG);
}

test('a disk that runs full refuses writes and loses none; when there is room again all goes on by itself', async (t) => {
  const disk = await mountSmallDisk(t, MEBIBYTES);
  if (typeof disk === 'string') return t.skip(disk);
  const app = await startChaosApp(t, { source: 'none', dataDirectory: join(disk.folder, 'data') });
  await endure(t, app, {
    async begin() {
      await disk.fill();
      // What is written next needs a new file, which there is no room for.
      await app.database.write((sql) => sql`select pg_switch_wal()`).catch(() => {});
    },
    end: disk.makeRoom,
  });
});

for (const [calls, error, what] of [
  ['fdatasync,fsync', 'EIO', 'cannot flush'],
  ['pwrite64,pwritev', 'EIO', 'cannot write'],
  ['pwrite64,pwritev', 'ENOSPC', 'has no room for what is written'],
] as const) {
  test(`a disk that ${what} (${error}) refuses writes and loses none; when it works again all goes on by itself`, async (t) => {
    const fault = await tracingFault();
    if (fault !== undefined) return t.skip(fault);
    const dataDirectory = join(await temporaryFolder(t, 'disk'), 'data');
    const app = await startChaosApp(t, { source: 'none', dataDirectory });
    let stop: (() => Promise<void>) | undefined;
    await endure(t, app, {
      async begin() {
        const postmaster = (await postmasterOf(dataDirectory))?.pid ?? 0;
        stop = await failCalls(t, postmaster, calls, error);
      },
      end: async () => stop?.(),
    });
  });
}
