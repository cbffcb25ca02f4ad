// Process that reads a source: JSON of its options in argument 1. It prints when the source is read to its end.

import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import { createOutbound } from '../../../src/lib/outbound.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { RequestBudget } from '../../../src/sources/budget/request-budget.ts';
import type { LeaseTimes } from '../../../src/sources/reader-lease.ts';
import { startReplication } from '../../../src/sources/replicate.ts';
import { readProfile, STANDARD } from '../../../src/sources/reso/profiles/profile.ts';
import { resoSource } from '../../../src/sources/reso/transport/client.ts';
import type { ResoCredentials } from '../../../src/sources/reso/transport/token.ts';
import { until } from '../check/until.ts';

export interface ReaderOptions {
  readonly databaseUrl: string;
  /** Of the source; default: feed. */
  readonly id?: string;
  readonly url: string;
  readonly credentials: ResoCredentials;
  readonly lease: LeaseTimes;
  /** Default: that of any server. */
  readonly profile?: { readonly name: string; readonly overrides: object };
}

const options: ReaderOptions = JSON.parse(process.argv[2] ?? '{}');
const { databaseUrl, id = 'feed', url, credentials, lease } = options;
const profile = readProfile(options.profile?.name ?? STANDARD, options.profile?.overrides);
const database = openDatabase({ url: databaseUrl });
const budget = new RequestBudget({
  database,
  clock: systemClock,
  connection: id,
  limits: profile.limits,
  live: false,
});
const source = resoSource({
  id,
  name: 'Feed',
  url,
  credentials,
  profile,
  clock: systemClock,
  outbound: createOutbound({ clock: systemClock }),
  permit: budget.permit,
  observed: budget.observed,
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
