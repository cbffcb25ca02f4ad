// Checks of `freehold doctor` in the database: schema, listings, watchers and their logs. None of them throws.

import { headSequence, readChanges } from '../../changes/change-store.ts';
import type { Config } from '../../config.ts';
import { DAY, MINUTE, systemClock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { dayOf } from '../../postgres/client/day-partitions.ts';
import { hasCluster } from '../../postgres/embedded/cluster-home.ts';
import { pendingMigrations } from '../../postgres/migrations/migrate.ts';
import { describeRestriction, isOutgoing, isServable } from '../../postgres/state/database-state.ts';
import { findDroppedSettings, requireSessions, UnusablePooler } from '../../postgres/state/pooler.ts';
import { findState } from '../../postgres/state/state-store.ts';
import { type OpenedDatabase, openCommandDatabase } from '../database.ts';
import { count } from '../output.ts';
import { checkSources } from '../sources/check.ts';
import { checkBackups } from './doctor-backup.ts';
import { checkBillingEvents, checkSubscriptionList } from './doctor-billing.ts';
import { type Finding, fail, messageOf, ok, warn } from './doctor-checks.ts';
import { checkFeed } from './doctor-feed.ts';
import { checkImports } from './doctor-imports.ts';
import { checkLicences } from './doctor-licences.ts';
import { checkSearch } from './doctor-search.ts';
import { countCatalogue, countConnections, findDays, findMatchingState } from './doctor-store.ts';
import { checkWebhooks } from './doctor-webhooks.ts';

/** Reaches the database, if there is one yet, and looks at what it holds. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  if (config.databaseUrl === null && !(await hasCluster(config.dataDirectory))) {
    return [warn('database', 'there is none yet', 'The first `freehold serve` creates it.')];
  }
  let opened: OpenedDatabase | undefined;
  try {
    opened = await openCommandDatabase(config);
    const sessions = config.databaseUrl === null ? [] : await checkSessions(opened.database);
    if (sessions.some(({ state }) => state === 'fail')) return sessions;
    const version = await opened.database.serverVersion();
    const served = config.databaseUrl === null ? (opened.own ? ', at rest' : ', in use') : '';
    const database = ok('database', `PostgreSQL ${version}, ${opened.place}${served}`);
    const state = await checkState(opened.database);
    return [
      database,
      ...sessions,
      ...state,
      await checkConnections(opened.database, config),
      ...(await checkContents(opened, config)),
    ];
  } catch (error) {
    const remedy =
      config.databaseUrl === null ? 'Read server.log beside the database.' : 'Check DATABASE_URL.';
    return [fail('database', messageOf(error), remedy)];
  } finally {
    await opened?.close();
  }
}

/** Whether the database is served, and acts on the outside. */
async function checkState(database: Database): Promise<Finding[]> {
  const name = 'database state';
  const state = await findState(database);
  if (isOutgoing(state)) return [];
  const detail = describeRestriction(state) ?? state.name;
  if (!isServable(state)) return [fail(name, detail, 'Until then `freehold serve` refuses to start.')];
  if (state.name === 'copy') return [ok(name, detail)];
  return [warn(name, detail, 'Accept it once the original has stopped for good.')];
}

/** Each connection has a session of PostgreSQL for itself, with its settings: a pooler may be in between. */
async function checkSessions(database: Database): Promise<Finding[]> {
  const name = 'pooler';
  try {
    await requireSessions(database);
  } catch (error) {
    if (!(error instanceof UnusablePooler)) throw error;
    const [, what = error.message, remedy = ''] =
      /^(.*?\.) (?=Set |For |Raise )(.*)$/s.exec(error.message) ?? [];
    return [fail(name, what, remedy)];
  }
  const dropped = await findDroppedSettings(database);
  if (dropped.length === 0) return [];
  const remedy = dropped.map((setting) => `alter role … set ${setting};`).join(' ');
  return [warn(name, 'sessions do not have the settings that they were opened with', remedy)];
}

/** Connections of one process beside its pool: for notifications, the state of the database, matching, loads and imports. */
const BESIDE_POOL = 10;

/** The server has room for one process at least. */
export async function checkConnections(
  database: Database,
  { databaseConnections }: Pick<Config, 'databaseConnections'>,
): Promise<Finding> {
  const name = 'connections';
  const { max, others } = await database.read(countConnections);
  const each = databaseConnections + BESIDE_POOL;
  const processes = Math.max(0, Math.floor((max - others) / each));
  const found =
    `PostgreSQL allows ${max}, other programs have ${others} open: ` +
    `room for ${processes} ${processes === 1 ? 'process' : 'processes'} of ${each} each`;
  if (processes > 0) return ok(name, found);
  return warn(
    name,
    found,
    'Raise max_connections of PostgreSQL, or the limit of the role or the database; or lower DATABASE_CONNECTIONS.',
  );
}

async function checkContents({ database }: OpenedDatabase, config: Config): Promise<Finding[]> {
  const pending = await pendingMigrations(database);
  if (pending.length > 0) {
    const [first, last] = [pending[0], pending.at(-1)];
    const names = pending.length === 1 ? `${first}` : `${first} to ${last}`;
    return [warn('migrations', `${pending.length} to run: ${names}`, 'freehold migrate')];
  }
  const { listings, active, areas, unfinished } = await database.read(countCatalogue);
  const found = `${count(listings)} listings (${count(active)} active), ${count(areas)} areas`;
  const catalogue =
    listings === 0
      ? warn('catalogue', found, '`freehold import --help`, or set SOURCE.')
      : ok('catalogue', found);
  const imports =
    unfinished === 0
      ? []
      : [warn('imports', `${unfinished} interrupted`, 'Run the same command again to continue.')];
  const schedules = await checkImports(database);
  const sources = await checkSources(config, database);
  const search = await checkSearch(config, database);
  const watchers = [...(await checkWatchers(database)), await checkWebhooks(config, database)];
  const feed = await checkFeed(config, database);
  const licences = await checkLicences(database);
  const billing = [
    ...(await checkBillingEvents(config, database)),
    ...(await checkSubscriptionList(config, database)),
  ];
  const backups = await checkBackups(database, config);
  const findings = [
    catalogue,
    ...imports,
    ...schedules,
    ...sources,
    ...feed,
    ...licences,
    search,
    ...watchers,
    ...billing,
    ...backups,
  ];
  return [ok('migrations', 'up to date'), ...findings];
}

/** Age of the oldest change that has not become events, in milliseconds, from which on watchers are late. */
const MAX_LAG = MINUTE;
/** Days for which the logs are kept, and one on which they may still be dropped. */
const MAX_DAYS = 31;
const LOGS = {
  'change log': ['change'],
  'event log': ['watch_event', 'watch_event_content', 'webhook_delivery'],
} as const;

async function checkWatchers(database: Database): Promise<Finding[]> {
  const now = systemClock.now();
  const logs = Object.entries(LOGS).map(([name, tables]) => checkLog(database, name, tables, now));
  return [await checkMatching(database, now), ...(await Promise.all(logs))];
}

/** A process matches watchers, and is not far behind the log of changes. */
async function checkMatching(database: Database, now: number): Promise<Finding> {
  const name = 'watchers';
  const { watchers, isMatched, position } = await database.read(findMatchingState);
  const found = `${count(watchers)} active`;
  if (watchers === 0) return ok(name, found);
  if (!isMatched)
    return warn(
      name,
      `${found}, but no process matches them`,
      'Start `freehold serve`. If it runs, look for errors in its log: nothing is lost, events come late.',
    );
  const head = await database.read(headSequence);
  const [oldest] = await database.read((sql) => readChanges(sql, position, 1));
  const age = oldest === undefined ? 0 : now - oldest.at;
  const behind = Math.max(0, head - position);
  const lag = `${count(behind)} ${behind === 1 ? 'change' : 'changes'} behind`;
  if (age <= MAX_LAG) return ok(name, `${found}, ${lag}`);
  return warn(
    name,
    `${found}, ${lag}, the oldest of ${Math.round(age / 1_000)} seconds ago`,
    'If this grows, look for statements that wait for locks, and at `freehold_watch_match_seconds_total`: one process matches all watchers.',
  );
}

/** The days ahead have their partitions, and no day is kept for longer than it should be. */
async function checkLog(
  database: Database,
  name: string,
  tables: readonly string[],
  now: number,
): Promise<Finding> {
  const days = await Promise.all(tables.map((table) => database.read((sql) => findDays(sql, table))));
  const missing = [dayOf(now), dayOf(now + DAY)].find((day) => days.some((each) => !each.includes(day)));
  if (missing !== undefined)
    return warn(
      name,
      `no partition for ${missing}`,
      'A running service creates it within an hour. If it does not, look for errors in its log.',
    );
  const oldest = days.flat().toSorted()[0] ?? dayOf(now);
  if (oldest >= dayOf(now - MAX_DAYS * DAY)) return ok(name, `since ${oldest}`);
  return warn(
    name,
    `since ${oldest}, but it is kept for 30 days`,
    'A running service drops old days. If it does not, end transactions that have been open for hours.',
  );
}
