// Changes that a service tells of a machine's listings: in its log, and to a watcher.

import assert from 'node:assert/strict';
import { listingId } from '../../../../src/ingest/identity.ts';
import type { TestService } from '../../service/service.ts';
import { untilMatched } from '../../watch/matching-oracle.ts';
import { sendWatcher } from '../../watch/watchers.ts';
import { GONE, type ListingState, stateOf } from './source-history.ts';
import type { VendorMachine } from './vendor-machine.ts';

export interface ToldChange {
  readonly sequence: number;
  readonly type: 'created' | 'updated' | 'removed';
  readonly listingId: string;
  readonly changedFields: readonly string[];
  readonly listing: {
    readonly status: string;
    readonly price: number;
    readonly closePrice: number | null;
    readonly photoCount: number;
  } | null;
}

export interface Told {
  /** The last change that was read. */
  readonly sequence: number;
  /** By the keys of their listings. */
  readonly changes: ReadonlyMap<string, readonly ToldChange[]>;
}

/** What GET /v1/changes says of a machine's listings after a change. */
export async function readTold(
  service: Pick<TestService, 'json' | 'keys'>,
  { id, history }: Pick<VendorMachine, 'id' | 'history'>,
  after: number | 'now' = 'now',
): Promise<Told> {
  const keys = new Map(history.keys.map((key) => [listingId(id, key), key]));
  const changes: ToldChange[] = [];
  for (let next: number | string = after; ; ) {
    const { data, page }: { data: ToldChange[]; page: { hasMore: boolean; nextCursor: string } } =
      await service.json(`/v1/changes?after=${next}&limit=500`, service.keys.internal);
    changes.push(...data.filter((change) => keys.has(change.listingId)));
    next = page.nextCursor;
    if (!page.hasMore)
      return {
        sequence: Number(next),
        changes: Map.groupBy(changes, (change) => keys.get(change.listingId) ?? ''),
      };
  }
}

function toldState({ listing }: ToldChange): ListingState | typeof GONE {
  if (listing === null || listing.status === 'DELETED') return GONE;
  const { status, price, closePrice, photoCount: photos } = listing;
  return stateOf(status, { price, closePrice, photos });
}

/** Asserts that each listing was told as it was, in that order, up to what it is, and never where nothing had changed. */
export function assertToldOnce({ history }: Pick<VendorMachine, 'history'>, told: Told['changes']): void {
  for (const key of history.keys) {
    const changes = told.get(key) ?? [];
    // What is incomplete is shown to nobody.
    const states = history.statesOf(key).map((state) => (state.startsWith('INCOMPLETE') ? GONE : state));
    const what = `${key}: ${JSON.stringify(states)} told as ${JSON.stringify(changes)}`;
    let reached = 0;
    for (const change of changes) {
      const at = states.indexOf(toldState(change), reached);
      assert.ok(at >= 0, what);
      assert.ok(change.type !== 'updated' || change.changedFields.length > 0, what);
      reached = at;
    }
    const last = changes.at(-1);
    if (last !== undefined) assert.equal(toldState(last), states.at(-1), what);
    assert.ok(changes.length <= history.changesOf(key), what);
  }
}

export interface ListingWatcher {
  /** Asserts that it got one event for each of these changes of its listing. */
  assertSame(changes: readonly ToldChange[]): Promise<void>;
}

/** A watcher of one listing, for all that happens to it. */
export async function createWatcher(
  service: Pick<TestService, 'url' | 'keys' | 'json' | 'database'>,
  listing: string,
): Promise<ListingWatcher> {
  const key = service.keys.business;
  const { status, watcher, text } = await sendWatcher(service, 'POST', '', {
    key,
    body: { target: { type: 'listing', listingId: listing }, events: ['listing.updated', 'listing.deleted'] },
  });
  assert.equal(status, 201, text);
  return {
    async assertSame(changes) {
      await untilMatched(service.database);
      const { data }: { data: { type: string; sequence: number }[] } = await service.json(
        `/v1/watchers/${watcher.id}/events?limit=100`,
        key,
      );
      const got = data.flatMap(({ type, sequence }) => (type.startsWith('listing.') ? [sequence] : []));
      assert.deepEqual(
        got,
        changes.map(({ sequence }) => sequence),
      );
    },
  };
}
