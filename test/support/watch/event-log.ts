// Event log as tests fill it: watchers without a search, and events written as the matching would write them.

import type { Clock } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import type { EventBatch, EventDraft } from '../../../src/watch/events/event.ts';
import type { EventType } from '../../../src/watch/events/event-types.ts';
import { MATCHING_LEASE } from '../../../src/watch/events/position-store.ts';
import { writeEvents } from '../../../src/watch/events/write-store.ts';

export interface TestWatcher {
  readonly id: string;
  readonly owner: string;
}

export interface EventLog {
  /** Watchers of one owner. */
  createWatchers(owner: string, count: number): Promise<TestWatcher[]>;
  /** Writes one change of one listing with an event of each type for each watcher; returns them in the order of the log. */
  writeChange(watchers: readonly TestWatcher[], types?: readonly EventType[]): Promise<readonly EventDraft[]>;
  /** Writes events as they are, and makes the log readable up to a sequence if one is given. */
  write(batch: Partial<EventBatch>, through?: number): Promise<void>;
  /** Moves the position on: the log is readable up to this sequence. */
  complete(sequence: number): Promise<void>;
  /** The next sequence. */
  next(): number;
}

/** The event log of a database; the test has the lease of the matching, so that no service matches anything. */
export async function openEventLog(database: Database, clock: Clock): Promise<EventLog> {
  await database.write(
    (sql) =>
      sql`insert into work_lease (name, holder, leased_until) values (${MATCHING_LEASE}, 'test', 'infinity')
        on conflict (name) do update set holder = 'test', leased_until = 'infinity', fence = work_lease.fence + 1`,
  );
  await database.write((sql) => sql`update watch_position set position = 0`);
  let sequence = 0;
  let created = 0;
  const write = (batch: Partial<EventBatch>, through?: number) =>
    database.transaction(async (tx) => {
      if (through !== undefined) await tx`update watch_position set position = ${through}`;
      await writeEvents(tx, { events: [], contents: [], withdrawals: [], ...batch });
    });
  const log: EventLog = {
    async createWatchers(owner, count) {
      const ids = Array.from(
        { length: count },
        () => `wat_${owner.replaceAll(/\W/g, '').slice(0, 12)}${++created}`,
      );
      await database.write(
        (sql) => sql`
          insert into watcher (id, owner, allowance, subscription, target_type, target, events, cadence,
            ignore_display_rules, backfill, status,
            metadata, initial_match_count, version, created_at, updated_at)
          select id, ${owner}, ${owner}, 'any', 'property', '{"type":"property","propertyId":"prp_a"}', '{listing.updated}',
            'instant', false, false, 'active', '{}', 0, 1, now(), now()
          from unnest(${ids}::text[]) as id`,
      );
      return ids.map((id) => ({ id, owner }));
    },
    async writeChange(watchers, types = ['listing.price_decreased']) {
      const events = changeEvents(log.next(), { watchers, types, at: clock.now() });
      await write({ events, contents: contentsOf(events) }, sequence);
      return events;
    },
    write,
    complete: (to) => write({}, to),
    next: () => ++sequence,
  };
  return log;
}

/** The events of one change of the listing `lst_<sequence>`, in the order of the log. */
export function changeEvents(
  sequence: number,
  {
    watchers,
    types,
    at,
  }: { readonly watchers: readonly TestWatcher[]; readonly types: readonly EventType[]; readonly at: number },
): EventDraft[] {
  const byId = watchers.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return byId.flatMap(({ id, owner }) =>
    types.toSorted().map((type) => ({
      sequence,
      watcherId: id,
      owner,
      type,
      ordinal: 0,
      eventsPerHour: null,
      at,
      listingId: `lst_${sequence}`,
      matchedOn: ['maxPrice', 'minBedrooms'],
      held: false,
    })),
  );
}

/** What the events of these changes show: a price that fell from 4,500 to 4,200. */
export function contentsOf(events: readonly EventDraft[]) {
  return [...new Map(events.map((event) => [event.sequence, event])).values()].map(({ sequence, at }) => ({
    sequence,
    listingId: `lst_${sequence}`,
    at,
    changedFields: ['price'],
    previous: { price: 4500 },
    object: { id: `lst_${sequence}`, object: 'listing', price: 4200, status: 'ACTIVE' },
  }));
}
