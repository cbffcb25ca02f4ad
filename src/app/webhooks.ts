// Wiring of webhooks: the network that they may reach, the key that seals their secrets, and their limits.

import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { Keyring, parseKeys } from '../lib/keyring.ts';
import type { Metrics } from '../lib/metrics.ts';
import type { Internet } from '../lib/network/internet.ts';
import { isLoopback } from '../lib/settings.ts';
import type { Licences } from '../licence/licences.ts';
import { parseDatabaseUrl } from '../postgres/client/connection-url.ts';
import type { Database } from '../postgres/client/database.ts';
import type { UsageAmounts, UsageKey } from '../usage/usage-counter.ts';
import type { ServiceUsage } from '../usage/usage-recorder.ts';
import { disableWebhook } from '../watch/disable-webhook.ts';
import type { IsOpenEvent } from '../watch/events/read-store.ts';
import type { Attempt, QueuedEvent } from '../watch/webhooks/claimed-webhook.ts';
import { type DispatcherStarter, startDispatcher } from '../watch/webhooks/start-dispatcher.ts';
import { createWebhookAccess, type WebhookAccess } from '../watch/webhooks/webhook-access.ts';
import { WebhookLimits } from '../watch/webhooks/webhook-limits.ts';

export interface WebhookOptions {
  readonly config: Pick<Config, 'webhookAllow' | 'databaseUrl' | 'port' | 'source' | 'host'>;
  /** Keys in base64; null: webhooks cannot be created. */
  readonly secretsKey: string | null;
  readonly clock: Clock;
  readonly publicUrl: string;
  /** The port that the service listens on; null before that. */
  readonly findPort: () => number | null;
  readonly internet?: Internet | undefined;
}

export interface Webhooks {
  readonly access: WebhookAccess;
  readonly keyring: Keyring | null;
  readonly limits: WebhookLimits;
}

export function createWebhooks(options: WebhookOptions): Webhooks {
  const { config, secretsKey, clock, publicUrl, findPort, internet } = options;
  const configured = [config.port, Number(new URL(publicUrl).port), ...databasePorts(config.databaseUrl)];
  const ownPorts = () => [...configured, findPort()];
  return {
    access: createWebhookAccess({
      clock,
      allow: config.webhookAllow,
      ownPorts,
      internet,
      // People who try the sample market have a receiver on the same machine.
      allowLoopback: config.source.kind === 'sample' && isLoopback(config.host),
    }),
    keyring: secretsKey === null ? null : new Keyring(parseKeys(secretsKey)),
    limits: new WebhookLimits(clock),
  };
}

/** The usual port of PostgreSQL, and the one in the URL of the database. */
export const databasePorts = (url: string | null): readonly number[] =>
  url === null ? [5432] : [5432, parseDatabaseUrl(url).port];

export interface DeliveryOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly publicUrl: string;
  readonly isOpenEvent: IsOpenEvent;
  readonly report: (error: unknown) => void;
  readonly usage: Pick<ServiceUsage, 'add'>;
  readonly licences: Pick<Licences, 'sourceOf'>;
}

/** Starts deliveries; null: without a key no secret can be opened, and they wait for a process that has one. */
export function startDeliveries(
  options: DeliveryOptions,
  { access, keyring }: Webhooks,
): DispatcherStarter | null {
  if (keyring === null) return null;
  return startDispatcher({
    ...options,
    access,
    openSecret: (sealed, watcherId) => keyring.open(sealed, watcherId),
    disable: (webhook, reason) => disableWebhook(options, webhook, reason),
    onAttempt: (attempt, event) => options.usage.add(...deliveryUsage(attempt, event, options.licences)),
  });
}

/** A delivery as the use of the owner of its watcher: what was sent, and of what arrived which listings it showed. */
function deliveryUsage(
  { httpStatus, isSuccess }: Attempt,
  { owner, json, shown }: QueuedEvent,
  { sourceOf }: Pick<Licences, 'sourceOf'>,
): [UsageKey, UsageAmounts] {
  const sources = Map.groupBy(isSuccess ? shown : [], sourceOf);
  return [
    {
      account: owner,
      client: '',
      tier: '',
      channel: 'watchers',
      operation: 'deliverWebhook',
      status: httpStatus === null ? 0 : Math.floor(httpStatus / 100),
    },
    {
      requests: 1,
      bytes: Buffer.byteLength(json),
      shown: new Map([...sources].map(([source, licences]) => [source, licences.length])),
    },
  ];
}
