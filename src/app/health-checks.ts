// Readiness checks: the database, the first load, and, for information only, the source.

import type { HealthCheck } from '../http/server/health.ts';
import { Problem } from '../lib/problem.ts';
import type { FindLoading } from '../listings/provenance/loading.ts';
import type { Database } from '../postgres/client/database.ts';
import type { Replication } from '../sources/replicate.ts';

export function healthChecks(
  database: Database,
  findLoading: FindLoading,
  replication: Replication | null,
): readonly HealthCheck[] {
  const databaseCheck: HealthCheck = {
    name: 'database',
    required: true,
    check: async () => `PostgreSQL ${await database.serverVersion()}`,
  };
  const checks = [databaseCheck, loadCheck(findLoading)];
  return replication ? [...checks, sourceCheck(replication)] : checks;
}

/** From the database: another process may be loading. */
function loadCheck(findLoading: FindLoading): HealthCheck {
  return {
    name: 'first-load',
    required: true,
    async check() {
      const loading = await findLoading();
      if (loading === null) return 'complete';
      const { source, records, total } = loading;
      const loaded = `${records} of ${total ?? 'an unknown number of'} listings`;
      throw new Problem('OVERLOADED', `The first load of the source "${source}" is not complete: ${loaded}.`);
    },
  };
}

function sourceCheck(replication: Replication): HealthCheck {
  return {
    name: 'source',
    required: false,
    async check() {
      const { state, failure } = replication.status();
      if (failure !== null) throw new Problem('OVERLOADED', `Reading from the source fails: ${failure}`);
      return state;
    },
  };
}
