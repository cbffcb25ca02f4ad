// Service with an owner of feeds, and the events that are written for it to the log.

import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { changeEvents, contentsOf, openEventLog } from '../../test/support/watch/event-log.ts';
import { type Arm, startService, type Testbed } from '../testbed.ts';

/** About as long as an event of a real listing. */
const LISTING = { object: 'listing', address: { full: 'x'.repeat(500) } };
const TIERS = { internal: { feeds: 100_000 } };

export interface FeedOwner {
  readonly key: string;
  /** Writes an event of which all feeds of the key are told. */
  send(): Promise<void>;
}

/** An owner of one watcher. `name`: one that no other measurement uses. */
export async function createFeedOwner({ database }: Testbed, name: string): Promise<FeedOwner> {
  const log = await openEventLog(database, systemClock);
  const subscriptions = createLocalSubscriptions(database, systemClock);
  const { key } = await subscriptions.create({ plan: 'internal', customer: name });
  const watchers = await log.createWatchers(`cus:${name}`, 1);
  const [last] = await database.read(
    (sql) => sql<{ sequence: number }[]>`select coalesce(max(sequence), 0) as sequence from watch_event`,
  );
  let sequence = last?.sequence ?? 0;
  return {
    key,
    async send() {
      sequence += 1;
      const events = changeEvents(sequence, { watchers, types: ['listing.updated'], at: Date.now() });
      const contents = contentsOf(events).map((content) => ({ ...content, object: LISTING }));
      await log.write({ events, contents }, sequence);
    },
  };
}

/** Starts a service on which so many feeds may be open. */
export function startFeedService(testbed: Testbed, name: string, feeds: number): Promise<Arm> {
  const connections = String(feeds + 1_000);
  return startService(testbed, name, TIERS, {
    MAX_CONNECTIONS: connections,
    MAX_CONNECTIONS_PER_ADDRESS: connections,
  });
}
