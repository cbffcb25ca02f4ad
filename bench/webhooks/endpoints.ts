// Watchers with webhooks at hosts of the sink, a service that delivers to them, and events that are written for them.

import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/lib/clock.ts';
import { Keyring } from '../../src/lib/keyring.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import type { EventDraft } from '../../src/watch/events/event.ts';
import {
  changeEvents,
  contentsOf,
  openEventLog,
  type TestWatcher,
} from '../../test/support/watch/event-log.ts';
import { type Arm, startService, type Testbed } from '../testbed.ts';
import { SECRET } from './poster.ts';
import type { Sink } from './sink.ts';

/** About as long as an event of a real listing. */
const LISTING = { object: 'listing', address: { full: 'x'.repeat(500) } };
const BATCH = 2_000;

export interface Endpoints {
  readonly service: Arm;
  readonly watchers: readonly TestWatcher[];
  /** Writes changes of which all watchers are told, in one transaction. */
  write(changes: number): Promise<void>;
  /** Writes a change for each of these watchers, in one transaction; returns their sequences. */
  writeEach(told: readonly TestWatcher[]): Promise<number[]>;
  /** Waits until nothing is to be delivered, whatever became of it; then all are as new. */
  reset(): Promise<void>;
}

/** One watcher for each host, from number 0. On a database that no other measurement uses. */
export async function startEndpoints(testbed: Testbed, sink: Sink, count: number): Promise<Endpoints> {
  const { database } = testbed;
  const key = randomBytes(32);
  const log = await openEventLog(database, systemClock);
  const watchers = await log.createWatchers('cus:hooks', count);
  await insertWebhooks(database, sink, watchers, new Keyring([key]));
  let sequence = 0;
  const start = (name: string) =>
    startService(
      testbed,
      name,
      {},
      {
        SECRETS_KEY: key.toString('base64'),
        WEBHOOK_ALLOW: `127.0.0.0/8:${sink.port}`,
      },
    );
  const eventsFor = (told: readonly TestWatcher[]) =>
    changeEvents(++sequence, { watchers: told, types: ['listing.updated'], at: Date.now() });
  const write = (events: readonly EventDraft[]): Promise<void> => {
    const contents = contentsOf(events).map((content) => ({ ...content, object: LISTING }));
    return log.write({ events, contents }, sequence);
  };
  return {
    watchers,
    service: await start('webhooks'),
    write: (changes) => write(Array.from({ length: changes }, () => eventsFor(watchers)).flat()),
    async writeEach(told) {
      const events = told.flatMap((watcher) => eventsFor([watcher]));
      await write(events);
      return events.map((event) => event.sequence);
    },
    async reset() {
      while (await isAnyClaimed(database)) await systemClockPause();
      await database.write(
        (sql) => sql`
          update webhook set status = 'active', attempt = 0, failures = 0, retry_at = null, failing_since = null,
            due_at = null, pending_since = null, position_sequence = ${sequence}`,
      );
    },
  };
}

const systemClockPause = () => new Promise<void>((resolve) => systemClock.after(100, resolve));

async function isAnyClaimed(database: Database): Promise<boolean> {
  const rows = await database.read(
    (sql) => sql`select from webhook where claimed_until > clock_timestamp() limit 1`,
  );
  return rows.length > 0;
}

/** Webhooks as they are once they are verified. */
async function insertWebhooks(
  database: Database,
  sink: Sink,
  watchers: readonly TestWatcher[],
  keyring: Keyring,
): Promise<void> {
  const rows = watchers.map(({ id }, no) => ({
    id: `whk_bench${no}`,
    watcherId: id,
    url: sink.url(no),
    host: sink.host(no),
    secret: keyring.seal(SECRET, id).toString('hex'),
  }));
  for (let first = 0; first < rows.length; first += BATCH)
    await database.write(
      (sql) => sql`
        insert into webhook (id, watcher_no, watcher_id, place, url, host, is_inner, status, secret, position_sequence,
          position_day, last_success_at, created_at, updated_at)
        select batch.id, watcher.no, watcher.id, 0, url, host, true, 'active', decode(secret, 'hex'), 0,
          current_date - 1, now(), now(), now()
        from json_to_recordset(${JSON.stringify(rows.slice(first, first + BATCH))}::text::json)
          as batch (id text, "watcherId" text, url text, host text, secret text)
        join watcher on watcher.id = "watcherId"`,
      { timeout: 0 },
    );
  await database.write((sql) => sql`analyze`);
}
