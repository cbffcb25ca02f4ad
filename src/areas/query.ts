// Query parameters of area lists, and the query that is built from them.

import { Type } from 'typebox';
import { badGeometry, checkPoint } from '../geometry/degrees.ts';
import { type Box, splitAtAntimeridian } from '../geometry/geometry.ts';
import { queryDigest, readCursor, type SortValue, writeCursor } from '../http/input/cursor.ts';
import { invalidParameter, Problem } from '../lib/problem.ts';
import { CURSOR_HINTS } from '../listings/common-parameters.ts';
import { AREA_TYPES, type AreaType } from '../listings/vocabulary.ts';
import { splitWords, tokenize, writtenForms } from '../text/tokenize.ts';

const SORTS = ['name', '-name', 'population', '-population', 'listingCount', '-listingCount'] as const;
const PARTS = ['boundary', 'counts', 'ancestors'] as const;

type Sort = (typeof SORTS)[number];
type Part = (typeof PARTS)[number];

/** Which costly parts of an area to fill. */
export type AreaInclude = Readonly<Record<Part, boolean>>;

export interface AreaOrder {
  readonly key: 'name' | 'population' | 'listingCount';
  readonly descending: boolean;
}

/** A word that a name must have: one that begins so, or one of other ways to write it. */
export interface QueryWord {
  readonly beginning: string;
  readonly forms: readonly string[];
}

/** Which areas to list, in which order, from where. */
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
const degrees = (most: number, description: string) =>
  Type.Optional(Type.Number({ minimum: -most, maximum: most, description }));

/** What areas can be chosen by besides their parent. */
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

/** The parameters of a list as they were read. */
export interface AreaListRequest {
  readonly q?: string | undefined;
  readonly suggest?: boolean | undefined;
  readonly type?: AreaType | undefined;
  readonly parentId?: string | undefined;
  readonly ancestorId?: string | undefined;
  readonly lat?: number | undefined;
  readonly lng?: number | undefined;
  readonly bbox?: readonly number[] | undefined;
  readonly hasBoundary?: boolean | undefined;
  readonly include?: readonly Part[] | undefined;
  readonly sort?: Sort | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export function includeOf(parts: readonly Part[] = ['counts', 'ancestors']): AreaInclude {
  return {
    boundary: parts.includes('boundary'),
    counts: parts.includes('counts'),
    ancestors: parts.includes('ancestors'),
  };
}

/** What can be planned from the parameters alone; numbers of areas are filled in by whoever looks them up. */
export function planAreas(asked: AreaListRequest, limit: number): AreaQuery {
  const order = orderOf(asked.sort);
  const kind = order.key === 'name' ? 'text' : 'number';
  const after = asked.cursor === undefined ? null : readCursor(asked.cursor, digestOf(asked), [kind]);
  if (after && after.direction !== 'next') throw badDirection();
  return {
    words: asked.q === undefined ? [] : askedWords(asked.q),
    nos: null,
    type: asked.type ?? null,
    parentNo: null,
    ancestorNo: null,
    boxes: asked.bbox === undefined ? null : boxesOf(asked.bbox),
    hasBoundary: asked.hasBoundary ?? null,
    include: includeOf(asked.include),
    order,
    limit,
    after: after && [after.values[0] ?? null, after.id],
  };
}

/** The cursor that goes on behind an area of this list. */
export function cursorAfter(asked: AreaListRequest, sortValue: SortValue, lastId: string): string {
  const query = digestOf(asked);
  return writeCursor({ query, direction: 'next', startedAt: 0, values: [sortValue], id: lastId });
}

/** Refuses parameters that make no sense together. */
export function checkCombinations(asked: AreaListRequest): void {
  if ((asked.lat === undefined) !== (asked.lng === undefined))
    throw invalidParameter(asked.lat === undefined ? 'lat' : 'lng', 'is missing: send lat and lng together');
  if (asked.suggest !== true) return;
  if (asked.q === undefined) throw invalidParameter('suggest', 'needs q');
  for (const name of ['sort', 'cursor'] as const)
    if (asked[name] !== undefined) throw invalidParameter(name, 'cannot be combined with suggest=true');
}

/** Everything that decides which areas there are and in which order. */
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

const MOST_WORDS = 10;

/** The words to look for; a text without any would find everything, which nobody means by it. */
function askedWords(q: string): QueryWord[] {
  const words = [...new Set(splitWords(q))];
  if (words.length === 0) throw invalidParameter('q', 'must have at least one letter or digit');
  if (words.length > MOST_WORDS) throw invalidParameter('q', `takes at most ${MOST_WORDS} words`);
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

function badDirection(): Problem {
  return new Problem(
    'INVALID_CURSOR',
    'The cursor leads backwards; lists of areas can only be paged forwards.',
  );
}
