// Owns the HTTP face of areas: GET /v1/areas, one area, its children and its boundary.

import { hash } from 'node:crypto';
import { Type } from 'typebox';
import type { Principal } from '../access/principal.ts';
import { pageSize } from '../access/tiers.ts';
import { conditional, weakEtag } from '../http/etag.ts';
import { type Reply, type Route, route } from '../http/route.ts';
import { invalidParameter, Problem } from '../lib/problem.ts';
import { AreaSchema, wordsOf } from './area.ts';
import { type AreaQuery, findArea, findAreas, findBoundary } from './area-store.ts';
import { queryDigest, readCursor, writeCursor } from './cursor.ts';
import { pageLinks } from './reader.ts';
import { nullable } from './record.ts';
import { type CatalogueRouteOptions, PageSchema } from './routes.ts';
import { AREA_TYPES, type AreaType } from './vocabulary.ts';

const AreaList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(AreaSchema),
    page: PageSchema,
    meta: Type.Object({ requestId: Type.String(), tier: Type.String() }),
  },
  { $id: 'AreaList' },
);

const Feature = Type.Object(
  {
    type: Type.Literal('Feature'),
    id: Type.String(),
    properties: Type.Object({ name: Type.String(), type: Type.String() }),
    geometry: nullable(Type.Object({ type: Type.String(), coordinates: Type.Array(Type.Unknown()) })),
  },
  { $id: 'AreaFeature', description: 'GeoJSON (RFC 7946); geometry is null for an area without a boundary.' },
);

const paging = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Areas on the page; lowered to the tier’s maximum.' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'A page’s nextCursor, with the same filters.' }),
  ),
};

const typeFilter = Type.Optional(
  Type.Unsafe<AreaType>({
    type: 'string',
    enum: [...AREA_TYPES],
    caseInsensitive: true,
    description: 'Only this type.',
  }),
);

const ListQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 120,
      description: 'Beginnings of words of the name, in any order; accents do not matter.',
    }),
  ),
  type: typeFilter,
  parentId: Type.Optional(Type.String({ maxLength: 200, description: 'Only children of this area.' })),
  ...paging,
});
const ChildrenQuery = Type.Object({ type: typeFilter, ...paging });
const AreaParams = Type.Object({
  id: Type.String({ maxLength: 200, missing: 'AREA_NOT_FOUND', description: 'The id of an area.' }),
});

const access = { credentials: 'optional', scope: 'listings:read', counts: 'month' } as const;

interface ListAsked {
  readonly q?: string | undefined;
  readonly type?: AreaType | undefined;
  readonly parentId?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export function areaRoutes({
  database,
  tiers,
  publicUrl,
}: CatalogueRouteOptions): readonly Route<Principal>[] {
  async function listed(
    asked: ListAsked,
    call: { caller: Principal; requestId: string; url: string },
  ): Promise<Reply> {
    const limit = pageSize(tiers[call.caller.tier], asked.limit);
    const digest = queryDigest([asked.q, asked.type, asked.parentId]);
    const found = await database.read((sql) => findAreas(sql, areaQuery(asked, limit + 1, digest)));
    const data = found.slice(0, limit).map(({ area }) => area);
    const last = data.at(-1);
    const hasMore = found.length > limit;
    const nextCursor =
      hasMore && last
        ? writeCursor({ query: digest, direction: 'next', startedAt: 0, values: [last.name], id: last.id })
        : null;
    const page = { limit, hasMore, nextCursor, prevCursor: null };
    return {
      json: { object: 'list', data, page, meta: { requestId: call.requestId, tier: call.caller.tier } },
      headers: pageLinks(publicUrl, call.url, page),
    };
  }

  async function areaOrProblem(id: string) {
    const found = await database.read((sql) => findArea(sql, id));
    if (!found) throw noArea(id);
    return found;
  }

  return [
    route<Principal>()({
      method: 'GET',
      path: '/v1/areas',
      operation: 'listAreas',
      tag: 'Areas',
      summary: 'Find areas',
      description: 'Areas in the order of their names. Their ids are what `areaId` of the searches takes.',
      access,
      query: ListQuery,
      answer: { description: 'A page of areas', schema: AreaList },
      async handle(call) {
        const { parentId } = call.query;
        if (parentId !== undefined && !(await database.read((sql) => findArea(sql, parentId))))
          throw invalidParameter('parentId', `there is no area with the id "${parentId}"`);
        return listed(call.query, call);
      },
    }),
    route<Principal>()({
      method: 'GET',
      path: '/v1/areas/:id',
      operation: 'getArea',
      tag: 'Areas',
      summary: 'One area',
      access,
      params: AreaParams,
      answer: { description: 'The area', schema: AreaSchema },
      alsoAnswers: { 304: 'Not changed since the ETag that was sent', 404: 'There is no such area' },
      async handle({ params, headers }) {
        const { area, version } = await areaOrProblem(params.id);
        const { parentId, ancestors, counts } = area;
        const around = hash('sha256', JSON.stringify([parentId, ancestors, counts]), 'base64url').slice(
          0,
          16,
        );
        return conditional(headers, weakEtag(version, around), { json: area });
      },
    }),
    route<Principal>()({
      method: 'GET',
      path: '/v1/areas/:id/children',
      operation: 'listAreaChildren',
      tag: 'Areas',
      summary: 'Areas directly within an area',
      access,
      params: AreaParams,
      query: ChildrenQuery,
      answer: { description: 'A page of areas', schema: AreaList },
      alsoAnswers: { 404: 'There is no such area' },
      async handle(call) {
        await areaOrProblem(call.params.id);
        return listed({ ...call.query, parentId: call.params.id }, call);
      },
    }),
    route<Principal>()({
      method: 'GET',
      path: '/v1/areas/:id/boundary',
      operation: 'getAreaBoundary',
      tag: 'Areas',
      summary: 'The boundary of an area',
      access,
      params: AreaParams,
      accepts: ['application/geo+json', 'application/json'],
      answer: { description: 'A GeoJSON feature', schema: Feature, contentType: 'application/geo+json' },
      alsoAnswers: { 304: 'Not changed since the ETag that was sent', 404: 'There is no such area' },
      async handle({ params, headers }) {
        const found = await database.read((sql) => findBoundary(sql, params.id));
        if (!found) throw noArea(params.id);
        const { name, type, boundary, version } = found;
        const json = { type: 'Feature', id: params.id, properties: { name, type }, geometry: boundary };
        return conditional(headers, weakEtag(version), {
          json,
          headers: { 'content-type': 'application/geo+json' },
        });
      },
    }),
  ];
}

function areaQuery({ q, type, parentId, cursor }: ListAsked, limit: number, digest: string): AreaQuery {
  const after = cursor === undefined ? null : readCursor(cursor, digest, ['text']);
  return {
    words: q === undefined ? [] : askedWords(q),
    type: type ?? null,
    parentId: parentId ?? null,
    limit,
    after: after && [String(after.values[0]), after.id],
  };
}

const MOST_WORDS = 10;

/** The words to look for; a text without any would find everything, which nobody means by it. */
function askedWords(q: string): string[] {
  const words = [...new Set(wordsOf(q))];
  if (words.length === 0) throw invalidParameter('q', 'must have at least one letter or digit');
  if (words.length > MOST_WORDS) throw invalidParameter('q', `takes at most ${MOST_WORDS} words`);
  return words;
}

function noArea(id: string): Problem {
  return new Problem(
    'AREA_NOT_FOUND',
    `There is no area with the id "${id}". GET /v1/areas?q= finds ids by name.`,
  );
}
