// Service of one side of a comparison with a former release.

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { ask, headersFor, UNCOUNTED } from '../million/compared.ts';
import type { Known } from '../million/questions.ts';
import { findKnown, warm } from '../million/testbed.ts';
import { type Arm, type Load, startArm, type Testbed, writeTiers } from '../testbed.ts';
import type { Side } from './sides.ts';

export interface Service {
  readonly known: Known;
  /** Goes on in the list where the last load ended. */
  ask(list: string, seconds: number): Promise<Load>;
  /** Ids of the listings on a page. */
  page(path: string): Promise<readonly string[]>;
  /** Milliseconds until a question was answered; null where it was not. */
  time(path: string): Promise<number | null>;
  close(): Promise<void>;
}

/** The service by the sources of a side, over its market; `name`: of this comparison. */
export async function openService(testbed: Testbed, side: Side, name: string): Promise<Service> {
  const { tree, cluster, databaseUrl } = side;
  await warm(join(cluster, 'postgres', 'cluster', 'base'));
  const arm = await startArm('release/service-arm.ts', {
    DATABASE_URL: databaseUrl,
    SOURCE: 'none',
    LOG_LEVEL: 'warn',
    TREE: tree,
    DATA_DIR: join(cluster, 'service'),
    TIERS_FILE: await writeTiers(testbed, name, UNCOUNTED),
  });
  const database = openDatabase({ url: databaseUrl, timeout: 0 });
  while (!(await fetch(`${arm.url}/readyz`)).ok) await setTimeout(200);
  const { key } = await createLocalSubscriptions(database, systemClock).create({ plan: 'internal' });
  const known = await findKnown(database);
  let asked = 0;
  return {
    known,
    async ask(list, seconds) {
      const load = await ask(arm, list, key, seconds, asked);
      asked += load.requests;
      return load;
    },
    page: (path) => pageOf(arm, path, key),
    async time(path) {
      const begun = performance.now();
      const answer = await fetch(`${arm.url}${path}`, { headers: headersFor(key) });
      await answer.text();
      return answer.ok ? performance.now() - begun : null;
    },
    close: () => closeBoth(arm, database),
  };
}

async function pageOf({ url }: Arm, path: string, key: string): Promise<readonly string[]> {
  const answer = await fetch(`${url}${path}`, { headers: headersFor(key) });
  return ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
}

async function closeBoth(arm: Arm, database: Database): Promise<void> {
  await arm.stop();
  await database.close();
}
