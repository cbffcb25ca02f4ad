// Query parameters of area lists, and the query that is built from them.

import { type Static, Type } from 'typebox';
import type { Reach } from '../access/tiers/reach.ts';
import { type Box, splitAtAntimeridian } from '../geometry/geometry.ts';
import { badGeometry, checkPoint } from '../geometry/geometry-fault.ts';
import { queryDigest, readCursor, type SortValue, writeCursor } from '../http/input/cursor.ts';
import { invalidParameter, Problem } from '../lib/problem.ts';
import { CURSOR_HINTS } from '../listings/paging.ts';
import { AREA_TYPES, type AreaType } from '../listings/vocabulary.ts';
import { splitWords, tokenize, writtenForms } from '../text/tokenize.ts';

const SORTS = ['name', '-name', 'population', '-population', 'listingCount', '-listingCount'] as const;
const PARTS = ['boundary', 'counts', 'ancestors'] as const;

type Sort = (typeof SORTS)[number];
type Part = (typeof PARTS)[number];

/** The expensive parts of an area to include. */
export type AreaInclude = Readonly<Record<Part, boolean>> & {
  /** The listings that are counted: what is open to the reader. */
  readonly reach: Reach;
};

export interface AreaOrder {
  readonly key: 'name' | 'population' | 'listingCount';
  readonly descending: boolean;
}

/** A word that a name must have: one with this prefix, or one of its other forms. */
export interface QueryWord {
  readonly beginning: string;
  readonly forms: readonly string[];
}

/** The filters, order and start of a list of areas. */
export interface AreaQuery {
  readonly words: readonly QueryWord[];
  /** Only these areas; null: all. */
  readonly nos: readonly number[] | null;
  readonly type: AreaType | null;
  readonly parentNo: number | null;
  readonly ancestorNo: number | null;
  readonly boxes: readonly Box[] | null;
  readonly hasBoundary: boolean | null;
  readonly include: AreaInclude;
  readonly order: AreaOrder;
  readonly limit: number;
  /** Sort value and id of the last area of the page before. */
  readonly after: readonly [SortValue, string] | null;
}

export const includeParameter = Type.Optional(
  Type.Array(Type.Unsafe<Part>({ type: 'string', enum: [...PARTS] }), {
    uniqueItems: true,
    description:
      'Expensive parts to include; the others are null. Default: counts and ancestors. hasBoundary ' +
      'distinguishes a missing boundary from one that was not requested.',
  }),
);

export const typeParameter = Type.Optional(
  Type.Unsafe<AreaType>({
    type: 'string',
    enum: [...AREA_TYPES],
    caseInsensitive: true,
    description: 'Only this type.',
  }),
);

export const pagingParameters = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'Page size, capped at the tier’s maximum.' })),
  cursor: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'The nextCursor of a page. Send the same filters with it.',
      hints: CURSOR_HINTS,
    }),
  ),
};

const id = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }));
const degrees = (max: number, description: string) =>
  Type.Optional(Type.Number({ minimum: -max, maximum: max, description }));

/** Filters shared by all lists of areas. */
export const filterParameters = {
  type: typeParameter,
  hasBoundary: Type.Optional(
    Type.Boolean({ description: 'Only areas with a boundary, or only those without.' }),
  ),
  include: includeParameter,
  sort: Type.Optional(
    Type.Unsafe<Sort>({
      type: 'string',
      enum: [...SORTS],
      description:
        'Sort order; prefix with - for descending. Default: name. Areas of unknown population come last.',
    }),
  ),
  ...pagingParameters,
};

export const ListQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      maxLength: 120,
      description:
        'Starts of words of the name, its aliases and codes, in any order. Ignores accents, and treats Saint as ' +
        'St. If no area matches all words, tolerates typos: one letter in words of four or more, two in words of ' +
        'eight or more.',
    }),
  ),
  suggest: Type.Optional(
    Type.Boolean({
      description:
        'For autocomplete: returns one page of the most likely areas for q, best first. Needs q; cannot be ' +
        'combined with sort or cursor.',
    }),
  ),
  parentId: id('Only areas that have this parent.'),
  ancestorId: id('Only areas below this one, through any of their parents.'),
  lat: degrees(90, 'With lng: only areas whose boundary contains this point, edges included.'),
  lng: degrees(180, 'With lat. Meridians 180 and -180 are the same.'),
  bbox: Type.Optional(
    Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description:
        'minLng,minLat,maxLng,maxLat: only areas whose bounding box intersects it, edges included. minLng above ' +
        'maxLng crosses the antimeridian.',
    }),
  ),
  ...filterParameters,
});

export type AreaListRequest = Static<typeof ListQuery>;

export function includeOf(reach: Reach, parts: readonly Part[] = ['counts', 'ancestors']): AreaInclude {
  return {
    boundary: parts.includes('boundary'),
    counts: parts.includes('counts'),
    ancestors: parts.includes('ancestors'),
    reach,
  };
}

/** The query of the parameters, without numbers of areas: the caller resolves those. */
export function planAreas(params: AreaListRequest, limit: number, reach: Reach): AreaQuery {
  const order = orderOf(params.sort);
  const kind = order.key === 'name' ? 'text' : 'number';
  const after = params.cursor === undefined ? null : readCursor(params.cursor, digestOf(params), [kind]);
  if (after && after.direction !== 'next')
    throw new Problem(
      'INVALID_CURSOR',
      'The cursor leads backwards; lists of areas can only be paged forwards.',
    );
  return {
    words: params.q === undefined ? [] : parseWords(params.q),
    nos: null,
    type: params.type ?? null,
    parentNo: null,
    ancestorNo: null,
    boxes: params.bbox === undefined ? null : boxesOf(params.bbox),
    hasBoundary: params.hasBoundary ?? null,
    include: includeOf(reach, params.include),
    order,
    limit,
    after: after && [after.values[0] ?? null, after.id],
  };
}

/** The cursor of the page after an area. */
export function cursorAfter(params: AreaListRequest, sortValue: SortValue, lastId: string): string {
  const query = digestOf(params);
  return writeCursor({ query, direction: 'next', startedAt: 0, values: [sortValue], id: lastId });
}

/** Throws INVALID_PARAMETER for parameters that cannot be combined. */
export function checkCombinations(params: AreaListRequest): void {
  if ((params.lat === undefined) !== (params.lng === undefined))
    throw invalidParameter(params.lat === undefined ? 'lat' : 'lng', 'is missing: send lat and lng together');
  if (params.suggest !== true) return;
  if (params.q === undefined) throw invalidParameter('suggest', 'needs q');
  for (const name of ['sort', 'cursor'] as const)
    if (params[name] !== undefined) throw invalidParameter(name, 'cannot be combined with suggest=true');
}

/** Digest of the filters and the order. */
function digestOf({ limit: _, cursor: __, include: ___, ...filters }: AreaListRequest): string {
  return queryDigest(
    Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .sort(),
  );
}

function orderOf(sort: Sort = 'name'): AreaOrder {
  const descending = sort.startsWith('-');
  return { key: (descending ? sort.slice(1) : sort) as AreaOrder['key'], descending };
}

const MAX_WORDS = 10;

/** The words of `q`. Throws INVALID_PARAMETER without any: that would match every area. */
function parseWords(q: string): QueryWord[] {
  const words = [...new Set(splitWords(q))];
  if (words.length === 0) throw invalidParameter('q', 'must have at least one letter or digit');
  if (words.length > MAX_WORDS) throw invalidParameter('q', `takes at most ${MAX_WORDS} words`);
  return words.map((beginning) => {
    const [compared = beginning] = tokenize(beginning);
    return { beginning, forms: writtenForms(compared) };
  });
}

function boxesOf([minLng = 0, minLat = 0, maxLng = 0, maxLat = 0]: readonly number[]): Box[] {
  checkPoint('bbox', { lng: minLng, lat: minLat });
  checkPoint('bbox', { lng: maxLng, lat: maxLat });
  if (minLat > maxLat)
    throw badGeometry('bbox', `its south edge ${minLat} is north of its north edge ${maxLat}`);
  return splitAtAntimeridian(minLng, minLat, maxLng, maxLat);
}
