// Small services that count limits together, as several processes on one database do.

import { createAccess } from '../../../src/access/access.ts';
import { createSharedCounting } from '../../../src/access/limits/shared/shared-counting.ts';
import type { LimitsStatus } from '../../../src/access/limits/shared/shared-limiter.ts';
import { createFeedLimit } from '../../../src/access/limits/stream-limit.ts';
import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import { accessRoutes } from '../../../src/access/routes.ts';
import { type Plan, TIERS } from '../../../src/access/tiers/tiers.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing, type TestDatabase } from '../database/database.ts';
import { createAccessServer, testRoute } from '../service/access-service.ts';

export interface ToldStatus extends LimitsStatus {
  /** Milliseconds of the machine's clock. */
  readonly at: number;
}

export interface CountingService {
  readonly port: number;
  readonly access: ReturnType<typeof createAccess>;
  status(): LimitsStatus;
  /** What was told of the limits, in order. */
  readonly told: readonly ToldStatus[];
  /** Sends a request; gives its status and headers. */
  get(path: string, authorization?: string): Promise<{ readonly status: number; readonly headers: Headers }>;
  stop(): Promise<void>;
}

/** Milliseconds for a call: a machine that is busy with other tests is no loss. */
const PATIENT = 20_000;

/** A service with connections of its own. The clock is the system's: so is that of the server which counts. */
export async function startCountingService(
  t: Closing,
  { url }: Pick<TestDatabase, 'url'>,
  limitsUrl: string,
  callLimit: number | undefined = PATIENT,
): Promise<CountingService> {
  const database = openDatabase({ url, maxConnections: 3 });
  const clock = systemClock;
  const told: ToldStatus[] = [];
  const report = (): void => {};
  const onChange = (status: LimitsStatus): void =>
    void told.push({ ...status, at: performance.timeOrigin + performance.now() });
  const counting = createSharedCounting({ url: limitsUrl, database, clock, callLimit, report, onChange });
  const { provider } = createLocalSubscriptions(database, clock);
  const access = createAccess({ database, clock, report, counting, tiers: TIERS, provider });
  const routes = [
    ...accessRoutes({
      rateLimiter: access.rateLimiter,
      feeds: createFeedLimit(TIERS, counting),
      countWatchers: async () => 0,
      findOwnerPlan: async () => null,
    }),
    testRoute('/v1/open', { credentials: 'optional', scope: 'listings:read', counts: 'minute' }),
  ];
  const server = createAccessServer({ routes, clock, trustedProxies: ['127.0.0.1'], phases: access.phases });
  await counting.start();
  const port = await server.listen('127.0.0.1', 0);
  let isStopped = false;
  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    await server.close();
    await access.close();
    await counting.stop();
    await database.close(1_000);
  }
  atEnd(t, stop);
  return {
    port,
    access,
    told,
    status: () => counting.status(),
    async get(path, authorization) {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
      await response.arrayBuffer();
      return { status: response.status, headers: response.headers };
    },
    stop,
  };
}

/** Three of them, once the server counts for all. */
export async function startThree(
  t: Closing,
  database: TestDatabase,
  limitsUrl: string,
  callLimit?: number | undefined,
) {
  const start = () => startCountingService(t, database, limitsUrl, callLimit);
  const services = [await start(), await start(), await start()] as const;
  await untilShared(services);
  return services;
}

/** Waits until the server counts for all of them, in this epoch or a later one, and each knows that. */
export async function untilShared(services: readonly CountingService[], earliest = 1): Promise<void> {
  await until(`the server counts for all of ${services.length} processes`, () =>
    areShared(
      services.map((each) => each.status()),
      earliest,
    ),
  );
}

/** Whether the server counts for all of the processes that say this, in this epoch or a later one. */
export const areShared = (statuses: readonly LimitsStatus[], earliest: number): boolean =>
  statuses.every(
    ({ mode, step, nodes, epoch }) =>
      mode === 'shared' && step === 'shared' && nodes >= statuses.length && epoch >= earliest,
  );

/** The Authorization header of a new subscription. */
export async function newKey({ database }: TestDatabase, plan: Plan): Promise<string> {
  const { key } = await createLocalSubscriptions(database, systemClock).create({ plan });
  return `Bearer ${key}`;
}
