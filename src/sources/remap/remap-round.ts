// Remaps in the rounds of a source's reader: whether one does instead of reading everything again, and its share of a round.

import type { Catalogue } from '../../ingest/listing-writer.ts';
import { deleteSomeRawRecords, isEveryRecordKept } from '../../ingest/raw/raw-record-store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Database, Transaction } from '../../postgres/client/database.ts';
import { WorkTaken } from '../../postgres/leases/work-lease.ts';
import type { Source } from '../source.ts';
import { readPosition } from '../store.ts';
import { remap } from './remap.ts';
import { requestRemap } from './remap-store.ts';

interface Reader {
  readonly source: Source;
  readonly catalogue: Pick<Catalogue, 'writeAgain'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Milliseconds between two rounds of changes. */
  readonly interval: number;
}

type Hold = (tx: Transaction) => Promise<void>;

/** Records to a transaction. */
const BATCH = 500;
/** Milliseconds. */
const TIMEOUT = 60_000;

/**
 * Requests a remap where it does instead of reading everything again: nothing else is requested of records now, and one of each
 * listing is kept. False: it does not.
 */
export async function mapInstead({ source, database, clock }: Reader): Promise<boolean> {
  if (source.map === undefined) return false;
  const { requested } = await database.read((sql) => readPosition(sql, source.id));
  if (requested === null || requested !== source.requested) return false;
  if (!(await database.read((sql) => isEveryRecordKept(sql, source.id), { timeout: TIMEOUT }))) return false;
  await database.write((sql) => requestRemap(sql, source.id, new Date(clock.now())));
  return true;
}

/**
 * Goes on with a remap that was requested, until the next round of changes is due. It needs nothing of the source, so that it goes on
 * while that fails. Returns the milliseconds that it took. Never throws: what fails is tried again with the next round.
 */
export async function mapAgain(
  { source, catalogue, database, clock, log, interval }: Reader,
  hold: Hold,
  signal: AbortSignal,
): Promise<number> {
  const startedAt = clock.monotonic();
  const taken = () => Math.min(interval, clock.monotonic() - startedAt);
  const isStopped = () => signal.aborted || taken() === interval;
  try {
    const state = await remap({ source, catalogue, database, clock, hold, isStopped });
    if (state !== null && state.finishedAt !== null) {
      const { mapped: records, changed } = state;
      log.info({ source: source.id, records, changed }, 'What the source sent has been mapped again');
    }
  } catch (error) {
    // A lease that is lost ends the reading by itself.
    if (!(error instanceof WorkTaken))
      log.warn({ source: source.id, err: error }, 'What the source sent cannot be mapped again');
  }
  return taken();
}

/** Deletes what is kept of a source of which nothing may be kept any more. */
export async function forgetRecords({ source, database }: Reader, hold: Hold): Promise<void> {
  if (source.map !== undefined) return;
  for (let count = BATCH; count === BATCH; )
    count = await database.transaction(async (tx) => {
      const deleted = await deleteSomeRawRecords(tx, source.id, BATCH);
      if (deleted > 0) await hold(tx);
      return deleted;
    });
}
