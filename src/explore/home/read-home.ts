// One home as its page shows it: the listing, its property, and the parts around it, each of which may fail alone.

import type { Reach } from '../../access/tiers/reach.ts';
import { anonymous } from '../../access/tiers/tiers.ts';
import { findAreaNames } from '../../areas/name-store.ts';
import type { OutlineAnswer, Outlines } from '../../areas/outlines/outlines.ts';
import { type Clock, withDeadline } from '../../lib/clock.ts';
import { isUnavailable } from '../../lib/problem.ts';
import { buildReaderView, presentListing, type ReaderView } from '../../listings/presenter.ts';
import { type Property, presentProperty } from '../../listings/property-record.ts';
import type { Listing } from '../../listings/record.ts';
import type { ListingReads, StoredListing, StoredProperty } from '../../listings/store.ts';
import type { AreaType, UnitSystem } from '../../listings/vocabulary.ts';
import type { AreaTrend, AreaTrends } from '../../market/area-trend.ts';
import type { Database } from '../../postgres/client/database.ts';
import { listComparables, type PresentedComparable } from '../../property/comparables.ts';
import type { PriceTrends } from '../../property/price-trend-store.ts';
import { type VisibleProperty, visibleProperty } from '../../property/subject-property.ts';
import { type Estimate, estimateProperty } from '../../property/valuation.ts';
import { comparedView } from './comparables-map.ts';

export interface HomeReads {
  readonly database: Database;
  readonly cache: ListingReads;
  readonly trends: PriceTrends;
  readonly areaTrends: AreaTrends;
  readonly outlines: Outlines;
  readonly clock: Clock;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  /** Logs why a part could not be read. */
  readonly report: (error: unknown) => void;
}

export interface HomeArea {
  readonly id: string;
  readonly name: string;
  readonly type: AreaType;
}

/** The figures of the smallest of its areas that has enough homes. */
export interface HomeMarket {
  readonly area: HomeArea;
  readonly trend: AreaTrend;
}

/** Of a part that is `null`, the page says that it could not be read. */
export interface Home {
  readonly listing: Listing;
  /** IANA name of the zone whose clocks it has. */
  readonly timeZone: string;
  /** Of its source, an https URL; null: its terms name none. */
  readonly logo: string | null;
  /** The name that its source is set up with; null: it is not. */
  readonly sourceName: string | null;
  /** With its history and its periods on the market. */
  readonly property: Property;
  /** The sources of all listings that it shows, one for each. */
  readonly shown: readonly string[];
  /** Largest first. */
  readonly areas: readonly HomeArea[];
  readonly estimate: Estimate | null;
  readonly comparables: readonly PresentedComparable[] | null;
  /** The land around it and its comparables. */
  readonly land: OutlineAnswer | null;
  /** `none`: none of its areas has figures. */
  readonly market: HomeMarket | 'none' | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Milliseconds that the parts of a page have together. */
const DEADLINE = 2_500;
const COMPARABLES = 6;

/** Areas that lead to a home, largest first. */
const LEADING: readonly AreaType[] = ['state', 'metro', 'county', 'city', 'borough', 'neighborhood'];

interface HomeRequest {
  /** Of a listing, or of a property, which stands for its current listing. */
  readonly id: string;
  readonly units: UnitSystem;
  /** What is open to the reader. */
  readonly reach: Reach;
  readonly signal: AbortSignal;
}

/** The home; `deleted` where its source has removed it, null where there is none that anybody may see. Throws DATABASE_UNAVAILABLE. */
export async function readHome(reads: HomeReads, request: HomeRequest): Promise<Home | 'deleted' | null> {
  const { clock, publicUrl } = reads;
  const now = clock.now();
  const reader = { ...anonymous(''), reach: request.reach };
  const view = buildReaderView(reader, { units: request.units }, now, publicUrl);
  const stored = await reads.cache.property(request.id);
  const visible = stored === null ? null : visibleTo(stored, view);
  if (stored === null || visible === null) return null;
  const chosen = visible.listings.find(({ id }) => id === request.id) ?? onlyOf(stored, request.id, visible);
  const listing = chosen === null ? null : presentListing(chosen, view);
  const property = presentProperty(stored, view, { include: ['history', 'listings'], live: null });
  if (chosen === null || listing === null || property === null) return null;
  if (listing.status === 'DELETED') return 'deleted';
  const { compared, ...parts } = await readParts(reads, visible, listing, request);
  const { logo, name: sourceName } = request.reach.displayOf(chosen.source);
  const shown = [...visible.listings, ...compared].map(({ source }) => source);
  const { timeZone } = chosen;
  return { listing, timeZone, logo, sourceName, property, now, shown, ...parts };
}

/** Null where display rules leave nothing of the property. */
function visibleTo(stored: StoredProperty, view: ReaderView): VisibleProperty | null {
  return stored.listings.some((listing) => presentListing(listing, view) !== null)
    ? visibleProperty(stored, view)
    : null;
}

/** The listing that stands for a property which is named by its own id. */
function onlyOf(stored: StoredProperty, id: string, visible: VisibleProperty) {
  return stored.id === id ? visible.subject : null;
}

async function readParts(
  reads: HomeReads,
  visible: VisibleProperty,
  listing: Listing,
  { reach, signal }: HomeRequest,
): Promise<
  Pick<Home, 'areas' | 'estimate' | 'comparables' | 'land' | 'market'> & {
    readonly compared: readonly StoredListing[];
  }
> {
  const { database, trends } = reads;
  const { areaIds, listingType } = listing;
  const part = <T>(work: (within: AbortSignal) => Promise<T>): Promise<T | null> =>
    withDeadline(
      {
        clock: reads.clock,
        milliseconds: DEADLINE,
        parent: signal,
        onTimeout: () => new Error('A part of the page of a home took too long'),
      },
      work,
    ).catch((error: unknown) => {
      // Who has left reads no page; what is overloaded says so by itself.
      if (!signal.aborted && !isUnavailable(error)) reads.report(error);
      return null;
    });
  const compared = part(() =>
    listComparables({ database, nearby: database }, visible, { listingType, count: COMPARABLES }),
  );
  const named = part(() => findAreaNames(database, areaIds));
  const [areas, estimate, comparables, land, market] = await Promise.all([
    named,
    part(() => estimateProperty({ database, trends }, visible)),
    compared,
    part(async () => landAround(reads.outlines, listing, (await compared)?.data ?? [])),
    part(async (signal) =>
      findMarket(reads.areaTrends, leadingAreas(await named), { listingType, reach, signal }),
    ),
  ]);
  return {
    areas: leadingAreas(areas),
    estimate,
    comparables: comparables?.data ?? null,
    compared: comparables?.listings ?? [],
    land,
    market,
  };
}

/** Null where nothing is drawn. */
async function landAround(
  outlines: Outlines,
  listing: Listing,
  comparables: readonly PresentedComparable[],
): Promise<OutlineAnswer | null> {
  const view = comparedView(listing, comparables);
  return view === null ? null : outlines.in(view.box, view.zoom);
}

function leadingAreas(areas: readonly HomeArea[] | null): readonly HomeArea[] {
  const rank = ({ type }: HomeArea): number => LEADING.indexOf(type);
  return (areas ?? []).filter((area) => rank(area) >= 0).sort((a, b) => rank(a) - rank(b));
}

/** Of two areas the smaller one, unless its homes are too few for figures. */
async function findMarket(
  trends: AreaTrends,
  areas: readonly HomeArea[],
  { listingType, reach, signal }: Pick<Listing, 'listingType'> & Pick<HomeRequest, 'reach' | 'signal'>,
): Promise<HomeMarket | 'none'> {
  for (const area of areas.slice(-2).reverse()) {
    const trend = await trends.read(area.id, listingType, reach, signal);
    if (trend.medianPrice.now !== null) return { area, trend };
  }
  return 'none';
}
