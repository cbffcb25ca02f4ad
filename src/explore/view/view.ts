// What one view shows: the exact number of homes, those on the map, and a page of the list, from one state of the listings.

import { EXPLORER, type Principal, pageSize, type Tiers } from '../../access/tiers/tiers.ts';
import type { AreaIdCache } from '../../areas/area-cache.ts';
import { type CallUsage, UNRECORDED } from '../../http/frame/call-usage.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Problem } from '../../lib/problem.ts';
import { roundTo } from '../../lib/round.ts';
import { buildReaderView, presentListing } from '../../listings/presenter.ts';
import type { DataSource, ReadSources } from '../../listings/provenance/data-source-store.ts';
import { type MapBox, zoomFor } from '../../page/map/mercator.ts';
import type { Database } from '../../postgres/client/database.ts';
import { cursorAfter } from '../../search/http/pagination.ts';
import { resolveQuery } from '../../search/http/resolve-query.ts';
import { planSearch, type ResolvedSearch } from '../../search/query/plan.ts';
import { type SearchSession, type SearchSessions, withSession } from '../../search/query/search-backend.ts';
import { type FindCurrencies, requireOneCurrency } from '../../search/summaries/currency.ts';
import type { ExplorerAccess } from '../allowance/allowance.ts';
import { type HomeRow, homeRow } from './home-row.ts';
import { boxOf, clusterOf, gridOf, pinOf, stacksOf, type ViewCluster, type ViewPin } from './map-parts.ts';
import { readQuery } from './query.ts';
import { openCursor, sealCursor } from './sealed-cursor.ts';
import type { ExploreState } from './state.ts';

export interface ViewParts {
  readonly database: Database;
  readonly backend: SearchSessions;
  readonly areas: Pick<AreaIdCache, 'named'>;
  readonly readSources: ReadSources;
  readonly clock: Clock;
  readonly findCurrencies: FindCurrencies;
  readonly defaultCurrency: string | null;
  readonly publicUrl: string;
  /** Anybody, as the explorer shows homes to them. */
  readonly visitor: Principal;
  readonly tiers: Tiers;
  readonly explorer: Pick<ExplorerAccess, 'takeList' | 'takePins'>;
  /** Seals cursors; the same in all processes. Throws DATABASE_UNAVAILABLE. */
  readonly cursorKey: () => Promise<Buffer>;
}

/** A source of the homes of a view. */
export interface ViewSource extends Pick<DataSource, 'id' | 'name' | 'attribution' | 'logoUrl'> {
  /** When it last sent data, RFC 3339. */
  readonly confirmedAt: string | null;
}

export interface View {
  readonly total: number;
  readonly medianPrice: number | null;
  readonly currency: string | null;
  /** Homes that are left out since they are priced in other currencies; null: there are none, or the state names its currency. */
  readonly otherCurrencies: OtherCurrencies | null;
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

export interface OtherCurrencies {
  readonly homes: number;
  /** ISO 4217. */
  readonly currencies: readonly string[];
}

/** The members of a problem document that pages show. */
export interface ViewLimit {
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  /** Seconds. */
  readonly retryAfter: number;
}

/** The map that boxes are fitted to where a view has none, in pixels. */
const MAP_SIZE = [800, 684] as const;

/** How a view is read. */
export interface Reading {
  /** Whether everything that was committed before has to be in it. */
  readonly fresh: boolean;
  readonly usage: CallUsage;
}

/** Throws INVALID_PARAMETER and what searches throw. */
export async function readView(
  parts: ViewParts,
  state: ExploreState,
  caller: Principal,
  { fresh, usage }: Reading = { fresh: false, usage: UNRECORDED },
): Promise<View> {
  const { search, query, rowsBefore } = await prepareSearch(parts, state, caller);
  return withSession(parts.backend, { caller: caller.account, fresh }, async (session) => {
    const { plan, choice } = await requireOneCurrency(
      { ...parts, backend: session, fresh, choosesMost: true },
      search,
      { ...query, facets: ['priceBucket'] },
    );
    const otherCurrencies = choice && { homes: choice.excluded, currencies: choice.otherCurrencies };
    const request = { state, caller, rowsBefore, otherCurrencies, fresh, usage };
    return showView(parts, session, { ...search, plan }, request);
  });
}

/** A search of a state, with its names looked up. Throws INVALID_PARAMETER, and INVALID_CURSOR for one that no view has given. */
export async function prepareSearch(parts: ViewParts, state: ExploreState, caller: Principal) {
  const query = readQuery(state);
  const rowsBefore = await findRowsBefore(parts, state);
  const limit = Math.min(
    caller.kind === 'anonymous' ? EXPLORER.rows : EXPLORER.signedInRows,
    pageSize(parts.tiers[caller.tier], EXPLORER.signedInRows),
  );
  const plan = planSearch(state.kind, query, limit, parts.clock.now(), caller.reach);
  const named = (ids: readonly string[]) => parts.areas.named(ids, false);
  const resolved = await resolveQuery({ database: parts.database, named }, plan);
  const search: ResolvedSearch = { plan, resolved };
  return { search, query, rowsBefore };
}

/** Rows of the list before the page of this state. */
async function findRowsBefore({ cursorKey }: ViewParts, { parameters }: ExploreState): Promise<number> {
  const cursor = parameters.get('cursor');
  return cursor === undefined ? 0 : openCursor(await cursorKey(), cursor).rowsBefore;
}

interface ViewRequest extends Reading {
  readonly state: ExploreState;
  readonly caller: Principal;
  readonly rowsBefore: number;
  readonly otherCurrencies: View['otherCurrencies'];
}

async function showView(
  parts: ViewParts,
  session: SearchSession,
  search: ResolvedSearch,
  { state, caller, rowsBefore, otherCurrencies, fresh, usage }: ViewRequest,
): Promise<View> {
  const { plan, resolved } = search;
  const now = parts.clock.now();
  const reader = buildReaderView(caller, {}, now, parts.publicUrl);
  const whole = { ...search, plan: { ...plan, cursor: null } };
  const box = await boxOf(parts.database, session, whole, state, resolved.areas);
  const [page, found] = await Promise.all([
    session.page({ ...search, plan: { ...plan, count: 'none' } }),
    session.points(whole, gridOf(box)),
  ]);
  const { total, medianPrice, points } = found;
  const isAnonymous = caller.kind === 'anonymous';
  const lastRow = isAnonymous ? EXPLORER.pages * EXPLORER.rows : Number.POSITIVE_INFINITY;
  // The cursor may come from somebody who is signed in.
  const hits = rowsBefore < lastRow ? page.hits : [];
  const [limit, sources] = await Promise.all([
    takeHomes(parts.explorer, caller, points.length, hits.length),
    parts.readSources(found.sources, caller.reach, fresh),
  ]);
  const isOutOfPins = limit?.leaves === 'clusters';
  const { cells } = isOutOfPins && points.length > 0 ? await session.points(whole, gridOf(box, 0)) : found;
  const pinned = isOutOfPins ? [] : points;
  const shown = limit === null ? hits : [];
  const rows = shown.flatMap(({ listing }) => presentListing(listing, reader) ?? []);
  for (const { listing } of shown) usage.shows(listing.source);
  const last = page.hits.at(-1);
  const rowsAfter = rowsBefore + page.hits.length;
  const next = page.more && last ? { rowsBefore: rowsAfter, searchCursor: cursorAfter(plan, last) } : null;
  const isOver = rowsBefore >= lastRow || (next !== null && rowsAfter >= lastRow);
  return {
    total,
    medianPrice,
    currency: plan.currency,
    otherCurrencies,
    asOf: new Date(now).toISOString(),
    sources: sources.map(({ dataAsOf: confirmedAt, ...source }) => ({ ...source, confirmedAt })),
    areas: resolved.areas.map(({ id, name, type }) => ({ id, name, type })),
    box,
    zoom: roundTo(zoomFor(box, ...MAP_SIZE), 2),
    clusters: cells.map(clusterOf),
    pins: pinned.map((point) => pinOf(point, plan.listingType, now)),
    stacks: stacksOf(pinned),
    list: rows.map((listing) =>
      homeRow(listing, caller.reach.displayOf(listing.provider.id).logo, parts.publicUrl),
    ),
    firstRow: rowsBefore + 1,
    nextCursor: isOver || next === null ? null : sealCursor(await parts.cursorKey(), next),
    limitedTo: isOver || (isOutOfPins && isAnonymous) ? 'sign-in' : null,
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
