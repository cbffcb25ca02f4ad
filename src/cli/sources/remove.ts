// Command `freehold sources remove`: shows what would go, asks, and removes it.

import { createInterface } from 'node:readline/promises';
import { readConfig } from '../../config.ts';
import { findLeaseEnd } from '../../ingest/removal/source-lock-store.ts';
import { pause, systemClock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import { configuredSource } from '../../sources/abandoned.ts';
import { disableRegistered } from '../../sources/registry/registry-store.ts';
import { requireCommandSource, SetUpRefused } from '../../sources/registry/set-up.ts';
import { removeSource, SourceInUse } from '../../sources/removal.ts';
import {
  countHistory,
  findSources,
  type SourceRemoval,
  type StoredSource,
} from '../../sources/removal-store.ts';
import { withDatabase } from '../database.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { interruption } from '../interruption.ts';
import { count, emphasis, print, printJson } from '../output.ts';

/** Milliseconds to count all listings. */
export const COUNT_TIMEOUT = 120_000;

export interface RemoveFlags {
  readonly yes?: true;
  readonly json?: true;
}

export async function remove(id: string, { yes, json }: RemoveFlags): Promise<void> {
  const config = readConfig();
  if (configuredSource(config.source) === id) {
    throw new CommandFailure(
      `The source ${id} is configured, and would be loaded again: set SOURCE to another one first, here and for the service.`,
      EXIT.usage,
    );
  }
  const removal = await withDatabase(config, async (database) => {
    const source = (await database.read(findSources, { timeout: COUNT_TIMEOUT })).find(
      (each) => each.id === id,
    );
    if (source === undefined)
      throw new CommandFailure(`There is no source ${id}: \`freehold sources list\` shows them.`);
    const history = await database.read((sql) => countHistory(sql, id), { timeout: COUNT_TIMEOUT });
    await requireCommandSource(database, id).catch(refused);
    if (!yes) await confirm(source, history);
    return removeStored(database, id);
  });
  if (removal === null) {
    print(process.stderr, 'Stopped. The same command, or a running service, goes on from here.');
    process.exitCode = EXIT.interrupted;
    return;
  }
  const { source, removed: listings, areas } = removal;
  if (json) printJson({ source, listings, areas });
  else print(process.stdout, `${source} is removed: ${count(listings)} listings, ${count(areas)} areas`);
}

/** Shows what would go and asks; throws CommandFailure where the answer is no, or nobody can answer. */
async function confirm(
  { id, listings, active, areas, removed }: StoredSource,
  history: number,
): Promise<void> {
  print(process.stdout, `${emphasis('warning', 'This removes for good')} what came from ${id}:`);
  const lines: readonly (readonly [number, string])[] = [
    [listings, `listings, ${count(active)} of them active`],
    [history, 'lines of their history'],
    [areas, 'areas'],
    ...(removed === null ? [] : [[removed, 'listings are removed already'] as const]),
  ];
  const width = Math.max(...lines.map(([number]) => count(number).length));
  for (const [number, noun] of lines) print(process.stdout, `  ${count(number).padStart(width)} ${noun}`);
  if (!process.stdin.isTTY)
    throw new CommandFailure('Nothing was removed: without a terminal to ask at, give --yes.', EXIT.usage);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question('Remove them? [y/N] ').finally(() => terminal.close());
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandFailure('Nothing was removed.');
}

/** Milliseconds for which processes may take to end their reading of the source; that of one that was killed ends earlier. */
const UNREAD_TIMEOUT = 60_000;
/** Milliseconds between two attempts. */
const UNREAD_INTERVAL = 500;
/** Milliseconds between two lines of progress. */
const PROGRESS_INTERVAL = 2_000;

async function removeStored(database: Database, source: string): Promise<SourceRemoval | null> {
  const { signal } = interruption('Stopping after the current batch; press Ctrl-C again to stop at once.');
  let shownAt = systemClock.monotonic();
  const onProgress = ({ removed, listings }: SourceRemoval): void => {
    if (systemClock.monotonic() - shownAt < PROGRESS_INTERVAL) return;
    shownAt = systemClock.monotonic();
    print(process.stderr, `${count(removed)} of ${count(listings)} listings removed`);
  };
  const wasRead = await database.write((sql) => disableRegistered(sql, source, new Date(systemClock.now())));
  const until = systemClock.monotonic() + UNREAD_TIMEOUT;
  const leaseEnd = await database.read((sql) => findLeaseEnd(sql, source));
  // A lease that is renewed is that of a process which lives.
  const isRenewed = async () => leaseEnd !== (await database.read((sql) => findLeaseEnd(sql, source)));
  for (;;) {
    try {
      return await removeSource({ database, source, onProgress, isStopped: () => signal.aborted });
    } catch (error) {
      if (!(error instanceof SourceInUse)) throw error;
      const isOver = signal.aborted || systemClock.monotonic() >= until;
      if (isOver || (!wasRead && (await isRenewed()))) throw new CommandFailure(error.message);
      await pause(systemClock, UNREAD_INTERVAL, signal);
    }
  }
}

function refused(error: unknown): never {
  throw error instanceof SetUpRefused ? new CommandFailure(error.message, EXIT.usage) : error;
}
