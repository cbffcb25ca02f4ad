// Readiness checks: the database, the first load, searches, limits, and, for information only, the source.

import type { SharedCounting } from '../access/limits/shared/shared-counting.ts';
import type { BackupSettings } from '../backup/backup-settings.ts';
import { describeBackup } from '../backup/nightly.ts';
import { findBackupRecord } from '../backup/record-store.ts';
import type { HealthCheck, HealthOptions } from '../http/server/health.ts';
import { failuresText } from '../import/schedules/schedule.ts';
import { listSchedules } from '../import/schedules/schedule-store.ts';
import type { Clock } from '../lib/clock.ts';
import { nullIfUnavailable, Problem } from '../lib/problem.ts';
import type { FindLoading } from '../listings/provenance/loading.ts';
import { countPicturesOf } from '../media/copies/copy-store.ts';
import type { Database } from '../postgres/client/database.ts';
import { describeRestriction, isOutgoing } from '../postgres/state/database-state.ts';
import type { StateWatch } from '../postgres/state/state-watch.ts';
import type { SearchEngine } from '../search/engine/lifecycle/search-engine.ts';
import { budgetLines } from '../sources/budget/budget-text.ts';
import { findComparison } from '../sources/reconcile/reconcile-store.ts';
import { REFUSED } from '../sources/reconcile/reconciler.ts';
import { isAnotherLoaded } from '../sources/removal-store.ts';
import type { ReplicationStatus } from '../sources/replication-status.ts';
import { findReport } from '../sources/report-store.ts';
import type { ActiveSource, SourceSet } from '../sources/source-set.ts';
import { refusedPartsText, unknownTotals, unknownTotalsText } from '../sources/value-counts.ts';
import { describeRows, describeSearch } from './describe-search.ts';

export interface CheckedParts {
  readonly database: Database;
  readonly databaseState: Pick<StateWatch, 'state'>;
  readonly findLoading: FindLoading;
  readonly engine: Pick<SearchEngine, 'status'>;
  /** Of the reading of a source. */
  readonly status: (source: string) => ReplicationStatus;
  readonly sources: Pick<SourceSet, 'list'>;
  /** That of this process's settings; null: none. */
  readonly source: { readonly id: string } | null;
  /** Null: this process counts limits alone. */
  readonly counting: Pick<SharedCounting, 'status'> | null;
  readonly clock: Clock;
  readonly config: {
    /** Nightly backups; null: this process makes none. */
    readonly backup: BackupSettings | null;
  };
}

export function healthChecks(parts: CheckedParts): Pick<HealthOptions, 'checks' | 'furtherChecks'> {
  const { database, databaseState, clock, counting, engine, sources, config } = parts;
  const own = parts.source?.id ?? null;
  const databaseCheck: HealthCheck = {
    name: 'database',
    required: true,
    check: async () => `PostgreSQL ${await database.serverVersion()}`,
  };
  return {
    checks: [
      databaseCheck,
      stateCheck(databaseState),
      loadCheck(parts),
      searchCheck(engine),
      ...(config.backup === null ? [] : [backupCheck(database, clock)]),
      importsCheck(database),
    ],
    furtherChecks: () => [
      ...(counting === null ? [] : [limitsCheck(counting)]),
      ...sources
        .list()
        .map((source) => sourceCheck(source, source.id === own ? 'source' : `source ${source.id}`, parts)),
    ],
  };
}

/** Divided limits are served; while a process waits it answers no limited request. */
function limitsCheck(counting: Pick<SharedCounting, 'status'>): HealthCheck {
  const { mode, nodes, reason } = counting.status();
  const processes = nodes === 1 ? '1 process' : `${nodes} processes`;
  return {
    name: 'limits',
    required: mode === 'waiting',
    async check() {
      if (mode === 'shared') return `counted over all processes (${nodes})`;
      const text = mode === 'divided' ? `divided among ${processes}` : 'waiting';
      throw new Problem('OVERLOADED', reason === null ? text : `${text}: ${reason}`);
    },
  };
}

/** From the database: another process may run them. */
function importsCheck(database: Database): HealthCheck {
  return {
    name: 'imports',
    required: false,
    async check() {
      const schedules = await database.read(listSchedules);
      const failures = failuresText(schedules);
      if (failures.length > 0)
        throw new Problem('OVERLOADED', `Scheduled imports fail: ${failures.join('; ')}.`);
      return schedules.length === 0 ? 'none is scheduled' : `${schedules.length} scheduled`;
    },
  };
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

/** From the database: another process may be loading. A source that is added to others leaves the service ready. */
function loadCheck({ findLoading, database, source: own }: CheckedParts): HealthCheck {
  return {
    name: 'first-load',
    required: true,
    async check() {
      const loading = await findLoading();
      if (loading === null) return 'complete';
      const { source, records, total } = loading;
      const loaded = `${records} of ${total ?? 'an unknown number of'} listings`;
      if (source !== own?.id && (await database.read((sql) => isAnotherLoaded(sql, source))))
        return `under way for the source "${source}": ${loaded}`;
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
function sourceCheck(
  { id, lacks, control, source }: ActiveSource,
  name: string,
  { database, status }: Pick<CheckedParts, 'database' | 'status'>,
): HealthCheck {
  return {
    name,
    required: false,
    async forOperators() {
      const report = await nullIfUnavailable(database.read((sql) => findReport(sql, id)));
      const photos = await nullIfUnavailable(database.read((sql) => countPicturesOf(sql, id)));
      const sample = status(id).sample ?? report?.sample ?? null;
      const budget = source?.budget && (await nullIfUnavailable(source.budget.read()));
      const unknown = unknownTotalsText(unknownTotals(report?.unknown ?? []));
      const lines = [
        ...(budget ? budgetLines(budget) : []),
        ...(unknown === null ? [] : [unknown]),
        ...(photos ? [`photos: ${photos.waiting} are still to be copied, ${photos.failed} failed`] : []),
        ...(sample === null ? [] : [`a record: ${sample}`]),
      ];
      return lines.length === 0 ? undefined : lines.join('; ');
    },
    async check() {
      const { state, failure, rereadFailure, detail } = status(id);
      const own = { failure: failure ?? rereadFailure, detail };
      const report = await nullIfUnavailable(database.read((sql) => findReport(sql, id)));
      const comparison = await nullIfUnavailable(database.read((sql) => findComparison(sql, id)));
      if (control.pausedAt !== null) return `paused since ${control.pausedAt}`;
      if (lacks !== null)
        throw new Problem(
          'OVERLOADED',
          `Reading from the source fails in this process: missing_secret: ${lacks}`,
        );
      const known = state === 'waiting' ? report : own;
      if (known !== null && known.failure !== null) {
        const text = known.detail === null ? known.failure : `${known.failure}: ${known.detail}`;
        throw new Problem('OVERLOADED', `Reading from the source fails: ${text}`);
      }
      const doubted = comparison?.outcome.refused ?? null;
      if (doubted !== null)
        throw new Problem(
          'OVERLOADED',
          `Nothing is deleted of what the source no longer names: ${REFUSED}: ${doubted}`,
        );
      const refused = refusedPartsText(report?.withheld ?? []);
      return refused === null ? state : `${state}; ${refused}`;
    },
  };
}
