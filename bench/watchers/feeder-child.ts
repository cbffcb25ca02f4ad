// Process that appends changes of the mix to the log: as many a second as it is told, while those before are matched.

import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { append, DISTINCT_CHANGES, head, pageOfMix, position } from './change-log.ts';
import type { FeederAnswer, FeederOrder } from './feeder.ts';

const TURNS_A_SECOND = 10;
/** Seconds of changes that may wait for the matching. */
const MAX_BEHIND = 2;

const database = openDatabase({ url: process.env.DATABASE_URL ?? '', maxConnections: 2, timeout: 0 });
const send = (answer: FeederAnswer): void => void process.send?.(answer);
let rate = 0;
let next = 0;
let before = { at: 0, sequence: 0 };
let feeding: Promise<void> = Promise.resolve();

async function feed(): Promise<void> {
  const size = rate / TURNS_A_SECOND;
  for (let due = performance.now(); rate > 0; due += 1_000 / TURNS_A_SECOND) {
    await sleep(Math.max(0, due - performance.now()));
    if ((await head(database)) - (await position(database)) > rate * MAX_BEHIND) continue;
    await append(database, pageOfMix(next, size));
    next = (next + size) % DISTINCT_CHANGES;
  }
}

process.on('message', async (order: FeederOrder) => {
  if (order.kind === 'start') {
    rate = order.rate;
    before = { at: performance.now(), sequence: await position(database) };
    feeding = feed();
    send({ kind: 'started' });
    return;
  }
  const sequence = await position(database);
  const seconds = (performance.now() - before.at) / 1_000;
  rate = 0;
  await feeding;
  while ((await position(database)) < (await head(database))) await sleep(20);
  send({ kind: 'stopped', changesPerSecond: (sequence - before.sequence) / seconds });
});
process.once('disconnect', () => process.exit(0));
