// Command `freehold sources reconcile`: a source compared with a list of all its keys, by the process that reads it or by itself.

import type { Command } from 'commander';
import { type Config, readConfig } from '../../config.ts';
import { createCatalogue } from '../../ingest/listing-writer.ts';
import { findSourcesInUse } from '../../ingest/removal/source-lock-store.ts';
import { pause, systemClock } from '../../lib/clock.ts';
import { createMetrics } from '../../lib/metrics.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { HeldLease } from '../../postgres/leases/held-lease.ts';
import { findControls, requestReconcile } from '../../sources/control-store.ts';
import { sourceMetrics } from '../../sources/metrics.ts';
import { takeReaderLease } from '../../sources/reader-lease.ts';
import { type Comparison, findComparison } from '../../sources/reconcile/reconcile-store.ts';
import { Reconciler } from '../../sources/reconcile/reconciler.ts';
import { readPosition } from '../../sources/store.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { interruption } from '../interruption.ts';
import { examples, JSON_OPTION } from '../options.ts';
import { count, emphasis, print, printJson } from '../output.ts';
import { progressLine } from '../progress-line.ts';
import { requireRead } from './reading.ts';
import { findTargets, type Target } from './target.ts';

interface ReconcileFlags {
  readonly accept?: true;
  readonly json?: true;
}

/** Milliseconds between two looks at what the process does that reads the source. */
const LOOK = 500;
/** Milliseconds for which no process needs to read the source before a request for it is given up. */
const MAX_UNREAD = 30_000;

export function addReconcile(group: Command): void {
  group
    .command('reconcile <id>')
    .summary('compare a source with a list of all its keys')
    .description(
      'Reads the keys of all records that a source has: listings that it no longer has are deleted, and those that are missing\n' +
        'or older here are read again. The process that reads the source does it; where none does, this command. Nothing is\n' +
        'deleted where that looks like a mistake: the list is empty or cut short, or more than ten listings and 5 % would go.\n' +
        'Exits with code 1 if nothing was deleted for that reason, or the source could not be read; 2 if it has no such list.',
    )
    .option('--accept', 'delete them although that was refused, after you have looked')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examples('freehold sources reconcile abor', 'freehold sources reconcile abor --accept'),
    )
    .action((id: string, flags: ReconcileFlags) => reconcile(id, flags));
}

async function reconcile(
  id: string,
  { accept = false, json }: { accept?: boolean; json?: true },
): Promise<void> {
  const { signal } = interruption('Stopped. A process that reads the source goes on with it.');
  const config = readConfig();
  const line = progressLine<{ readonly part: number; readonly outcome: Comparison }>(
    systemClock,
    ({ outcome }) => progressText(outcome),
  );
  const show = (outcome: Comparison): void => line.show({ part: partOf(outcome), outcome });
  const outcome = await withDatabase(config, (database) =>
    run({ id, accept, config, database, show, signal }),
  ).finally(() => line.end());
  if (outcome === null) {
    process.exitCode = EXIT.interrupted;
    return;
  }
  if (json) printJson({ id, ...outcome });
  else print(process.stdout, resultText(id, outcome));
  const failure = failureText(id, outcome);
  if (failure === null) return;
  if (outcome.state === 'unsupported') throw new CommandFailure(failure, EXIT.usage);
  throw new CommandFailure(failure);
}

interface Run {
  readonly id: string;
  readonly accept: boolean;
  readonly config: Config;
  readonly database: Database;
  readonly show: (outcome: Comparison) => void;
  readonly signal: AbortSignal;
}

/** Null: it was interrupted. */
async function run(options: Run): Promise<Comparison | null> {
  const { id, config, database } = options;
  await requireRead(database, id);
  const paused = (await database.read(findControls)).get(id)?.pausedAt ?? null;
  if (paused !== null)
    throw new CommandFailure(
      `The source ${id} is paused: \`freehold sources resume ${id}\` lets it be read again.`,
    );
  const target = (await findTargets(config, database)).find((each) => each.id === id) ?? null;
  if (target !== null && target.profile.deletes.sweep === null)
    throw new CommandFailure(noKeys(id, target.profile.name), EXIT.usage);
  const { loadedAt } = await database.read((sql) => readPosition(sql, id));
  if (loadedAt === null)
    throw new CommandFailure(
      `The first load of ${id} is not complete: there is nothing to compare. \`freehold sources status ${id}\` shows how far it is.`,
    );
  const lease = await takeReaderLease(database, id);
  if (lease === null) return request(options);
  try {
    return await compare(options, { target, lease, loadedAt });
  } finally {
    await lease.release();
  }
}

/** Has the process do it that reads the source, and shows how far it is. */
async function request({ id, accept, database, show, signal }: Run): Promise<Comparison | null> {
  const number = await database.write((sql) => requestReconcile(sql, id, accept));
  let readAt = systemClock.monotonic();
  let shown: string | null = null;
  const before = (await database.read((sql) => findComparison(sql, id)))?.outcome.startedAt ?? null;
  for (;;) {
    await pause(systemClock, LOOK, signal);
    if (signal.aborted) return null;
    const found = await database.read((sql) => findComparison(sql, id));
    if (found !== null && found.answered >= number) return found.outcome;
    if (found !== null && found.outcome.startedAt !== before) {
      shown = found.outcome.startedAt;
      show(found.outcome);
    }
    const now = systemClock.monotonic();
    if ((await database.read((sql) => findSourcesInUse(sql, [id]))).length > 0) readAt = now;
    else if (now - readAt > MAX_UNREAD)
      throw new CommandFailure(
        `No process reads ${id} any more${shown === null ? '' : ', and the comparison was not finished'}: run the command again.`,
      );
  }
}

/** Does it in this process, which reads the source meanwhile. */
async function compare(
  { id, accept, database, show, signal }: Run,
  { target, lease, loadedAt }: { target: Target | null; lease: HeldLease; loadedAt: string },
): Promise<Comparison | null> {
  if (target === null)
    throw new CommandFailure(
      `No running process reads ${id}, and its settings are not known here: give this command those of the service, or start the service.`,
    );
  const source = await target.open({ database, clock: systemClock });
  const quiet = { info: () => {}, warn: () => {} };
  const metrics = sourceMetrics(createMetrics(), systemClock, id);
  const reconciler = new Reconciler({
    source,
    catalogue: createCatalogue(database),
    database,
    clock: systemClock,
    log: quiet,
    metrics,
    onStep: show,
  });
  try {
    const number = await database.write((sql) => requestReconcile(sql, id, accept));
    await reconciler.start();
    const control = { reconcileRequests: number, acceptedRequest: accept ? number : null };
    const both = AbortSignal.any([signal, lease.lost]);
    const { hold } = lease;
    await reconciler.run({ hold, control, loadedAt, limit: Number.POSITIVE_INFINITY, signal: both });
    if (signal.aborted) return null;
    const found = await database.read((sql) => findComparison(sql, id));
    if (found !== null && found.answered >= number) return found.outcome;
    throw new CommandFailure(`The comparison of ${id} was not finished: run the command again.`);
  } finally {
    await source.close();
  }
}

const PARTS: Readonly<Partial<Record<Comparison['state'], number>>> = { fetching: 0.5, ending: 0.9 };

/** How much is done, roughly: nobody knows how long a list is before it ends. */
const partOf = ({ state }: Comparison): number => PARTS[state] ?? 0;

function progressText({ state, listed, fetched, left }: Comparison): string {
  if (state === 'listing') return `${count(listed)} keys`;
  if (state === 'fetching')
    return `${count(listed)} keys, ${count(fetched)} of ${count(fetched + left)} read again`;
  return `${count(listed)} keys, deleting what is gone`;
}

function resultText(id: string, outcome: Comparison): string {
  const { listed, counted, stored, missing, kept, ended, fetched, left, examples: keys } = outcome;
  const names = keys.length === 0 ? '' : `: ${keys.join(', ')}${missing > keys.length ? ' …' : ''}`;
  const lines: readonly (readonly [string, string | null])[] = [
    ['source', id],
    ['keys', `${count(listed)}${counted === null ? '' : ` of ${count(counted)} records`}`],
    [
      'read again',
      `${count(fetched)}${left === 0 ? '' : `; ${count(left)} are left to the next comparison`}`,
    ],
    ['stored', count(stored)],
    ['missing', `${count(missing)}${names}`],
    ['kept', kept === 0 ? null : `${count(kept)}, read since the list was started`],
    ['deleted', count(ended)],
  ];
  return lines
    .flatMap(([label, text]) => (text === null ? [] : [`${emphasis('quiet', label.padEnd(10))}  ${text}`]))
    .join('\n');
}

/** Why a comparison did not do what it should, with the remedy; null: it did. */
export function failureText(id: string, { state, refused, failure, detail }: Comparison): string | null {
  if (state === 'unsupported') return noKeys(id, null);
  if (refused !== null)
    return (
      `Nothing was deleted. ${refused} Look at the listings that are missing; if they are really gone: ` +
      `\`freehold sources reconcile ${id} --accept\`.`
    );
  if (failure === null) return null;
  return `${id} could not be compared: ${failure}${detail === null ? '' : `: ${detail}`} It is tried again after an hour, or by the same command.`;
}

const noKeys = (id: string, profile: string | null): string =>
  `The source ${id} has no list of all keys to compare with${profile === null ? '' : `: its profile, ${profile}, has no deletes.sweep`}. ` +
  'What left it is found by its changes alone.';
