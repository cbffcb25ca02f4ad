// Owns the parts of a property that are told only when asked for: photos, areas, comparables, the estimate and RESO's fields.

import { type Static, Type } from 'typebox';
import { nameAreas } from '../areas/area-name-store.ts';
import { presentListing, type View } from '../listings/present.ts';
import { PROPERTY_PARTS, PropertySchema } from '../listings/property.ts';
import { ListingSchema, nullable } from '../listings/record.ts';
import { presentReso } from '../listings/reso.ts';
import { findResoRecords } from '../listings/reso-store.ts';
import { AREA_TYPES, type AreaType } from '../listings/vocabulary.ts';
import { ComparableSchema, DEFAULT_COUNT, DEFAULT_DAYS_OLD, tellComparables } from './comparables-answer.ts';
import { kilometresOf } from './compared.ts';
import type { SeenProperty } from './property-answer.ts';
import { DEFAULT_RADIUS } from './property-list-routes.ts';
import { EstimateSchema, estimateProperty, type Valuer } from './valuation.ts';

const UNLESS = 'Null unless included.';

const NamedArea = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.Unsafe<AreaType>({ type: 'string', enum: [...AREA_TYPES] }),
});

const PartsSchema = Type.Object({
  photos: nullable(ListingSchema.properties.photos),
  areas: nullable(Type.Array(NamedArea, { description: `Smallest first. ${UNLESS}` })),
  comparables: nullable(
    Type.Array(ComparableSchema, {
      description: `The response of /comparables without parameters, at most ${DEFAULT_COUNT}. ${UNLESS}`,
    }),
  ),
  estimate: nullable(EstimateSchema),
  reso: nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The source’s own RESO fields of the property’s current listing, without withheld ones. Null if the ' +
        `source is not a RESO server. ${UNLESS}`,
    }),
  ),
});
export type PropertyParts = Static<typeof PartsSchema>;

export const FullPropertySchema = Type.Object(
  { ...PropertySchema.properties, ...PartsSchema.properties },
  {
    $id: 'Property',
    description:
      'A property. Each of its listings is one period on the market. listings, history, photos, areas, comparables, estimate and reso are null unless included.',
  },
);

const GATHERED = ['photos', 'areas', 'comparables', 'estimate', 'reso'] as const;

export const INCLUDABLE = [...PROPERTY_PARTS, ...GATHERED, 'daysOnMarket'] as const;
export type Includable = (typeof INCLUDABLE)[number];

/** Whether anything beyond the property's own record is asked for: it has to be looked up, and changes by itself. */
export const gathers = (include: readonly Includable[]): boolean =>
  GATHERED.some((part) => include.includes(part));

export const NO_PARTS: PropertyParts = {
  ...{ photos: null, areas: null, comparables: null, estimate: null, reso: null },
};

/** Looks up the parts that are asked for; the others are null. */
export type GatherParts = (
  seen: SeenProperty,
  include: readonly Includable[],
  view: View,
) => Promise<PropertyParts>;

export function propertyParts(valuer: Valuer): GatherParts {
  return (seen, include, view) =>
    // However fresh the subject is, its neighbours are told as they are stored.
    gatherParts(valuer, seen, include, { ...view, source: 'cached' });
}

async function gatherParts(
  valuer: Valuer,
  seen: SeenProperty,
  include: readonly Includable[],
  view: View,
): Promise<PropertyParts> {
  const asked = new Set(include);
  const { database } = valuer;
  const { subject } = seen;
  const comparing = {
    listingType: subject.listingType,
    radiusKm: kilometresOf(DEFAULT_RADIUS, view.units),
    daysOld: DEFAULT_DAYS_OLD,
    count: DEFAULT_COUNT,
  };
  const [areas, comparables, estimate, records] = await Promise.all([
    asked.has('areas') ? nameAreas(database, subject.areaIds) : null,
    asked.has('comparables') ? tellComparables(database, seen, comparing, view) : null,
    asked.has('estimate') ? estimateProperty(valuer, seen, view) : null,
    asked.has('reso') ? findResoRecords(database, [subject.id]) : null,
  ]);
  const photos = asked.has('photos') ? (presentListing(subject, view)?.photos ?? []) : null;
  const reso = records && presentReso(records.get(subject.id), subject, view);
  return { photos, areas, comparables: comparables?.data ?? null, estimate, reso };
}
