// Proves that the metrics of the log of changes follow it while the service runs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendPrivateEntries } from '../../src/changes/change-store.ts';
import { startChangeUpkeep } from '../../src/changes/upkeep.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { backgroundAtRest } from '../support/check/background.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

test('sequence and size of the log are measured at the start and a minute after each change', async (t) => {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  const metrics = createMetrics();
  const upkeep = startChangeUpkeep({ database, clock, metrics, report: assert.ifError });
  atEnd(t, () => upkeep.stop());
  const read = async (name: string): Promise<number> => {
    await backgroundAtRest({ database, clock });
    const { text } = await metrics.read();
    return Number(new RegExp(`^freehold_change_log_${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  const bytes = await read('bytes');
  assert.ok(bytes > 0);
  const entries = Array.from({ length: 5_000 }, (_, at) => ({
    watcherId: `wat_${at}`,
    action: 'test',
    data: { text: 'x'.repeat(100) },
  }));
  await database.transaction((tx) => appendPrivateEntries(tx, entries, clock.now()));
  assert.equal(await read('sequence'), 0);
  clock.advance(60_000);
  assert.equal(await read('sequence'), 5_000);
  assert.ok((await read('bytes')) > bytes + 500_000);
});
