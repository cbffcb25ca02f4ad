// Client of watchers: requests with a key, and their answers as tests read them.

import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import type { TestService } from '../service/service.ts';

export interface WatcherRecord {
  readonly id: string;
  readonly object: string;
  readonly name: string | null;
  readonly target: Readonly<Record<string, unknown>>;
  readonly interpretation: Readonly<Record<string, unknown>> | null;
  readonly events: readonly string[];
  readonly cadence: string;
  readonly timeZone: string;
  readonly backfill: boolean;
  readonly status: string;
  readonly statusReason: string | null;
  readonly initialMatchCount: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly version: number;
}

export interface WatcherAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as a watcher; of another kind where the test knows. */
  readonly watcher: WatcherRecord;
  readonly code: string | null;
  readonly detail: string;
  readonly errors: readonly {
    readonly pointer?: string;
    readonly detail: string;
    readonly suggestion?: string;
  }[];
}

export interface WatcherRequest {
  readonly key?: string | undefined;
  /** JSON, or a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request below /v1/watchers. */
export async function sendWatcher(
  { url }: Pick<TestService, 'url'>,
  method: string,
  path: string,
  { key, body, headers = {} }: WatcherRequest = {},
): Promise<WatcherAnswer> {
  const response = await fetch(`${url}/v1/watchers${path}`, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = text === '' ? {} : (JSON.parse(text) as Record<string, never>);
  return {
    status: response.status,
    headers: response.headers,
    text,
    watcher: json as never,
    code: json.code ?? null,
    detail: String(json.detail ?? ''),
    errors: json.errors ?? [],
  };
}

/** Subscriptions with keys of their own, so that a test shares no owner with another. */
export function subscriber({ database, clock }: Pick<TestService, 'database' | 'clock'>) {
  const subscriptions = createLocalSubscriptions(database, clock);
  return {
    ...subscriptions,
    subscribe: (plan: Plan, customer?: string) =>
      subscriptions.create({ plan, ...(customer !== undefined && { customer }) }),
  };
}
