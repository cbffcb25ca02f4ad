// Proof that limits which processes count together keep their bounds whatever goes wrong, in simulated worlds.
// SIM_RUNS: histories; SIM_SEED: of the first; SIM_NODES: most processes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type History, runHistory } from '../../support/simulation/history.ts';

const RUNS = Number(process.env.SIM_RUNS ?? 4);
const SEED = Number(process.env.SIM_SEED ?? 1);
const NODES = Number(process.env.SIM_NODES ?? 6);
const LENGTH = 300_000;

const describe = ({ options, faults, troubles }: History): string =>
  `SIM_SEED=${options.seed}, ${options.nodes} processes\n${troubles.join('\n')}\n${faults.slice(0, 5).join('\n')}`;

test('without trouble nobody is ever admitted more than its quota, and all but 3 % of it', async (t) => {
  const history = await runHistory({ seed: SEED, nodes: 3, length: LENGTH, troubles: 0 });
  assert.deepEqual(history.faults, [], describe(history));
  assert.ok(history.most <= 1 && history.least >= 0.96, `${history.least} to ${history.most}`);
  assert.equal(history.streams, 10);
  t.diagnostic(
    `${history.admitted} admitted, of each quota between ${history.least.toFixed(3)} and ${history.most.toFixed(3)}`,
  );
});

for (let run = 0; run < RUNS; run++) {
  const seed = SEED + run;
  const nodes = 2 + (seed % (NODES - 1));
  test(`history ${seed}: ${nodes} processes, and losses, partitions, kills, clocks`, async (t) => {
    const history = await runHistory({ seed, nodes, length: LENGTH, troubles: 1 + (seed % 4) });
    assert.deepEqual(history.faults, [], describe(history));
    assert.equal(history.recoveries.length > 0, true, `the server decides again\n${describe(history)}`);
    const [slowest] = history.recoveries.toSorted((one, other) => other - one);
    t.diagnostic(
      `${history.admitted} admitted; decides again within ${((slowest ?? 0) / 1_000).toFixed(1)} s of a trouble; one process admitted ${history.fairness.join(' to ')} of an account`,
    );
  });
}
