// Service that reads the server of a vendor, both on one clock; texts, people and photos of its listings are known by a word.

import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { VendorName } from '../../../sample/vendors/rules.ts';
import { listingId } from '../../../src/ingest/identity.ts';
import { createLog } from '../../../src/lib/log.ts';
import { OWN } from '../../../src/licence/terms/terms.ts';
import { until } from '../check/until.ts';
import type { Closing } from '../database/database.ts';
import { startService, type TestService } from '../service/service.ts';
import { SYSTEM, startVendor, TOKEN, type VendorServer } from './vendor-server.ts';

export interface VendorService extends VendorServer {
  readonly service: TestService;
  /** All that the service has logged. */
  logged(): string;
  /** The id of a listing by its key. */
  id(key: string): string;
  /** Lets so many milliseconds pass at once, and then the source be read to its end. */
  pass(milliseconds: number): Promise<void>;
  /** Lets rounds of changes pass until the condition holds. */
  untilRead(what: string, condition: () => boolean | Promise<boolean>): Promise<void>;
}

export interface VendorServiceOptions {
  /** Members of the profile that count in place of its own. */
  readonly overrides?: object;
  readonly photosUrl?: string;
  /** Listings at the start; default 40. */
  readonly size?: number;
  /** Settings of the service, by the server that it reads. */
  readonly settings?: (server: VendorServer) => Readonly<Record<string, string>>;
  /** Called before the service reads anything. */
  readonly prepare?: (server: VendorServer) => void;
}

const ROUND = 60_000;
/** Milliseconds that pass at once while the source is read, which waits for a second between requests. */
const STEP = 500;
/** Steps without a request, after which the source is read to its end: the database takes its time between two requests. */
const CALM = 40;
const MAX_STEPS = 400;

export async function startVendorService(
  t: Closing,
  name: VendorName,
  { overrides = {}, photosUrl, size = 40, settings, prepare }: VendorServiceOptions = {},
): Promise<VendorService> {
  const server = await startVendor(t, name, { size, photosUrl });
  const { clock, url, vendor } = server;
  prepare?.(server);
  /** Lets the source be read to its end: time passes in small steps while no request is under way, which would miss its deadline. */
  async function settle(isOver = () => true): Promise<void> {
    for (let step = 0, calm = 0; (step < MAX_STEPS && calm < CALM) || !isOver(); ) {
      const before = server.requests.length;
      for (let turn = 0; turn < 3; turn += 1) await pause(1);
      if (server.open() > 0) continue;
      calm = server.requests.length === before ? calm + 1 : 0;
      step += 1;
      clock.advance(STEP);
    }
  }
  const sink = new PassThrough();
  const logged: Buffer[] = [];
  sink.on('data', (chunk: Buffer) => logged.push(chunk));
  let isStarted = false;
  const starting = startService(t, {
    clock,
    log: createLog({ level: 'trace', stream: sink }),
    environment: {
      SOURCE: 'reso',
      RESO_PROFILE: name,
      RESO_BASE_URL: `${url}/odata`,
      // Nothing waits for time to pass.
      RESO_PROFILE_OVERRIDES: JSON.stringify({ limits: { windows: [] }, licence: OWN, ...overrides }),
      ...settings?.(server),
      ...(name === 'mlsgrid' && { RESO_ORIGINATING_SYSTEM: SYSTEM }),
      ...(vendor.rules.authentication === 'client'
        ? { RESO_TOKEN_URL: `${url}/oauth/token`, RESO_CLIENT_ID: 'example', RESO_CLIENT_SECRET: TOKEN }
        : { RESO_BEARER_TOKEN: TOKEN }),
    },
  }).finally(() => {
    isStarted = true;
  });
  await Promise.race([settle(() => isStarted), starting]);
  const service = await starting;
  async function pass(milliseconds: number): Promise<void> {
    clock.advance(milliseconds);
    await settle();
  }
  return {
    ...server,
    service,
    pass,
    logged: () => Buffer.concat(logged).toString(),
    id: (key) => listingId('reso', key),
    untilRead: (what, condition) =>
      until(what, async () => {
        await pass(ROUND);
        return condition();
      }),
  };
}
