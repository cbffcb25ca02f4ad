// Proves over random histories that a replica ends exactly as its source and tells each change once, whatever happens meanwhile.
// VENDOR_RUNS: histories for each vendor; VENDOR_SEED: of which; VENDOR: of one vendor only; VENDOR_PATH: one history, by the path
// of its failure; VENDOR_SHRINK: a history that fails is made as short as it still fails.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Quirks } from '../../../sample/vendors/quirks.ts';
import { VENDORS, type VendorName } from '../../../sample/vendors/rules.ts';
import { listingId } from '../../../src/ingest/identity.ts';
import { moveableTime } from '../../support/billing/database-time.ts';
import { testDatabase } from '../../support/database/database.ts';
import { startService } from '../../support/service/service.ts';
import { assertLimits } from '../../support/sources/machine/limits.ts';
import type { Step } from '../../support/sources/machine/step.ts';
import { namesAt, readNames, readStored } from '../../support/sources/machine/stored.ts';
import { assertToldOnce, createWatcher, readTold } from '../../support/sources/machine/told.ts';
import { type MachineStage, VendorMachine } from '../../support/sources/machine/vendor-machine.ts';

const RUNS = Number(process.env.VENDOR_RUNS ?? 2);
const SEED = Number(process.env.VENDOR_SEED ?? 43);
const PATH = process.env.VENDOR_PATH;

const quirks: fc.Arbitrary<Partial<Quirks>> = fc.oneof(
  fc.record({ staleLinks: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ emptyMedia: fc.constant(true) }),
  fc.record({ late: fc.integer({ min: 1, max: 240 }) }),
  fc.record({ truncatedKeys: fc.integer({ min: 0, max: 40 }) }),
  fc.record({ slowAbove: fc.integer({ min: 5, max: 20 }) }),
  fc.record({ lookups: fc.constantFrom('absent' as const, 'refused' as const) }),
  fc.record({ errors: fc.constantFrom('html' as const, 'text' as const, 'success' as const) }),
  fc.constant({}),
);
const retryAfter = fc.record({
  status: fc.constantFrom(429, 503),
  headers: fc.record({ 'retry-after': fc.integer({ min: 1, max: 90 }).map(String) }),
});
const refusal = fc.oneof(retryAfter, fc.record({ status: fc.constantFrom(401, 429, 500, 503) }));
const which = fc.nat(59);
const value = fc.integer({ min: 50_000, max: 900_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'price' as const,
        'photos' as const,
        'status' as const,
        'remove' as const,
        'return' as const,
      ),
      which,
      value,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), value: fc.integer({ min: 1, max: 400 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('touch' as const, 'day' as const, 'spell' as const) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('market' as const), value: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      calls: fc.integer({ min: 0, max: 40 }),
      seconds: fc.integer({ min: 0, max: 400 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      whose: fc.constantFrom('server' as const, 'ours' as const),
      minutes: fc.integer({ min: -40, max: 40 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('refuse' as const),
      refusals: fc.array(refusal, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('quirk' as const), quirks }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      lookup: fc.constantFrom('MlsStatus' as const, 'PropertySubType' as const),
      value: which,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('field' as const),
      field: fc.constantFrom('ListPrice' as const, 'PhotosCount' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rekey' as const), which }) },
);

const at = { after };
const stored = await testDatabase(at);
const budgets = await testDatabase(at);
const time = await moveableTime(budgets.database);
let budgetTime = await time.now();
const service = await startService(at, { createDatabase: async () => stored });
const stage: MachineStage = {
  database: stored.database,
  budgets: budgets.database,
  async setBudgetTime(now) {
    if (now === budgetTime) return;
    await time.advance(now - budgetTime);
    budgetTime = now;
  },
};
let machines = 0;

async function runHistory(vendor: VendorName, market: number, history: readonly Step[]): Promise<void> {
  // What one history leaves running ends with it.
  const endings: (() => Promise<void>)[] = [];
  const closing = { after: (end: () => Promise<void>) => void endings.push(end) };
  try {
    machines += 1;
    const id = `${vendor}-${machines}`;
    const machine = await VendorMachine.start(closing, stage, vendor, { id, seed: `${vendor}-${market}` });
    assert.deepEqual(await readStored(stored.database, id), machine.history.shown);
    const key = machine.history.keyAt(0);
    const watcher = await createWatcher(service, listingId(id, key));
    const begun = await readTold(service, machine);
    for (const next of history) await machine.take(next);
    await machine.calm();
    assert.deepEqual(await readStored(stored.database, id), machine.history.shown);
    assert.deepEqual(await readNames(stored.database, id), namesAt(machine));
    const told = await readTold(service, machine, begun.sequence);
    assertToldOnce(machine, told.changes);
    await watcher.assertSame(told.changes.get(key) ?? []);
    machine.server.vendor.touch();
    await machine.pass(600);
    const untouched = await readTold(service, machine, told.sequence);
    assert.deepEqual([...untouched.changes], [], 'nothing changed');
    assertLimits(machine);
  } finally {
    for (const end of endings.toReversed()) await end();
  }
}

for (const vendor of VENDORS.filter((each) => (process.env.VENDOR ?? each) === each)) {
  test(`${vendor}: the replica ends as its source, each change is told once, and what did not change never`, {
    skip: RUNS === 0,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(step, { minLength: 6, maxLength: 24 }), (market, history) =>
        runHistory(vendor, market, history),
      ),
      {
        numRuns: RUNS,
        seed: SEED,
        endOnFailure: process.env.VENDOR_SHRINK === undefined,
        ...(PATH !== undefined && { path: PATH }),
      },
    );
  });
}
