// Process that reads a source: JSON of its options in argument 1. It prints when the source is read to its end.

import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import { createNetworkAccess } from '../../../src/lib/network/network-access.ts';
import { createOutbound } from '../../../src/lib/outbound.ts';
import { startCopying } from '../../../src/media/copies/start-copying.ts';
import { PictureFiles } from '../../../src/media/pictures/picture-files.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import type { LeaseTimes } from '../../../src/postgres/leases/work-lease.ts';
import { RequestBudget } from '../../../src/sources/budget/request-budget.ts';
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
  /** Where photos are copied to, and the port of this machine that they come from; default: none is copied. */
  readonly photos?: { readonly folder: string; readonly port: number };
}

const options: ReaderOptions = JSON.parse(process.argv[2] ?? '{}');
const { databaseUrl, id = 'feed', url, credentials, lease, photos } = options;
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
if (photos !== undefined)
  startCopying({
    database,
    clock: systemClock,
    metrics: createMetrics(),
    access: createNetworkAccess({
      clock: systemClock,
      setting: 'MEDIA_ALLOW',
      allow: [{ network: '127.0.0.1', port: photos.port }],
      ownPorts: () => [],
    }),
    files: new PictureFiles(photos.folder),
    sourceOf: async () => source.media ?? null,
    report: () => {},
    times: { look: 100, lease: { duration: 2_000, renewal: 500 } },
  });
await until('it reads the source', () => replication.status().state === 'following');
process.stdout.write('{"reads":true}\n');
