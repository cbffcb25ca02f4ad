// Check of `freehold doctor` of searches: whether a process has the memory for them, and whether the running one keeps up.

import { readDescription } from '../../app/describe-search.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../../postgres/client/database.ts';
import { megabytes, memoryLimit, neededMemory } from '../../search/engine/lifecycle/engine-memory.ts';
import { count } from '../output.ts';
import { askRunningService } from '../running-service.ts';
import { type Finding, ok, warn } from './doctor-checks.ts';
import { countOnMarket } from './doctor-store.ts';

const NAME = 'search';
/** Milliseconds: at rest the log is read each second, and no page believes a record for longer than this. */
const MAX_LAG = 5_000;

/** `limit`: bytes that the service may use. */
export async function checkSearch(
  config: Pick<Config, 'search' | 'host' | 'port'>,
  database: Database,
  limit = memoryLimit(),
): Promise<Finding> {
  if (config.search.engine === 'postgres') return ok(NAME, 'by PostgreSQL (SEARCH_ENGINE=postgres)');
  const listings = await database.read(countOnMarket);
  const needed = neededMemory(listings);
  const found = `${count(listings)} listings on the market need about ${megabytes(needed)} of memory, of ${megabytes(limit)}`;
  if (needed > limit)
    return warn(
      NAME,
      `${found}: PostgreSQL answers all searches`,
      'Give the service more memory, or set SEARCH_ENGINE=postgres.',
    );
  const running = await describeRunning(config);
  return running === null ? ok(NAME, found) : judge(`${found}; the running service: ${running}`, running);
}

/** By what the running service says of its searches. */
function judge(detail: string, running: string): Finding {
  const { isByPostgres, lagMs } = readDescription(running);
  if (isByPostgres)
    return warn(
      NAME,
      detail,
      'If its log says why the engine is out of use, mend that; then restart the service with these settings.',
    );
  if (lagMs !== null && lagMs > MAX_LAG)
    return warn(
      NAME,
      detail,
      'It does not read the log of changes in time: look in its log for errors of the database.',
    );
  return ok(NAME, detail);
}

/** What the service says of its searches; null where none runs. */
async function describeRunning(config: Pick<Config, 'host' | 'port'>): Promise<string | null> {
  const answer = await askRunningService(config, '/readyz?verbose=true');
  if (answer === null) return null;
  const { checks = [] } = JSON.parse(answer.body.toString()) as {
    checks?: { name: string; detail?: string }[];
  };
  return checks.find((check) => check.name === NAME)?.detail ?? null;
}
