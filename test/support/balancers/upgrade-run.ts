// Upgrade of three nodes behind HAProxy, one after another, while clients read, write and follow feeds.

import assert from 'node:assert/strict';
import { createLocalSubscriptions } from '../../../src/access/providers/subscription-store.ts';
import { listingId } from '../../../src/ingest/identity.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { draft } from '../catalogue/drafts.ts';
import { until } from '../check/until.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { sendWatcher } from '../watch/watchers.ts';
import { startClientLoad } from './client-load.ts';
import { type FollowedFeed, followFeed } from './followed-feed.ts';
import { LISTING_KEYS, type ServingNodes, startServingNodes } from './serving-nodes.ts';

export interface UpgradeRunOptions {
  /** How a node ends, each in its turn, once for each signal. */
  readonly signals: readonly NodeJS.Signals[];
  readonly clients: number;
  readonly feeds: number;
}

export interface UpgradeResult {
  /** Requests by kind and outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What nodes ended with. */
  readonly codes: readonly (number | null)[];
  /** Watchers that were acknowledged and are not there, or are there and were not acknowledged. */
  readonly lostWatchers: number;
  readonly unknownWatchers: number;
  readonly feeds: readonly FeedResult[];
  /** Starts of nodes that failed since the database did not answer in time. */
  readonly failedStarts: number;
}

export interface FeedResult {
  /** Whether it received what the log of its owner has: each once, in order. */
  readonly isWhole: boolean;
  readonly events: number;
  readonly streams: number;
  readonly refusals: readonly string[];
}

/** Requests between two ends of nodes, so that each is ended under load. */
const BETWEEN = 200;

/** Runs it; gives what became of everything. */
export async function runUpgrade(t: Closing, options: UpgradeRunOptions): Promise<UpgradeResult> {
  const nodes = await startServingNodes(t);
  const { url } = nodes.balancer;
  const subscriptions = createLocalSubscriptions(nodes.database, systemClock);
  const createKeys = async (count: number) => {
    const keys: string[] = [];
    while (keys.length < count) keys.push((await subscriptions.create({ plan: 'internal' })).key);
    return keys;
  };
  const [clients, followers] = [await createKeys(options.clients), await createKeys(options.feeds)];
  const listings = LISTING_KEYS.map((key) => listingId('reso', key));
  await until(
    'the listings are loaded',
    async () => (await statusOf(url, listings, clients[0] ?? '')) === 200,
  );
  for (const key of followers) await watchAllSales(url, key);

  const feeds = followers.map((key) => followFeed(url, key));
  atEnd(t, async () => {
    for (const feed of feeds) await feed.stop();
  });
  const homes = addHomes(nodes, feeds);
  await until('every feed has an event', () => feeds.every(({ events }) => events.length > 0));
  const load = startClientLoad({ url, keys: clients, listings });
  atEnd(t, async () => void (await load.stop()));
  const codes: (number | null)[] = [];
  for (const [at, signal] of options.signals.entries()) {
    const before = load.answered();
    await until('the load goes on', () => load.answered() >= before + BETWEEN);
    const node = 1 + (at % 3);
    codes.push(await nodes.end(node, signal));
    await nodes.start(node);
  }
  const after = load.answered();
  await until('the load goes on', () => load.answered() >= after + BETWEEN);
  const outcomes = await load.stop();
  await homes.stop();
  const results: FeedResult[] = [];
  for (const [at, feed] of feeds.entries()) {
    const logged = await eventsOf(url, followers[at] ?? '');
    await until('the feed has caught up', () => feed.events.length >= logged.length).catch(
      (error: unknown) => {
        throw new Error(describeFeed(at, feed, logged), { cause: error });
      },
    );
    await feed.stop();
    const isWhole = String(feed.events) === String(logged);
    results.push({ isWhole, events: logged.length, streams: feed.streams(), refusals: feed.refusals });
  }
  const found = await watcherNames(nodes);
  const acknowledged = new Set(load.created);
  return {
    outcomes,
    codes,
    lostWatchers: load.created.filter((name) => !found.includes(name)).length,
    unknownWatchers: found.filter((name) => !acknowledged.has(name)).length,
    feeds: results,
    failedStarts: nodes.failedStarts(),
  };
}

/** What a feed lacks. */
function describeFeed(at: number, feed: FollowedFeed, logged: readonly string[]): string {
  const received = new Set(feed.events);
  const missing = logged.flatMap((id, place) => (received.has(id) ? [] : [place]));
  const { length } = feed.events;
  return (
    `Feed ${at} has ${length} events of ${logged.length} by ${feed.streams()} streams, ${feed.state()}; ` +
    `refused: ${feed.refusals.join() || 'never'}; it lacks those at ${missing.slice(0, 20).join()}`
  );
}

async function statusOf(url: string, listings: readonly string[], key: string): Promise<number> {
  const answers = await Promise.all(
    listings.map((id) =>
      fetch(`${url}/v1/property/${id}?freshness=cached`, { headers: { authorization: `Bearer ${key}` } }),
    ),
  );
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return Math.max(...answers.map(({ status }) => status));
}

async function watchAllSales(url: string, key: string): Promise<void> {
  const body = { name: 'sales', target: { type: 'search', listingType: 'sale', query: {} } };
  const { status, text } = await sendWatcher({ url }, 'POST', '', { key, body });
  assert.equal(status, 201, text);
}

/** Adds homes all the while: each once the first feed has the event of the one before. */
function addHomes({ database }: ServingNodes, feeds: readonly { readonly events: readonly string[] }[]) {
  const catalogue = createCatalogue(database);
  let isStopped = false;
  const adding = (async () => {
    for (let home = 1; !isStopped; home++) {
      const before = feeds[0]?.events.length ?? 0;
      const added = draft(`home-${home}`, { listPrice: 100_000 });
      await database.transaction((tx) => catalogue.write(tx, 'test', [added], systemClock.now()));
      await until('the home is an event', () => (feeds[0]?.events.length ?? 0) > before);
    }
  })();
  // Awaited at the end.
  adding.catch(() => {});
  return {
    async stop() {
      isStopped = true;
      await adding;
    },
  };
}

/** Ids of all events of an owner, by the log. */
async function eventsOf(url: string, key: string): Promise<readonly string[]> {
  const ids: string[] = [];
  let after = '';
  for (;;) {
    const answer = await fetch(`${url}/v1/events?limit=100${after}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    assert.equal(answer.status, 200);
    const { data, page } = (await answer.json()) as {
      readonly data: readonly { readonly id: string }[];
      readonly page: { readonly hasMore: boolean; readonly nextCursor: string };
    };
    ids.push(...data.map(({ id }) => id));
    if (!page.hasMore) return ids;
    after = `&after=${encodeURIComponent(page.nextCursor)}`;
  }
}

async function watcherNames({ database }: ServingNodes): Promise<readonly string[]> {
  const rows = await database.read(
    (sql) => sql<{ name: string }[]>`select name from watcher where name like 'client %'`,
  );
  return rows.map(({ name }) => name);
}
