// Service of the stream tests: a real RESO client between it and an upstream that fails to order.

import type { LookupFunction } from 'node:net';
import { createOutbound, type Outbound } from '../../../src/lib/outbound.ts';
import { resoSource } from '../../../src/sources/reso/transport/client.ts';
import type { Source } from '../../../src/sources/source.ts';
import { until } from '../check/until.ts';
import type { Closing } from '../database/database.ts';
import type { ManualClock } from '../service/clock.ts';
import { type LiveService, startLive } from '../sources/live-service.ts';
import { draftOf } from '../sources/memory-source.ts';
import { startUpstream, type Upstream } from '../sources/upstream.ts';

export interface StreamService extends LiveService {
  readonly upstream: Upstream;
  readonly connection: UpstreamConnection;
  /** A measurement of the service by its name, as /metrics shows it. */
  measure(name: string): Promise<number>;
  /** Resolves when no request is under way but the one that asks. */
  idle(): Promise<void>;
}

/** The way from the service to its upstream. */
export interface UpstreamConnection {
  /** Fetches that were begun, and those that have not ended. */
  begun: number;
  open: number;
  /** Names looked up since the start: one for each connection. */
  lookups: number;
  /** Milliseconds until a name is answered; null: never. */
  lookupDelay: number | null;
  /** Drops every connection, so that the next fetch needs a new one. */
  renew(): Promise<void>;
}

/** A listing as long as the longest in practice, and one of which two events are more than the kernel takes unread. */
export const WIDE_LISTING = 'wide';
export const LARGE_LISTING = 'large';
export const KILOBYTES = { [WIDE_LISTING]: 256, [LARGE_LISTING]: 4_600 } as const;

export const record = (key: string, price = 100) => ({
  ListingKey: key,
  StandardStatus: 'Active',
  PropertyType: 'Residential',
  ListPrice: price,
  ModificationTimestamp: '2026-01-02T00:00:00Z',
});

/** Photos whose captions have so many kilobytes: no single text may be that long. */
function pictures(kilobytes: number) {
  const ShortDescription = 'sixteen letters '.repeat((kilobytes * 1_024) / 16 / PHOTOS);
  const Media = Array.from({ length: PHOTOS }, (_, at) => ({
    MediaKey: String(at),
    MediaURL: `https://photos.test/${at}.jpg`,
    MediaCategory: 'Photo',
    Order: at,
    ShortDescription,
  }));
  return { PhotosCount: PHOTOS, Media };
}

const PHOTOS = 160;

/** Starts it with the listings a, b and c, a large and a wide one. The clock does not move by itself. */
export async function startStreams(t: Closing): Promise<StreamService> {
  const upstream = await startUpstream(t);
  for (const key of ['a', 'b', 'c']) upstream.records.set(key, record(key));
  const connections: UpstreamConnection[] = [];
  const service = await startLive(t, (memory, clock) => {
    for (const [key, size] of Object.entries(KILOBYTES)) {
      const long = { ...record(key), ...pictures(size) };
      upstream.records.set(key, long);
      memory.put(draftOf(key, long), '2026-01-01T00:00:00.000Z');
    }
    const { source, connection } = connected(memory, clock, upstream);
    connections.push(connection);
    return source;
  });
  const [connection] = connections;
  if (connection === undefined) throw new Error('The service took no source');
  const measure = async (name: string) => {
    const text = await (await service.get('/metrics')).text();
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  };
  const idle = async () => {
    await until('no request is under way', async () => (await measure('freehold_http_active')) <= 1);
  };
  return { ...service, upstream, connection, measure, idle };
}

/** Pages come from memory; one listing comes over HTTP. */
function connected(pages: Source, clock: ManualClock, upstream: Upstream) {
  let outbound: Outbound;
  const connection: UpstreamConnection = {
    begun: 0,
    open: 0,
    lookups: 0,
    lookupDelay: 0,
    async renew() {
      const before = outbound;
      outbound = createOutbound({ clock, lookup });
      await before.close();
    },
  };
  const lookup: LookupFunction = (_, options, callback) => {
    connection.lookups++;
    const found = () =>
      options.all === true
        ? callback(null, [{ address: '127.0.0.1', family: 4 }])
        : callback(null, '127.0.0.1', 4);
    if (connection.lookupDelay === 0) found();
    else if (connection.lookupDelay !== null) clock.after(connection.lookupDelay, found);
  };
  const named = (url: string) => url.replace('127.0.0.1', 'upstream.test');
  outbound = createOutbound({ clock, lookup });
  const reso = resoSource({
    id: pages.id,
    name: 'Upstream',
    url: named(upstream.url),
    clock,
    credentials: { kind: 'client', tokenUrl: named(upstream.tokenUrl), clientId: 'me', clientSecret: 'hush' },
    outbound: {
      receive: (outgoing, read) => outbound.receive(outgoing, read),
      send: (outgoing) => outbound.send(outgoing),
      post: (outgoing) => outbound.post(outgoing),
      close: () => outbound.close(),
    },
  });
  const source: Source = {
    ...pages,
    async fetchOne(key, signal) {
      connection.begun++;
      connection.open++;
      try {
        return await reso.fetchOne(key, signal);
      } finally {
        connection.open--;
      }
    },
    close: () => reso.close(),
  };
  return { source, connection };
}
