// Routes of areas: GET /v1/areas, one area, its children, its boundary and nearby areas.

import { Type } from 'typebox';
import { TierSchema } from '../access/tiers/tier-schema.ts';
import type { Principal } from '../access/tiers/tiers.ts';
import { simplified } from '../geometry/simplify.ts';
import { type Route, route } from '../http/frame/route.ts';
import { conditional, isKnown, weakEtag } from '../http/output/etag.ts';
import { PageSchema } from '../listings/paging.ts';
import { sourcesOf } from '../listings/provenance/data-source-store.ts';
import { nullable } from '../listings/record.ts';
import { AreaSchema, BoundarySchema } from './area.ts';
import { type AreaOptions, createAreaHandlers, noArea, surroundings } from './handlers.ts';
import {
  filterParameters,
  includeOf,
  includeParameter,
  ListQuery,
  pagingParameters,
  typeParameter,
} from './query.ts';
import { findArea, findBoundary, findCountedSources } from './read-store.ts';

const rest = {
  page: PageSchema,
  meta: Type.Object({
    requestId: Type.String(),
    tier: TierSchema,
    sources: sourcesOf(
      'The sources of the listings that the areas on this page count, sorted by id; empty without counts.',
    ),
  }),
};

const OneArea = Type.Object(
  {
    ...AreaSchema.properties,
    meta: Type.Object({
      sources: sourcesOf('The sources of the listings that it counts, sorted by id; empty without counts.'),
    }),
  },
  { $id: 'OneArea' },
);

const AreaList = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(AreaSchema), ...rest },
  { $id: 'AreaList' },
);

const NearbyArea = Type.Object(
  {
    ...AreaSchema.properties,
    distanceKm: Type.Number({ description: 'Great-circle distance between the centroids.' }),
  },
  { $id: 'NearbyArea' },
);

const NearbyAreaList = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(NearbyArea), ...rest },
  { $id: 'NearbyAreaList' },
);

const Feature = Type.Object(
  {
    type: Type.Literal('Feature'),
    id: Type.String(),
    properties: Type.Object({ name: Type.String(), type: Type.String() }),
    geometry: nullable(BoundarySchema),
  },
  { $id: 'AreaFeature', description: 'GeoJSON (RFC 7946); geometry is null for an area without a boundary.' },
);

const BoundaryQuery = Type.Object({
  simplify: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 100_000,
      description:
        'Maximum distance in metres between the simplified line and the removed corners. Every ring is kept, ' +
        'however small, and none crosses itself or another.',
    }),
  ),
});

const AreaParams = Type.Object({
  id: Type.String({ maxLength: 200, missing: 'AREA_NOT_FOUND', description: 'The id of an area.' }),
});

const access = { credentials: 'optional', scope: 'listings:read', counts: 'month' } as const;
const common = { method: 'GET', tag: 'Areas', access } as const;
const codes = ['INVALID_CURSOR', 'INVALID_GEOMETRY'] as const;
const missing = { 404: 'No such area' };
const unchanged = { 304: 'Not modified since the ETag in the request', ...missing };

export function areaRoutes(options: AreaOptions): readonly Route<Principal>[] {
  const { database } = options;
  const answers = createAreaHandlers(options);

  return [
    route<Principal>()({
      ...common,
      path: '/v1/areas',
      operation: 'listAreas',
      codes,
      summary: 'Find areas',
      description: 'Areas sorted by name by default. Use their ids as `areaId` in searches.',
      query: ListQuery,
      answer: { description: 'A page of areas', schema: AreaList },
      handle: (call) => answers.list(call.query, call),
    }),
    route<Principal>()({
      ...common,
      path: '/v1/areas/:id',
      operation: 'getArea',
      summary: 'One area',
      params: AreaParams,
      query: Type.Object({ include: includeParameter }),
      answer: { description: 'The area', schema: OneArea },
      alsoAnswers: unchanged,
      async handle({ params, query, headers, caller }) {
        const include = includeOf(caller.reach, query.include);
        const found = await database.read((sql) => findArea(sql, params.id, include), { planned: 'once' });
        if (!found) throw noArea(params.id);
        const { area, version, no } = found;
        const { reach } = caller;
        const counted = area.counts === null ? [] : await findCountedSources(database, [no], reach);
        const meta = { sources: await options.readSources(counted, reach) };
        return conditional(headers, weakEtag(version, surroundings(area)), { json: { ...area, meta } });
      },
    }),
    route<Principal>()({
      ...common,
      path: '/v1/areas/:id/children',
      operation: 'listAreaChildren',
      codes,
      summary: 'List the direct children of an area',
      params: AreaParams,
      query: Type.Object(filterParameters),
      answer: { description: 'A page of areas', schema: AreaList },
      alsoAnswers: missing,
      handle: (call) => answers.children(call.params.id, call.query, call),
    }),
    route<Principal>()({
      ...common,
      path: '/v1/areas/:id/boundary',
      operation: 'getAreaBoundary',
      summary: 'Get the boundary of an area',
      params: AreaParams,
      query: BoundaryQuery,
      accepts: ['application/geo+json', 'application/json'],
      answer: { description: 'A GeoJSON feature', schema: Feature, contentType: 'application/geo+json' },
      alsoAnswers: unchanged,
      async handle({ params, query: { simplify }, headers }) {
        const found = await database.read((sql) => findBoundary(sql, params.id));
        if (!found) throw noArea(params.id);
        const { name, type, boundary, version } = found;
        const etag = simplify === undefined ? weakEtag(version) : weakEtag(version, `s${simplify}`);
        if (isKnown(headers['if-none-match'], etag)) return conditional(headers, etag, {});
        const geometry = boundary && simplify !== undefined ? simplified(boundary, simplify) : boundary;
        const json = { type: 'Feature', id: params.id, properties: { name, type }, geometry };
        return conditional(headers, etag, { json, headers: { 'content-type': 'application/geo+json' } });
      },
    }),
    route<Principal>()({
      ...common,
      path: '/v1/areas/:id/nearby',
      operation: 'listNearbyAreas',
      codes,
      summary: 'List areas near an area',
      description:
        'Other areas by the distance between centroids, nearest first. Areas without a boundary have no centroid ' +
        'and are not listed.',
      params: AreaParams,
      query: Type.Object({ type: typeParameter, include: includeParameter, ...pagingParameters }),
      answer: { description: 'A page of areas', schema: NearbyAreaList },
      alsoAnswers: missing,
      handle: (call) => answers.nearby(call.params.id, call.query, call),
    }),
  ];
}
