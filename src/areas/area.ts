// Area: its public schema, its id, and how a draft from a file is measured.

import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { centroidOf } from '../geometry/centroid.ts';
import { areaKm2, type Boundary, type Box, boundaryBox, type Point } from '../geometry/geometry.ts';
import { nullable } from '../listings/record.ts';
import { AREA_TYPES, type AreaType } from '../listings/vocabulary.ts';
import { plainLetters, splitWords } from '../text/tokenize.ts';

const AreaTypeSchema = Type.Unsafe<AreaType>({ type: 'string', enum: [...AREA_TYPES] });

export const BoundarySchema = Type.Unsafe<Boundary>(
  Type.Object(
    {
      type: Type.Unsafe<Boundary['type']>({ type: 'string', enum: ['Polygon', 'MultiPolygon'] }),
      coordinates: Type.Array(Type.Unknown()),
    },
    { description: 'GeoJSON (RFC 7946).' },
  ),
);

const BOX_RULE =
  'minLng, minLat, maxLng, maxLat: the narrowest box around the boundary. minLng above maxLng crosses the ' +
  'antimeridian (RFC 7946, section 5.2).';

export const AreaSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('area'),
    name: Type.String(),
    slug: Type.String(),
    type: AreaTypeSchema,
    parentId: nullable(Type.String({ description: 'The primary parent.' })),
    parentIds: Type.Array(Type.String(), { description: 'All direct parents.' }),
    ancestors: nullable(
      Type.Array(Type.Object({ id: Type.String(), name: Type.String(), type: AreaTypeSchema }), {
        description: 'The parents, their parents and so on, each once, nearest first.',
      }),
    ),
    centroid: nullable(Type.Object({ lat: Type.Number(), lng: Type.Number() })),
    bbox: nullable(Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: BOX_RULE })),
    hasBoundary: Type.Boolean(),
    boundary: nullable(BoundarySchema),
    areaKm2: nullable(Type.Number()),
    timezone: nullable(Type.String()),
    currency: nullable(Type.String({ description: 'ISO 4217' })),
    aliases: Type.Array(Type.String()),
    codes: Type.Object({
      fips: nullable(Type.String()),
      postal: nullable(Type.String()),
      iso: nullable(Type.String()),
    }),
    population: nullable(Type.Integer()),
    counts: nullable(
      Type.Object(
        { rentals: Type.Integer(), sales: Type.Integer() },
        { description: 'Listings that are ACTIVE now.' },
      ),
    ),
    source: Type.String(),
  },
  {
    $id: 'Area',
    description: 'A named area. All keys are always present; unknown and not requested values are null.',
  },
);

export type Area = Static<typeof AreaSchema>;

/** An area as a file states it. A parent is named by its id, its id in the file, or one of its codes. */
export interface AreaDraft {
  readonly type: AreaType;
  readonly externalId: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly codes: Readonly<Record<string, string>>;
  readonly parentReference: string | null;
  /** Parents besides the first. */
  readonly otherParents?: readonly string[];
  readonly population: number | null;
  /** On whose clocks its periods begin and end, such as America/Chicago; absent: its parent's. */
  readonly timeZone?: string;
  readonly boundary: Boundary | null;
}

/** What is worked out of a draft when it is written. */
export interface MeasuredArea {
  readonly id: string;
  readonly slug: string;
  readonly words: readonly string[];
  readonly box: Box | null;
  readonly centroid: Point | null;
  readonly areaKm2: number | null;
  readonly digest: Buffer;
}

/** Lower case, without accents and punctuation, words parted by a hyphen: for ids and addresses. */
export function slugOf(text: string): string {
  return splitWords(text).join('-') || 'area';
}

/** The id of an area: its type and its id in the file, so that a re-import finds the same area. */
export function areaId(type: AreaType, externalId: string): string {
  const [kind, slug] = [type.replaceAll('_', '-'), slugOf(externalId)];
  return slug.startsWith(`${kind}-`) ? slug : `${kind}-${slug}`;
}

export function measure(draft: AreaDraft, source: string): MeasuredArea {
  const { boundary } = draft;
  const box = boundary && boundaryBox(boundary);
  return {
    id: areaId(draft.type, draft.externalId),
    slug: slugOf(draft.name),
    words: findableWords([draft.name, ...draft.aliases, ...Object.values(draft.codes)]),
    box,
    centroid: boundary && centroidOf(boundary),
    areaKm2: boundary && Math.round(areaKm2(boundary) * 1000) / 1000,
    digest: createHash('sha256')
      // What crosses the antimeridian was measured another way once, and has to be written again.
      .update(JSON.stringify([draft, source, ...(box && box[2] > 180 ? [box] : [])]))
      .digest(),
  };
}

function findableWords(texts: readonly string[]): string[] {
  const words = texts.flatMap(splitWords);
  return [...new Set([...words, ...words.map(plainLetters)])];
}
