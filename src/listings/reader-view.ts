// Reader's view: what a caller's tier and parameters make of the records they read.

import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '../access/tiers/principal.ts';
import { tierName } from '../access/tiers/tiers.ts';
import { Problem } from '../lib/problem.ts';
import type { ListingReads } from './listing-reads.ts';
import type { ReaderView } from './presenter.ts';
import type { UnitSystem } from './vocabulary.ts';

/** The view of one request; throws TIER_RESTRICTED where display rules are to be ignored by anyone but Internal. */
export function buildReaderView(
  caller: Principal,
  asked: {
    readonly units?: UnitSystem | undefined;
    readonly display?: 'ignore' | undefined;
    readonly include?: readonly string[] | undefined;
  },
  now: number,
  publicUrl: string,
): ReaderView {
  if (asked.display === 'ignore' && caller.tier !== 'internal') {
    throw new Problem(
      'TIER_RESTRICTED',
      `display=ignore needs the ${tierName('internal')} tier; remove it to see what the source allows to be shown.`,
    );
  }
  return {
    units: asked.units ?? 'imperial',
    source: 'cached',
    ignoreDisplayRules: asked.display === 'ignore',
    allDaysOnMarket: asked.include?.includes('daysOnMarket') === true,
    now,
    publicUrl,
  };
}

/** The reads that answer this request: cached ones, or the database's where the client wants no cache (RFC 9111 5.2.1.4). */
export function readsFor(
  headers: IncomingHttpHeaders,
  { catalogue, cache }: { readonly catalogue: ListingReads; readonly cache: ListingReads },
): ListingReads {
  return bypassesCache(headers) ? catalogue : cache;
}

/** Members that change without the record: entity tags do not depend on them. */
export const VOLATILE_MEMBERS: readonly string[] = ['fetchedAt', 'meta'];

/** Whether the client asked for no cache. */
export function bypassesCache(headers: IncomingHttpHeaders): boolean {
  return headers['cache-control']?.includes('no-cache') === true;
}

/** The address of another page of the same request. */
export function pageUrl(publicUrl: string, requested: string, cursor: string): string {
  const mark = requested.indexOf('?');
  const path = mark < 0 ? requested : requested.slice(0, mark);
  const parameters = new URLSearchParams(mark < 0 ? '' : requested.slice(mark + 1));
  parameters.set('cursor', cursor);
  return `${publicUrl}${path}?${parameters}`;
}

/** The headers that lead to the pages around this one; none where there are none. */
export function pageLinks(
  publicUrl: string,
  requested: string,
  page: { readonly nextCursor: string | null; readonly prevCursor: string | null },
): Record<string, string> {
  const links = [
    ['next', page.nextCursor],
    ['prev', page.prevCursor],
  ] as const;
  const link = links
    .flatMap(([rel, cursor]) =>
      cursor === null ? [] : [`<${pageUrl(publicUrl, requested, cursor)}>; rel="${rel}"`],
    )
    .join(', ');
  return link === '' ? {} : { link };
}
