// Process that reads a source: JSON of its options in argument 1. It prints when the source is read to its end.

import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import { createOutbound } from '../../../src/lib/outbound.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import type { LeaseTimes } from '../../../src/sources/reader-lease.ts';
import { startReplication } from '../../../src/sources/replicate.ts';
import { resoSource } from '../../../src/sources/reso/transport/client.ts';
import { until } from '../check/until.ts';

export interface ReaderOptions {
  readonly databaseUrl: string;
  readonly url: string;
  readonly tokenUrl: string;
  readonly lease: LeaseTimes;
}

const { databaseUrl, url, tokenUrl, lease }: ReaderOptions = JSON.parse(process.argv[2] ?? '{}');
const database = openDatabase({ url: databaseUrl });
const source = resoSource({
  id: 'feed',
  name: 'Feed',
  url,
  credentials: { kind: 'client', tokenUrl, clientId: 'someone', clientSecret: 'something' },
  clock: systemClock,
  outbound: createOutbound({ clock: systemClock }),
});
const replication = startReplication({
  source,
  catalogue: createCatalogue(database),
  database,
  clock: systemClock,
  log: { info: () => {}, warn: () => {} },
  metrics: createMetrics(),
  interval: 100,
  lease,
});
await until('it reads the source', () => replication.status().state === 'following');
process.stdout.write('{"reads":true}\n');
