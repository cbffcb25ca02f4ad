// Proves that each hidden member of a draft is gone from the record that is made of it, and that nothing else is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { draft } from '../../../test/support/catalogue/drafts.ts';
import { Placement } from '../../areas/placement.ts';
import { HIDEABLE, type Hideable } from '../../licence/terms/terms.ts';
import type { ListingDraft } from '../../listings/draft.ts';
import { PropertySchema } from '../../listings/property-record.ts';
import { ListingSchema } from '../../listings/record.ts';
import { planWrite } from '../write-plan.ts';
import { withhold } from './withhold.ts';

const person = { id: '1', name: 'Ann', phone: '555', email: 'a@b.example' };
const photo = {
  id: 'p',
  url: 'https://x.example/p.jpg',
  thumbnailUrl: null,
  width: 1,
  height: 1,
  caption: 'x',
  category: null,
  order: 0,
};
const FULL: ListingDraft = draft('full', {
  status: 'CLOSED',
  statusRaw: 'Sold',
  listPrice: 400_000,
  closePrice: 390_000,
  associationFee: 10,
  tax: 20,
  propertySubType: 'Ranch',
  bedrooms: 3,
  bathrooms: 2,
  bathroomsFull: 2,
  bathroomsHalf: 0,
  rooms: 5,
  livingArea: 1_000,
  lotSize: 2_000,
  yearBuilt: 1990,
  stories: 1,
  floor: 2,
  parkingSpaces: 1,
  garageSpaces: 1,
  unitsTotal: 1,
  features: ['pool'],
  newConstruction: false,
  waterfront: false,
  saleConditions: ['Short Sale'],
  description: 'x',
  photos: [photo],
  photoCount: 1,
  floorPlans: [photo],
  virtualTourUrl: 'https://x.example/',
  openHouses: [
    {
      id: 'o',
      startsAt: '2026-01-01T10:00:00.000Z',
      endsAt: null,
      type: null,
      status: null,
      remarks: null,
      livestreamUrl: null,
      appointmentRequired: null,
    },
  ],
  agent: person,
  office: person,
  closedAt: '2025-01-01',
  expiresOn: '2026-01-01',
  listingUrl: 'https://x.example/',
  daysOnMarketReported: 3,
  taxes: [{ year: 2024, amount: 1, assessedValue: 2 }],
  buildingName: 'Tower',
  copyright: '© x',
  reso: { PublicRemarks: 'x' },
});

/** Members of a stored record that a hidden one stands for. */
const MEMBERS: Partial<Readonly<Record<Hideable, readonly string[]>>> = {
  bathrooms: ['bathrooms', 'bathroomsFull', 'bathroomsHalf'],
  livingArea: ['livingArea', 'pricePerArea'],
  photos: ['photos', 'floorPlans'],
  building: ['buildingName'],
};

function recordOf(one: ListingDraft): Readonly<Record<string, unknown>> {
  const { record } =
    planWrite('test', one, null, NOWHERE, 0, undefined, undefined, false, () => 1) ?? assert.fail();
  const { property, ...rest } = record;
  return { ...rest, ...property };
}
const NOWHERE = new Placement([]);
const isEmpty = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

test('hidden members are empty, and all others are as they were', () => {
  const whole = recordOf(FULL);
  fc.assert(
    fc.property(fc.subarray([...HIDEABLE]), (hiddenFields) => {
      const withheld = withhold(FULL, { hiddenFields, required: [] });
      const record = recordOf(withheld);
      const gone = new Set(hiddenFields.flatMap((name) => MEMBERS[name] ?? [name]));
      for (const [name, value] of Object.entries(record))
        if (gone.has(name)) assert.ok(isEmpty(value), name);
        else assert.deepEqual(value, whole[name], name);
      assert.equal(withheld.reso === undefined, hiddenFields.length > 0);
    }),
    { numRuns: 300, seed: 68 },
  );
});

test('only members that records have can be hidden', () => {
  const known = { ...ListingSchema.properties, ...PropertySchema.properties };
  for (const name of HIDEABLE) assert.ok(name in known, name);
});

test('a hidden price paid is no asking price either, and what is missing is required of what is there alone', () => {
  const paid = { ...FULL, listPrice: 390_000 };
  assert.equal(recordOf(withhold(paid, { hiddenFields: ['closePrice'], required: [] })).price, null);
  const nameless = { ...FULL, office: null };
  const required = ['brokerage'] as const;
  assert.equal(withhold(nameless, { hiddenFields: [], required }).display.listing, false);
  assert.equal(withhold(FULL, { hiddenFields: ['agent'], required: ['agent'] }).display.listing, true);
  assert.equal(
    withhold({ ...nameless, status: 'DELETED' }, { hiddenFields: [], required }).display.listing,
    true,
  );
});
