// Stage of webhooks: watchers with webhooks in a database, events written for them, and dispatchers that deliver them.

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../src/lib/clock.ts';
import { parseNetworkPort } from '../../../src/lib/ip-address.ts';
import { Keyring } from '../../../src/lib/keyring.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { dayOf } from '../../../src/postgres/client/day-partitions.ts';
import { disableWebhook } from '../../../src/watch/disable-webhook.ts';
import { Dispatcher, type DispatcherOptions } from '../../../src/watch/webhooks/dispatcher.ts';
import { createWebhookAccess } from '../../../src/watch/webhooks/webhook-access.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { type EventLog, openEventLog, type TestWatcher } from '../watch/event-log.ts';

/** The key of every stage, so that processes of a test share it. */
const KEYRING = new Keyring([Buffer.alloc(32, 7)]);

export interface TestWebhook {
  readonly id: string;
  readonly watcher: TestWatcher;
  /** `whsec_…` */
  readonly secret: string;
}

export interface WebhookStage {
  readonly log: EventLog;
  /** A watcher with a webhook; active unless told otherwise. */
  createWebhook(url: string, changes?: WebhookChanges): Promise<TestWebhook>;
  /** A dispatcher that is stopped at the end. */
  startDispatcher(t: Closing, options?: Partial<DispatcherOptions>): Dispatcher;
  webhook(id: string): Promise<WebhookRow>;
  deliveries(id: string): Promise<readonly DeliveryRow[]>;
}

export interface WebhookChanges {
  readonly owner?: string;
  readonly watcher?: TestWatcher;
  readonly status?: 'active' | 'unverified';
  readonly isInner?: boolean;
}

export interface WebhookRow {
  readonly status: string;
  readonly attempt: number;
  readonly failures: number;
  readonly sequence: number;
  readonly dueAt: string | null;
  readonly retryAt: string | null;
  readonly lastError: string | null;
  readonly isClaimed: boolean;
}

export interface DeliveryRow {
  readonly sequence: number;
  readonly type: string;
  readonly status: string;
  readonly attempt: number;
  readonly httpStatus: number | null;
  readonly response: string | null;
  readonly error: string | null;
  readonly nextAttemptAt: string | null;
}

/** What a dispatcher needs besides a database. Ports of this machine are permitted, as inner networks. */
export function dispatcherParts(
  database: Database,
  clock: Clock,
  ports: readonly number[],
): Omit<DispatcherOptions, 'report'> & { close(): Promise<void> } {
  const allow = ports.map((port) => parseNetworkPort(`127.0.0.0/8:${port}`));
  const access = createWebhookAccess({ clock, allow, ownPorts: () => [] });
  return {
    database,
    clock,
    access,
    publicUrl: 'http://freehold.example',
    isOpenEvent: () => true,
    random: () => 0,
    openSecret: (sealed, watcherId) => KEYRING.open(sealed, watcherId),
    disable: (webhook, reason) => disableWebhook({ database, clock }, webhook, reason),
    close: () => access.close(),
  };
}

export async function openStage(
  t: Closing,
  { database, clock, ports }: { database: Database; clock: Clock; ports: readonly number[] },
): Promise<WebhookStage> {
  const log = await openEventLog(database, clock);
  const { close, ...parts } = dispatcherParts(database, clock, ports);
  atEnd(t, close);
  let created = 0;
  return {
    log,
    async createWebhook(url, { owner = 'cus:ann', watcher: given, status = 'active', isInner = true } = {}) {
      const [watcher = given] = given === undefined ? await log.createWatchers(owner, 1) : [given];
      if (watcher === undefined) throw new Error('No watcher');
      const bytes = randomBytes(32);
      const id = `whk_${++created}_${watcher.id.slice(4)}`;
      const now = new Date(clock.now());
      await database.write(
        (sql) => sql`
          insert into webhook (id, watcher_no, watcher_id, place, url, host, is_inner, status, secret, position_sequence,
            position_day, verify_started_at, created_at, updated_at)
          select ${id}, no, id, 0, ${url}, ${new URL(url).host}, ${isInner}, ${status},
            ${KEYRING.seal(bytes, watcher.id)}, 0, ${dayOf(clock.now() - 86_400_000)}::date,
            ${status === 'unverified' ? now : null}, ${now}, ${now}
          from watcher where id = ${watcher.id}`,
      );
      return { id, watcher, secret: `whsec_${bytes.toString('base64')}` };
    },
    startDispatcher(closing, options = {}) {
      const dispatcher = new Dispatcher({
        ...parts,
        report: (error) => console.error(String(error)),
        ...options,
      });
      dispatcher.start();
      atEnd(closing, () => dispatcher.stop());
      return dispatcher;
    },
    async webhook(id) {
      const [row] = await database.read(
        (sql) => sql<WebhookRow[]>`
          select status, attempt, failures, position_sequence as sequence, due_at as "dueAt", retry_at as "retryAt",
            last_error as "lastError", claim is not null as "isClaimed" from webhook where id = ${id}`,
      );
      if (row === undefined) throw new Error(`No webhook ${id}`);
      return row;
    },
    deliveries: (id) =>
      database.read(
        (sql) => sql<DeliveryRow[]>`
          select sequence, type, webhook_delivery.status, webhook_delivery.attempt, http_status as "httpStatus", response, error,
            next_attempt_at as "nextAttemptAt"
          from webhook_delivery join webhook on webhook_no = no where webhook.id = ${id} order by sequence, type, ordinal`,
      ),
  };
}
