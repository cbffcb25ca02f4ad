// Proves how single values, media, open houses, features and addresses of a RESO record are read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapped, unreadable } from '../../../../test/support/sources/mapping.ts';
import type { UpstreamRecord } from './decode.ts';
import { mapProperty } from './map.ts';
import { PROPERTY_FIELDS } from './property-fields.ts';

test('a timestamp that holds the day alone stays a day, and midnight in UTC stays a moment', () => {
  const pendingAt = (value: unknown) => mapped({ PendingTimestamp: value }).pendingAt;
  assert.equal(pendingAt('2026-07-01'), '2026-07-01');
  assert.equal(pendingAt('2026-07-01T00:00:00Z'), '2026-07-01T00:00:00.000Z');
  assert.equal(pendingAt('2026-02-30'), null);
});

test('numbers come as numbers, floats, texts and lists of one', () => {
  for (const value of [12, 12.0, '12', ' 12.0 ', [12], ['12']])
    assert.equal(mapped({ BedroomsTotal: value }).bedrooms, 12);
  for (const value of ['1,250,000', '$1,250,000.00', 1.25e6, '1.25e6'])
    assert.equal(mapped({ ListPrice: value }).listPrice, 1_250_000);
  for (const value of ['TBD', 'twelve', {}, [1, 2], true, '1,2'])
    assert.equal(mapped({ BedroomsTotal: value }).bedrooms, null);
  assert.equal(mapped({ BedroomsTotal: 0 }).bedrooms, 0);
  assert.equal(mapped({ GarageSpaces: 2.5 }).garageSpaces, 2);
  assert.equal(mapped({ YearBuilt: 0 }).yearBuilt, null);
  assert.equal(mapped({ YearBuilt: 19_830 }).yearBuilt, null);
});

test('times without a zone are UTC, and dates that are none are unknown', () => {
  const time = (value: unknown) => mapped({ ModificationTimestamp: value }).upstreamModifiedAt;
  assert.equal(time('2026-01-05T09:30:00'), '2026-01-05T09:30:00.000Z');
  assert.equal(time('2026-01-05 09:30:00.1234567'), '2026-01-05T09:30:00.123Z');
  assert.equal(time('2026-01-05T09:30:00-05:00'), '2026-01-05T14:30:00.000Z');
  assert.equal(time('2026-01-05T09:30:00Z'), '2026-01-05T09:30:00.000Z');
  assert.equal(time('2026-02-30T09:30:00Z'), null);
  const date = (value: unknown) => mapped({ CloseDate: value }).closedAt;
  assert.equal(date('2026-01-05'), '2026-01-05');
  assert.equal(date('2026-01-05T23:00:00-08:00'), '2026-01-05');
  for (const value of ['TBD', '01/05/2026', '2026-02-30', '0001-01-01', 20_260_105])
    assert.equal(date(value), null);
});

test('a flag has three states', () => {
  assert.deepEqual(
    [mapped({}).newConstruction, mapped({ NewConstructionYN: false }).newConstruction],
    [null, false],
  );
});

test('a time without a zone is of the zone of its source, where that is known', () => {
  const read = (timeZone: string | null) =>
    mapProperty(
      { ListingKey: 'a', ModificationTimestamp: '2026-07-05T09:30:00' },
      { currency: 'USD', note: () => {}, timeZone },
    )?.upstreamModifiedAt;
  assert.equal(read('America/Los_Angeles'), '2026-07-05T16:30:00.000Z');
  assert.equal(read(null), '2026-07-05T09:30:00.000Z');
});

test('a modification that lies in the future is unknown', () => {
  const at = (stated: string) =>
    mapProperty(
      { ListingKey: 'a', ModificationTimestamp: stated },
      { currency: 'USD', note: () => {}, latest: Date.UTC(2026, 0, 5) },
    )?.upstreamModifiedAt;
  assert.equal(at('2099-01-01T00:00:00Z'), null);
  assert.equal(at('2026-01-04T00:00:00Z'), '2026-01-04T00:00:00.000Z');
});

test('media become photos in order from 0, floor plans and a tour', () => {
  const media = (MediaKey: string, Order: unknown, more: UpstreamRecord = {}) => ({
    MediaKey,
    Order,
    MediaURL: `https://x.test/${MediaKey}.jpg`,
    MediaCategory: 'Photo',
    ...more,
  });
  const draft = mapped({
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
  assert.equal(mapped({ PhotosCount: 3 }).photos, null);
  assert.equal(mapped({ PhotosCount: 3, Media: [] }).photos, null);
  assert.deepEqual(mapped({ PhotosCount: 0, Media: [] }).photos, []);
});

test('open houses come in order of their start, in the clocks of their place, and those without one not at all', () => {
  const draft = mapped({
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
      ['1', '2026-01-10T13:00:00.000', '2026-01-10T15:00:00.000'],
      ['2', '2026-01-11T13:00:00.000', null],
    ],
  );
  assert.deepEqual(
    [draft.openHouses?.[0]?.type, draft.openHouses?.[0]?.appointmentRequired],
    ['Livestream Public', false],
  );
  assert.equal(mapped({}).openHouses, null);
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
  assert.deepEqual(mapped(display).features, ours);
  assert.deepEqual(mapped(legacy).features, ours);
  assert.deepEqual(mapped({ Cooling: ['None'], PoolFeatures: ['None'], PoolPrivateYN: false }).features, []);
  assert.deepEqual(mapped({ PoolPrivateYN: true, FireplacesTotal: 2 }).features, ['fireplace', 'pool']);
});

test('the street is put together from its parts, and a place at 0,0 is none', () => {
  const { address } = mapped({
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
  assert.deepEqual(mapped({ Latitude: '47.6', Longitude: -122.3 }).location, {
    lat: 47.6,
    lng: -122.3,
    precision: 'exact',
  });
  assert.equal(mapped({ Latitude: 0, Longitude: 0 }).location, null);
  assert.equal(mapped({ Latitude: 91, Longitude: 0 }).location, null);
  assert.equal(mapped({ Latitude: 47 }).location, null);
});

test('a record without a key is the only one that is dropped', () => {
  const fields: string[] = [];
  const note = (field: string) => fields.push(field);
  assert.equal(mapProperty({ ListPrice: 5 }, { currency: 'USD', note }), null);
  assert.deepEqual(fields, ['ListingKey']);
  assert.equal(mapProperty({ ListingKey: 17 }, { currency: 'USD', note })?.listingKey, '17');
});

test('each unreadable field is counted once a record', () => {
  assert.deepEqual(
    unreadable({ TaxAnnualAmount: 'a lot', CloseDate: 'TBD', Media: [{ MediaURL: 'x' }, 5] }),
    ['CloseDate', 'Media', 'Media.MediaURL', 'TaxAnnualAmount'],
  );
  assert.deepEqual(unreadable({ ListPrice: 5, CloseDate: null, YearBuilt: '' }), []);
});

test('texts lose what a database cannot keep', () => {
  assert.equal(mapped({ PublicRemarks: ' a\u0000b\ud800c\n ' }).description, 'ab\ufffdc');
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
  mapped(new Proxy(record, { get }));
  const asked = new Set([...PROPERTY_FIELDS, 'Media', 'OpenHouse', 'OpenHouses']);
  assert.deepEqual(
    [...read].filter((name) => !asked.has(name)),
    [],
  );
});

test('the small one of a picture is its thumbnail, and a picture only where there is no other', () => {
  const medium = (MediaKey: string, MediaObjectID: string, ImageSizeDescription: string) => ({
    MediaKey,
    MediaObjectID,
    ImageSizeDescription,
    MediaCategory: 'Photo',
    MediaURL: `https://x.test/${MediaKey}.jpg`,
  });
  const { photos } = mapped({
    Media: [
      medium('small', 'front', 'Thumbnail'),
      medium('large', 'front', 'Large'),
      medium('alone', 'back', 'Thumbnail'),
    ],
  });
  assert.deepEqual(
    photos?.map(({ id, thumbnailUrl }) => [id, thumbnailUrl]),
    [
      ['large', 'https://x.test/small.jpg'],
      ['alone', 'https://x.test/alone.jpg'],
    ],
  );
});
