// Owns what the routes of live data are given.

import type { Streams } from '../access/limits/streams.ts';
import type { Tiers } from '../access/tiers/tiers.ts';
import type { Catalogue } from '../ingest/catalogue.ts';
import type { Clock } from '../lib/clock.ts';
import type { Reads } from '../listings/reader.ts';
import type { GatherParts } from '../property/property-parts.ts';
import type { Refresh } from './refresh.ts';

export interface LiveRouteOptions {
  readonly catalogue: Pick<Catalogue, 'listing' | 'property'>;
  /** Reads that need not see what was written this very moment. */
  readonly memory: Reads;
  readonly refresh: Refresh;
  /** Looks up what a property includes beyond its own record. */
  readonly gather: GatherParts;
  readonly streams: Pick<Streams, 'open'>;
  readonly tiers: Tiers;
  readonly clock: Clock;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}
