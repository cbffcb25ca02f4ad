// Search routes: GET and POST of /v1/search/rentals and /v1/search/sales, and the paths of their other formats.

import { type TObject, Type } from 'typebox';
import { TierSchema } from '../../access/tiers/tier-schema.ts';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type RequestContext, type Route, route } from '../../http/frame/route.ts';
import { withAllFaults } from '../../http/input/faults.ts';
import { compileJsonQuery, describeJsonQuery } from '../../http/input/json-query.ts';
import { ofMembers } from '../../http/input/parameter-problem.ts';
import { Problem } from '../../lib/problem.ts';
import { PageSchema } from '../../listings/paging.ts';
import { sourcesOf } from '../../listings/provenance/data-source-store.ts';
import { LoadingSchema } from '../../listings/provenance/loading.ts';
import { ListingSchema, nullable } from '../../listings/record.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import {
  FORMATS,
  type Format,
  inOneFormat,
  RentalSearchQuery,
  SaleSearchQuery,
  type SearchQuery,
} from '../query/parameters.ts';
import { ClusterSchema } from '../summaries/clusters.ts';
import { CurrencyChoiceSchema } from '../summaries/currency.ts';
import { ExplainSchema } from '../summaries/explain.ts';
import { FacetsSchema } from '../summaries/facets.ts';
import { StatsSchema } from '../summaries/stats.ts';
import { TotalNoteSchema, TotalSchema } from '../summaries/total.ts';
import { MEDIA_TYPES } from './formats.ts';
import { createSearchHandler, type SearchOptions } from './handler.ts';
import { NameSuggestionsSchema } from './name-suggestions.ts';
import { checkSearch } from './read-search.ts';
import { compileWholeNames } from './whole-names.ts';

/** Largest body of a search: the longest polygon, written as spaciously as programs write it, is half as large. */
const BODY_BYTES = 131_072;

const ListingList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Optional(
      Type.Array(ListingSchema, {
        description:
          'With `include`, each listing also has `history` or `property`, as on a property, or `reso`.',
      }),
    ),
    clusters: Type.Optional(
      Type.Array(ClusterSchema, {
        description: 'Replaces `data` if `cluster=true`; largest first.',
      }),
    ),
    page: PageSchema,
    total: TotalSchema,
    facets: Type.Optional(FacetsSchema),
    stats: Type.Optional(StatsSchema),
    explain: Type.Optional(ExplainSchema),
    meta: Type.Object({
      requestId: Type.String(),
      units: Type.Unsafe<'imperial' | 'metric'>({ type: 'string', enum: ['imperial', 'metric'] }),
      currency: nullable(
        Type.String({
          description:
            'Currency of price filters, sorts and statistics (ISO 4217). Null if there are none; each listing names its own.',
        }),
      ),
      currencyChoice: CurrencyChoiceSchema,
      areas: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
      dataAsOf: nullable(
        Type.String({
          format: 'date-time',
          description:
            'With facets, statistics, clusters or explanations: when the stalest source of the results last sent ' +
            'data. Otherwise: when any source did that is open to you; `fetchedAt` has the time of each listing.',
        }),
      ),
      sources: sourcesOf(
        'The sources of the listings on this page, sorted by id; with facets, statistics, clusters or explanations those of all results.',
      ),
      totalNote: TotalNoteSchema,
      loading: LoadingSchema,
      lagMs: Type.Optional(
        Type.Integer({
          description:
            'Changes of the last so many milliseconds may be missing. Present where that is more than five seconds, and ' +
            'after `Cache-Control: no-cache` where the newest changes did not arrive within a second.',
        }),
      ),
      suggestions: NameSuggestionsSchema,
      tier: TierSchema,
    }),
  },
  { $id: 'ListingList', description: 'One page of listings. The page is empty if nothing matches.' },
);

const { object: _, data: __, clusters: ___, ...besides } = ListingList.properties;

const ListingFeatures = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(
      Type.Object({
        type: Type.Literal('Feature'),
        id: Type.String(),
        geometry: nullable(
          Type.Object({
            type: Type.Literal('Point'),
            coordinates: Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: 'lng, lat' }),
          }),
        ),
        properties: Type.Union([ListingSchema, ClusterSchema]),
      }),
    ),
    ...besides,
  },
  {
    $id: 'ListingFeatures',
    description: 'The page as GeoJSON (RFC 7946); with `cluster=true`, its clusters.',
  },
);

type SearchCall = RequestContext<Principal, unknown, unknown, unknown>;

const FORMS =
  '`format` or Accept selects GeoJSON, CSV or JSON lines in place of JSON; each has a path of its own, too. As CSV or JSON ' +
  'lines, Business and Internal receive all results in one response, unless they set a `limit`.';

/** Codes of problems that a search answers. */
const CODES = ['INVALID_CURSOR', 'INVALID_GEOMETRY', 'SEARCH_LOADING'] as const;

const ALL_RESULTS =
  'Without `limit`, Business and Internal receive all results in one response; other tiers receive a page of 20, or of ' +
  '`limit`, and page with `cursor` and the header Link.';

interface Export {
  readonly format: Format;
  readonly path: string;
  /** Before and after the name of what is searched. */
  readonly operation: string;
  readonly suffix: string;
  readonly as: string;
  readonly description: string;
  readonly answer: Route<Principal>['answer'];
}

/** Paths of the formats besides JSON. */
const EXPORTS: readonly Export[] = [
  {
    format: 'csv',
    path: 'export',
    operation: 'export',
    suffix: '',
    as: 'CSV',
    description:
      `One listing a row (RFC 4180). Unknown values are empty cells, empty texts and lists \`""\`; lists of texts are separated by ` +
      `\`|\`, other lists are JSON. PostgreSQL loads it with COPY into docs/examples/listings.sql. ${ALL_RESULTS} With \`include=cursor\` each row ends with the cursor from which ` +
      'an interrupted export can continue.',
    answer: { description: 'A header line, and a row for each listing' },
  },
  {
    format: 'ndjson',
    path: 'ndjson',
    operation: 'export',
    suffix: 'AsLines',
    as: 'JSON lines',
    description:
      `One listing a line. ${ALL_RESULTS} Each ends with the member \`cursor\`, from which an interrupted export can ` +
      'continue.',
    answer: { description: 'A line of JSON for each listing' },
  },
  {
    format: 'geojson',
    path: 'geojson',
    operation: 'map',
    suffix: '',
    as: 'GeoJSON',
    description: 'A page of listings as points (RFC 7946), with the members of the page beside them.',
    answer: { description: 'A page of listings', schema: ListingFeatures },
  },
];

export function searchRoutes(options: SearchOptions): readonly Route<Principal>[] {
  const answer = createSearchHandler(options);

  const routesOf = (type: ListingType, query: TObject): Route<Principal>[] => {
    const [one, name, bodyName] =
      type === 'rental' ? ['rentals', 'Rentals', 'RentalSearch'] : ['sales', 'Sales', 'SaleSearch'];
    const common = {
      tag: 'Search',
      codes: CODES,
      access: { credentials: 'optional', scope: 'listings:read', counts: 'month' },
    } as const;
    const search = {
      ...common,
      path: `/v1/search/${one}`,
      accepts: FORMATS.map((format) => MEDIA_TYPES[format]),
      answer: { description: 'A page of listings', schema: ListingList },
    } as const;
    const read = compileJsonQuery(query);
    const wholeNames = compileWholeNames(query);
    const checkAs =
      (mediaType: string) =>
      (readable: Readonly<Record<string, unknown>>, caller: Principal): Promise<void> =>
        checkSearch(options, { type, query: readable as SearchQuery, caller, mediaType });
    const handleQuery = async (call: SearchCall) => {
      const { caller, requestId, usage, mediaType, headers, url } = call;
      return answer({
        type,
        caller,
        requestId,
        usage,
        mediaType,
        headers,
        url,
        left: () => call.signal,
        query: await wholeNames(options.database, call.query as SearchQuery, call),
      });
    };
    return [
      route<Principal>()({
        ...search,
        method: 'GET',
        operation: `search${name}`,
        summary: `Search ${one}`,
        description:
          'Values of one parameter are combined with OR, different parameters with AND. Bounds include their value, and ' +
          'what is unknown matches none. Follow `page.nextCursor` to page, or the header Link; paging never skips or ' +
          'repeats an unchanged listing. X-Total-Count is `total`. With `Cache-Control: no-cache` a search waits up to ' +
          `a second for everything committed before it. ${FORMS}`,
        query,
        handle: handleQuery,
        check: checkAs('application/json'),
      }),
      route<Principal>()({
        ...search,
        method: 'POST',
        operation: `search${name}ByBody`,
        summary: `Search ${one} with a JSON body`,
        description:
          'The same search with its parameters in a JSON body: lists are arrays, numbers are numbers, and `polygon` ' +
          'may be a GeoJSON Polygon or MultiPolygon. The URL takes no parameters.',
        ownBody: 'value',
        bodyBytes: BODY_BYTES,
        body: describeJsonQuery(query, bodyName, `The parameters of GET ${search.path} as JSON.`),
        async handle(call) {
          const { caller, requestId, usage, mediaType, headers } = call;
          const common = {
            type,
            caller,
            requestId,
            usage,
            mediaType,
            headers,
            url: null,
            left: () => call.signal,
          };
          try {
            return await answer({ ...common, query: read(call.body) as SearchQuery });
          } catch (error) {
            const all = await withAllFaults(error, {}, (readable) => checkAs(mediaType)(readable, caller));
            throw all instanceof Problem ? ofMembers(all) : all;
          }
        },
      }),
      ...EXPORTS.map(({ format, path, operation, suffix, as, description, answer: documented }) =>
        route<Principal>()({
          ...common,
          method: 'GET',
          path: `${search.path}/${path}`,
          operation: `${operation}${name}${suffix}`,
          summary: `Search ${one}, as ${as}`,
          description,
          accepts: [MEDIA_TYPES[format]],
          answer: documented,
          query: inOneFormat(query, format),
          handle: handleQuery,
          check: checkAs(MEDIA_TYPES[format]),
        }),
      ),
    ];
  };

  return [...routesOf('rental', RentalSearchQuery), ...routesOf('sale', SaleSearchQuery)];
}
