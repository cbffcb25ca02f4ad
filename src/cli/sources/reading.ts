// Commands for sources that are read: `freehold sources status`, `sync`, `pause` and `resume`.

import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { findSourcesInUse } from '../../ingest/removal/source-lock-store.ts';
import { systemClock } from '../../lib/clock.ts';
import { countPicturesOf, type PictureCounts } from '../../media/copies/copy-store.ts';
import type { Database, Sql } from '../../postgres/client/database.ts';
import { openConnection } from '../../sources/budget/connection.ts';
import { findControls, pauseSource, requestSync, resumeSource } from '../../sources/control-store.ts';
import { countLookups, findLookupReading, type LookupReading } from '../../sources/lookups/lookup-store.ts';
import { type Comparison, findComparison } from '../../sources/reconcile/reconcile-store.ts';
import { findReadSources, type ReadSource } from '../../sources/registry/registry-store.ts';
import { findRemap, type Remap } from '../../sources/remap/remap-store.ts';
import { findReport } from '../../sources/report-store.ts';
import type { BudgetReport } from '../../sources/source.ts';
import { readPosition } from '../../sources/store.ts';
import type { UnknownCount } from '../../sources/value-counts.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure } from '../failure.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, emphasis, print, printJson, printTable } from '../output.ts';
import { type State, stateOf } from './reading-state.ts';
import {
  budgetRows,
  comparisonText,
  durationText,
  lookupsText,
  minuteOf,
  photosText,
  unknownText,
} from './status-text.ts';
import { findTargets, type Target } from './target.ts';

interface Flags {
  readonly json?: true;
}

export function addReading(group: Command): void {
  group
    .command('status [id]')
    .summary('show how sources are read')
    .description(
      'Shows each source that the service reads: how far behind it is, when it was last read to its end, and why it fails. With\n' +
        'an id, everything that is known of one.',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', examples('freehold sources status', 'freehold sources status abor'))
    .action((id: string | undefined, { json }: Flags) => status(id, json));
  const one = (
    name: string,
    summary: string,
    description: string,
    act: (id: string, json?: true) => Promise<void>,
  ) =>
    group
      .command(`${name} <id>`)
      .summary(summary)
      .description(description)
      .option(...JSON_OPTION)
      .addHelpText('after', examples(`freehold sources ${name} abor`))
      .action((id: string, { json }: Flags) => act(id, json));
  one(
    'sync',
    'read the changes of a source now',
    'Requests a round of changes: the process that reads the source begins it within seconds, unless the source has asked\n' +
      'to wait.',
    sync,
  );
  one(
    'pause',
    'stop reading a source',
    'Ends the reading of a source in every process within seconds, until it is resumed. What it has brought is still served.',
    pause,
  );
  one('resume', 'read a paused source again', 'Lets a source be read again, from where it was.', resume);
}

interface Status extends Pick<ReadSource, 'id' | 'name' | 'setBy'> {
  readonly state: State;
  readonly pausedAt: string | null;
  /** Records of the first load that are read, and all of them. */
  readonly loaded: number;
  readonly total: number | null;
  readonly loadedAt: string | null;
  /** When it was last read to its end, to the minute. */
  readonly succeededAt: string | null;
  readonly lagSeconds: number | null;
  readonly failure: string | null;
  readonly detail: string | null;
  readonly failingSince: string | null;
  /** A record that the failure is about, as far as it may be shown. */
  readonly sample: string | null;
  /** What the mapping does not know of its records. */
  readonly unknown: readonly UnknownCount[];
  /** How the lookups of the source were read; null: they were not requested yet. */
  readonly lookups:
    | (Pick<LookupReading, 'state' | 'detail' | 'readAt' | 'triedAt'> & { readonly values: number })
    | null;
  /** A remap that is under way, or waits; null: there is none. */
  readonly remap: Pick<Remap, 'mapped' | 'total'> | null;
  readonly position: unknown;
  /** The last comparison with all keys; null: there was none. */
  readonly reconciliation: Comparison | null;
  /** Photos that are still to be copied, and those that are left alone; null: there are none. */
  readonly photos: PictureCounts | null;
  /** How its budget stands; null: this command does not know its limits. */
  readonly budget: BudgetReport | null;
}

async function findStatus(
  sql: Sql,
  source: ReadSource,
  targets: readonly Target[],
  database: Database,
): Promise<Status> {
  const { id, name, setBy } = source;
  const { loaded, total, loadedAt, updatedAt, position } = await readPosition(sql, id);
  const target = targets.find((each) => each.id === id);
  const budget =
    target === undefined
      ? null
      : await openConnection({ ...target, database, clock: systemClock }).budget.read();
  const report = await findReport(sql, id);
  const reconciliation = (await findComparison(sql, id))?.outcome ?? null;
  const remap = await findRemap(sql, id);
  const photos = await countPicturesOf(sql, id);
  const isRead = (await findSourcesInUse(sql, [id])).length > 0;
  const pausedAt = (await findControls(sql)).get(id)?.pausedAt ?? null;
  const succeededAt = loadedAt === null ? null : latest(report?.succeededAt ?? null, updatedAt);
  const { failure = null, detail = null, failingSince = null, sample = null, unknown = [] } = report ?? {};
  return {
    id,
    name,
    setBy,
    state: stateOf({ pausedAt, isRead, loadedAt, report }),
    pausedAt,
    loaded,
    total,
    loadedAt,
    succeededAt,
    lagSeconds:
      succeededAt === null ? null : Math.round((systemClock.now() - Date.parse(succeededAt)) / 1_000),
    failure,
    detail,
    failingSince,
    sample,
    unknown,
    lookups: await findLookupStatus(sql, id),
    remap: remap === null || remap.finishedAt !== null ? null : { mapped: remap.mapped, total: remap.total },
    position,
    reconciliation,
    photos,
    budget,
  };
}

async function findLookupStatus(sql: Sql, id: string): Promise<Status['lookups']> {
  const reading = await findLookupReading(sql, id);
  if (reading === null) return null;
  const { state, detail, readAt, triedAt } = reading;
  return { state, detail, readAt, triedAt, values: await countLookups(sql, id) };
}

const latest = (a: string | null, b: string | null): string | null =>
  a === null || b === null ? (a ?? b) : Date.parse(a) > Date.parse(b) ? a : b;

async function status(id: string | undefined, json: true | undefined): Promise<void> {
  const config = readConfig();
  const found = await withDatabase(config, async (database) => {
    const targets = await findTargets(config, database);
    const sources =
      id === undefined ? await database.read(findReadSources) : [await requireRead(database, id)];
    return database.read((sql) =>
      Promise.all(sources.map((source) => findStatus(sql, source, targets, database))),
    );
  });
  const [one] = found;
  if (json) return printJson(id === undefined ? { sources: found } : one);
  if (id !== undefined && one !== undefined) return printOne(one);
  printTable(
    ['ID', 'STATE', 'LAST READ', 'LAG', 'FAILURE'],
    found.map(({ id, state, succeededAt, lagSeconds, failure, detail }) => [
      id,
      state,
      minuteOf(succeededAt),
      lagSeconds === null ? '' : durationText(lagSeconds),
      failure === null ? '' : `${failure}${detail === null ? '' : `: ${detail}`}`,
    ]),
    'The service reads no source: `freehold sources create --help`, or set SOURCE.',
  );
}

function printOne(status: Status): void {
  const { id, name, state, pausedAt, loaded, total, loadedAt, succeededAt, lagSeconds } = status;
  const load =
    loadedAt === null
      ? `${count(loaded)} of ${total === null ? 'an unknown number of' : count(total)} records`
      : `complete since ${minuteOf(loadedAt)}, ${count(loaded)} records`;
  const since = {
    paused: pausedAt,
    failing: status.failingSince,
    'not read': null,
    loading: null,
    following: null,
  };
  const lines: readonly (readonly [string, string | null])[] = [
    ['source', `${id} (${name})`],
    ['state', `${state}${since[state] === null ? '' : ` since ${minuteOf(since[state])}`}`],
    ['first load', load],
    ['last read', succeededAt === null ? 'never' : minuteOf(succeededAt)],
    ['lag', lagSeconds === null ? null : durationText(lagSeconds)],
    ['position', status.position === null ? null : JSON.stringify(status.position)],
    [
      'last error',
      status.failure && `${status.failure}${status.detail === null ? '' : `: ${status.detail}`}`,
    ],
    ['a record', status.sample],
    ...budgetRows(status.budget),
    ['photos', status.photos && photosText(status.photos)],
    ['all keys', status.reconciliation && comparisonText(status.reconciliation)],
    ['lookups', status.lookups && lookupsText(status.lookups, status.lookups.values)],
    ['remap', status.remap && `${count(status.remap.mapped)} of ${count(status.remap.total)} records`],
    ['unknown', status.unknown.length === 0 ? null : unknownText(status.unknown)],
  ];
  for (const [label, text] of lines)
    if (text !== null) print(process.stdout, `${emphasis('quiet', label.padEnd(10))}  ${text}`);
}

async function sync(id: string, json?: true): Promise<void> {
  const isRead = await withDatabase(readConfig(), async (database) => {
    const source = await requireRead(database, id);
    const paused = (await database.read(findControls)).get(source.id)?.pausedAt ?? null;
    if (paused !== null)
      throw new CommandFailure(
        `The source ${id} is paused: \`freehold sources resume ${id}\` lets it be read again.`,
      );
    await database.write((sql) => requestSync(sql, id));
    return (await database.read((sql) => findSourcesInUse(sql, [id]))).length > 0;
  });
  if (json) return printJson({ id, requested: true, isRead });
  print(
    process.stdout,
    isRead
      ? `Requested: a round of ${id} begins within seconds. \`freehold sources status ${id}\` shows what becomes of it.`
      : `Requested, but no running process reads ${id}: the round begins when one does.`,
  );
}

async function pause(id: string, json?: true): Promise<void> {
  const changed = await withDatabase(readConfig(), async (database) => {
    await requireRead(database, id);
    return database.write((sql) => pauseSource(sql, id, new Date(systemClock.now())));
  });
  if (json) return printJson({ id, paused: true, changed });
  print(
    process.stdout,
    changed ? `${id} is paused: its reading ends within seconds.` : `${id} was paused already.`,
  );
}

async function resume(id: string, json?: true): Promise<void> {
  const changed = await withDatabase(readConfig(), async (database) => {
    await requireRead(database, id);
    return database.write((sql) => resumeSource(sql, id));
  });
  if (json) return printJson({ id, paused: false, changed });
  print(process.stdout, changed ? `${id} is read again within seconds.` : `${id} was not paused.`);
}

/** Why a source that commands could read cannot be found among those that are set up. Throws CommandFailure where it is none. */
export async function notSetUp(database: Database, id: string): Promise<CommandFailure> {
  const { setBy } = await requireRead(database, id);
  return new CommandFailure(
    `The source ${id} is set by ${setBy === 'settings' ? 'the settings of its service: give this command the same' : setBy}.`,
  );
}

/** The source, if the service reads it by itself. Throws CommandFailure. */
export async function requireRead(database: Database, id: string): Promise<ReadSource> {
  const sources = await database.read(findReadSources);
  const found = sources.find((source) => source.id === id);
  if (found !== undefined) return found;
  const ids = sources.map((source) => source.id);
  throw new CommandFailure(
    `The service reads no source ${id}${ids.length === 0 ? '' : `: there ${ids.length === 1 ? 'is' : 'are'} ${ids.join(', ')}`}. \`freehold sources list\` shows all.`,
  );
}
