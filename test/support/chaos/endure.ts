// Course of a disk failure: load before, refusals during, recovery after, and a look at what is there.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { systemClock } from '../../../src/lib/clock.ts';
import { until } from '../check/until.ts';
import { atEnd } from '../database/database.ts';
import type { ChaosApp } from './app.ts';
import { examine, newLedger, writeCity, writeOn } from './ledger.ts';
import { newReaders, readOn } from './readers.ts';
import { isReady } from './service.ts';

const NOTHING_WRONG = { lost: 0, missing: 0, extra: 0, torn: 0 };
/** Refusals: by then the server has ended over the fault, and cannot start for it. */
const ENOUGH = 100;

interface Trouble {
  /** Begins it. */
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

/** Writes and reads all the while; begins the trouble, waits until writes are refused, ends it, and looks what is there. */
export async function endure(t: TestContext, app: ChaosApp, { begin, end }: Trouble): Promise<void> {
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
