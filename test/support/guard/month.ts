// Months that are spent through real processes which are killed without warning, again and again.

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createRandom } from '../check/random.ts';
import { type Closing, temporaryFolder, testDatabase } from '../database/database.ts';
import { serving } from '../fuzz/canaries.ts';
import { startCli } from '../process/cli.ts';

export interface MonthResult {
  readonly month: number;
  /** Answers that cost a request of the month, over all processes. */
  readonly admitted: number;
  /** What the database says was taken. */
  readonly used: number;
  readonly kills: number;
  /** The most that one process may hold unspent. */
  readonly block: number;
  /** Requests whose answer was lost with their process: admitted or not, nobody knows. */
  readonly unknown: number;
}

/**
 * Two processes spend one subscription's month; after each round both are killed in the middle of requests. At the
 * end two more spend what is left, until both refuse.
 */
export async function spendMonth(
  t: Closing,
  { month, rounds, seed }: { readonly month: number; readonly rounds: number; readonly seed: number },
): Promise<MonthResult> {
  const random = createRandom(seed);
  const { database, url } = await testDatabase(t);
  const folder = await temporaryFolder(t, 'month');
  const tiers = join(folder, `tiers-${randomBytes(4).toString('hex')}.json`);
  await writeFile(tiers, JSON.stringify({ pro: { minute: null, month } }));
  const { key, id } = await createLocalSubscriptions(database, systemClock).create({ plan: 'pro' });
  const environment = { DATABASE_URL: url, DATA_DIR: folder, PORT: '0', TIERS_FILE: tiers };
  let [admitted, unknown, kills] = [0, 0, 0];
  async function ask(base: string): Promise<number> {
    try {
      const answer = await fetch(`${base}/v1/areas?limit=1`, { headers: { authorization: `Bearer ${key}` } });
      if (answer.status === 200) admitted++;
      await answer.body?.cancel();
      return answer.status;
    } catch {
      unknown++;
      return 0;
    }
  }
  for (let round = 0; round <= rounds; round++) {
    const last = round === rounds;
    const runs = [1, 2].map(() => startCli(t, ['serve'], { folder, environment }));
    const bases = await Promise.all(runs.map(serving));
    const share = last
      ? Number.POSITIVE_INFINITY
      : Math.floor(((0.5 + random.next()) * month) / (rounds * 2.5));
    await Promise.all(
      runs.map(async (run, at) => {
        const base = bases[at] ?? '';
        for (let sent = 0; sent < share; sent += 8) {
          const statuses = await Promise.all(Array.from({ length: 8 }, () => ask(base)));
          if (statuses.every((status) => status === 429)) break;
        }
        if (last) return run.kill('SIGTERM');
        const dying = Array.from({ length: 8 }, () => ask(base));
        run.kill('SIGKILL');
        kills++;
        await Promise.all(dying);
      }),
    );
    await Promise.all(runs.map(({ ended }) => ended));
  }
  const [row] = await database.read(
    (sql) => sql<{ used: number }[]>`select used from monthly_usage where account = ${`sub:${id}`}`,
  );
  return { month, admitted, used: row?.used ?? 0, kills, block: Math.ceil(month / 50), unknown };
}
