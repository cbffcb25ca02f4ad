// Arm of the bench of loads: reads a feed by RESO into its database, and answers once it has all of it, or its changes.

import { createServer } from 'node:http';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { createOutbound } from '../../src/lib/outbound.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { UNCONTROLLED } from '../../src/sources/control-store.ts';
import { startReplication } from '../../src/sources/replicate.ts';
import { readProfile } from '../../src/sources/reso/profiles/profile.ts';
import { resoSource } from '../../src/sources/reso/transport/client.ts';

/** What a load, or a round of changes, took. */
export interface FeedLoad {
  readonly milliseconds: number;
  /** Milliseconds of processor of the reader. */
  readonly processor: number;
  /** Bytes of its memory, at most. */
  readonly resident: number;
}

const { DATABASE_URL = '', FEED_URL = '', FEED_SECRET = '', RAW = 'keep', PORT } = process.env;
const database = openDatabase({ url: DATABASE_URL });
const source = resoSource({
  id: 'feed',
  name: 'Feed',
  profile: readProfile('standard', { raw: RAW }),
  url: `${FEED_URL}/odata`,
  credentials: {
    kind: 'client',
    tokenUrl: `${FEED_URL}/oauth/token`,
    clientId: 'bench',
    clientSecret: FEED_SECRET,
  },
  clock: systemClock,
  outbound: createOutbound({ clock: systemClock }),
});
const startedAt = Date.now();
const replication = startReplication({
  source,
  catalogue: createCatalogue(database),
  database,
  clock: systemClock,
  log: { info: () => {}, warn: (...what: unknown[]) => process.stderr.write(`${JSON.stringify(what)}\n`) },
  metrics: createMetrics(),
  interval: 3_600_000,
});

/** Waits until the source is read to its end, by a round that ends after a time. */
async function untilRead(after: number): Promise<FeedLoad> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  for (;;) {
    const { state, asOf } = replication.status();
    if (state === 'following' && asOf !== null && Date.parse(asOf) > after) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { user, system } = process.cpuUsage(before);
  return {
    milliseconds: performance.now() - start,
    processor: (user + system) / 1_000,
    resident: process.resourceUsage().maxRSS * 1_024,
  };
}

const loaded = untilRead(startedAt);
let requests = 0;

async function round(): Promise<FeedLoad> {
  await loaded;
  replication.control({ ...UNCONTROLLED, syncRequests: ++requests });
  return untilRead(Date.now());
}

createServer(async (request, response) => {
  response.end(JSON.stringify(await (request.url === '/round' ? round() : loaded)));
}).listen(Number(PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', async () => {
  await replication.stop();
  process.exit(0);
});
