// What the routes of pushing share: who pushes where, the reader of its records, and transactions that can be tried out.

import { LRUCache } from 'lru-cache';
import type { PushLimit } from '../access/limits/push-limit.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import type { Catalogue } from '../ingest/listing-writer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Metrics } from '../lib/metrics.ts';
import { Problem } from '../lib/problem.ts';
import type { MediaMode } from '../listings/pictures/own-pictures.ts';
import type { Uploads } from '../media/uploads/uploads.ts';
import type { Database, Transaction } from '../postgres/client/database.ts';
import { findRegistered } from '../sources/registry/registry-store.ts';
import { createRecordReader, type ReadRecord } from './record-reader.ts';
import { type Sender, tokenEnded } from './write-messages.ts';

export interface PushOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly pushLimit: Pick<PushLimit, 'takeRecord'>;
  readonly metrics: Metrics;
  /** How photos are shown of sources that say nothing of it. */
  readonly mediaMode: MediaMode;
  readonly photos: Pick<Uploads, 'check' | 'put' | 'remove'>;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  /** Aborts when the service begins to stop. */
  readonly stopping: AbortSignal;
  /** Resolves once searches in this process know what was written, or are late. */
  readonly untilSearched: () => Promise<unknown>;
}

/** Counts records by what became of them. */
export type CountRecords = (result: string, count?: number) => void;

/** What a request of a source works with. */
export interface PushContext extends PushOptions {
  readonly sender: Sender;
  readonly read: ReadRecord;
  /** Whether records are in field names of the sender. */
  readonly isMapped: boolean;
  readonly count: CountRecords;
}

/** Readers that are kept: compiling one takes longer than reading a record. */
const MAX_READERS = 1_000;

/** Finds the context of a request. Throws INSUFFICIENT_SCOPE for the token of another source. */
export type FindContext = (caller: Principal, source: string) => Promise<PushContext>;

export function createFindContext(options: PushOptions): FindContext {
  const readers = new LRUCache<string, ReadRecord>({ max: MAX_READERS });
  const counter = options.metrics.counter(
    'freehold_push_records_total',
    'Records that programs pushed, by what became of them.',
    ['result'],
  );
  const count: CountRecords = (result, number = 1) => counter.inc({ result }, number);
  return async (caller, id) => {
    const sender = senderOf(caller, id);
    const source = await options.database.read((sql) => findRegistered(sql, id), { planned: 'once' });
    if (source === null) throw tokenEnded();
    if (source.kind !== 'push')
      throw new Problem('CONFLICT', `The source ${id} is not one that programs push to.`);
    const key = `${id} ${source.updatedAt}`;
    const read = readers.get(key) ?? createRecordReader(source, options.mediaMode);
    readers.set(key, read);
    return { ...options, sender, read, isMapped: source.settings.map !== undefined, count };
  };
}

function senderOf({ source }: Principal, id: string): Sender {
  if (source?.id === id) return source;
  throw new Problem(
    'INSUFFICIENT_SCOPE',
    `This token is that of the source ${source?.id}, and writes to no other.`,
  );
}

/** Carries the result of a trial out of its transaction, which is undone by that. */
class Undone<T> extends Error {
  override readonly name = 'Undone';
  readonly result: T;

  constructor(result: T) {
    super('The transaction was a trial');
    this.result = result;
  }
}

/** Runs a transaction; as a trial (`isDryRun`) everything it writes is undone, and its result is that of the real one. */
export async function runTransaction<T>(
  database: Database,
  { timeout, isDryRun }: { readonly timeout: number; readonly isDryRun: boolean },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction(
      async (tx) => {
        const result = await work(tx);
        if (isDryRun) throw new Undone(result);
        return result;
      },
      { timeout },
    );
  } catch (error) {
    if (error instanceof Undone) return error.result as T;
    throw error;
  }
}
