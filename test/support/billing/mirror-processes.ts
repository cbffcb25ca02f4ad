// Processes that share the mirror of one service, each with a clock of its own, and what a test sees and changes of them.

import assert from 'node:assert/strict';
import { SUBSCRIPTIONS_CHANNEL } from '../../../src/access/providers/subscription-store.ts';
import type { SubscriptionStatus } from '../../../src/access/tiers/provider.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import { Mirror } from '../../../src/billing/mirror.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { listen } from '../../../src/postgres/client/listen.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { type MemoryService, memoryService } from './memory-service.ts';

/** Milliseconds that are added to every age. */
export const TOLERANCE = 250;

export interface MirrorProcess {
  readonly clock: ManualClock;
  readonly mirror: Mirror;
  validate(key: string, maxAge?: number): Promise<SubscriptionStatus>;
}

export interface MirrorProcesses {
  readonly service: MemoryService;
  /** Starts one more; it ends with the test. */
  start(): MirrorProcess;
  /** Subscriptions whose grants were ended. */
  readonly ended: string[];
}

/** A service in memory that any number of processes ask. */
export function startMirrors(t: Closing, database: Database): MirrorProcesses {
  const service = memoryService();
  const { signal } = new AbortController();
  const ended: string[] = [];
  const start = () => {
    const clock = manualClock(Date.now());
    const mirror = new Mirror({
      database,
      clock,
      service,
      endGrants: async (_, reference) => void ended.push(reference),
    });
    atEnd(t, () => mirror.close());
    const validate = (key: string, maxAge?: number) =>
      mirror.validate(key, { signal, ...(maxAge !== undefined && { maxAge }) });
    return { clock, mirror, validate };
  };
  return { service, start, ended };
}

export interface KnownKey extends Omit<MirrorProcesses, 'start'>, MirrorProcess {
  readonly key: string;
  readonly reference: string;
}

/** One process that has asked about a key of Pro. */
export async function startKnown(t: Closing, database: Database): Promise<KnownKey> {
  const { start, ...shared } = startMirrors(t, database);
  const process = start();
  const subscription = shared.service.subscribe('pro');
  await process.validate(subscription.key);
  return { ...shared, ...process, ...subscription };
}

/** Makes what is known of a subscription older, as if it had been asked about so many milliseconds ago. */
export async function makeOlder(database: Database, reference: string, milliseconds: number): Promise<void> {
  await database.write(
    (sql) => sql`
      update provider_subscription set checked_at = clock_timestamp() - ${milliseconds} * interval '1 ms'
      where reference = ${reference}`,
  );
}

/** Makes all rows older by so many milliseconds. */
export async function ageMirror(database: Database, milliseconds: number): Promise<void> {
  await database.write(
    (sql) =>
      sql`update provider_subscription set checked_at = checked_at - ${milliseconds} * interval '1 ms'`,
  );
}

/** The subscriptions of which processes are told that they have changed, from now on. */
export async function hearChanges(t: Closing, database: Database): Promise<readonly string[]> {
  const heard: string[] = [];
  const state = { joined: false };
  const hear = (payload: string) => void heard.push(payload);
  const listener = listen(database, SUBSCRIPTIONS_CHANNEL, hear, () => {
    state.joined = true;
  });
  atEnd(t, () => listener.close());
  await until('it listens', () => state.joined);
  return heard;
}

export function tierOf(status: SubscriptionStatus): Plan | SubscriptionStatus {
  return status.state === 'active' ? status.tier : status;
}

/** Of an active status; throws for another one. */
export function ageOf(status: SubscriptionStatus): number {
  assert.ok(status.state === 'active', JSON.stringify(status));
  return status.age ?? 0;
}
