// What the front page reads: each part at most once in a while, since visits to it are not limited.

import type { Principal } from '../../access/tiers/tiers.ts';
import type { Outlines } from '../../areas/outlines/outlines.ts';
import { readFrontMarket } from '../../explore/front-map.ts';
import type { ExploreOptions } from '../../explore/render.ts';
import type { Route } from '../../http/frame/route.ts';
import { MINUTE, pause } from '../../lib/clock.ts';
import { nullIfUnavailable, Problem } from '../../lib/problem.ts';
import { cacheFor } from '../../lib/single-flight.ts';
import type { CachedReads } from '../../listings/property-cache.ts';
import type { FindNewest } from '../../listings/provenance/confirmation-store.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import type { AreaTrends } from '../../market/area-trend.ts';
import { countMarket } from '../../market/store.ts';
import type { FrontTrends } from '../../site/front/numbers.ts';
import type { SiteOptions } from '../../site/routes.ts';
import { listFrontHomes } from './homes.ts';
import { answerFrontRequest } from './request.ts';

/** Milliseconds: counting reads an index of all that is on the market. */
const LIFETIME = 10_000;
/** Milliseconds: a trend by months changes slowly, and among many listings it is computed for seconds. */
const TREND_LIFETIME = 10 * MINUTE;
/** Milliseconds that a visit waits for the trends. */
const TREND_WAIT = 300;

export interface FrontPageParts extends Omit<ExploreOptions, 'assets'> {
  readonly outlines: Outlines;
  readonly areaTrends: AreaTrends;
  /** Routes of the API. */
  readonly routes: readonly Route<Principal>[];
  readonly dataAsOf: FindNewest;
  readonly cache: Pick<CachedReads, 'version'>;
  /** Aborts when the service begins to stop. */
  readonly stopping: AbortSignal;
}

type FrontPage = Required<
  Pick<SiteOptions, 'findHomes' | 'findMarket' | 'findTrends' | 'findAnswer' | 'findMarketSize'>
>;

export function frontPage(parts: FrontPageParts): FrontPage {
  const { clock, database, routes, visitor } = parts;
  const findMarket = cacheFor(LIFETIME, clock, () => readFrontMarket(parts));
  // What is withdrawn or closed is gone at once.
  const untilChanged = <T>(find: () => Promise<T>): (() => Promise<T>) => {
    let current: { readonly key: string; readonly read: () => Promise<T> } | null = null;
    return () => {
      const version = parts.cache.version();
      if (version === null) return find();
      const key = `${visitor.reach.key} ${version}`;
      if (current?.key !== key) current = { key, read: cacheFor(LIFETIME, clock, find) };
      return current.read();
    };
  };
  return {
    findMarket,
    findHomes: untilChanged(async () =>
      (await parts.explorer.mayLook(visitor)) === null ? listFrontHomes({ ...parts, now: clock.now() }) : [],
    ),
    findAnswer: untilChanged(async () => {
      const market = await nullIfUnavailable(findMarket());
      const isOpen = (await parts.explorer.mayLook(visitor)) === null;
      return answerFrontRequest({ routes, clock, visitor }, { place: market?.place ?? null, isOpen });
    }),
    findMarketSize: cacheFor(LIFETIME, clock, async () => ({
      ...(await countMarket(database, visitor.reach)),
      confirmedAt: await parts.dataAsOf(visitor.reach),
    })),
    findTrends: createTrends(parts),
  };
}

/** The trends as last computed: a visit waits for new ones a moment only. */
function createTrends({ areaTrends, clock, stopping, visitor }: FrontPageParts): FrontPage['findTrends'] {
  const read = async (type: ListingType): Promise<FrontTrends['sale']> => {
    try {
      return (await areaTrends.read(null, type, visitor.reach, stopping)).inventory.months;
    } catch (error) {
      // Overloaded, the database away, or prices in several currencies: the numbers then come without a line.
      if (error instanceof Problem || stopping.aborted) return null;
      throw error;
    }
  };
  let last: FrontTrends = { sale: null, rental: null };
  const refresh = cacheFor(TREND_LIFETIME, clock, async () => {
    last = { sale: await read('sale'), rental: await read('rental') };
  });
  return async () => {
    await Promise.race([refresh(), pause(clock, TREND_WAIT)]);
    return last;
  };
}
