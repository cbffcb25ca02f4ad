// Owns what readiness asks: the database, the first load, and, in words only, the source.

import type { HealthCheck } from '../http/health.ts';
import { Problem } from '../lib/problem.ts';
import type { Database } from '../postgres/database.ts';
import type { Replication } from '../sources/replicate.ts';

export function healthChecks(database: Database, replication: Replication | null): readonly HealthCheck[] {
  const databaseCheck: HealthCheck = {
    name: 'database',
    required: true,
    check: async () => `PostgreSQL ${await database.serverVersion()}`,
  };
  return replication ? [databaseCheck, loadCheck(replication), sourceCheck(replication)] : [databaseCheck];
}

function loadCheck(replication: Replication): HealthCheck {
  return {
    name: 'first-load',
    required: true,
    async check() {
      const { loadedAt, progress } = replication.status();
      if (loadedAt !== null) return `complete since ${loadedAt}`;
      const far = progress
        ? ` (${progress.records} of ${progress.total ?? 'an unknown number of'} listings)`
        : '';
      throw new Problem('OVERLOADED', `the first load is not complete yet${far}`);
    },
  };
}

function sourceCheck(replication: Replication): HealthCheck {
  return {
    name: 'source',
    required: false,
    async check() {
      const { state, failure } = replication.status();
      if (failure !== null) throw new Problem('OVERLOADED', `reading from the source fails: ${failure}`);
      return state;
    },
  };
}
