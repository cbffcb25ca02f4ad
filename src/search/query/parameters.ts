// Parameters of the two searches: the filters, and what shapes the answer (sort, page, fields, extras).

import { type Static, type TObject, Type } from 'typebox';
import { choice, choices, list, optional, whole, yesNo } from '../../http/input/parameter-kinds.ts';
import {
  displayParameter,
  fieldsParameter,
  SORT_KEYS,
  unitsParameter,
} from '../../listings/common-parameters.ts';
import { INCLUDED } from '../../listings/included.ts';
import { CURSOR_HINTS } from '../../listings/paging.ts';
import { listingParameters, placeParameters, rentalParameters, saleParameters } from './filter-parameters.ts';

export const FACETS = [
  'propertyType',
  'status',
  'bedrooms',
  'bathrooms',
  'areaId',
  'city',
  'priceBucket',
  'features',
  'yearBuiltDecade',
] as const;
export type Facet = (typeof FACETS)[number];

export const FORMATS = ['json', 'geojson', 'csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** Parameters that shape the answer and do not decide which listings match. */
export const answerParameters = {
  sort: optional(
    list(Type.String({ maxLength: 40 }), {
      description:
        `Sort by ${SORT_KEYS.join(', ')}; prefix with \`-\` for descending. Default: -listedAt. Several keys apply ` +
        'in order; unknown values come last; ids break ties in the direction of the last key. `price` of a rental is its rent per month. `distance` needs ' +
        'lat, lng and radius; `relevance` needs q (use -relevance for best first, newest first among equals). ' +
        'A suffix Asc or Desc may replace the prefix.',
      aliases: ['sortBy'],
      maxItems: 5,
    }),
  ),
  limit: optional(
    Type.Integer({
      minimum: 1,
      description:
        'Page size, capped at the tier’s maximum; csv, ndjson and geojson refuse a larger one. Default: 20, or that maximum ' +
        'if it is smaller.',
      aliases: ['pageSize', 'resultsPerPage'],
    }),
  ),
  cursor: optional(
    Type.String({
      maxLength: 2_000,
      description: 'The nextCursor or prevCursor of a page. Send the same filters with it.',
      aliases: ['lastId'],
      hints: CURSOR_HINTS,
    }),
  ),
  count: optional(
    Type.Unsafe<'exact' | 'estimate' | 'none'>({
      type: 'string',
      enum: ['exact', 'estimate', 'none'],
      description:
        'Whether `total` is counted. `exact` (default) counts all results; `estimate` means the same; with `none` ' +
        '`total` is null.',
    }),
  ),
  includeTotalCount: yesNo('`true` means `count=exact`, `false` means `count=none`.'),
  fields: fieldsParameter,
  include: choices(
    [...INCLUDED, 'cursor'],
    'Adds to each listing its `history`, its `property`, the source’s own RESO fields (`reso`; null if the ' +
      'source is not a RESO server), or `cumulativeDaysOnMarket` and `daysOnMarketReported` (`daysOnMarket`; ' +
      'the only one with CSV columns). In CSV, `cursor` adds a last column: where an interrupted export can continue.',
    '$expand',
  ),
  units: unitsParameter,
  display: displayParameter,
  format: choice(
    FORMATS,
    'Response format. Default: from Accept. csv, ndjson and geojson have paths of their own, too: `/export`, `/ndjson` ' +
      'and `/geojson` below the path of the search.',
  ),
  facets: choices(
    FACETS,
    'Counts all results by these properties, most frequent first: at most 100 values of each, or as many as the tier’s ' +
      'page size if that is smaller. Cities are named as listings write them. Prices are counted in steps that ' +
      'people use, such as 25,000 from 100,000 to 500,000 and 50,000 from there to a million, or in those of `priceBucket`.',
    'aggregates',
    'aggregations',
  ),
  priceBucket: optional(
    Type.Integer({
      minimum: 1,
      maximum: 1e12,
      description:
        'Width of the buckets of `facets=priceBucket`, which begin at 0: 50000 counts prices by 50,000.',
    }),
  ),
  stats: optional(
    list(Type.String({ maxLength: 60 }), {
      description:
        'Current statistics of all results, by ids from GET /v1/market/metrics. Each result counts, whatever its ' +
        'status, and ages count to now.',
      aliases: ['statistics'],
      maxItems: 20,
    }),
  ),
  cluster: yesNo(
    '`true` returns clusters of all results within `bbox` at `zoom`, largest first, instead of listings. Needs ' +
      'both, and takes no `sort`, `fields` or `include`.',
  ),
  zoom: whole('Zoom level of the map that shows the clusters, as on web maps.', 20),
  explain: yesNo(
    '`true` reports for each filter how many listings match it alone, and how many match all others.',
  ),
};

/** Parameters that a response without a page of its own has no use for. */
const PAGE_ONLY = ['format', 'facets', 'stats', 'cluster', 'zoom', 'explain', 'priceBucket'] as const;

export const RentalSearchQuery = Type.Object({
  ...placeParameters,
  ...listingParameters,
  ...rentalParameters,
  ...answerParameters,
});
export const SaleSearchQuery = Type.Object({
  ...placeParameters,
  ...listingParameters,
  ...saleParameters,
  ...answerParameters,
});

const AnySearchQuery = Type.Object({
  ...placeParameters,
  ...listingParameters,
  ...rentalParameters,
  ...saleParameters,
  ...answerParameters,
});

const CSV_INCLUDED = choices(
  ['daysOnMarket', 'cursor'],
  'Adds the columns `cumulativeDaysOnMarket` and `daysOnMarketReported` (`daysOnMarket`), or as the last one where an ' +
    'interrupted export can continue (`cursor`).',
);
const OTHER_INCLUDED = choices(
  INCLUDED,
  'Adds to each listing its `history`, its `property`, the source’s own RESO fields (`reso`), or `cumulativeDaysOnMarket` ' +
    'and `daysOnMarketReported` (`daysOnMarket`).',
);

/** The query of a path that has one format. */
export function inOneFormat(query: TObject, format: Format): TObject {
  const { properties } = Type.Omit(query, [...PAGE_ONLY]);
  return Type.Object({ ...properties, include: format === 'csv' ? CSV_INCLUDED : OTHER_INCLUDED });
}

/** A parsed query of either search. */
export type SearchQuery = Static<typeof AnySearchQuery>;
