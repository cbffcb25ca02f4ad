// Owns what the routes of live data are given, and what they read from.

import type { IncomingHttpHeaders } from 'node:http';
import type { Streams } from '../access/streams.ts';
import type { Tiers } from '../access/tiers.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Clock } from '../lib/clock.ts';
import type { Refresh } from './refresh.ts';

export interface LiveRouteOptions {
  readonly catalogue: Pick<Catalogue, 'listing' | 'property'>;
  /** Reads that need not see what was written this very moment. */
  readonly memory: Pick<Catalogue, 'listing' | 'property'>;
  readonly refresh: Refresh;
  readonly streams: Pick<Streams, 'open'>;
  readonly tiers: Tiers;
  readonly clock: Clock;
  /** Without a slash at its end. */
  readonly publicUrl: string;
}

/** What answers this request: memory, or the catalogue itself where the client asked for no cache (RFC 9111 5.2.1.4). */
export function readerFor(
  headers: IncomingHttpHeaders,
  { catalogue, memory }: LiveRouteOptions,
): Pick<Catalogue, 'listing' | 'property'> {
  return headers['cache-control']?.includes('no-cache') ? catalogue : memory;
}
