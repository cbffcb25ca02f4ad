// Check of `freehold doctor`: sources that are served and no longer configured, and removals that were interrupted.

import type { Config } from '../../config.ts';
import type { Database } from '../../postgres/client/database.ts';
import { configuredSource, describeStored, findAbandoned } from '../../sources/abandoned.ts';
import { findRemovals } from '../../sources/removal-store.ts';
import { type Finding, warn } from '../doctor/doctor-checks.ts';
import { count } from '../output.ts';
import { COUNT_TIMEOUT } from './remove.ts';

/** Nothing where all that is stored is configured or imported. */
export async function checkSources({ source }: Config, database: Database): Promise<Finding[]> {
  const name = 'sources';
  const removals = await database.read(findRemovals);
  const abandoned = await database.read((sql) => findAbandoned(sql, configuredSource(source)), {
    timeout: COUNT_TIMEOUT,
  });
  const removing = removals.map((removal) =>
    warn(
      name,
      `${removal.source} is being removed: ${count(removal.removed)} of ${count(removal.listings)} listings so far`,
      `If no process goes on with it: \`freehold sources remove ${removal.source}\`.`,
    ),
  );
  const left = abandoned
    .filter(({ removed }) => removed === null)
    .map((stored) =>
      warn(
        name,
        `${stored.id} is not configured any more, and its ${describeStored(stored)} are still served`,
        `\`freehold sources remove ${stored.id}\` removes them.`,
      ),
    );
  return [...removing, ...left];
}
