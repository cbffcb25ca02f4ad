// Watchers of each kind that wait for changes of their own listings: how long it takes from the commit until an event can be read.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ListingChange } from '../../src/changes/change.ts';
import type { NewChange } from '../../src/changes/change-store.ts';
import type { ChangeState } from '../../src/listings/change-state.ts';
import type { SearchRow } from '../../src/listings/search-row.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { listen } from '../../src/postgres/client/listen.ts';
import { EVENTS_CHANNEL } from '../../src/watch/events/write-store.ts';
import type { WatcherTarget } from '../../src/watch/matching/index/indexed-watcher.ts';
import type { WatcherDefinition } from '../../src/watch/matching/watcher-definition.ts';
import { percentile } from '../statistics.ts';
import type { Row } from '../throughput.ts';
import { append, insertWords, loggedChange, summaryOf } from './change-log.ts';
import { ACTIVE, listingRow, listingWords, search } from './mix.ts';
import { insertWatchers } from './population.ts';

/** Listings that only probes watch by their id; the watchers of the mix see them all the same. */
const FIRST_LISTING = 1_000_000;
const PROBES_OF_KIND = 20;
/** Milliseconds between two changes, whatever became of the one before. */
const APART = 100;
const CHANGES = 500;
/** Changes before the first that counts. */
const WARM_UP = 50;
/** Milliseconds for the last events. */
const PATIENCE = 30_000;

export const OWNER = 'cus:probes';

type ChangeKind = 'price' | 'status' | 'enter' | 'leave';
const CHANGE_KINDS: readonly ChangeKind[] = ['price', 'status', 'enter', 'leave'];

/** What each kind of watcher watches of a listing. */
const WATCHER_KINDS: Readonly<Record<string, (row: SearchRow, word: string) => WatcherTarget>> = {
  listing: ({ id }) => ({ type: 'listing', listingId: id }),
  property: ({ id }) => ({ type: 'property', propertyId: `prp_${id}` }),
  area: ({ area_nos: [no = 0] }) =>
    search([{ kind: 'areas', ids: [`area_${no}`] }, ACTIVE], { areaNos: [no] }),
  polygon: ({ location }) => search([ACTIVE, square(location ?? '(0,0)')]),
  words: (_, word) => search([ACTIVE, { kind: 'text', words: [word], fields: ['description'] }]),
};
const KINDS = Object.keys(WATCHER_KINDS);

const EVENTS: WatcherDefinition['events'] = [
  'search.match_added',
  'search.match_removed',
  'listing.price_decreased',
  'listing.created',
  'listing.status_changed',
  'listing.updated',
  'listing.deleted',
] as const;

interface Probe {
  readonly kind: string;
  readonly row: SearchRow;
  readonly word: string;
  readonly definition: WatcherDefinition;
}

/** The probes, the first of which has this number. */
export function probesFrom(no: number): Probe[] {
  return KINDS.flatMap((kind, kindNo) =>
    Array.from({ length: PROBES_OF_KIND }, (_, at) => {
      const place = kindNo * PROBES_OF_KIND + at;
      const row = listingRow(FIRST_LISTING + place);
      const word = `probe${place}`;
      const target = WATCHER_KINDS[kind]?.(row, word) ?? { type: 'listing', listingId: row.id };
      const definition: WatcherDefinition = {
        no: no + place,
        id: `wat_probe${place}`,
        owner: OWNER,
        status: 'active',
        statusReason: null,
        cadence: 'instant',
        eventsPerHour: null,
        backfill: false,
        ignoreDisplayRules: false,
        target,
        events: EVENTS,
      };
      return { kind, row, word, definition };
    }),
  );
}

export async function insertProbes(database: Database, probes: readonly Probe[]): Promise<void> {
  await insertWatchers(
    database,
    probes.map(({ definition }) => definition),
  );
  await insertWords(
    database,
    probes.map(({ row, word }, at) => ({
      id: row.id,
      words: new Set([...listingWords(FIRST_LISTING + at), word]),
    })),
  );
}

/** A square of some hundred metres around a place. */
function square(location: string) {
  const [lng = 0, lat = 0] = location.slice(1, -1).split(',').map(Number);
  const [west, south, east, north] = [lng - 0.005, lat - 0.005, lng + 0.005, lat + 0.005] as const;
  const shell = [
    { lng: west, lat: south },
    { lng: east, lat: south },
    { lng: east, lat: north },
    { lng: west, lat: north },
  ];
  return { kind: 'polygon', parts: [{ shell, holes: [] }], boxes: [[west, south, east, north]] } as const;
}

function changeOf({ row }: Probe, kind: ChangeKind): NewChange<ChangeState> {
  const price = row.price ?? 0;
  if (kind === 'price') return updated(row, { price: Math.round(price * 0.99) });
  if (kind === 'status') return updated(row, { status: 'PENDING' });
  if (kind === 'enter') return { ...updated(row, {}), kind: 'created', changed: [], before: null };
  return { ...updated(row, { status: 'DELETED' }), kind: 'removed' };
}

function updated(row: SearchRow, after: Partial<SearchRow>): NewChange<ChangeState> {
  const changed = Object.keys(after) as (keyof SearchRow)[];
  const change: ListingChange<ChangeState> = {
    sequence: 0,
    at: 0,
    kind: 'updated',
    listingId: row.id,
    propertyId: `prp_${row.id}`,
    quiet: false,
    changed,
    wordsBefore: null,
    after: { row: { ...row, ...after }, listing: summaryOf(row) },
    before: { row: Object.fromEntries(changed.map((name) => [name, row[name]])) },
  };
  return loggedChange(change);
}

interface Latency {
  readonly watcher: string;
  readonly change: ChangeKind;
  readonly milliseconds: number;
}

/** Latencies at ten changes a second, each of one listing. */
export async function measureLatency(
  database: Database,
  probes: readonly Probe[],
  name: string,
): Promise<Row[]> {
  const reader = readProbeEvents(database);
  const latencies: Latency[] = [];
  const begun = performance.now();
  const pending = Array.from({ length: CHANGES }, async (_, at) => {
    await sleep(Math.max(0, begun + at * APART - performance.now()));
    // Neighbouring changes are of other kinds, and all kinds meet.
    const probe = probes[(at * 21) % probes.length];
    const change = CHANGE_KINDS[(at + Math.floor(at / probes.length)) % CHANGE_KINDS.length];
    if (probe === undefined || change === undefined) return;
    const read = reader.next(probe.row.id);
    await append(database, [changeOf(probe, change)]);
    const committed = performance.now();
    const milliseconds = Math.max(0, (await read) - committed);
    if (at >= WARM_UP) latencies.push({ watcher: probe.kind, change, milliseconds });
  });
  // What has not come by then is infinitely late.
  const late = setTimeout(() => reader.giveUp(), CHANGES * APART + PATIENCE);
  await Promise.all(pending);
  clearTimeout(late);
  await reader.close();
  const rowOf = (kind: string, some: readonly Latency[]): Row => ({
    name: `${name}: from commit to readable event, ${kind}`,
    figure: `${at(some, 0.5)} ms, p99 ${at(some, 0.99)} ms (${some.length} changes)`,
    floor: '',
    met: true,
  });
  return [
    ...CHANGE_KINDS.map((kind) =>
      rowOf(
        `change of ${NAMES[kind]}`,
        latencies.filter(({ change }) => change === kind),
      ),
    ),
    ...KINDS.map((kind) =>
      rowOf(
        `watcher of ${PLACES[kind]}`,
        latencies.filter(({ watcher }) => watcher === kind),
      ),
    ),
  ];
}

const NAMES: Readonly<Record<ChangeKind, string>> = {
  price: 'price',
  status: 'status',
  enter: 'a listing that is new',
  leave: 'a listing that is removed',
};
const PLACES: Readonly<Record<string, string>> = {
  listing: 'a listing',
  property: 'a property',
  area: 'an area',
  polygon: 'a polygon',
  words: 'words',
};

const at = (latencies: readonly Latency[], share: number): string =>
  percentile(
    latencies.map(({ milliseconds }) => milliseconds),
    share,
  ).toFixed(1);

/** Reads the events of the probes once they are announced, as a feed does. */
function readProbeEvents(database: Database) {
  const expected = new Map<string, PromiseWithResolvers<number>[]>();
  let [last, isReading, isStale] = [0, false, false];
  const wake = (): void => {
    if (isReading) isStale = true;
    else void read();
  };
  async function read(): Promise<void> {
    isReading = true;
    do {
      isStale = false;
      const rows = await findProbeEvents(database, last);
      const now = performance.now();
      for (const { sequence, listingId } of rows) {
        last = sequence;
        expected.get(listingId)?.shift()?.resolve(now);
      }
    } while (isStale);
    isReading = false;
  }
  const listener = listen(database, EVENTS_CHANNEL, wake, wake);
  return {
    /** When the event of the next change of a listing was read. */
    next(listingId: string): Promise<number> {
      const next = Promise.withResolvers<number>();
      expected.set(listingId, [...(expected.get(listingId) ?? []), next]);
      return next.promise;
    },
    giveUp: () => {
      for (const each of [...expected.values()].flat()) each.resolve(Number.POSITIVE_INFINITY);
    },
    close: () => listener.close(),
  };
}

/** The changes after a sequence that the probe of their listing was told of, each once. */
function findProbeEvents(database: Database, after: number) {
  return database.read(
    (sql) => sql<{ sequence: number; listingId: string }[]>`
      select distinct sequence, listing_id as "listingId" from watch_event
      where owner = ${OWNER} and sequence > ${after} and sequence <= (select position from watch_position)
        and watcher_id = 'wat_probe' || substr(listing_id, 6)::int
      order by sequence`,
  );
}
