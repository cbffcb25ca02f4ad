// Examples of pushing for the OpenAPI document.

import type { Examples } from '../http/openapi/openapi-examples.ts';

const OF_SOURCE = { source: 'my-crm' };
const OF_LISTING = { ...OF_SOURCE, key: 'A-1027' };
const RECORD = {
  listingType: 'sale',
  status: 'ACTIVE',
  propertyType: 'SINGLE_FAMILY',
  currency: 'USD',
  listPrice: 425_000,
  bedrooms: 3,
  bathrooms: 2,
  address: { streetNumber: '2421', streetName: 'Silver Way', city: 'Ashcombe', state: 'MW', country: 'US' },
  location: { lat: 40.81, lng: -137.44 },
  photos: ['https://images.example.com/a-1027/1.jpg'],
};
const OPERATIONS = {
  putListing: OF_LISTING,
  patchListing: OF_LISTING,
  getPushedListing: OF_LISTING,
  endListing: { ...OF_LISTING, status: 'WITHDRAWN' },
  putListings: OF_SOURCE,
  takeSnapshot: OF_SOURCE,
  putPhoto: { ...OF_LISTING, number: 0 },
  deletePhoto: { ...OF_LISTING, number: 0 },
  receiveEvents: { source: 'reso' },
};

export const PUSH_EXAMPLES: Examples = {
  parameters: { sequence: 1_027, modifiedAt: '2026-03-01T12:00:00Z', accept: false, dryRun: false },
  perOperation: { ...OPERATIONS, takeSnapshot: { ...OF_SOURCE, status: 'WITHDRAWN' } },
  samples: OPERATIONS,
  bodies: {
    putListing: RECORD,
    patchListing: { listPrice: 419_000, description: null },
    putListings: [{ listingKey: 'A-1028', ...RECORD }],
    takeSnapshot: ['A-1027', 'A-1028'],
    receiveEvents: {
      '@reso.context': 'urn:reso:metadata:2.0:resource:entityevent',
      value: [{ EntityEventSequence: 1101, ResourceName: 'Property', ResourceRecordKey: '235021' }],
    },
  },
};
