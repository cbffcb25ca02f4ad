// What one view shows: the exact number of homes, those on the map, and a page of the list, from one state of the listings.

import { EXPLORER, type Principal, pageSize, type Tiers } from '../../access/tiers/tiers.ts';
import type { AreaIdCache } from '../../areas/area-cache.ts';
import type { NamedArea } from '../../areas/name-store.ts';
import { bitsOf, lettersAt } from '../../geometry/geohash.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Problem } from '../../lib/problem.ts';
import { roundTo } from '../../lib/round.ts';
import { buildReaderView, presentListing } from '../../listings/presenter.ts';
import type { Listing } from '../../listings/record.ts';
import { type MapBox, zoomFor } from '../../page/map/mercator.ts';
import type { Database } from '../../postgres/client/database.ts';
import { cursorAfter } from '../../search/http/pagination.ts';
import { resolveQuery } from '../../search/http/resolve-query.ts';
import { planSearch, type ResolvedSearch } from '../../search/query/plan.ts';
import { type SearchSession, type SearchSessions, withSession } from '../../search/query/search-backend.ts';
import { type FindCurrencies, requireOneCurrency } from '../../search/summaries/currency.ts';
import type { ExplorerAccess } from '../allowance/allowance.ts';
import { type HomeRow, homeRow } from './home-row.ts';
import { readQuery } from './query.ts';
import { type ExploreState, pageOf } from './state.ts';
import { findAreaBox, findSourceStates, type ViewSource } from './view-store.ts';

export interface ViewParts {
  readonly database: Database;
  readonly backend: SearchSessions;
  readonly areas: Pick<AreaIdCache, 'named'>;
  readonly clock: Clock;
  readonly findCurrencies: FindCurrencies;
  readonly defaultCurrency: string | null;
  readonly publicUrl: string;
  readonly tiers: Tiers;
  readonly explorer: Pick<ExplorerAccess, 'takeList' | 'takePins'>;
}

/** lng, lat, homes, median price, and the box around them. */
export type ViewCluster = readonly [number, number, number, number | null, number, number, number, number];

/** id, `s` for sale or `r` to rent, price, beds, lng, lat, and flags: 1 dropped, 2 new, 4 sold, 8 under contract. */
export type ViewPin = readonly [string, 's' | 'r', number | null, number | null, number, number, number];

export interface View {
  readonly total: number;
  readonly medianPrice: number | null;
  readonly currency: string | null;
  readonly asOf: string;
  readonly sources: readonly ViewSource[];
  readonly areas: readonly { readonly id: string; readonly name: string; readonly type: string }[];
  readonly box: MapBox;
  readonly zoom: number;
  /** Where there are more homes than pins may stand for. */
  readonly clusters: readonly ViewCluster[];
  readonly pins: readonly ViewPin[];
  /** Ids of homes at one position, where there are several. */
  readonly stacks: readonly (readonly string[])[];
  readonly list: readonly HomeRow[];
  /** The number of its first row among all, from 1. */
  readonly firstRow: number;
  readonly nextCursor: string | null;
  /** What leads on where the list or the day of this reader is over. */
  readonly limitedTo: 'sign-in' | null;
  /** Why homes are left out that the view has; null: none are. */
  readonly limit: ViewLimit | null;
}

/** The members of a problem document that pages show. */
export interface ViewLimit {
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** Seconds. */
  readonly retryAfter: number;
}

/** Homes that a map shows by themselves. */
const MAX_PINS = 200;
const MAX_CLUSTERS = 400;
/** The map that boxes are fitted to where a view has none, in pixels. */
const MAP_SIZE = [800, 684] as const;
const NEW_FOR = 7 * 86_400_000;

/** How a view is read. */
export interface Reading {
  /** Whether everything that was committed before has to be in it. */
  readonly fresh: boolean;
}

/** Throws INVALID_PARAMETER and what searches throw. */
export async function readView(
  parts: ViewParts,
  state: ExploreState,
  caller: Principal,
  { fresh }: Reading = { fresh: false },
): Promise<View> {
  const { search, query } = await prepareSearch(parts, state, caller);
  return withSession(parts.backend, { caller: caller.account, fresh }, async (session) => {
    const { plan } = await requireOneCurrency({ ...parts, backend: session, fresh }, search, {
      ...query,
      facets: ['priceBucket'],
    });
    return showView(parts, session, { ...search, plan }, state, caller);
  });
}

/** A search of a state, with its names looked up. */
export async function prepareSearch(parts: ViewParts, state: ExploreState, caller: Principal) {
  const query = readQuery(state);
  const limit = Math.min(
    caller.kind === 'anonymous' ? EXPLORER.rows : EXPLORER.signedInRows,
    pageSize(parts.tiers[caller.tier], EXPLORER.signedInRows),
  );
  const plan = planSearch(state.kind, query, limit, parts.clock.now());
  const named = (ids: readonly string[]) => parts.areas.named(ids, false);
  const resolved = await resolveQuery({ database: parts.database, named }, plan);
  const search: ResolvedSearch = { plan, resolved };
  return { search, query };
}

async function showView(
  parts: ViewParts,
  session: SearchSession,
  search: ResolvedSearch,
  state: ExploreState,
  caller: Principal,
): Promise<View> {
  const { plan, resolved } = search;
  const now = parts.clock.now();
  const reader = buildReaderView(caller, {}, now, parts.publicUrl);
  const whole = { ...search, plan: { ...plan, cursor: null, limit: MAX_PINS } };
  const [page, { total, measures }, sourceIds] = await Promise.all([
    session.page(search),
    session.summaries(whole, ['price']),
    session.sources(whole),
  ]);
  const pinned = total > MAX_PINS ? [] : (await session.page(whole)).hits;
  const limit = await takeHomes(parts.explorer, caller, pinned.length, page.hits.length);
  const mayPin = total <= MAX_PINS && limit?.leaves !== 'clusters';
  const shown = limit === null ? page.hits : [];
  const rows = shown.flatMap(({ listing }) => presentListing(listing, reader) ?? []);
  const homes = mayPin ? pinned.flatMap(({ listing }) => presentListing(listing, reader) ?? []) : [];
  const [sources, box] = await Promise.all([
    findSourceStates(parts.database, sourceIds),
    boxOf(parts.database, session, whole, state, resolved.areas),
  ]);
  const zoom = roundTo(zoomFor(box, ...MAP_SIZE), 2);
  const last = page.hits.at(-1);
  const pageNumber = pageOf(state);
  const next = page.more && last ? `${pageNumber + 1}.${cursorAfter(plan, last)}` : null;
  const isAnonymous = caller.kind === 'anonymous';
  const isOver = isAnonymous && next !== null && pageNumber >= EXPLORER.pages;
  return {
    total,
    medianPrice: measures.get('price')?.quartiles?.[1] ?? null,
    currency: plan.currency,
    asOf: new Date(now).toISOString(),
    sources,
    areas: resolved.areas.map(({ id, name, type }) => ({ id, name, type })),
    box,
    zoom,
    clusters: mayPin ? [] : await clustersIn(session, whole, zoom),
    pins: homes.flatMap((home) => pinOf(home, now)),
    stacks: stacksOf(homes),
    list: rows.map((listing) => homeRow(listing, parts.publicUrl)),
    firstRow: (pageNumber - 1) * plan.limit + 1,
    nextCursor: isOver ? null : next,
    limitedTo: isOver || (limit?.leaves === 'clusters' && isAnonymous) ? 'sign-in' : null,
    limit: limit === null ? null : viewLimit(limit.problem),
  };
}

/** Why a view leaves out homes, and whether pins are left. */
interface HomesLimit {
  readonly problem: Problem;
  readonly leaves: 'pins' | 'clusters';
}

/** Charges what a view shows of single homes; null: all of it may be shown. */
async function takeHomes(
  explorer: ViewParts['explorer'],
  caller: Principal,
  pins: number,
  rows: number,
): Promise<HomesLimit | null> {
  const minute = rows === 0 ? null : explorer.takeList(caller);
  const day = await explorer.takePins(caller, pins + (minute === null ? rows : 0));
  if (day !== null) return { problem: day, leaves: 'clusters' };
  return minute === null ? null : { problem: minute, leaves: 'pins' };
}

const viewLimit = ({ code, title, message, headers }: Problem): ViewLimit => ({
  code,
  title,
  detail: message,
  retryAfter: Number(headers['retry-after'] ?? 0),
});

function pinOf({ id, listingType, price, bedrooms, location, ...home }: Listing, now: number): ViewPin[] {
  if (location === null) return [];
  const isNew = home.listedAt !== null && now - Date.parse(home.listedAt) < NEW_FOR;
  const flags =
    (home.priceChange?.direction === 'decrease' ? 1 : 0) |
    (isNew ? 2 : 0) |
    (home.status === 'CLOSED' ? 4 : 0) |
    (home.status === 'PENDING' || home.status === 'ACTIVE_UNDER_CONTRACT' ? 8 : 0);
  const shown = home.status === 'CLOSED' ? (home.closePrice ?? price) : price;
  return [[id, listingType === 'sale' ? 's' : 'r', shown, bedrooms, location.lng, location.lat, flags]];
}

function stacksOf(homes: readonly Listing[]): readonly (readonly string[])[] {
  const positions = Map.groupBy(
    homes.filter(({ location }) => location !== null),
    ({ location }) => `${location?.lng} ${location?.lat}`,
  );
  return [...positions.values()]
    .filter((stack) => stack.length > 1)
    .map((stack) => stack.map(({ id }) => id));
}

/** All homes as cells, with as many letters as leave few enough of them. */
async function clustersIn(
  session: SearchSession,
  search: ResolvedSearch,
  zoom: number,
): Promise<readonly ViewCluster[]> {
  for (let letters = lettersAt(Math.round(zoom) + 1); letters > 0; letters -= 1) {
    const cells = await session.cells(search, { letters, limit: MAX_CLUSTERS + 1, after: undefined });
    if (cells.length > MAX_CLUSTERS) continue;
    const bits = bitsOf(letters);
    const [width, height] = [360 / 2 ** bits.lng, 180 / 2 ** bits.lat];
    return cells.map(({ lng, lat, count, medianPrice, column, row }) => {
      const [west, south] = [column * width - 180, row * height - 90];
      return [lng, lat, count, medianPrice, west, south, west + width, south + height].map((value) =>
        value === null ? null : roundTo(value, 6),
      ) as unknown as ViewCluster;
    });
  }
  return [];
}

/** The box of the query; else that of its areas; else one around all homes. */
async function boxOf(
  database: Database,
  session: SearchSession,
  search: ResolvedSearch,
  { parameters }: ExploreState,
  areas: readonly NamedArea[],
): Promise<MapBox> {
  const given = parameters.get('bbox')?.split(',').map(Number);
  if (given?.length === 4) return given as unknown as MapBox;
  const known = await findAreaBox(
    database,
    areas.map(({ id }) => id),
  );
  if (known !== null) return known;
  const cells = await session.cells(search, { letters: 6, limit: 5_000, after: undefined });
  if (cells.length === 0) return (await findAreaBox(database, null)) ?? [-180, -60, 180, 75];
  const [lngs, lats] = [cells.map(({ lng }) => lng), cells.map(({ lat }) => lat)];
  const margin = 0.01;
  return [
    Math.min(...lngs) - margin,
    Math.min(...lats) - margin,
    Math.max(...lngs) + margin,
    Math.max(...lats) + margin,
  ];
}
