// Snapshot of a source: the keys of all its listings, by which those that are missing end; guarded like every other purge.

import type { IncomingMessage } from 'node:http';
import { PUSH } from '../access/tiers/tiers.ts';
import { readBody } from '../http/input/body-stream.ts';
import { endMissing } from '../ingest/removal/end-missing.ts';
import { KeyList } from '../ingest/removal/key-list.ts';
import { parseJson } from '../lib/parse.ts';
import { type FieldError, Problem } from '../lib/problem.ts';
import { eventLoop } from '../lib/scheduler.ts';
import type { Status } from '../listings/vocabulary.ts';
import { isNewerThan, type Order } from './order.ts';
import { type PushContext, runTransaction } from './push-parts.ts';
import { findListed } from './push-store.ts';
import type { Piece, Splitter } from './split-records.ts';
import { endMessage, type Request, writeMessages } from './write-messages.ts';

export interface SnapshotOptions {
  /** What listings end as that it does not name. */
  readonly status: Status;
  /** Its place among the messages; null: it is newer than all of them. */
  readonly order: Order | null;
  /** Whether somebody has looked: the guard refuses nothing. */
  readonly accept: boolean;
  readonly isDryRun: boolean;
}

export interface SnapshotResult {
  readonly object: 'snapshot_result';
  readonly listed: number;
  /** Listings that are on the market, or may come back. */
  readonly stored: number;
  readonly missing: number;
  /** Those that it does not name either, but about which a newer message came. */
  readonly kept: number;
  readonly ended: number;
  /** Keys of the first that are missing. */
  readonly examples: readonly string[];
  readonly dryRun: boolean;
}

/** Statuses that a snapshot ends: sales and other listings that have ended anyway stay as they are. */
const OPEN: readonly Status[] = [
  'ACTIVE',
  'ACTIVE_UNDER_CONTRACT',
  'COMING_SOON',
  'PENDING',
  'HOLD',
  'UNKNOWN',
];
const MAX_KEYS = 2_000_000;
const MAX_KEY_BYTES = 4_000;
const MAX_ERRORS = 5;
const TIMEOUT = 60_000;

/** Some programs begin their files with it. */
const BYTE_ORDER_MARK = /^\uFEFF/;

export const snapshotPieceBytes = MAX_KEY_BYTES;

/** The keys of a body, and those that cannot be read. */
class SnapshotKeys {
  readonly keys = new KeyList();
  readonly #errors: FieldError[] = [];
  #pieces = 0;

  add(piece: Piece): void {
    const at = this.#pieces++;
    if (at >= MAX_KEYS)
      throw new Problem('PAYLOAD_TOO_LARGE', `A snapshot may have ${MAX_KEYS.toLocaleString('en-US')} keys.`);
    const key = piece === null ? undefined : parseJson(piece.toString().replace(BYTE_ORDER_MARK, ''));
    if (typeof key === 'string' && key !== '') this.keys.add(key);
    else if (this.#errors.length < MAX_ERRORS)
      this.#errors.push({ pointer: `/${at}`, detail: 'must be the key of a listing, a string' });
  }

  /** Throws INVALID_BODY: a key that cannot be read is of a listing that would end. */
  requireReadable(): void {
    if (this.#errors.length === 0) return;
    throw new Problem('INVALID_BODY', 'The list has keys that cannot be read, so nothing ends.', {
      errors: this.#errors,
    });
  }
}

/** Reads the keys of a body. Throws INVALID_BODY, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT. */
async function readKeys(
  { clock }: PushContext,
  request: IncomingMessage,
  splitter: Splitter,
  onChunk: (chunk: Buffer) => void,
): Promise<KeyList> {
  const keys = new SnapshotKeys();
  const task = eventLoop.task();
  for await (const chunk of readBody(request, { clock, maxBytes: PUSH.bodyBytes })) {
    onChunk(chunk);
    for (const piece of splitter.push(chunk)) {
      if (task.shouldYield()) await task.yield();
      keys.add(piece);
    }
  }
  for (const piece of splitter.end()) keys.add(piece);
  keys.requireReadable();
  return keys.keys;
}

/** Ends what a snapshot does not name. Throws CONFLICT where that looks like a mistake, and then ends nothing. */
export async function takeSnapshot(
  context: PushContext,
  body: { readonly request: IncomingMessage; readonly splitter: Splitter; onChunk(chunk: Buffer): void },
  options: SnapshotOptions,
): Promise<SnapshotResult> {
  const startedAt = context.clock.now();
  const keys = await readKeys(context, body.request, body.splitter, body.onChunk);
  const { database, sender, count, untilSearched } = context;
  const { order, accept, isDryRun } = options;
  const { ended, refused, ...counts } = await endMissing({
    keys,
    doubt: null,
    accept,
    async findStored(after, limit) {
      const page = await database.read(
        (sql) => findListed(sql, sender.id, { statuses: OPEN, after, limit }),
        { timeout: TIMEOUT },
      );
      return page.map(({ key, order: last }) => ({ key, isNewer: isNewerThan(last, order) }));
    },
    end: (missing) => endBatch(context, missing, { ...options, startedAt }),
  });
  const found = { listed: keys.size, ...counts };
  if (refused !== null)
    throw new Problem(
      'CONFLICT',
      `${refused} Nothing has ended. If the list is right, send it again with accept=true.`,
      { members: found },
    );
  if (!isDryRun && ended > 0) {
    count('ended', ended);
    await untilSearched();
  }
  return { object: 'snapshot_result', ...found, ended, dryRun: isDryRun };
}

async function endBatch(
  context: PushContext,
  keys: readonly string[],
  { status, order, isDryRun, startedAt }: SnapshotOptions & { readonly startedAt: number },
): Promise<number> {
  const { database, clock } = context;
  const requests = keys.map(
    (key): Request => ({
      key,
      read({ receivedAt }) {
        // A list without a place in the order is as old as its request.
        const isNewer = order === null && receivedAt !== null && Date.parse(receivedAt) >= startedAt;
        if (isNewer) throw cameMeanwhile();
        return endMessage(order);
      },
      isUnordered: order === null,
    }),
  );
  const results = await runTransaction(database, { timeout: TIMEOUT, isDryRun }, (tx) =>
    // A sale that came meanwhile stays one.
    writeMessages(tx, { ...context, endedAs: status, onlyIn: OPEN, now: clock.now() }, requests),
  );
  return [...results.values()].filter((result) => !(result instanceof Problem) && result.result === 'ended')
    .length;
}

const cameMeanwhile = (): Problem =>
  new Problem('CONFLICT', 'A message about this listing came after the list was made.');
