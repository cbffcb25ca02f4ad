// Servers of vendors under test: the sample's own market behind their rules, on a clock by hand, and a replica of it.

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { FaultSwitch } from '../../../sample/faults.ts';
import { readLand } from '../../../sample/land/land.ts';
import { createSampleServer } from '../../../sample/server.ts';
import { TokenDesk } from '../../../sample/token.ts';
import type { VendorName } from '../../../sample/vendors/rules.ts';
import { Vendor } from '../../../sample/vendors/vendor.ts';
import { World } from '../../../sample/world.ts';
import { createOutbound } from '../../../src/lib/outbound.ts';
import { readProfile } from '../../../src/sources/reso/profiles/profile.ts';
import { resoSource } from '../../../src/sources/reso/transport/client.ts';
import type { Closing } from '../database/database.ts';
import { testDatabase } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
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

export interface VendorServer {
  readonly url: string;
  readonly world: World;
  readonly vendor: Vendor;
  readonly requests: VendorRequest[];
  readonly clock: ManualClock;
}

/** Starts a server with the rules of a vendor; it ends with the test. */
export async function startVendor(t: Closing, name: VendorName, size = 60): Promise<VendorServer> {
  const clock = manualClock(START);
  const now = () => clock.now();
  const journal = { version: 1, seed: name, epoch: START - 3_600_000, size, deeds: [] } as const;
  const world = new World(readLand(), journal, now, () => {});
  const tokens = new TokenDesk({ clientId: 'example', clientSecret: TOKEN }, 28_800, now);
  const vendor = new Vendor({ name, world, tokens, bearerToken: TOKEN, clock: now });
  const server = createSampleServer({
    world,
    tokens,
    faults: new FaultSwitch(),
    spelling: 'display',
    photosUrl: null,
    vendor,
  });
  const requests: VendorRequest[] = [];
  server.prependListener(
    'request',
    ({ url, headers }: { url?: string; headers: VendorRequest['headers'] }) => {
      requests.push({ url: new URL(url ?? '/', 'http://vendor.test'), at: now(), headers });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, world, vendor, requests, clock };
}

export interface VendorReplica extends VendorServer, ReplicatedSource {
  /** Asserts that what is stored is exactly what the server serves. */
  assertSame(): Promise<void>;
}

export interface ReplicaOptions {
  /** The profile; default: the one of the vendor's name. */
  readonly profile?: string;
  readonly overrides?: object;
  readonly size?: number;
}

/** A server of a vendor, and what replication makes of it from its first request on. */
export async function replicateVendor(
  t: Closing,
  name: VendorName,
  { profile = name, overrides = {}, size = 60 }: ReplicaOptions = {},
): Promise<VendorReplica> {
  const server = await startVendor(t, name, size);
  const { clock, url, world } = server;
  const own = name === 'mlsgrid' ? { originatingSystem: SYSTEM } : {};
  const isClient = server.vendor.rules.authentication === 'client';
  const { database } = await testDatabase(t);
  const replicated = await replicateSource(t, { clock, database }, (outbound) =>
    resoSource({
      id: 'reso',
      name: 'Vendor',
      profile: readProfile(profile, { ...own, ...overrides }),
      url: `${url}/odata`,
      credentials: isClient
        ? { kind: 'client', tokenUrl: `${url}/oauth/token`, clientId: 'example', clientSecret: TOKEN }
        : { kind: 'bearer', token: TOKEN },
      outbound: outbound(createOutbound({ clock })),
      clock,
    }),
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
