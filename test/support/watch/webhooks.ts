// Stage for tests of webhooks: a service with a key for secrets, names that resolve as the test says, and a home to watch.

import { createApp, type Overrides } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config.ts';
import { createLog } from '../../../src/lib/log.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { draft } from '../catalogue/drafts.ts';
import { writer } from '../catalogue/property-market.ts';
import { atEnd, type Closing, temporaryFolder } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { startService, type TestService } from '../service/service.ts';
import { sendWatcher, subscriber, type WatcherAnswer, type WatcherRequest } from './watchers.ts';

export const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

/** A public address, to which nothing is ever sent. */
const PUBLIC_ADDRESS = '93.184.216.34';

/** Every name is that of a public address, and nothing leaves this machine: connections are refused. */
export const INTERNET = {
  lookup: (_hostname, _options, callback) => callback(null, [{ address: PUBLIC_ADDRESS, family: 4 }]),
  connectTo: () => '127.0.0.1',
} satisfies Overrides['internet'];

/** A secret of so many bytes. */
export const secretOf = (bytes: number, fill = 9): string =>
  `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;

export interface WebhookRecord {
  readonly id: string;
  readonly type: string;
  readonly url: string;
  readonly status: string;
  readonly lastSuccessAt: string | null;
  readonly secret?: string;
}

export interface WebhookStage {
  readonly service: TestService;
  readonly clock: ManualClock;
  readonly target: { readonly type: 'listing'; readonly listingId: string };
  readonly subscribe: ReturnType<typeof subscriber>['subscribe'];
  /** What names resolve to; absent: a public address. Null: nothing. */
  readonly answers: Map<string, readonly string[] | null>;
  send(method: string, path: string, request?: WatcherRequest): Promise<WatcherAnswer>;
  /** Creates a watcher of the home with webhooks at these URLs. */
  create(key: string, delivery: readonly unknown[], headers?: Record<string, string>): Promise<WatcherAnswer>;
  /** One more process on the same database, with other settings; on any port, or the given one. */
  another(environment: Readonly<Record<string, string>>, port?: number): Promise<AnotherService>;
}

export interface AnotherService extends Pick<WebhookStage, 'send' | 'create'> {
  stop(): Promise<void>;
}

export async function webhookStage(
  t: Closing,
  environment: Readonly<Record<string, string>> = { SECRETS_KEY },
  overrides: Omit<Overrides, 'clock'> = {},
  log = createLog({ level: 'silent' }),
): Promise<WebhookStage> {
  const answers = new Map<string, readonly string[] | null>();
  const clock = manualClock(Date.UTC(2026, 5, 1, 12));
  const internet: Overrides['internet'] = {
    lookup: (hostname, _options, callback) => {
      const found = answers.get(hostname) === undefined ? [PUBLIC_ADDRESS] : (answers.get(hostname) ?? []);
      const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      callback(null, addresses);
    },
    // Nothing leaves this machine: public addresses refuse connections.
    connectTo: () => '127.0.0.1',
  };
  // The tests write what a dispatcher would write.
  const service = await startService(t, {
    clock,
    environment,
    log,
    overrides: { internet, deliversWebhooks: false, ...overrides },
  });
  const ids = await writer(service)(draft('one', { listPrice: 100_000 }));
  const target = { type: 'listing', listingId: ids.get('one') ?? '' } as const;
  const { subscribe } = subscriber(service);
  const clientOf = (place: { readonly url: string }): Pick<WebhookStage, 'send' | 'create'> => ({
    send: (method, path, request) => sendWatcher(place, method, path, request),
    create: (key, delivery, headers = {}) =>
      sendWatcher(place, 'POST', '', { key, body: { target, delivery }, headers }),
  });
  return {
    service,
    clock,
    target,
    subscribe,
    answers,
    ...clientOf(service),
    async another(settings, wanted = 0) {
      const folder = await temporaryFolder(t, 'another');
      const { databaseUrl: url } = service;
      const config = readConfig({ DATABASE_URL: url, DATA_DIR: folder, SOURCE: 'none', ...settings }, folder);
      const database = openDatabase({ url, maxConnections: 8, timeout: 20_000 });
      const app = await createApp({
        config,
        database,
        source: null,
        interval: 0,
        publicUrl: config.publicUrl ?? 'http://127.0.0.1:8080',
        log: createLog({ level: 'silent' }),
        overrides: { clock, internet, deliversWebhooks: false },
      });
      const port = await app.server.listen('127.0.0.1', wanted);
      const stop = async (): Promise<void> => {
        await app.stop();
        await database.close();
      };
      let stopped: Promise<void> | null = null;
      const stopOnce = () => (stopped ??= stop());
      atEnd(t, stopOnce);
      return { ...clientOf({ url: `http://127.0.0.1:${port}` }), stop: stopOnce };
    },
  };
}

/** The webhooks in an answer. */
export const webhooksOf = ({ watcher }: WatcherAnswer): readonly WebhookRecord[] =>
  (watcher as unknown as { delivery: readonly WebhookRecord[] }).delivery;

/** Writes a delivery of the first webhook of a watcher, as a dispatcher does; gives its id. */
export async function writeDelivery(
  { database }: Pick<TestService, 'database'>,
  {
    watcherId,
    sequence,
    status,
    at,
  }: {
    readonly watcherId: string;
    readonly sequence: number;
    readonly status: string;
    readonly at: number;
  },
): Promise<string> {
  const id = `dlv_${watcherId.slice(4, 12)}${sequence}`;
  await database.write(
    (sql) => sql`
      insert into webhook_delivery (day, id, webhook_no, watcher_id, sequence, type, ordinal, event_id, status, attempt,
        http_status, latency_ms, response, error, at)
      select ${new Date(at)}::timestamptz::date, ${id}, no, watcher_id, ${sequence}, 'listing.updated', 0, ${`evt_${sequence}`},
        ${status}, 1, 500, 12, 'oops', 'The answer was 500', ${new Date(at)}
      from webhook where watcher_id = ${watcherId} order by place limit 1`,
  );
  return id;
}
