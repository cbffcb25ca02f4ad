// Processes that share the verdicts of one service, each with a clock of its own, and what a test sees and changes of them.

import assert from 'node:assert/strict';
import { SUBSCRIPTIONS_CHANNEL } from '../../../src/access/providers/subscription-store.ts';
import type { SubscriptionStatus } from '../../../src/access/tiers/provider.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import { createSharedVerdicts, type SharedVerdicts } from '../../../src/billing/shared-verdicts.ts';
import { VerdictTable } from '../../../src/billing/verdict-table.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { listen } from '../../../src/postgres/client/listen.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { type ManualClock, manualClock } from '../service/clock.ts';
import { type MemoryService, memoryService } from './memory-service.ts';

/** Milliseconds by which a process may understate the age of a row, which every age allows for. */
export const TOLERANCE = 250;

export interface VerdictProcess {
  readonly clock: ManualClock;
  readonly table: VerdictTable;
  readonly verdicts: SharedVerdicts;
  validate(key: string, fresh?: boolean): Promise<SubscriptionStatus>;
}

export interface VerdictProcesses {
  readonly service: MemoryService;
  /** Starts one more; it ends with the test. */
  start(): VerdictProcess;
  /** Subscriptions whose grants were ended. */
  readonly ended: string[];
  readonly reported: unknown[];
}

/** A service in memory that any number of processes ask. */
export function startVerdicts(t: Closing, database: Database): VerdictProcesses {
  const service = memoryService();
  const { signal } = new AbortController();
  const ended: string[] = [];
  const reported: unknown[] = [];
  const start = () => {
    const clock = manualClock(Date.now());
    const table = new VerdictTable({
      database,
      clock,
      service: service.name,
      endGrants: async (_, reference) => void ended.push(reference),
    });
    const verdicts = createSharedVerdicts({
      table,
      clock,
      service,
      report: (error) => reported.push(error),
    });
    atEnd(t, () => verdicts.close());
    const validate = (key: string, fresh = false) => verdicts.validate(key, { signal, fresh });
    return { clock, table, verdicts, validate };
  };
  return { service, start, ended, reported };
}

export interface KnownKey extends Omit<VerdictProcesses, 'start'>, VerdictProcess {
  readonly key: string;
  readonly reference: string;
}

/** One process that has asked about a key of Pro. */
export async function startKnown(t: Closing, database: Database): Promise<KnownKey> {
  const { start, ...shared } = startVerdicts(t, database);
  const process = start();
  const subscription = shared.service.subscribe('pro');
  await process.validate(subscription.key);
  return { ...shared, ...process, ...subscription };
}

/** Makes what is known of a subscription older, as if it had been asked about so many milliseconds ago. */
export async function makeOlder(database: Database, reference: string, milliseconds: number): Promise<void> {
  await database.write(
    (sql) => sql`
      update subscription_verdict set asked_at = subscription_time() - ${milliseconds} * interval '1 ms'
      where reference = ${reference}`,
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
