// Owns the HTTP face of the searches: GET /v1/search/rentals and GET /v1/search/sales.

import { type TObject, Type } from 'typebox';
import type { Principal } from '../access/principal.ts';
import { pageSize, type Tiers } from '../access/tiers.ts';
import { type Reply, type Route, route } from '../http/route.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/database.ts';
import { pageLinks, viewOf } from './reader.ts';
import { ListingSchema, nullable } from './record.ts';
import { planSearch } from './search.ts';
import { createSearch } from './search-answer.ts';
import { RentalSearchQuery, SaleSearchQuery, type SearchQuery } from './search-parameters.ts';
import type { ListingType } from './vocabulary.ts';

export interface CatalogueRouteOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  /** When the catalogue was last known to be what the source has; null: never. */
  readonly dataAsOf: () => Promise<string | null>;
}

export const PageSchema = Type.Object(
  {
    limit: Type.Integer({
      description: 'Results that fit the page: what was asked for, or the tier’s maximum.',
    }),
    hasMore: Type.Boolean(),
    nextCursor: nullable(Type.String()),
    prevCursor: nullable(Type.String()),
  },
  { $id: 'Page' },
);

const ListingList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ListingSchema),
    page: PageSchema,
    total: nullable(
      Type.Object({
        value: Type.Integer(),
        relation: Type.Unsafe<'exact' | 'estimate'>({ type: 'string', enum: ['exact', 'estimate'] }),
      }),
    ),
    meta: Type.Object({
      requestId: Type.String(),
      units: Type.Unsafe<'imperial' | 'metric'>({ type: 'string', enum: ['imperial', 'metric'] }),
      areas: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
      dataAsOf: nullable(Type.String({ format: 'date-time' })),
      tier: Type.String(),
    }),
  },
  { $id: 'ListingList', description: 'One page of listings. Nothing found is an empty page.' },
);

export function searchRoutes(options: CatalogueRouteOptions): readonly Route<Principal>[] {
  const { clock, tiers, publicUrl } = options;
  const search = createSearch(options.database);

  const searchRoute = (type: ListingType, query: TObject): Route<Principal> =>
    route<Principal>()({
      method: 'GET',
      path: `/v1/search/${type}s`,
      operation: type === 'rental' ? 'searchRentals' : 'searchSales',
      tag: 'Search',
      summary: type === 'rental' ? 'Search rentals' : 'Search sales',
      description:
        'Values of one parameter are alternatives, different parameters must all be met. Pages are walked by cursor; a ' +
        'listing that does not change meanwhile is met exactly once.',
      access: { credentials: 'optional', scope: 'listings:read', counts: 'month' },
      query,
      answer: { description: 'A page of listings', schema: ListingList },
      async handle({ query: parsed, caller, requestId, url }): Promise<Reply> {
        const asked = parsed as SearchQuery;
        const plan = planSearch(type, asked, pageSize(tiers[caller.tier], asked.limit), clock.now());
        const view = viewOf(caller, asked, plan.startedAt, publicUrl);
        const { data, page, total, areas } = await search(plan, view);
        const meta = {
          requestId,
          units: plan.units,
          areas,
          dataAsOf: await options.dataAsOf(),
          tier: caller.tier,
        };
        const exact: Record<string, string> =
          total?.relation === 'exact' ? { 'x-total-count': String(total.value) } : {};
        return {
          json: { object: 'list', data, page, total, meta },
          headers: { ...pageLinks(publicUrl, url, page), ...exact },
        };
      },
    });

  return [searchRoute('rental', RentalSearchQuery), searchRoute('sale', SaleSearchQuery)];
}
