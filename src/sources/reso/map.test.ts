// Proves what each RESO field becomes, in both spellings, and that no record is too strange to be read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LISTING_TYPES, PRICE_FREQUENCIES, PROPERTY_TYPES, STATUSES } from '../../catalogue/vocabulary.ts';
import type { UpstreamRecord } from './decode.ts';
import { mapProperty } from './map.ts';
import { PROPERTY_FIELDS } from './query.ts';

function map(record: UpstreamRecord, note: (field: string) => void = () => {}) {
  const draft = mapProperty({ ListingKey: 'k1', ...record }, { currency: 'USD', note });
  assert.ok(draft !== null);
  return draft;
}

function noted(record: UpstreamRecord): string[] {
  const fields: string[] = [];
  map(record, (field) => fields.push(field));
  return fields.sort();
}

const rental = (record: UpstreamRecord) => map({ PropertyType: 'Residential Lease', ...record });

const STATUS_TABLE = [
  ['Active', 'Active', 'ACTIVE'],
  ['Active Under Contract', 'ActiveUnderContract', 'ACTIVE_UNDER_CONTRACT'],
  ['Coming Soon', 'ComingSoon', 'COMING_SOON'],
  ['Pending', 'Pending', 'PENDING'],
  ['Hold', 'Hold', 'HOLD'],
  ['Withdrawn', 'Withdrawn', 'WITHDRAWN'],
  ['Canceled', 'Canceled', 'CANCELED'],
  ['Expired', 'Expired', 'EXPIRED'],
  ['Closed', 'Closed', 'CLOSED'],
  ['Delete', 'Delete', 'DELETED'],
  ['Incomplete', 'Incomplete', 'INCOMPLETE'],
] as const;

test('every standard status is read in both spellings', () => {
  for (const [display, legacy, ours] of STATUS_TABLE) {
    assert.equal(map({ StandardStatus: display }).status, ours);
    assert.equal(map({ StandardStatus: legacy }).status, ours);
  }
});

test('a status that the dictionary does not have is unknown, with the raw word kept and counted', () => {
  const draft = map({ StandardStatus: 'Sold Conditionally' });
  assert.equal(draft.status, 'UNKNOWN');
  assert.equal(draft.statusRaw, 'Sold Conditionally');
  assert.deepEqual(noted({ StandardStatus: 'Sold Conditionally' }), ['StandardStatus']);
  assert.equal(map({ StandardStatus: 'Active', MlsStatus: 'Act-Kickout' }).statusRaw, 'Act-Kickout');
});

test('leases are rentals and all else is for sale', () => {
  const types = {
    'Residential Lease': 'rental',
    ResidentialLease: 'rental',
    'Commercial Lease': 'rental',
    CommercialLease: 'rental',
    'Residential Income': 'sale',
    ResidentialIncome: 'sale',
    Residential: 'sale',
    Land: 'sale',
  };
  for (const [type, listingType] of Object.entries(types)) {
    assert.equal(map({ PropertyType: type }).listingType, listingType, type);
  }
});

const PROPERTY_TYPE_TABLE = [
  ['Residential', 'Condominium', 'Condominium', 'CONDO'],
  ['Residential', 'Stock Cooperative', 'StockCooperative', 'COOP'],
  ['Residential Lease', 'Apartment', 'Apartment', 'APARTMENT'],
  ['Residential', 'Single Family Residence', 'SingleFamilyResidence', 'SINGLE_FAMILY'],
  ['Residential', 'Townhouse', 'Townhouse', 'TOWNHOUSE'],
  ['ResidentialIncome', 'Duplex', 'Duplex', 'MULTI_FAMILY'],
  ['Residential', 'Multi Family', 'MultiFamily', 'MULTI_FAMILY'],
  ['ManufacturedInPark', 'Manufactured Home', 'ManufacturedHome', 'MANUFACTURED'],
  ['Land', 'Unimproved Land', 'UnimprovedLand', 'LAND'],
  ['CommercialSale', 'Mixed Use', 'MixedUse', 'COMMERCIAL'],
  ['CommercialLease', 'Office', 'Office', 'COMMERCIAL'],
  ['BusinessOpportunity', 'Business', 'Business', 'COMMERCIAL'],
  ['Residential', 'Boat Slip', 'BoatSlip', 'OTHER'],
] as const;

test('type and sub-type together make our property type, in both spellings', () => {
  for (const [type, display, legacy, ours] of PROPERTY_TYPE_TABLE) {
    for (const subType of [display, legacy]) {
      const draft = map({ PropertyType: type, PropertySubType: subType });
      assert.equal(draft.propertyType, ours, `${type} ${subType}`);
      assert.equal(draft.propertySubType, display);
    }
  }
  assert.equal(map({ PropertyType: 'Farm' }).propertyType, 'LAND');
  assert.equal(map({ PropertyType: 'Residential' }).propertyType, 'OTHER');
});

test('a half bath is half a bathroom, whatever the total says', () => {
  assert.equal(map({ BathroomsFull: 2, BathroomsHalf: 1, BathroomsTotalInteger: 3 }).bathrooms, 2.5);
  assert.equal(map({ BathroomsFull: 1, BathroomsThreeQuarter: 1, BathroomsOneQuarter: 2 }).bathrooms, 2.25);
  assert.equal(map({ BathroomsTotalInteger: 3 }).bathrooms, 3);
  assert.equal(map({ BathroomsHalf: 1, BathroomsTotalInteger: 3 }).bathrooms, 3);
  assert.equal(map({ BathroomsTotalDecimal: 2.5, BathroomsTotalInteger: 3 }).bathrooms, 2.5);
  assert.equal(map({}).bathrooms, null);
});

test('rent is the list price, per what the frequency says, and monthly where nothing is said', () => {
  const draft = rental({ ListPrice: 2_400, LeaseAmount: 99 });
  assert.deepEqual([draft.listPrice, draft.priceFrequency], [2_400, 'MONTHLY']);
  const frequencies = {
    Weekly: 'WEEKLY',
    Daily: 'DAILY',
    Annually: 'ANNUALLY',
    Quarterly: 'QUARTERLY',
    'One Time': 'ONE_TIME',
    OneTime: 'ONE_TIME',
  };
  for (const [stated, ours] of Object.entries(frequencies)) {
    const priced = rental({ ListPrice: 500, LeaseAmountFrequency: stated });
    assert.deepEqual([priced.listPrice, priced.priceFrequency], [500, ours]);
  }
  for (const stated of ['Bi-Weekly', 'BiWeekly']) {
    const priced = rental({ ListPrice: 1_200, ClosePrice: 1_100, LeaseAmountFrequency: stated });
    assert.deepEqual(
      [priced.listPrice, priced.closePrice, priced.priceFrequency],
      [2_600, 2_383.33, 'MONTHLY'],
    );
  }
  assert.equal(
    map({ PropertyType: 'Residential', LeaseAmountFrequency: 'Weekly' }).priceFrequency,
    'ONE_TIME',
  );
});

test('a price of nothing is no price, and a closed listing keeps its two prices apart', () => {
  assert.equal(map({ ListPrice: 0 }).listPrice, null);
  assert.equal(map({ ListPrice: -5 }).listPrice, null);
  const closed = map({ StandardStatus: 'Closed', ClosePrice: 90 });
  assert.deepEqual([closed.listPrice, closed.closePrice], [null, 90]);
});

test('fees and taxes come per month', () => {
  const fees = {
    Monthly: 120,
    Annually: 10,
    'Semi-Annually': 20,
    SemiAnnually: 20,
    Quarterly: 40,
    'Bi-Monthly': 60,
    BiMonthly: 60,
    'Semi-Monthly': 240,
    Weekly: 520,
  };
  for (const [frequency, perMonth] of Object.entries(fees)) {
    assert.equal(
      map({ AssociationFee: 120, AssociationFeeFrequency: frequency }).associationFee,
      perMonth,
      frequency,
    );
  }
  const two = {
    AssociationFee: 100,
    AssociationFeeFrequency: 'Monthly',
    AssociationFee2: 120,
    AssociationFee2Frequency: 'Annually',
  };
  assert.equal(map(two).associationFee, 110);
  assert.equal(map({ AssociationFee: 100 }).associationFee, null);
  assert.equal(map({ AssociationFee: 100, AssociationFeeFrequency: 'One Time' }).associationFee, null);
  const taxed = map({ TaxAnnualAmount: '4,065.00', TaxYear: 2024, TaxAssessedValue: 216_513 });
  assert.equal(taxed.tax, 338.75);
  assert.deepEqual(taxed.taxes, [{ year: 2024, amount: 4_065, assessedValue: 216_513 }]);
});

test('areas come in square feet from any of their units', () => {
  assert.equal(map({ LivingArea: 100, LivingAreaUnits: 'Square Meters' }).livingArea, 1_076.39);
  assert.equal(map({ LivingArea: 100, LivingAreaUnits: 'SquareMeters' }).livingArea, 1_076.39);
  assert.equal(map({ LivingArea: 100, LivingAreaUnits: 'SquareFeet' }).livingArea, 100);
  assert.equal(map({ LivingArea: 100 }).livingArea, 100);
  assert.equal(map({ LivingArea: 100, LivingAreaUnits: 'Tatami' }).livingArea, null);
  assert.equal(map({ LotSizeArea: 0.5, LotSizeUnits: 'Acres' }).lotSize, 21_780);
  assert.equal(map({ LotSizeArea: 10, LotSizeUnits: 'SquareMeters' }).lotSize, 107.64);
  assert.equal(map({ LotSizeAcres: 1 }).lotSize, 43_560);
  assert.equal(map({ LotSizeSquareFeet: 5_000, LotSizeAcres: 1 }).lotSize, 5_000);
});

test('rental terms are read in both spellings', () => {
  for (const [display, legacy, months] of [
    ['12 Months', 'TwelveMonths', 12],
    ['6 Months', 'SixMonths', 6],
    ['24 Months', 'TwentyFourMonths', 24],
    ['Month To Month', 'MonthToMonth', 1],
    ['Short Term Lease', 'ShortTermLease', null],
  ] as const) {
    for (const term of [display, legacy]) {
      const { rental: terms } = rental({ LeaseTerm: term });
      assert.deepEqual([terms?.leaseTerm, terms?.leaseTermMonths], [[display], months]);
    }
  }
  for (const pets of [
    ['Cats OK', 'Dogs OK', 'Size Limit'],
    ['CatsOk', 'DogsOk', 'SizeLimit'],
    'Cats OK,Dogs OK,Size Limit',
  ]) {
    const { rental: terms } = rental({ PetsAllowed: pets });
    assert.deepEqual([terms?.pets, terms?.petsAllowed], [['cats', 'dogs', 'size_limit'], true]);
  }
  assert.equal(rental({ PetsAllowed: ['No'] }).rental?.petsAllowed, false);
  assert.equal(rental({ PetsAllowed: ['Call'] }).rental?.petsAllowed, null);
  assert.equal(rental({ PetsAllowed: 'Yes' }).rental?.petsAllowed, true);
  assert.deepEqual(rental({ RentIncludes: ['TrashCollection', 'Water', 'None'] }).rental?.utilitiesIncluded, [
    'trash_collection',
    'water',
  ]);
  assert.equal(rental({ Furnished: ['Partially'] }).rental?.furnished, 'Partially');
  assert.equal(rental({ AvailabilityDate: '2026-02-01T00:00:00Z' }).rental?.availableFrom, '2026-02-01');
  assert.deepEqual(rental({ MoveInCosts: 'SecurityDeposit' }).rental?.moveInCosts, [
    { type: 'Security Deposit', amount: null },
  ]);
  assert.equal(map({ PropertyType: 'Residential' }).rental, null);
});

test('numbers come as numbers, floats, texts and lists of one', () => {
  for (const value of [12, 12.0, '12', ' 12.0 ', [12], ['12']])
    assert.equal(map({ BedroomsTotal: value }).bedrooms, 12);
  for (const value of ['1,250,000', '$1,250,000.00', 1.25e6, '1.25e6'])
    assert.equal(map({ ListPrice: value }).listPrice, 1_250_000);
  for (const value of ['TBD', 'twelve', {}, [1, 2], true, '1,2'])
    assert.equal(map({ BedroomsTotal: value }).bedrooms, null);
  assert.equal(map({ BedroomsTotal: 0 }).bedrooms, 0);
  assert.equal(map({ GarageSpaces: 2.5 }).garageSpaces, 2);
  assert.equal(map({ YearBuilt: 0 }).yearBuilt, null);
  assert.equal(map({ YearBuilt: 19_830 }).yearBuilt, null);
});

test('times without a zone are UTC, and dates that are none are unknown', () => {
  const time = (value: unknown) => map({ ModificationTimestamp: value }).upstreamModifiedAt;
  assert.equal(time('2026-01-05T09:30:00'), '2026-01-05T09:30:00.000Z');
  assert.equal(time('2026-01-05 09:30:00.1234567'), '2026-01-05T09:30:00.123Z');
  assert.equal(time('2026-01-05T09:30:00-05:00'), '2026-01-05T14:30:00.000Z');
  assert.equal(time('2026-01-05T09:30:00Z'), '2026-01-05T09:30:00.000Z');
  assert.equal(time('2026-02-30T09:30:00Z'), null);
  const date = (value: unknown) => map({ CloseDate: value }).closedAt;
  assert.equal(date('2026-01-05'), '2026-01-05');
  assert.equal(date('2026-01-05T23:00:00-08:00'), '2026-01-05');
  for (const value of ['TBD', '01/05/2026', '2026-02-30', '0001-01-01', 20_260_105])
    assert.equal(date(value), null);
});

test('flags have three states, and only an explicit no hides', () => {
  const shown = (value: unknown) => map({ InternetEntireListingDisplayYN: value }).display.listing;
  assert.deepEqual([true, 'Y', null, undefined, 'perhaps'].map(shown), [true, true, true, true, true]);
  assert.deepEqual([false, 'false', 'N', 'No', 0, '0'].map(shown), [
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
  assert.equal(map({ InternetAddressDisplayYN: false }).display.address, false);
  assert.equal(map({ InternetAutomatedValuationDisplayYN: false }).display.estimate, false);
  assert.deepEqual(
    [map({}).newConstruction, map({ NewConstructionYN: false }).newConstruction],
    [null, false],
  );
});

test('media become photos in order from 0, floor plans and a tour', () => {
  const media = (MediaKey: string, Order: unknown, more: UpstreamRecord = {}) => ({
    MediaKey,
    Order,
    MediaURL: `https://x.test/${MediaKey}.jpg`,
    MediaCategory: 'Photo',
    ...more,
  });
  const draft = map({
    PhotosCount: 2,
    Media: [
      media('b', '2', { ImageWidth: '640', ShortDescription: 'Kitchen' }),
      media('a', 1),
      media('plan', 3, { MediaCategory: 'FloorPlan' }),
      media('tour', 4, { MediaCategory: 'Unbranded Virtual Tour' }),
      media('paper', 5, { MediaCategory: 'Document' }),
      media('secret', 0, { Permission: ['Private'] }),
      media('bad', 0, { MediaURL: 'javascript:alert(1)' }),
      media('a', 9),
    ],
  });
  assert.deepEqual(
    draft.photos?.map(({ id, order }) => [id, order]),
    [
      ['a', 0],
      ['b', 1],
    ],
  );
  assert.deepEqual(
    [draft.photos?.[1]?.width, draft.photos?.[1]?.caption, draft.photos?.[1]?.category],
    [640, 'Kitchen', 'Photo'],
  );
  assert.deepEqual(
    draft.floorPlans.map(({ id }) => id),
    ['plan'],
  );
  assert.equal(draft.virtualTourUrl, 'https://x.test/tour.jpg');
});

test('photos are kept where an answer does not carry them, or carries none of the many it counts', () => {
  assert.equal(map({ PhotosCount: 3 }).photos, null);
  assert.equal(map({ PhotosCount: 3, Media: [] }).photos, null);
  assert.deepEqual(map({ PhotosCount: 0, Media: [] }).photos, []);
});

test('open houses come in order of their start, and those without one not at all', () => {
  const draft = map({
    OpenHouse: [
      { OpenHouseKey: '2', OpenHouseStartTime: '2026-01-11T13:00:00', OpenHouseStatus: 'Canceled' },
      {
        OpenHouseKey: '1',
        OpenHouseDate: '2026-01-10',
        OpenHouseStartTime: '13:00:00',
        OpenHouseEndTime: '15:00:00',
        OpenHouseType: 'LivestreamPublic',
        AppointmentRequiredYN: 'N',
      },
      { OpenHouseKey: '3', OpenHouseStartTime: 'TBD' },
    ],
  });
  assert.deepEqual(
    draft.openHouses?.map(({ id, startsAt, endsAt }) => [id, startsAt, endsAt]),
    [
      ['1', '2026-01-10T13:00:00.000Z', '2026-01-10T15:00:00.000Z'],
      ['2', '2026-01-11T13:00:00.000Z', null],
    ],
  );
  assert.deepEqual(
    [draft.openHouses?.[0]?.type, draft.openHouses?.[0]?.appointmentRequired],
    ['Livestream Public', false],
  );
  assert.equal(map({}).openHouses, null);
});

test('features are slugs, the same for both spellings', () => {
  const display = {
    Appliances: ['Washer', 'Dryer', 'Dishwasher', 'Wine Cooler'],
    Cooling: ['Central Air'],
    AssociationAmenities: ['Fitness Center', 'Elevator(s)', 'Insurance'],
    InteriorFeatures: ['Walk-In Closet(s)', 'See Remarks'],
    LaundryFeatures: ['In Unit'],
  };
  const legacy = {
    Appliances: 'Washer,Dryer,Dishwasher,WineCooler',
    Cooling: 'CentralAir',
    AssociationAmenities: ['FitnessCenter', 'Elevators'],
    InteriorFeatures: ['WalkInClosets', 'SeeRemarks'],
    LaundryFeatures: 'InUnit',
  };
  const ours = [
    'air_conditioning',
    'central_ac',
    'dishwasher',
    'dryer',
    'elevator',
    'gym',
    'in_unit_laundry',
    'walk_in_closets',
    'washer',
    'washer_dryer',
    'wine_cooler',
  ];
  assert.deepEqual(map(display).features, ours);
  assert.deepEqual(map(legacy).features, ours);
  assert.deepEqual(map({ Cooling: ['None'], PoolFeatures: ['None'], PoolPrivateYN: false }).features, []);
  assert.deepEqual(map({ PoolPrivateYN: true, FireplacesTotal: 2 }).features, ['fireplace', 'pool']);
});

test('the street is put together from its parts, and a place at 0,0 is none', () => {
  const { address } = map({
    StreetNumber: '12',
    StreetDirPrefix: 'NE',
    StreetName: 'Alder',
    StreetSuffix: 'St',
    UnitNumber: '4B',
    City: 'Port',
    SubdivisionName: 'Old Mill',
  });
  assert.deepEqual(
    [address.streetNumber, address.streetName, address.unit, address.neighborhood],
    ['12', 'NE Alder St', '4B', 'Old Mill'],
  );
  assert.deepEqual(map({ Latitude: '47.6', Longitude: -122.3 }).location, {
    lat: 47.6,
    lng: -122.3,
    precision: 'exact',
  });
  assert.equal(map({ Latitude: 0, Longitude: 0 }).location, null);
  assert.equal(map({ Latitude: 91, Longitude: 0 }).location, null);
  assert.equal(map({ Latitude: 47 }).location, null);
});

test('a record without a key is the only one that is dropped', () => {
  const fields: string[] = [];
  const note = (field: string) => fields.push(field);
  assert.equal(mapProperty({ ListPrice: 5 }, { currency: 'USD', note }), null);
  assert.deepEqual(fields, ['ListingKey']);
  assert.equal(mapProperty({ ListingKey: 17 }, { currency: 'USD', note })?.listingKey, '17');
});

test('each unreadable field is counted once a record', () => {
  assert.deepEqual(noted({ TaxAnnualAmount: 'a lot', CloseDate: 'TBD', Media: [{ MediaURL: 'x' }, 5] }), [
    'CloseDate',
    'Media',
    'Media.MediaURL',
    'TaxAnnualAmount',
  ]);
  assert.deepEqual(noted({ ListPrice: 5, CloseDate: null, YearBuilt: '' }), []);
});

test('texts lose what a database cannot keep', () => {
  assert.equal(map({ PublicRemarks: ' a\u0000b\ud800c\n ' }).description, 'ab\ufffdc');
});

test('every field that is read is asked for', () => {
  const read = new Set<string>();
  const record = {
    ListingKey: '1',
    PropertyType: 'Residential Lease',
    AssociationFee: 1,
    StreetName: 'A',
    MlgCanView: true,
  };
  const get = (target: Readonly<Record<string, unknown>>, name: string | symbol) => {
    read.add(String(name));
    return Reflect.get(target, name);
  };
  map(new Proxy(record, { get }));
  const asked = new Set([...PROPERTY_FIELDS, 'Media', 'OpenHouse', 'OpenHouses']);
  assert.deepEqual(
    [...read].filter((name) => !asked.has(name)),
    [],
  );
});

const strange = fc.oneof(
  fc.jsonValue(),
  fc.string(),
  fc.constantFrom(
    'TBD',
    '12.0',
    '2026-01-05',
    '2026-01-05T10:00:00',
    'Active',
    'Residential Lease',
    'https://x.test/a',
    -1,
    1e300,
    Number.NaN,
  ),
);
const child = fc.dictionary(
  fc.constantFrom('MediaKey', 'MediaURL', 'Order', 'MediaCategory', 'OpenHouseStartTime', 'Permission'),
  strange,
);
const anyRecord = fc.record({
  fields: fc.dictionary(fc.constantFrom(...PROPERTY_FIELDS), strange),
  media: fc.oneof(strange, fc.array(fc.oneof(child, strange))),
});

function isStorable(value: unknown): boolean {
  const text = JSON.stringify(value);
  return !text.includes('\\u0000') && !/\\ud[89a-f]/i.test(text) && text === JSON.stringify(JSON.parse(text));
}

test('whatever a server sends becomes a valid draft and never an exception', () => {
  fc.assert(
    fc.property(anyRecord, ({ fields, media }) => {
      const draft = map({ ...fields, ListingKey: 'k1', Media: media, OpenHouse: media });
      assert.ok(isStorable(draft), 'storable');
      assert.ok(STATUSES.includes(draft.status) && LISTING_TYPES.includes(draft.listingType));
      assert.ok(
        PROPERTY_TYPES.includes(draft.propertyType) && PRICE_FREQUENCIES.includes(draft.priceFrequency),
      );
      for (const price of [draft.listPrice, draft.closePrice, draft.livingArea, draft.lotSize, draft.tax]) {
        assert.ok(price === null || (Number.isFinite(price) && price >= 0));
      }
      for (const count of [draft.bedrooms, draft.rooms, draft.stories, draft.floor, draft.photoCount]) {
        assert.ok(count === null || Number.isSafeInteger(count));
      }
      for (const time of [draft.listedAt, draft.upstreamModifiedAt])
        assert.ok(time === null || /^\d{4}-.*Z$/.test(time));
      for (const date of [draft.closedAt, draft.expiresOn])
        assert.ok(date === null || /^\d{4}-\d\d-\d\d$/.test(date));
      assert.deepEqual(draft.features, [...new Set(draft.features)].sort());
      assert.deepEqual(draft.photos?.map(({ order }) => order) ?? [], [...(draft.photos ?? []).keys()]);
    }),
    { numRuns: 500 },
  );
});
