// Check of `freehold doctor`: whether a process has the memory to search the market in it, and how far behind the running one is.

import type { Config } from '../config.ts';
import type { Database } from '../postgres/client/database.ts';
import { megabytes, memoryLimit, neededMemory } from '../search/engine/lifecycle/engine-memory.ts';
import { type Finding, ok, warn } from './doctor-checks.ts';
import { countOnMarket } from './doctor-store.ts';
import { count } from './output.ts';
import { askRunningService } from './running-service.ts';

/** `limit`: bytes that the service may use. */
export async function checkSearch(
  config: Pick<Config, 'search' | 'host' | 'port'>,
  database: Database,
  limit = memoryLimit(),
): Promise<Finding> {
  const name = 'search';
  if (config.search.engine === 'postgres') return ok(name, 'by PostgreSQL (SEARCH_ENGINE=postgres)');
  const listings = await database.read(countOnMarket);
  const needed = neededMemory(listings);
  const found = `${count(listings)} listings on the market need about ${megabytes(needed)} of memory, of ${megabytes(limit)}`;
  if (needed <= limit) return ok(name, `${found}${await describeRunning(config)}`);
  return warn(
    name,
    `${found}: PostgreSQL answers all searches`,
    'Give the service more memory, or set SEARCH_ENGINE=postgres.',
  );
}

/** What the service says of its searches, where it runs: listings in memory and how far behind they are. */
async function describeRunning(config: Pick<Config, 'host' | 'port'>): Promise<string> {
  const answer = await askRunningService(config, '/readyz?verbose=true');
  if (answer === null) return '';
  const { checks = [] } = JSON.parse(answer.body.toString()) as {
    checks?: { name: string; detail?: string }[];
  };
  const detail = checks.find((check) => check.name === 'search')?.detail;
  return detail === undefined ? '' : `; the running service: ${detail}`;
}
