// Process with writers of listings: JSON of its options in argument 1. It prints each write whose commit was acknowledged.

import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { appendPrivateEntries } from '../../../src/changes/change-store.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openDatabase, type Transaction } from '../../../src/postgres/client/database.ts';
import { draft } from '../catalogue/drafts.ts';

export interface WriterOptions {
  readonly url: string;
  /** Each writes one listing after another, until the input ends. Without: one write for each line of the input. */
  readonly writers: readonly string[];
  /** Longest milliseconds between two steps of a transaction. */
  readonly delay: number;
  readonly idleTransactionTimeout: number;
}

/** A write that was acknowledged, or failed. */
export interface Acknowledgement {
  readonly writer: string;
  readonly number: number;
  readonly failed?: string;
}

const { url, writers, delay, idleTransactionTimeout }: WriterOptions = JSON.parse(process.argv[2] ?? '{}');
const maxConnections = Math.max(1, writers.length);
const database = openDatabase({ url, maxConnections, idleTransactionTimeout, timeout: 10_000 });
const catalogue = createCatalogue(database);
let finishing = false;

/** The listings of this writer get this number as their price, and the log a private entry that says so. */
async function write(tx: Transaction, writer: string, number: number): Promise<void> {
  const drafts = ['a', 'b'].map((key) => draft(`${writer}-${key}`, { listPrice: number }));
  await catalogue.write(tx, 'test', drafts, systemClock.now());
  await someTime();
  await appendPrivateEntries(
    tx,
    [{ watcherId: writer, action: 'test', data: { number } }],
    systemClock.now(),
  );
  await someTime();
}

const someTime = () => (delay === 0 ? undefined : pause(Math.random() * delay));
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function attempt(writer: string, number: number): Promise<void> {
  await database
    .transaction((tx) => write(tx, writer, number))
    .then(
      () => say({ writer, number } satisfies Acknowledgement),
      async (error: Error) => {
        say({ writer, number, failed: String(error.cause ?? error) } satisfies Acknowledgement);
        await pause(50);
      },
    );
}

/** Numbers go on from the time, so that a process that is started after another one never repeats one. */
async function writeOn(writer: string): Promise<void> {
  for (let number = Date.now(); !finishing; number++) {
    await attempt(writer, number);
    await someTime();
  }
}

say({ ready: true });
const running = Promise.all(writers.map(writeOn));
for await (const line of createInterface({ input: process.stdin })) {
  const [writer = '', number] = line.split(' ');
  await attempt(writer, Number(number));
}
finishing = true;
await running;
await database.close(1_000);
process.exit(0);
