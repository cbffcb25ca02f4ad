// Batch of pushed records: read as they arrive, written in transactions of 500, and answered with one line for each.

import type { IncomingMessage } from 'node:http';
import { PUSH } from '../access/tiers/tiers.ts';
import { parseJson } from '../http/input/body.ts';
import { readBody } from '../http/input/body-stream.ts';
import { Problem } from '../lib/problem.ts';
import { eventLoop, type Task } from '../lib/scheduler.ts';
import { type PushContext, runTransaction } from './push-parts.ts';
import { type RefusedRecord, writeFaults } from './push-store.ts';
import { RecordFault } from './record-reader.ts';
import type { ManyAnswers } from './repeated-body.ts';
import type { Piece, Splitter } from './split-records.ts';
import { type PushResult, type Request, writeMessages } from './write-messages.ts';

/** Records to a transaction. */
const BATCH = 500;
/** Milliseconds to write them. */
const TIMEOUT = 60_000;
/** Faults of one record that its line names. */
const SHOWN_ERRORS = 5;

/** One line of the answer. */
interface Line {
  readonly index: number;
  readonly key: string | null;
}

export class Batch {
  readonly #context: PushContext;
  readonly #isDryRun: boolean;
  readonly #lines: string[] = [];
  /** Messages by their keys, those of records that are refused included. */
  readonly #pending = new Map<string, { readonly index: number; readonly read: Request['read'] }>();
  readonly #task: Task = eventLoop.task();
  /** Why nothing more is written; null: nothing speaks against it. */
  #stopped: Problem | null = null;
  #next = 0;
  #isOver = false;
  /** Whether the body was read whole, and no record of it is to be sent again later. */
  #isFinal = true;
  #hasChanged = false;

  constructor(context: PushContext, isDryRun: boolean) {
    this.#context = context;
    this.#isDryRun = isDryRun;
  }

  /** Reads a body to its end; returns the lines of the answer, which has one for each record. */
  async run(
    request: IncomingMessage,
    splitter: Splitter,
    onChunk: (chunk: Buffer) => void,
  ): Promise<ManyAnswers> {
    const { clock, untilSearched } = this.#context;
    try {
      for await (const chunk of readBody(request, { clock, maxBytes: PUSH.bodyBytes })) {
        onChunk(chunk);
        await this.#addAll(() => splitter.push(chunk));
      }
      await this.#addAll(() => splitter.end());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#refuseRest(error);
      this.#isFinal = false;
    }
    await this.#flush();
    if (this.#hasChanged && !this.#isDryRun) await untilSearched();
    return { lines: this.#lines, isFinal: this.#isFinal && this.#stopped === null };
  }

  /** Adds records up to the first that cannot be read: a last line says why, and stands for those that follow. */
  async #addAll(pieces: () => Iterable<Piece>): Promise<void> {
    if (this.#isOver) return;
    try {
      for (const piece of pieces()) await this.#add(piece);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#refuseRest(error);
    }
  }

  #refuseRest(problem: Problem): void {
    if (!this.#isOver) this.#refuse({ index: this.#next++, key: null }, problem);
    this.#isOver = true;
  }

  async #add(piece: Piece): Promise<void> {
    if (this.#next >= PUSH.bodyRecords) throw tooMany();
    const index = this.#next++;
    if (this.#task.shouldYield()) await this.#task.yield();
    const line = { index, key: null };
    if (piece === null) return this.#refuse(line, tooLarge());
    const { sender, pushLimit, read, clock, stopping } = this.#context;
    if (stopping.aborted) this.#stopped ??= shuttingDown();
    const refusal = this.#stopped ?? pushLimit.takeRecord(sender.id, piece.byteLength);
    if (refusal !== null) return this.#refuse(line, refusal);
    try {
      const record = read(parseJson(piece), null, clock.now());
      await this.#addMessage(record.key, index, () => record);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (!(error instanceof RecordFault) || error.key === null) return this.#refuse(line, error);
      await this.#addMessage(error.key, index, () => {
        throw error;
      });
    }
  }

  /** Messages about one listing are written one after the other, so that the last one counts. */
  async #addMessage(key: string, index: number, read: Request['read']): Promise<void> {
    if (this.#pending.has(key)) await this.#flush();
    this.#pending.set(key, { index, read });
    if (this.#pending.size >= BATCH) await this.#flush();
  }

  async #flush(): Promise<void> {
    const pending = [...this.#pending];
    this.#pending.clear();
    if (pending.length === 0) return;
    const results = await this.#write(pending.map(([key, { read }]) => ({ key, read })));
    for (const [key, { index }] of pending) {
      const result = results instanceof Problem ? results : results.get(key);
      if (result === undefined) throw new Error('A record has no result');
      if (result instanceof Problem) this.#refuse({ index, key }, result);
      else this.#answer({ index, key }, result);
    }
  }

  /** One transaction. After a problem of its own nothing more is tried. */
  async #write(requests: readonly Request[]): Promise<ReadonlyMap<string, PushResult | Problem> | Problem> {
    if (this.#stopped !== null) return this.#stopped;
    const { database, clock, sender } = this.#context;
    try {
      return await runTransaction(database, { timeout: TIMEOUT, isDryRun: this.#isDryRun }, async (tx) => {
        const results = await writeMessages(tx, { ...this.#context, now: clock.now() }, requests);
        await writeFaults(tx, sender.id, faultsIn(results), new Date(clock.now()));
        return results;
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#stopped = error;
      return error;
    }
  }

  #answer(line: Line, { result, id, version, status }: PushResult): void {
    if (result !== 'unchanged' && result !== 'superseded') this.#hasChanged = true;
    if (!this.#isDryRun) this.#context.count(result);
    this.#lines[line.index] = JSON.stringify({ ...line, result, id, version, status });
  }

  #refuse(line: Line, problem: Problem): void {
    if (!this.#isDryRun) this.#context.count('rejected');
    const { code, title, status, message: detail, errors, headers } = problem;
    const retryAfter = headers['retry-after'];
    if (retryAfter !== undefined) this.#isFinal = false;
    this.#lines[line.index] = JSON.stringify({
      ...line,
      result: 'rejected',
      problem: {
        type: `${this.#context.publicUrl}/docs/errors#${code}`,
        title,
        status,
        detail,
        code,
        ...(errors.length > 0 && { errors: errors.slice(0, SHOWN_ERRORS) }),
        ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }),
      },
    });
  }
}

const faultsIn = (results: ReadonlyMap<string, PushResult | Problem>): RefusedRecord[] =>
  [...results].flatMap(([key, result]) =>
    result instanceof RecordFault ? [{ key, errors: result.errors }] : [],
  );

const tooMany = (): Problem =>
  new Problem(
    'PAYLOAD_TOO_LARGE',
    `A body may have ${PUSH.bodyRecords.toLocaleString('en-US')} records: this one and those after it are not read.`,
  );

const tooLarge = (): Problem =>
  new Problem('PAYLOAD_TOO_LARGE', `A record may have ${PUSH.recordBytes.toLocaleString('en-US')} bytes.`);

const shuttingDown = (): Problem =>
  new Problem('SHUTTING_DOWN', 'The service is stopping: send this record again.', {
    headers: { 'retry-after': '1' },
  });
