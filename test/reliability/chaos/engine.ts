// Command that disturbs the search engine until it is believed: `node test/reliability/chaos/engine.ts [commands] [seed]`.

import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { factsArbitrary } from '../../support/catalogue/random-market.ts';
import { endings } from '../../support/chaos/table.ts';
import { type Played, play, stepArbitrary } from '../../support/engine/machine.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const commands = Number(positionals[0] ?? 10_000);
const seed = Number(positionals[1] ?? Date.now() % 1_000_000);

/** Commands on one market, and the listings that it begins with: none, a page, some pages. */
const STEPS = 100;
const SIZES = [0, 60, 400];
/** Runs between two lines that tell how far it is. */
const TOLD_AFTER = 2;

const sum = { asked: 0, judged: 0, found: 0, rebuilds: 0, loads: 0 };
const start = performance.now();
console.log(`${commands} commands, seed ${seed}`);
for (let played = 0, run = 0; played < commands; played += STEPS, run++) {
  const size = SIZES[(seed + run) % SIZES.length] ?? 0;
  const drawn = { seed: seed + run, numRuns: 1 };
  const [steps = []] = fc.sample(
    fc.array(stepArbitrary, { minLength: STEPS, maxLength: STEPS, size: 'max' }),
    drawn,
  );
  const [base = []] = fc.sample(
    fc.array(factsArbitrary, { minLength: size, maxLength: size, size: 'max' }),
    drawn,
  );
  const { closing, end } = endings();
  try {
    const counts = await play(closing, steps, base);
    for (const name of Object.keys(sum) as (keyof Played)[]) sum[name] += counts[name];
  } catch (error) {
    console.error(`Wrong in the ${run + 1}th run; alone: 100 ${seed + run}`);
    console.error(error);
    process.exitCode = 1;
  } finally {
    await end();
  }
  if (run % TOLD_AFTER === TOLD_AFTER - 1) tell(played + STEPS);
}
tell(Math.ceil(commands / STEPS) * STEPS);

function tell(played: number): void {
  const seconds = Math.round((performance.now() - start) / 1_000);
  console.log(`  ${played} commands in ${seconds} s: ${JSON.stringify(sum)}`);
}
