// Suggestions for what somebody types into the search box: places, addresses of homes, and the home with a listing number.

import type { Principal } from '../../access/tiers/tiers.ts';
import { planAreas } from '../../areas/query.ts';
import { findAreas } from '../../areas/read-store.ts';
import type { CallUsage } from '../../http/frame/call-usage.ts';
import { buildReaderView, presentListing } from '../../listings/presenter.ts';
import { LISTING_TYPES } from '../../listings/vocabulary.ts';
import { planSearch } from '../../search/query/plan.ts';
import { withSession } from '../../search/query/search-backend.ts';
import { addressKey } from '../../text/tokenize.ts';
import { findListingByNumber } from './find-store.ts';
import type { SuggestedHome, Suggestions } from './suggestions.ts';
import type { ViewParts } from './view.ts';

const MAX_PLACES = 5;
const MAX_HOMES = 5;
/** Shorter starts of addresses are those of too many homes to suggest any. */
const MIN_ADDRESS = 3;
const NOTHING: Suggestions = { places: [], homes: [], listing: null };

/** `text` as it was typed. Throws DATABASE_UNAVAILABLE. */
export async function suggest(
  parts: ViewParts,
  text: string,
  caller: Principal,
  usage: CallUsage,
): Promise<Suggestions> {
  const key = addressKey(text)?.trimEnd() ?? '';
  if (key === '') return NOTHING;
  const query = planAreas({ q: text.trim(), include: [] }, MAX_PLACES, caller.reach);
  const [areas, homes, listing] = await Promise.all([
    parts.database.read((sql) => findAreas(sql, query)),
    key.length < MIN_ADDRESS ? [] : findHomes(parts, key, caller),
    findListingByNumber(parts.database, text.trim(), caller.reach),
  ]);
  const limit = await parts.explorer.takePins(caller, homes.length);
  const shown = limit === null ? homes : [];
  for (const { source } of shown) usage.shows(source);
  return {
    places: areas.map(({ area: { id, name, type } }) => ({ id, name, type })),
    homes: shown.map(({ home }) => home),
    listing,
  };
}

interface FoundHome {
  readonly source: string;
  readonly home: SuggestedHome;
}

/** Homes on the market whose address begins like this, the last word perhaps not whole. */
async function findHomes(parts: ViewParts, key: string, caller: Principal): Promise<FoundHome[]> {
  const now = parts.clock.now();
  const reader = buildReaderView(caller, {}, now, parts.publicUrl);
  const resolved = { areas: [], areaNos: [], words: new Map() };
  const found = await withSession(parts.backend, { caller: caller.account }, (session) =>
    Promise.all(
      LISTING_TYPES.map((type) => {
        const plan = planSearch(type, { count: 'none' }, MAX_HOMES, now, caller.reach);
        const conditions = [...plan.conditions, { kind: 'address', key } as const];
        return session.page({ plan: { ...plan, conditions }, resolved });
      }),
    ),
  );
  return found
    .flatMap(({ hits }) => hits)
    .flatMap(({ listing: stored }) => {
      const listing = presentListing(stored, reader);
      if (listing === null || listing.address.line1 === null || listing.address.full === null) return [];
      const { id, listingType, address } = listing;
      return [{ source: stored.source, home: { id, listingType, address: address.full ?? '' } }];
    })
    .slice(0, MAX_HOMES);
}
