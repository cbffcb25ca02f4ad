// Replica of a source under test: replication on a clock by hand, and what it has stored.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import type { Outbound } from '../../../src/lib/outbound.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { type Replication, startReplication } from '../../../src/sources/replicate.ts';
import type { Source } from '../../../src/sources/source.ts';
import { until } from '../check/until.ts';
import type { Closing } from '../database/database.ts';
import type { ManualClock } from '../service/clock.ts';

export const INTERVAL = 60_000;
/** Milliseconds that pass in a turn of the event loop. */
const STEP = 250;
const STEPS = 100;

export interface ReplicatedSource {
  readonly database: Database;
  readonly source: Source;
  readonly replication: Replication;
  /** What replication has logged. */
  readonly logged: readonly unknown[];
  /** Price and number of photos, as the source stated them, of the listings that it still has, by key. */
  stored(): Promise<ReadonlyMap<string, readonly unknown[]>>;
  /** Lets time pass, while nobody waits for an answer, until the condition holds. */
  passUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
  /** Lets so many seconds pass. */
  pass(seconds: number): Promise<void>;
  /** Lets time pass until the first load is complete. */
  load(): Promise<void>;
}

/** `make` gets a function that counts the requests under way. */
export async function replicateSource(
  t: Closing,
  { clock, database }: { readonly clock: ManualClock; readonly database: Database },
  make: (counted: (outbound: Outbound) => Outbound) => Source,
): Promise<ReplicatedSource> {
  let sent = 0;
  const source = make((outbound) => ({
    ...outbound,
    send: (request) => {
      sent += 1;
      return outbound.send(request).finally(() => {
        sent -= 1;
      });
    },
  }));
  const logged: unknown[] = [];
  const note = (...line: unknown[]) => void logged.push(line);
  const replication = startReplication({
    source,
    catalogue: createCatalogue(database),
    database,
    clock,
    metrics: createMetrics(),
    log: { info: note, warn: note },
    interval: INTERVAL,
    random: () => 0,
  });
  t.after(async () => {
    await replication.stop();
    await source.close();
  });
  const passUntil: ReplicatedSource['passUntil'] = (what, condition) =>
    until(what, async () => {
      for (let step = 0; step < STEPS; step += 1) {
        // Conditions ask the database: once in a second that passes will do.
        if (step % 4 === 0 && (await condition())) return true;
        await nextTurn();
        // Time stands still while an answer, or the database, is waited for.
        if (sent > 0 || clock.waiting === 0) return false;
        clock.advance(STEP);
      }
      return false;
    });
  return {
    database,
    source,
    replication,
    logged,
    passUntil,
    async pass(seconds) {
      const end = clock.now() + seconds * 1_000;
      await passUntil(`${seconds} seconds pass`, () => clock.now() >= end);
    },
    load: () => passUntil('the first load is complete', () => isLoaded({ replication })),
    async stored() {
      const rows = await database.read(
        (sql) => sql<{ key: string; price: unknown; photos: unknown }[]>`
          select listing_key as key, sent.record -> 'ListPrice' as price, sent.record -> 'PhotosCount' as photos
          from listing join listing_reso as sent on sent.listing_id = listing.id
          where status <> 'DELETED' order by listing_key`,
      );
      return new Map(rows.map(({ key, price, photos }) => [key, [price, photos]]));
    },
  };
}

export const isLoaded = ({ replication }: Pick<ReplicatedSource, 'replication'>): boolean =>
  replication.status().state === 'following' && replication.status().loadedAt !== null;
