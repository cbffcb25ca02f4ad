// Parts of a property that are added only on request: photos, areas, comparables, the estimate and RESO's fields.

import { type Static, Type } from 'typebox';
import { findAreaNames } from '../areas/name-store.ts';
import type { CallUsage } from '../http/frame/call-usage.ts';
import { presentListing } from '../listings/presenter.ts';
import { PROPERTY_PARTS, PropertySchema } from '../listings/property-record.ts';
import { ListingSchema, nullable, oneOf } from '../listings/record.ts';
import { presentReso } from '../listings/reso-record.ts';
import { findResoRecords } from '../listings/reso-store.ts';
import { AREA_TYPES } from '../listings/vocabulary.ts';
import { ComparableSchema, DEFAULT_COUNT, listComparables } from './comparables.ts';
import type { VisibleProperty } from './subject-property.ts';
import { type Estimate, EstimateSchema, estimateProperty, type ValuationSources } from './valuation.ts';

const UNLESS = 'Null unless included.';

const NamedArea = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: oneOf(AREA_TYPES),
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

const LOOKED_UP_PARTS = ['photos', 'areas', 'comparables', 'estimate', 'reso'] as const;

export const INCLUDABLE = [...PROPERTY_PARTS, ...LOOKED_UP_PARTS, 'daysOnMarket'] as const;
export type Includable = (typeof INCLUDABLE)[number];

/** Whether parts are included that have to be looked up, and can change without the property. */
export const needsLookup = (include: readonly Includable[]): boolean =>
  LOOKED_UP_PARTS.some((part) => include.includes(part));

export const NO_PARTS: PropertyParts = {
  photos: null,
  areas: null,
  comparables: null,
  estimate: null,
  reso: null,
};

/** What the record shows of it: a property names no sources but those of its listings. */
async function estimateOf(parts: ValuationSources, visible: VisibleProperty): Promise<Estimate> {
  const { sources: _, ...estimate } = await estimateProperty(parts, visible);
  return estimate;
}

/** Looks up the parts that are included; the others are null. */
export async function findIncludedParts(
  sources: ValuationSources,
  visible: VisibleProperty,
  include: readonly Includable[],
  usage: CallUsage,
): Promise<PropertyParts> {
  const { database } = sources;
  const { subject } = visible;
  const { view } = visible;
  const [areas, comparables, estimate, records] = await Promise.all([
    include.includes('areas') ? findAreaNames(database, subject.areaIds) : null,
    include.includes('comparables')
      ? listComparables({ database, nearby: database }, visible, { count: DEFAULT_COUNT })
      : null,
    include.includes('estimate') ? estimateOf(sources, visible) : null,
    include.includes('reso') ? findResoRecords(database, [subject.id]) : null,
  ]);
  for (const { source } of comparables?.listings ?? []) usage.shows(source);
  const photos = include.includes('photos') ? (presentListing(subject, view)?.photos ?? []) : null;
  const reso = records && presentReso(records.get(subject.id), subject, view);
  return { photos, areas, comparables: comparables?.data ?? null, estimate, reso };
}
