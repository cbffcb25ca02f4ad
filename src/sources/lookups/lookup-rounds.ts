// Lookups in the rounds of a source's reader: read once a day, and kept for every process that maps its records.

import { isDeepStrictEqual } from 'node:util';
import { type Clock, DAY, HOUR } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Database, Sql, Transaction } from '../../postgres/client/database.ts';
import type { Source } from '../source.ts';
import {
  deleteLookups,
  findLookupReading,
  findLookups,
  type LookupReading,
  writeLookupReading,
  writeLookups,
} from './lookup-store.ts';
import { mergeLookups } from './merge-lookups.ts';
import type { LookupAnswer } from './source-lookups.ts';

interface Reader {
  readonly source: Pick<Source, 'id' | 'lookups'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

type Hold = (tx: Transaction) => Promise<void>;

/** Milliseconds from one reading to the next, and to the next attempt after one that failed. */
const INTERVAL = DAY;
const RETRY = HOUR;
/** Milliseconds after which all lookups are read, so that those are found which left, or changed without a word. */
const WHOLE = 7 * DAY;
/** Milliseconds; thousands of rows are compared and written. */
const TIMEOUT = 60_000;

/** Maps by the lookups that are kept of a source. */
export async function useLookups(sql: Sql, { id, lookups }: Reader['source']): Promise<void> {
  const table = lookups && (await findLookups(sql, id));
  if (table) lookups?.use(table);
}

/**
 * Reads the lookups of a source where it is time, and maps by them from then on. A source without them, or that refuses them, can be
 * read all the same. Throws LiveError where nothing can be read of it.
 */
export async function readLookups(
  { source, database, clock, log }: Reader,
  hold: Hold,
  signal: AbortSignal,
): Promise<void> {
  const { id, lookups } = source;
  if (lookups === undefined) return;
  const known = await database.read((sql) => findLookupReading(sql, id));
  if (known !== null && !isDue(known, clock.now())) return;
  const isWholeDue = known?.wholeAt == null || clock.now() >= Date.parse(known.wholeAt) + WHOLE;
  const answer = await lookups.read(isWholeDue ? null : known, signal);
  if (signal.aborted) return;
  const reading = await database.transaction(
    async (tx) => {
      const kept = (await findLookups(tx, id))?.lookups ?? [];
      const { changed, dropped } = mergeLookups(kept, answer);
      await writeLookups(tx, id, changed);
      await deleteLookups(tx, id, dropped);
      const isChanged = changed.length + dropped.length > 0;
      const next = readingAfter(answer, known, isChanged, clock.now());
      await writeLookupReading(tx, id, next);
      await hold(tx);
      return next;
    },
    { timeout: TIMEOUT, planned: 'once' },
  );
  if (reading.version !== known?.version) await database.read((sql) => useLookups(sql, source));
  if (answer.state === known?.state) return;
  const { state, detail } = answer;
  if (state === 'failed') log.warn({ source: id, detail }, 'The lookups of the source could not be read');
  else log.info({ source: id, state, detail }, 'The lookups of the source were requested');
}

/** What is due later than a day was noted while our clock was ahead. */
function isDue({ dueAt }: LookupReading, now: number): boolean {
  const due = Date.parse(dueAt);
  return now >= due || due > now + INTERVAL;
}

function readingAfter(
  { state, detail, position, wanted, whole, names }: LookupAnswer,
  known: LookupReading | null,
  isChanged: boolean,
  now: number,
): LookupReading {
  const at = new Date(now).toISOString();
  const isRead = state === 'read';
  const hasNames = isRead || state === 'absent';
  const kept = hasNames ? names : (known?.names ?? names);
  const isOther = isChanged || !isDeepStrictEqual(kept, known?.names ?? {});
  return {
    version: (known?.version ?? 0) + (isOther ? 1 : 0),
    state,
    detail,
    names: kept,
    position: isRead ? position : (known?.position ?? null),
    wanted: isRead ? wanted : (known?.wanted ?? wanted),
    wholeAt: whole.includes('resource') ? at : (known?.wholeAt ?? null),
    readAt: isRead ? at : (known?.readAt ?? null),
    triedAt: at,
    dueAt: new Date(now + (state === 'failed' ? RETRY : INTERVAL)).toISOString(),
  };
}
