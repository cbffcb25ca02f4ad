// Owns what the routes of live data are given.

import type { Streams } from '../access/streams.ts';
import type { Tiers } from '../access/tiers.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Clock } from '../lib/clock.ts';
import type { Refresh } from './refresh.ts';

export interface LiveRouteOptions {
  readonly catalogue: Pick<Catalogue, 'listing' | 'property'>;
  readonly refresh: Refresh;
  readonly streams: Pick<Streams, 'open'>;
  readonly tiers: Tiers;
  readonly clock: Clock;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}
