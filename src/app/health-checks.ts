// Readiness checks: the database, the first load, searches, and, for information only, the source.

import type { BackupSettings } from '../backup/backup-settings.ts';
import { describeBackup } from '../backup/nightly.ts';
import { findBackupRecord } from '../backup/record-store.ts';
import type { HealthCheck } from '../http/server/health.ts';
import type { Clock } from '../lib/clock.ts';
import { nullIfUnavailable, Problem } from '../lib/problem.ts';
import type { FindLoading } from '../listings/provenance/loading.ts';
import type { Database } from '../postgres/client/database.ts';
import { describeRestriction, isOutgoing } from '../postgres/state/database-state.ts';
import type { StateWatch } from '../postgres/state/state-watch.ts';
import type { SearchEngine } from '../search/engine/lifecycle/search-engine.ts';
import type { Replication } from '../sources/replicate.ts';
import { findReport } from '../sources/report-store.ts';
import { refusedPartsText } from '../sources/value-counts.ts';
import { describeRows, describeSearch } from './describe-search.ts';

export interface CheckedParts {
  readonly database: Database;
  readonly databaseState: Pick<StateWatch, 'state'>;
  readonly findLoading: FindLoading;
  readonly engine: Pick<SearchEngine, 'status'>;
  readonly replication: Replication | null;
  /** Id of the source that is replicated. */
  readonly source: string | null;
  readonly clock: Clock;
  /** Nightly backups; null: this process makes none. */
  readonly backup: BackupSettings | null;
}

export function healthChecks(parts: CheckedParts): readonly HealthCheck[] {
  const { database, databaseState, clock, findLoading, engine, replication, source, backup } = parts;
  const databaseCheck: HealthCheck = {
    name: 'database',
    required: true,
    check: async () => `PostgreSQL ${await database.serverVersion()}`,
  };
  return [
    databaseCheck,
    stateCheck(databaseState),
    loadCheck(findLoading),
    searchCheck(engine),
    ...(replication && source !== null ? [sourceCheck(replication, source, database)] : []),
    ...(backup === null ? [] : [backupCheck(database, clock)]),
  ];
}

/** From the database: another process may make the backups. */
function backupCheck(database: Database, clock: Clock): HealthCheck {
  return {
    name: 'backup',
    required: false,
    async check() {
      const { text, isOverdue } = describeBackup(await database.read(findBackupRecord), clock.now());
      if (isOverdue) throw new Problem('OVERLOADED', `The last good backup is too old: ${text}.`);
      return text;
    },
  };
}

/** A database that was restored serves readers; that nothing is sent to anyone is for its operator to know. */
function stateCheck(databaseState: CheckedParts['databaseState']): HealthCheck {
  return {
    name: 'database-state',
    required: false,
    async check() {
      const { state } = databaseState;
      const text = describeRestriction(state);
      if (text === null || isOutgoing(state)) return state.name;
      if (state.name === 'copy') return text;
      throw new Problem('MAINTENANCE', text);
    },
  };
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

/** Where the engine is out of use PostgreSQL answers, which is slower, but ready. */
function searchCheck(engine: Pick<SearchEngine, 'status'>): HealthCheck {
  return {
    name: 'search',
    required: true,
    async check() {
      const status = engine.status();
      const text = describeSearch(status);
      if (status.state === 'filling') throw new Problem('SEARCH_LOADING', `${text}.`);
      return describeRows(status) ?? text;
    },
  };
}

/** A process that waits knows of the feed what the one that reads it has reported. */
function sourceCheck(replication: Replication, source: string, database: Database): HealthCheck {
  return {
    name: 'source',
    required: false,
    async check() {
      const { state, failure, rereadFailure, detail } = replication.status();
      const own = { failure: failure ?? rereadFailure, detail };
      const report = await nullIfUnavailable(database.read((sql) => findReport(sql, source)));
      const known = state === 'waiting' ? report : own;
      if (known !== null && known.failure !== null) {
        const text = known.detail === null ? known.failure : `${known.failure}: ${known.detail}`;
        throw new Problem('OVERLOADED', `Reading from the source fails: ${text}`);
      }
      const refused = refusedPartsText(report?.withheld ?? []);
      return refused === null ? state : `${state}; ${refused}`;
    },
  };
}
