// Clients that vanish from their streams in every way there is, and what the process still holds afterwards.

import { backgroundAtRest } from '../check/background.ts';
import { collect } from '../check/collect-garbage.ts';
import { until } from '../check/until.ts';
import { type Reader, received, request } from './clients.ts';
import { LARGE_LISTING, type StreamService, WIDE_LISTING } from './service.ts';

export interface ProcessUsage {
  /** Sockets, timers and whatever else keeps the process busy, by kind. */
  readonly resources: Readonly<Record<string, number>>;
  /** Callbacks that wait on the service's clock. */
  readonly timers: number;
  /** Streams by the server's count, and by the caller's allowance. */
  readonly streams: number;
  readonly places: number;
  /** Fetches under way. */
  readonly fetches: number;
  /** Megabytes after garbage collection. */
  readonly heap: number;
  /** The same with what is outside of the heap, such as what waits to be written. */
  readonly held: number;
}

const AT_ONCE = 50;

type Way = (reader: Reader) => Promise<void>;

/** How a client goes: by listing, since a large one is still being written when its client goes. */
const WAYS: readonly { readonly key: string; readonly paused: boolean; readonly leave: Way }[] = [
  { key: 'a', paused: false, leave: async ({ socket }) => void socket.resetAndDestroy() },
  {
    key: 'b',
    paused: false,
    async leave(reader) {
      await received(reader, 'event: cached');
      reader.socket.resetAndDestroy();
    },
  },
  {
    key: 'c',
    paused: false,
    async leave(reader) {
      await received(reader, 'event: cached');
      reader.socket.end();
    },
  },
  {
    key: WIDE_LISTING,
    paused: false,
    async leave(reader) {
      await received(reader, 'sixteen letters');
      reader.socket.resetAndDestroy();
    },
  },
  {
    key: WIDE_LISTING,
    paused: true,
    async leave(reader) {
      await new Promise((resolve) => setImmediate(resolve));
      reader.socket.destroy();
    },
  },
  { key: 'a', paused: false, leave: async ({ socket }) => void socket.end() },
];

/** Its event is larger than what the kernel takes, so that the service waits for the client when it goes. */
const IN_MID_WRITE: (typeof WAYS)[number] = {
  key: LARGE_LISTING,
  paused: true,
  async leave({ socket }) {
    await new Promise((resolve) => socket.once('readable', resolve));
    socket.resetAndDestroy();
  },
};
const RARE = 50;

/** Opens so many streams, some at once, all of which their clients abandon. */
export async function abandon(service: StreamService, count: number): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < count; at = next++) {
      const way = at % RARE === 0 ? IN_MID_WRITE : WAYS[at % WAYS.length];
      if (way === undefined) return;
      const path = `/v1/listing/${service.id(way.key)}`;
      const reader = await request(service.url, path, service.keys.internal, way.paused);
      await way.leave(reader);
      await reader.closed;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await service.idle();
  await until('no fetch is under way', () => service.connection.open === 0);
}

/** What is held now, once everything that ends by itself has ended. */
export async function measureUsage(service: StreamService): Promise<ProcessUsage> {
  await service.idle();
  const usage = (await (await service.get('/v1/usage', service.keys.internal)).json()) as {
    streams: { open: number };
  };
  const streams = await service.measure('freehold_http_streams');
  await backgroundAtRest(service);
  await collectGarbage();
  const { heapUsed } = process.memoryUsage();
  return {
    resources: Object.fromEntries(
      Object.entries(Object.groupBy(process.getActiveResourcesInfo(), (name) => name)).map(([name, all]) => [
        name,
        all?.length ?? 0,
      ]),
    ),

    timers: service.clock.waiting,
    streams,
    places: usage.streams.open,
    fetches: service.connection.open,
    heap: megabytes(heapUsed),
    held: megabytes(heldBytes()),
  };
}

const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);

/** Not the resident set, which grows and shrinks when the allocator likes. */
function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function collectGarbage(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Throws with what is held beyond what was before, unless that ends by itself, as upkeep does that happens to be at work. */
export async function requireNothingLeft(
  service: StreamService,
  before: ProcessUsage,
  limit: number,
): Promise<ProcessUsage> {
  let found: readonly string[] = [];
  let usage = before;
  await until('nothing is held any more', async () => {
    usage = await measureUsage(service);
    found = leaked(before, usage, limit);
    return found.length === 0;
  }).catch((error: Error) => {
    throw new Error(`${error.message}: ${found.join(', ')}`);
  });
  return usage;
}

/** What is held beyond what was before. Idle connections are not: a few may come and go. */
export function leaked(before: ProcessUsage, after: ProcessUsage, megabytes: number): string[] {
  const found: string[] = [];
  for (const name of ['timers', 'streams', 'places', 'fetches'] as const) {
    if (after[name] > before[name]) found.push(`${after[name] - before[name]} ${name}`);
  }
  for (const [name, count] of Object.entries(after.resources)) {
    const more = count - (before.resources[name] ?? 0);
    if (more > MAX_IDLE) found.push(`${more} ${name}`);
  }
  if (after.heap - before.heap > megabytes) found.push(`${after.heap - before.heap} MB of heap`);
  return found;
}

/** Idle connections to the upstream and the database, and their timers. */
const MAX_IDLE = 20;

export interface SlowReaders {
  /** Streams that waited for their clients, out of those opened. */
  readonly waiting: number;
  readonly opened: number;
  /** Megabytes of memory more than before, for all of them. */
  readonly megabytes: number;
  /** Events that another reader got meanwhile, without time passing. */
  readonly other: string;
  /** Streams left after the deadline. */
  readonly left: number;
}

/** Opens streams whose clients read nothing, and lets the deadline cut them. */
export async function holdSlowReaders(
  service: StreamService,
  key: string,
  count: number,
): Promise<SlowReaders> {
  const before = await measureUsage(service);
  const path = `/v1/listing/${service.id(key)}`;
  const opening = Array.from({ length: count }, () =>
    request(service.url, path, service.keys.internal, true),
  );
  const readers = await Promise.all(opening);
  await steady(service, count);
  await collectGarbage();
  const more = megabytes(heldBytes()) - before.held;
  const waiting = await service.measure('freehold_http_streams');
  const events = await service.stream('b');
  service.clock.advance(10_000);
  await service.idle();
  const left = await service.measure('freehold_http_streams');
  for (const { socket } of readers) socket.destroy();
  await Promise.all(readers.map(({ closed }) => closed));
  return {
    waiting,
    opened: count,
    left,
    megabytes: more,
    other: events.map(({ event }) => event).join(),
  };
}

/** Resolves once every stream has been begun and the number of open ones stays. */
async function steady({ measure }: StreamService, most: number): Promise<void> {
  let seen = -1;
  for (let same = 0; same < 20; ) {
    const open = await measure('freehold_http_streams');
    const active = await measure('freehold_http_active');
    same = open === seen && active === open + 1 ? same + 1 : 0;
    seen = Math.min(open, most);
  }
}
