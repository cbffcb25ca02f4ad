// Check of `freehold doctor`: whether this process has the memory to search the market in it.

import type { Config } from '../config.ts';
import type { Database } from '../postgres/client/database.ts';
import { megabytes, memoryLimit, neededMemory } from '../search/engine/lifecycle/engine-memory.ts';
import { type Finding, ok, warn } from './doctor-checks.ts';
import { countOnMarket } from './doctor-store.ts';
import { count } from './output.ts';

/** `limit`: bytes that the service may use. */
export async function checkSearch(
  { search }: Pick<Config, 'search'>,
  database: Database,
  limit = memoryLimit(),
): Promise<Finding> {
  const name = 'search';
  if (search.engine === 'postgres') return ok(name, 'by PostgreSQL (SEARCH_ENGINE=postgres)');
  const listings = await database.read(countOnMarket);
  const needed = neededMemory(listings);
  const found = `${count(listings)} listings on the market need about ${megabytes(needed)} of memory, of ${megabytes(limit)}`;
  if (needed <= limit) return ok(name, found);
  return warn(
    name,
    `${found}: PostgreSQL answers all searches`,
    'Give the service more memory, or set SEARCH_ENGINE=postgres.',
  );
}
