// Process that evaluates market conditions by the time and the figures of two tables; told a signal, a step and a number, it sends
// itself the signal when it reaches the step for that time.

import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import { type DatabaseOptions, openDatabase } from '../../../src/postgres/client/database.ts';
import { takeLease } from '../../../src/postgres/leases/held-lease.ts';
import { MARKET_LEASE, MarketEvaluator } from '../../../src/watch/market/evaluate-conditions.ts';

const target = JSON.parse(process.argv[2] ?? '{}') as DatabaseOptions;
const database = openDatabase({ ...target, maxConnections: 3, timeout: 10_000 });
let [signal, step, turns] = ['', '', 1];
let now = 0;
let isDone = false;
const evaluator = new MarketEvaluator({
  database,
  metrics: createMetrics(),
  clock: { ...systemClock, now: () => now },
  report: () => {},
  compute: async ({ areaId }) => {
    const [row] = await database.write(
      (sql) => sql<{ value: number | null }[]>`
        with computed as (insert into test_computation (area, at) values (${areaId}, ${now}))
        select value from test_figure where area = ${areaId}`,
    );
    return row?.value ?? null;
  },
  onStep: (reached) => {
    if (reached !== step || --turns > 0) return;
    step = '';
    process.kill(process.pid, signal);
  },
});
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [name = '', at = '', count = '1'] = line.split(' ');
    [signal, step, turns] = [name, at, Number(count)];
    console.log(line);
  })
  .on('close', () => {
    isDone = true;
  });
console.log('ready');
while (!isDone) {
  const [row] = await database.read((sql) => sql<{ now: number }[]>`select now from test_time`);
  now = row?.now ?? 0;
  await round().catch(() => {});
  await sleep(20);
}
await database.close();

async function round(): Promise<void> {
  const lease = (await evaluator.isDue()) ? await takeLease(database, MARKET_LEASE) : null;
  if (lease !== null) await evaluator.run(lease).finally(() => lease.release());
}
