// Service with an event log that a test writes, and owners that read it.

import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import type { Closing } from '../database/database.ts';
import { type ServiceOptions, startService, type TestService } from '../service/service.ts';
import { type EventLog, openEventLog } from './event-log.ts';

export interface Owner {
  readonly key: string;
  readonly owner: string;
  readonly subscription: string;
}

/** An event as readers get it. */
export interface ReadEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly cursor: string;
  readonly watcherId: string;
  readonly owner: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface ReadPage {
  readonly data: readonly ReadEvent[];
  readonly page: { readonly limit: number; readonly hasMore: boolean; readonly nextCursor: string };
}

export interface EventService extends TestService {
  readonly log: EventLog;
  /** A new customer with a key. */
  createOwner(plan: Plan): Promise<Owner>;
  /** A page of GET /v1/events. */
  events(key: string, query?: string): Promise<ReadPage>;
}

export async function startEventService(t: Closing, options: ServiceOptions = {}): Promise<EventService> {
  const service = await startService(t, options);
  const { database, clock } = service;
  const subscriptions = createLocalSubscriptions(database, clock);
  const log = await openEventLog(database, clock);
  let owners = 0;
  return {
    ...service,
    log,
    async createOwner(plan) {
      const customer = `customer-${++owners}`;
      const { key, id } = await subscriptions.create({ plan, customer });
      return { key, owner: `cus:${customer}`, subscription: id };
    },
    events: (key, query = '') => service.json(`/v1/events?${query}`, key),
  };
}
