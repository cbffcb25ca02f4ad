// Proves what hangs below a property: who may read it, its pages, its tags, and that nothing hidden shows in it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Listing } from '../../src/listings/record.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { assertEvery } from '../support/check/every.ts';
import { type Documented, walkMatrix } from '../support/service/access-matrix.ts';
import { manualClock } from '../support/service/clock.ts';
import { problemOf } from '../support/service/http-server.ts';
import { startService } from '../support/service/service.ts';

const clock = manualClock(Date.UTC(2026, 5, 1, 12));
const service = await startService({ after }, { clock });
const { keys } = service;
const write = writer(service);

interface List<T> {
  readonly data: readonly T[];
  readonly page: { readonly limit: number; readonly hasMore: boolean; readonly nextCursor: string | null };
}
interface Line {
  readonly at: string;
  readonly event: string;
  readonly listingId: string;
}

const PARTS = ['listings', 'history', 'similar', 'comparables', 'estimate'] as const;

/** One listing of the house: two lines of history at one moment, when a month has begun. */
const period = (key: string, month: number, facts: Partial<ListingDraft> = {}): ListingDraft => {
  const at = `2025-${String(month).padStart(2, '0')}-01T10:00:00.000Z`;
  return draft(key, {
    parcelNumber: 'the house',
    status: 'WITHDRAWN',
    listPrice: 100_000 + month,
    listedAt: at,
    statusChangedAt: at,
    location: { lat: 40, lng: -100, precision: 'exact' },
    ...facts,
  });
};
const MONTHS = [1, 2, 3, 4, 5, 6, 7];
const ids = await write(
  ...MONTHS.map((month) => period(`period-${month}`, month)),
  period('secret', 8, { display: { listing: false, address: true, estimate: true } }),
);
const house = ids.get('period-3') ?? '';

/** Every page of a list, by cursor. */
async function walk<T>(part: string, limit: number, key: string = keys.free): Promise<T[][]> {
  const pages: T[][] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const { data, page }: List<T> = await service.json(`/v1/property/${house}/${part}?${query}`, key);
    assert.equal(page.hasMore, page.nextCursor !== null);
    pages.push([...data]);
    cursor = page.nextCursor;
    assert.ok(pages.length < 50, 'the walk ends');
  }
  return pages;
}

test('any key may read below a property; without credentials nobody may', async () => {
  const documented: Record<string, Documented> = {};
  for (const part of PARTS) documented[part] = { tier: 'free', scope: 'listings:read' };
  const callers = [
    { tier: 'anonymous', scopes: null, authorization: null } as const,
    ...(['free', 'pro', 'business', 'internal'] as const).map((tier) => ({
      tier,
      scopes: null,
      authorization: `Bearer ${keys[tier]}`,
    })),
  ];
  await walkMatrix(documented, callers, async (part, { authorization }) => {
    const headers = authorization === null ? {} : { authorization };
    const answer = await fetch(`${service.url}/v1/property/${house}/${part}`, { headers });
    const { code = null } = (await answer.json()) as { code?: string };
    return { status: answer.status, code, challenge: answer.headers.get('www-authenticate') };
  });
});

test('all of them know the property by its own id and by that of any listing, and no other', async () => {
  const listings: List<Listing> = await service.json(`/v1/property/${house}/listings`, keys.free);
  const propertyId = listings.data[0]?.propertyId;
  for (const part of PARTS) {
    const without = ({ meta: _, ...rest }: Record<string, unknown>) => rest;
    const byListing = without(await service.json(`/v1/property/${house}/${part}`, keys.free));
    assert.deepEqual(without(await service.json(`/v1/property/${propertyId}/${part}`, keys.free)), byListing);
    const unknown = await service.get(`/v1/property/prp_none/${part}`, keys.free);
    assert.deepEqual([unknown.status, (await problemOf(unknown)).code], [404, 'PROPERTY_NOT_FOUND']);
    const strange = await service.get(`/v1/property/${house}/${part}?colour=red`, keys.free);
    assert.deepEqual([strange.status, (await problemOf(strange)).code], [400, 'INVALID_PARAMETER']);
  }
});

test('listings come newest first, page by page, each once, and none that is hidden', async () => {
  const pages = await walk<Listing>('listings', 3);
  assert.deepEqual(
    pages.map((page) => page.length),
    [3, 3, 1],
  );
  const expected = MONTHS.toReversed().map((month) => ids.get(`period-${month}`));
  assert.deepEqual(
    pages.flat().map(({ id }) => id),
    expected,
  );
  const internal: List<Listing> = await service.json(
    `/v1/property/${house}/listings?display=ignore`,
    keys.internal,
  );
  assert.equal(internal.data.length, 8);
});

test('a page is lowered to the tier’s, and fields and units shape its listings', async () => {
  const { page }: List<Listing> = await service.json(`/v1/property/${house}/listings?limit=400`, keys.free);
  assert.equal(page.limit, 25);
  const sparse: List<Listing> = await service.json(
    `/v1/property/${house}/listings?limit=1&fields=price,areaUnit&units=metric`,
    keys.free,
  );
  assert.deepEqual(sparse.data, [
    {
      id: ids.get('period-7'),
      object: 'listing',
      price: 100_007,
      areaUnit: 'sqm',
      attribution: sparse.data[0]?.attribution,
      fetchedAt: sparse.data[0]?.fetchedAt,
    },
  ]);
});

test('history is walked line by line though two are of one moment, and lines that come meanwhile shift nothing', async () => {
  const [whole = []] = await walk<Line>('history', 25);
  assert.equal(whole.length, 14);
  assertEvery(whole, ({ listingId }) => listingId !== ids.get('secret'));
  const byOne = await walk<Line>('history', 1);
  assert.deepEqual(byOne.flat(), whole);
  const path = `/v1/property/${house}/history`;
  const first: List<Line> = await service.json(`${path}?limit=5`, keys.free);
  // A new listing, and another line at the very moment that the page ended in.
  const last = first.data.at(-1);
  assert.ok(last);
  await write(period('late', 9), period('same', Number(last.at.slice(5, 7))));
  const rest: List<Line> = await service.json(`${path}?limit=25&cursor=${first.page.nextCursor}`, keys.free);
  assert.deepEqual([...first.data, ...rest.data], whole);
});

test('a cursor works for its own list alone, and a broken one is refused', async () => {
  const first: List<Line> = await service.json(`/v1/property/${house}/history?limit=2`, keys.free);
  for (const path of [`listings?cursor=${first.page.nextCursor}`, 'history?cursor=nonsense']) {
    const answer = await service.get(`/v1/property/${house}/${path}`, keys.free);
    assert.deepEqual([answer.status, (await problemOf(answer)).code], [400, 'INVALID_CURSOR'], path);
  }
});

test('answers carry a tag, their date if they have one, and where they come from; who has them gets 304 until they change', async () => {
  for (const part of PARTS) {
    const path = `/v1/property/${house}/${part}`;
    const answer = await service.get(path, keys.free);
    const tag = answer.headers.get('etag') ?? '';
    assert.match(tag, /^W\/"[\w-]{22}"$/, part);
    assert.equal(answer.headers.get('x-data-source'), 'cached');
    // The market changes the others too.
    const hasDate = part === 'listings' || part === 'history';
    assert.equal(!Number.isNaN(Date.parse(answer.headers.get('last-modified') ?? '')), hasDate, part);
    assert.match(answer.headers.get('age') ?? '', /^\d+$/);
    const again = await service.get(path, keys.pro, { 'if-none-match': tag });
    assert.deepEqual([again.status, again.headers.get('etag')], [304, tag], part);
  }
  const path = `/v1/property/${house}/listings`;
  const tag = (await service.get(path, keys.free)).headers.get('etag') ?? '';
  clock.advance(1_000);
  await write(period('period-2', 2, { listPrice: 7 }));
  assert.equal((await service.get(path, keys.free, { 'if-none-match': tag })).status, 200);
});

test('a reader who has the date of a property or of its lists gets 304 until it changes', async () => {
  clock.advance(2_000);
  const paths = ['', '/listings', '/history'].map((part) => `/v1/property/${house}${part}`);
  const dates = new Map<string, string>();
  for (const path of paths) {
    const modified = (await service.get(path, keys.pro)).headers.get('last-modified') ?? '';
    dates.set(path, modified);
    const read = (headers: Record<string, string>, key = keys.pro) => service.get(path, key, headers);
    const again = await read({ 'if-modified-since': modified });
    assert.deepEqual([again.status, await again.text()], [304, ''], path);
    const tagged = { 'if-modified-since': modified, 'if-none-match': '"another"' };
    assert.equal((await read(tagged)).status, 200, 'the tag counts where both are sent');
  }
  await write(period('period-4', 4, { listPrice: 9 }));
  for (const path of paths) {
    const since = { 'if-modified-since': dates.get(path) ?? '' };
    const changed = await service.get(path, keys.pro, since);
    assert.equal(changed.status, 200, path);
    const fresh = { 'if-modified-since': changed.headers.get('last-modified') ?? '' };
    assert.equal((await service.get(path, keys.pro, fresh)).status, 200, 'the second is not over yet');
  }
});
