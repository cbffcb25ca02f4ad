// Servers of vendors under test: the sample's own market behind their rules, on a clock by hand, and a replica of it.

import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { FaultSwitch } from '../../../sample/faults.ts';
import { readLand } from '../../../sample/land/land.ts';
import type { Spelling } from '../../../sample/odata/lookups.ts';
import { createSampleServer } from '../../../sample/server.ts';
import { TokenDesk } from '../../../sample/token.ts';
import type { Quirks } from '../../../sample/vendors/quirks.ts';
import type { VendorName } from '../../../sample/vendors/rules.ts';
import { Vendor } from '../../../sample/vendors/vendor.ts';
import { World } from '../../../sample/world.ts';
import { createOutbound, type Outbound } from '../../../src/lib/outbound.ts';
import { OWN } from '../../../src/licence/terms/terms.ts';
import { findShowing } from '../../../src/listings/provenance/contact-store.ts';
import { readProfile } from '../../../src/sources/reso/profiles/profile.ts';
import { type ResoOptions, resoSource } from '../../../src/sources/reso/transport/client.ts';
import type { ResoCredentials } from '../../../src/sources/reso/transport/token.ts';
import type { Source } from '../../../src/sources/source.ts';
import type { Closing } from '../database/database.ts';
import { testDatabase } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { listenLocally } from '../service/listen-locally.ts';
import { type ReplicatedSource, replicateSource } from './replica.ts';

export const TOKEN = 'example-token';
export const SYSTEM = 'Calder Sound Listing Service';
/** The market begins an hour before. */
const START = Date.UTC(2026, 0, 5, 12);

export interface VendorRequest {
  readonly url: URL;
  /** Milliseconds of the test's clock. */
  readonly at: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a request is answered with instead of an answer. */
export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface VendorServer {
  readonly url: string;
  /** The next requests for data are refused so, one by one. */
  readonly refusals: Refusal[];
  readonly world: World;
  readonly vendor: Vendor;
  readonly requests: VendorRequest[];
  /** How many requests are under way. */
  open(): number;
  readonly clock: ManualClock;
  /** Spells the values of enumerations in the other way from now on: as people read them, or as names. */
  respell(): void;
}

export interface VendorServerOptions {
  /** Listings at the start; default 60. */
  readonly size?: number;
  /** Another seed is another market; default: one for each vendor. */
  readonly seed?: string;
  readonly clock?: ManualClock;
  /** Milliseconds since the epoch, in place of that clock. */
  readonly now?: () => number;
  /** The clock that changes are stamped by; default: the other one. */
  readonly stamps?: () => number;
  /** Where its photos are; default: on the server itself. */
  readonly photosUrl?: string | undefined;
}

/** Starts a server with the rules of a vendor; it ends with the test. */
export async function startVendor(
  t: Closing,
  name: VendorName,
  {
    size = 60,
    seed = name,
    clock = manualClock(START),
    now = () => clock.now(),
    stamps,
    photosUrl,
  }: VendorServerOptions = {},
): Promise<VendorServer> {
  const journal = { version: 1, seed, epoch: now() - 3_600_000, size, deeds: [] } as const;
  const world = new World(readLand(), journal, stamps ?? now, () => {});
  const tokens = new TokenDesk({ clientId: 'example', clientSecret: TOKEN }, 28_800, now);
  const vendor = new Vendor({ name, world, tokens, bearerToken: TOKEN, clock: now });
  let spelling: Spelling = 'display';
  const server = createSampleServer({
    world,
    tokens,
    faults: new FaultSwitch(),
    get spelling() {
      return spelling;
    },
    photosUrl: photosUrl ?? null,
    vendor,
  });
  const requests: VendorRequest[] = [];
  const refusals: Refusal[] = [];
  let open = 0;
  const [serve] = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://vendor.test');
    requests.push({ url, at: now(), headers: request.headers });
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    const refusal = url.pathname.startsWith('/odata') ? refusals.shift() : undefined;
    if (refusal === undefined) return serve?.call(server, request, response);
    response.writeHead(refusal.status, refusal.headers);
    response.end('{"error":{"code":"refused","message":"A refusal was asked for"}}');
  });
  const port = await listenLocally(t, server);
  return {
    url: `http://127.0.0.1:${port}`,
    world,
    vendor,
    requests,
    open: () => open,
    refusals,
    clock,
    respell() {
      spelling = spelling === 'display' ? 'legacy' : 'display';
    },
  };
}

/** What the server wants of its clients. */
export const credentialsOf = ({ url, vendor }: Pick<VendorServer, 'url' | 'vendor'>): ResoCredentials =>
  vendor.rules.authentication === 'client'
    ? { kind: 'client', tokenUrl: `${url}/oauth/token`, clientId: 'example', clientSecret: TOKEN }
    : { kind: 'bearer', token: TOKEN };

export interface VendorReplica extends VendorServer, ReplicatedSource {
  /** Asserts that what is stored is exactly what the server serves. */
  assertSame(): Promise<void>;
}

export interface ReplicaOptions {
  /** The profile; default: the one of the vendor's name. */
  readonly profile?: string;
  readonly overrides?: object;
  readonly size?: number;
  /** Of the server, from its first answer on. */
  readonly quirks?: Partial<Quirks>;
}

/** A source that reads the server by a profile, and knows nothing of it yet. */
export function vendorSource(
  server: VendorServer,
  outbound: Outbound,
  profile: string,
  overrides: object = {},
  {
    findShowing = async () => [],
    findLookups = async () => null,
  }: Pick<ResoOptions, 'findShowing' | 'findLookups'> = {},
): Source {
  const own = server.vendor.rules.originatingSystem ? { originatingSystem: SYSTEM } : {};
  return resoSource({
    id: 'reso',
    name: 'Vendor',
    profile: readProfile(profile, { licence: OWN, ...own, ...overrides }),
    url: `${server.url}/odata`,
    credentials: credentialsOf(server),
    outbound,
    clock: server.clock,
    findShowing,
    findLookups,
  });
}

/** A server of a vendor, and what replication makes of it from its first request on. */
export async function replicateVendor(
  t: Closing,
  name: VendorName,
  { profile = name, overrides = {}, size = 60, quirks = {} }: ReplicaOptions = {},
): Promise<VendorReplica> {
  const server = await startVendor(t, name, { size });
  server.vendor.quirks = { ...server.vendor.quirks, ...quirks };
  const { clock, world } = server;
  const { database } = await testDatabase(t);
  const showing: ResoOptions['findShowing'] = (contacts) => {
    const keysOf = (kind: string) => contacts.filter((each) => each.kind === kind).map(({ key }) => key);
    const shown = { agents: keysOf('agent'), offices: keysOf('office') };
    return database.read((sql) => findShowing(sql, 'reso', shown));
  };
  const replicated = await replicateSource(t, { clock, database }, (outbound) =>
    vendorSource(server, outbound(createOutbound({ clock })), profile, overrides, { findShowing: showing }),
  );
  return {
    ...server,
    ...replicated,
    async assertSame() {
      const shown = [...world.market.visible()].filter(({ status }) => status !== 'Delete');
      const served = shown.map(({ key, listPrice, photos }) => [key, listPrice, photos] as const);
      assert.deepEqual(
        await replicated.stored(),
        new Map(served.sort().map(([key, ...rest]) => [key, rest])),
      );
    },
  };
}
