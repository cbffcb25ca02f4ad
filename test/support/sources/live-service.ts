// Service as tests of live data start it: a source in memory, a database, real HTTP, time by hand.

import { join } from 'node:path';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ensureSampleKeys, type SampleKeys } from '../../../src/access/keys/sample-keys.ts';
import { type App, createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import { listingId } from '../../../src/ingest/identity.ts';
import { createLog } from '../../../src/lib/log.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { Source } from '../../../src/sources/source.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing, temporaryFolder, testDatabase } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { quietPort } from '../service/ports.ts';
import { draftOf, type MemorySource, memorySource } from './memory-source.ts';

export interface LiveService {
  readonly url: string;
  readonly clock: ManualClock;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly keys: SampleKeys;
  readonly app: App;
  readonly source: MemorySource;
  /** Ids by the keys of the listings. */
  id(key: string): string;
  get(path: string, key?: string, init?: RequestInit): Promise<Response>;
  /** The whole stream of one listing. */
  stream(key: string, credential?: string): Promise<EventSourceMessage[]>;
}

/** Starts the service on a source with the listings a, b and c, and waits until it has read them. */
export async function startLive(
  t: Closing,
  prepare?: (source: MemorySource, clock: ManualClock) => Source,
): Promise<LiveService> {
  const clock = manualClock(Date.UTC(2026, 0, 5, 12));
  const { database, url: databaseUrl } = await testDatabase(t);
  const folder = await temporaryFolder(t, 'live');
  const config = readConfig(
    { DATABASE_URL: databaseUrl, DATA_DIR: folder, LOG_LEVEL: 'silent', SOURCE: 'none' },
    folder,
  );
  const memory = memorySource();
  for (const key of ['a', 'b', 'c']) memory.put(draftOf(key), '2026-01-01T00:00:00.000Z');
  const { keys } = await ensureSampleKeys({ database, clock, file: join(folder, 'keys.env') });
  const port = await quietPort();
  const url = `http://127.0.0.1:${port}`;
  const app = await createApp({
    config,
    database,
    source: prepare?.(memory, clock) ?? memory,
    interval: 3_600_000,
    publicUrl: url,
    log: createLog({ level: 'silent' }),
    overrides: { clock },
  });
  atEnd(t, () => app.stop());
  await app.server.listen('127.0.0.1', port);
  await until('the first load is complete', () => app.replication?.status().state === 'following');
  // Tests read what they have just written: past the cache, which hears of a write a moment later.
  const get: LiveService['get'] = (path, key, init) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: {
        'cache-control': 'no-cache',
        ...(key && { authorization: `Bearer ${key}` }),
        ...init?.headers,
      },
    });
  const id = (key: string) => listingId(memory.id, key);
  return {
    url,
    clock,
    database,
    databaseUrl,
    keys,
    app,
    source: memory,
    id,
    get,
    async stream(key, credential = keys.internal) {
      const answer = await get(`/v1/listing/${id(key)}`, credential);
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return parseEvents(await answer.text());
    },
  };
}

export function parseEvents(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => void events.push(event) });
  parser.feed(text);
  return events;
}
