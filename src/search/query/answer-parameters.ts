// Owns the parameters of searches that shape the answer: order, page, parts, and what is told besides the listings.

import { Type } from 'typebox';
import { choice, choices, list, optional, whole, yesNo } from '../../http/input/parameter-kinds.ts';
import { INCLUDED } from '../../listings/included.ts';
import {
  CURSOR_HINTS,
  displayParameter,
  fieldsParameter,
  SORT_KEYS,
  unitsParameter,
} from '../../listings/shared-parameters.ts';

export const FACETS = [
  ...([
    'propertyType',
    'status',
    'bedrooms',
    'bathrooms',
    'areaId',
    'city',
    'priceBucket',
    'features',
  ] as const),
  'yearBuiltDecade',
] as const;
export type Facet = (typeof FACETS)[number];

export const FORMATS = ['json', 'geojson', 'csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

const pages = {
  sort: optional(
    list(Type.String({ maxLength: 40 }), {
      description:
        `Keys in order, \`-\` for falling: ${SORT_KEYS.join(', ')}. Default -listedAt; unknown values last; ids ` +
        'break ties, the way of the last key. `distance` needs lat, lng and radius, `relevance` needs q (-relevance: best first); listings of ' +
        'one relevance stand by -listedAt. `listedAt` is `onMarketDate` where the source gives it, as in `listedSince`. Instead of a sign, Asc or Desc may stand behind a key.',
      aliases: ['sortBy'],
      maxItems: 5,
    }),
  ),
  limit: optional(
    Type.Integer({
      minimum: 1,
      description: 'Results on the page; above the tier’s maximum it is lowered to it.',
      aliases: ['pageSize', 'resultsPerPage'],
    }),
  ),
  cursor: optional(
    Type.String({
      maxLength: 2_000,
      description: 'A page’s nextCursor or prevCursor, with the same filters.',
      aliases: ['lastId'],
      hints: CURSOR_HINTS,
    }),
  ),
  count: optional(
    Type.Unsafe<'exact' | 'estimate' | 'none'>({
      type: 'string',
      enum: ['exact', 'estimate', 'none'],
      description:
        'How `total` is found. `estimate`, the default: exact up to 10,000 results, and an estimate above that or where counting ' +
        'takes too long; `relation` says which. `exact` is slower. `none`: `total` is null.',
    }),
  ),
  includeTotalCount: yesNo('true is `count=exact`, false is `count=none`.'),
};

const parts = {
  fields: fieldsParameter,
  include: choices(
    INCLUDED,
    'Adds to each listing what happened to it (`history`), the property it belongs to (`property`), what the source ' +
      'said of it in RESO’s own fields (`reso`; null where it speaks no RESO), or `cumulativeDaysOnMarket` and ' +
      '`daysOnMarketReported` (`daysOnMarket`: the only one that csv has columns for).',
    '$expand',
  ),
  units: unitsParameter,
  display: displayParameter,
  format: choice(
    FORMATS,
    'How the answer is written; without it, what Accept asks for. Business and Internal get all results at once as ' +
      'csv or ndjson where no `limit` is given: each row ends with the cursor from which an export that was cut goes on.',
  ),
};

const figures = {
  facets: choices(
    FACETS,
    'Counts of all results by these traits, the commonest first.',
    'aggregates',
    'aggregations',
  ),
  stats: optional(
    list(Type.String({ maxLength: 60 }), {
      description: 'Metrics of all results as they stand, by the ids of GET /v1/market/metrics.',
      aliases: ['statistics'],
      maxItems: 20,
    }),
  ),
  cluster: yesNo('true: instead of listings, clusters of all results within `bbox`, by `zoom`.'),
  zoom: whole('How near the map is that shows the clusters, as maps on the web count it.', 20),
  explain: yesNo(
    'true: tells of each filter how many listings it alone would leave, and how many the others would.',
  ),
};

export const answerParameters = { ...pages, ...parts, ...figures };
