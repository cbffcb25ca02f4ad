// Tests of arguments as hosts send them: what has one meaning is taken, and nothing else is changed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { normalizeArguments } from './lenient-arguments.ts';

const SCHEMAS: Readonly<Record<string, object>> = {
  city: { type: 'array', items: { type: 'string' } },
  sort: { type: 'array', items: { type: 'string' } },
  kind: { type: 'array', items: { type: 'string', enum: ['CONDO', 'LAND'] } },
  bedrooms: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'string', form: 'range' }] } },
  limit: { type: 'integer' },
  radius: { type: 'string' },
  hasPhotos: { type: 'boolean' },
  bbox: { type: 'string', written: 'numbers' },
  metadata: { type: 'object' },
  cadence: { anyOf: [{ type: 'string', enum: ['daily'] }, { type: 'null' }] },
  target: {
    anyOf: [
      { type: 'object', properties: { type: { const: 'listing' }, listingId: { type: 'string' } } },
      {
        type: 'object',
        properties: {
          type: { const: 'search' },
          query: {
            type: 'object',
            properties: {
              minBedrooms: { type: 'integer' },
              city: { type: 'array', items: { type: 'string' } },
            },
          },
        },
      },
    ],
  },
};
const normal = (args: Record<string, unknown>) => normalizeArguments(args, (name) => SCHEMAS[name]);

const MEANT: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
  ['one value for a list', { city: 'Eastmark' }, { city: ['Eastmark'] }],
  ['a list as JSON text', { city: '["Eastmark"]' }, { city: ['Eastmark'] }],
  ['a name with a comma is one name', { city: 'Washington, D.C.' }, { city: ['Washington, D.C.'] }],
  ['values of an enumeration between commas', { kind: 'CONDO, LAND' }, { kind: ['CONDO', 'LAND'] }],
  ['sort keys between commas', { sort: 'price,-listedAt' }, { sort: ['price', '-listedAt'] }],
  ['a number as text', { limit: '1' }, { limit: 1 }],
  ['numbers of a list', { bedrooms: ['2', 3] }, { bedrooms: [2, 3] }],
  ['one number for a list', { bedrooms: 2 }, { bedrooms: [2] }],
  ['a range stays a text', { bedrooms: '2:4' }, { bedrooms: ['2:4'] }],
  ['a postal code as a number', { city: [97201], radius: 5 }, { city: ['97201'], radius: '5' }],
  ['booleans as text', { hasPhotos: 'True' }, { hasPhotos: true }],
  ['one value in a list', { limit: [2] }, { limit: 2 }],
  [
    'unused ones',
    { city: null, limit: '', hasPhotos: null, radius: '', kind: [], cadence: null, bbox: '' },
    {},
  ],
  ['a box as JSON text', { bbox: '[1,2,3,4]' }, { bbox: [1, 2, 3, 4] }],
  [
    'an object as text keeps the values that are its own',
    { metadata: '{"a":"","b":"1"}' },
    { metadata: { a: '', b: '1' } },
  ],
  [
    'objects within objects',
    {
      target:
        '{"type":"search","listingId":null,"query":"{\\"minBedrooms\\":\\"3\\",\\"city\\":\\"Eastmark\\"}"}',
    },
    { target: { type: 'search', query: { minBedrooms: 3, city: ['Eastmark'] } } },
  ],
];

for (const [what, sent, meant] of MEANT)
  test(`taken as it is meant: ${what}`, () => assert.deepEqual(normal(sent), meant));

test('what has no one meaning stays for the strict reader to refuse', () => {
  for (const sent of [
    { limit: 'three' },
    { limit: '1,000' },
    { limit: [1, 2] },
    { limit: true },
    { hasPhotos: 'yes' },
    { hasPhotos: 1 },
    { radius: { km: 2 } },
    { radius: 1.5 },
    { metadata: '{"a":' },
    { metadata: '{"__proto__":"x"}' },
  ])
    assert.deepEqual(normal(sent), sent);
});

test('arguments of the right types stay as they are, whatever their texts say', () => {
  const args = fc.record(
    {
      city: fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
      limit: fc.integer(),
      hasPhotos: fc.boolean(),
      radius: fc.string({ minLength: 1 }),
      bedrooms: fc.array(fc.nat(), { minLength: 1 }),
      metadata: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  fc.assert(fc.property(args, (sent) => assert.deepEqual(normal(sent), sent)));
});
