// Arm of the bench of loads: reads a feed by RESO into its database, and answers once it has all of it.

import { createServer } from 'node:http';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { createOutbound } from '../../src/lib/outbound.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { startReplication } from '../../src/sources/replicate.ts';
import { resoSource } from '../../src/sources/reso/transport/client.ts';

/** What a load took. */
export interface FeedLoad {
  readonly milliseconds: number;
  /** Milliseconds of processor of the reader. */
  readonly processor: number;
  /** Bytes of its memory, at most. */
  readonly resident: number;
}

const { DATABASE_URL = '', FEED_URL = '', FEED_SECRET = '', PORT } = process.env;
const database = openDatabase({ url: DATABASE_URL });
const source = resoSource({
  id: 'feed',
  name: 'Feed',
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
const [start, before] = [performance.now(), process.cpuUsage()];
const replication = startReplication({
  source,
  catalogue: createCatalogue(database),
  database,
  clock: systemClock,
  log: { info: () => {}, warn: (...what: unknown[]) => process.stderr.write(`${JSON.stringify(what)}\n`) },
  metrics: createMetrics(),
  interval: 3_600_000,
});

async function untilLoaded(): Promise<FeedLoad> {
  while (replication.status().state !== 'following') await new Promise((resolve) => setTimeout(resolve, 20));
  const { user, system } = process.cpuUsage(before);
  return {
    milliseconds: performance.now() - start,
    processor: (user + system) / 1_000,
    resident: process.resourceUsage().maxRSS * 1_024,
  };
}

const loaded = untilLoaded();
createServer(async (_, response) => {
  response.end(JSON.stringify(await loaded));
}).listen(Number(PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.once('SIGTERM', async () => {
  await replication.stop();
  process.exit(0);
});
