// Source that the configuration names: the sample market, a RESO Web API server, or none.

import type { Config } from '../config.ts';
import { updatePhotoUrls } from '../ingest/media-url-store.ts';
import type { Clock } from '../lib/clock.ts';
import { createOutbound } from '../lib/outbound.ts';
import type { Database } from '../postgres/client/database.ts';
import { resoSource } from '../sources/reso/transport/client.ts';
import type { Source } from '../sources/source.ts';
import { loadSampleAreas, startSampleMarket } from './sample-market.ts';
import { samplePhotosUrl } from './sample-photos.ts';

export interface Upstream {
  readonly source: Source | null;
  /** Milliseconds between two rounds of changes. */
  readonly interval: number;
  /** The sample market's address, for printing and for its pictures; null: there is none. */
  readonly sampleUrl: string | null;
  stop(): Promise<void>;
}

/** The id of the sample market as a source. */
const SAMPLE = 'sample';

/** Rarer than the sample moves, so that live differs from cached. */
const SAMPLE_ROUND = 20_000;
const RESO_ROUND = 60_000;

export interface UpstreamOptions {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** How many listings the sample market has. */
  readonly sampleListings: number;
  /** The service's own address: the sample's pictures are served there. */
  readonly publicUrl: string;
}

/** Prepares the source; the sample market is started and its map loaded first. */
export async function openUpstream(options: UpstreamOptions): Promise<Upstream> {
  const { config, database, clock, log } = options;
  const { source } = config;
  if (source.kind === 'none') return { source: null, interval: 0, sampleUrl: null, stop: async () => {} };
  const outbound = createOutbound({ clock });
  if (source.kind === 'reso') {
    const reso = resoSource({ id: 'reso', name: 'RESO Web API', clock, outbound, ...source });
    return { source: reso, interval: RESO_ROUND, sampleUrl: null, stop: async () => {} };
  }
  const photosUrl = samplePhotosUrl(options.publicUrl);
  const market = await startSampleMarket({
    ...{ dataDirectory: config.dataDirectory, port: source.port, interval: source.interval, log, clock },
    ...{ listings: options.sampleListings, photosUrl },
  });
  try {
    await loadSampleAreas(database, market.url);
    await updatePhotoUrls(database, SAMPLE, photosUrl);
  } catch (error) {
    await market.stop();
    throw error;
  }
  const { url, clientId, clientSecret } = market;
  const credentials = { kind: 'client', tokenUrl: `${url}/oauth/token`, clientId, clientSecret } as const;
  return {
    source: resoSource({
      id: SAMPLE,
      name: 'Sample market',
      url: `${url}/odata`,
      credentials,
      clock,
      outbound,
      pageSize: 1_000,
    }),
    interval: SAMPLE_ROUND,
    sampleUrl: url,
    stop: () => market.stop(),
  };
}
