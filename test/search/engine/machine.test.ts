// Proves that the engine, PostgreSQL and a plain loop answer alike, whatever is written and whatever befalls the process.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../support/check/runs.ts';
import { type Played, play, stepArbitrary } from '../../support/engine/machine.ts';

/** Commands of one run, each followed by a question of every kind. */
const STEPS = Number(process.env.CHAOS_STEPS ?? 24);

test('through writes, redrawn areas, merges, restarts, a shortened log and a clock that jumps, every answer is that of PostgreSQL and of a plain loop', async (t) => {
  const sum = { asked: 0, judged: 0, found: 0, rebuilds: 0, loads: 0 };
  let steps = 0;
  const start = performance.now();
  await fc.assert(
    fc.asyncProperty(
      fc.array(stepArbitrary, { minLength: STEPS, maxLength: STEPS, size: 'max' }),
      async (drawn) => {
        const endings: (() => Promise<void>)[] = [];
        try {
          const played: Played = await play({ after: (ending) => void endings.push(ending) }, drawn);
          for (const name of Object.keys(sum) as (keyof Played)[]) sum[name] += played[name];
          steps += drawn.length;
        } finally {
          for (const end of endings.toReversed()) await end();
        }
      },
    ),
    { ...runs(4, 2_027), endOnFailure: true },
  );
  t.diagnostic(
    `${steps} commands in ${Math.round((performance.now() - start) / 1_000)} s: ${JSON.stringify(sum)}`,
  );
  assert.ok(sum.judged > steps / 4 && sum.found > steps / 8, JSON.stringify(sum));
  assert.ok(sum.rebuilds > 4 && sum.loads > 4, JSON.stringify(sum));
});
