// Tests of whom channels show listings: by a second reading of the rules, over all terms.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CHANNELS, type Channel } from '../access/tiers/reach.ts';
import { permittedAudience } from './evaluate.ts';
import { AUDIENCES, type Audience, includes, MARKS, OWN, type Terms } from './terms/terms.ts';

const audience = fc.constantFrom(...AUDIENCES);
const termsArbitrary: fc.Arbitrary<Terms> = fc.record({
  channels: fc.record({
    search: audience,
    stream: audience,
    export: audience,
    watchers: audience,
    market: audience,
    explorer: audience,
    mcp: audience,
  }),
  marks: fc.option(
    fc.record({
      field: fc.constant('MlgCanUse'),
      audiences: fc.record({ IDX: audience, VOW: audience, BO: audience }, { requiredKeys: [] }),
      missing: fc.constantFrom('withhold', 'show'),
    }),
  ),
  maximumAge: fc.option(fc.constantFrom(3_600, 86_400)),
  attribution: fc.constant(null),
  disclaimer: fc.constant(null),
  logo: fc.constant(null),
  hiddenFields: fc.constant([]),
  required: fc.constant([]),
  forgetAfter: fc.constant(null),
});

/** Readers whom each audience has. */
const PERMITTED: Readonly<Record<Audience, readonly Audience[]>> = {
  off: [],
  subscribers: ['subscribers'],
  'signed-in': ['subscribers', 'signed-in'],
  public: ['subscribers', 'signed-in', 'public'],
};

test('a reader sees a listing where the channel, its marks, its age and the operator all let them', () => {
  fc.assert(
    fc.property(
      termsArbitrary,
      fc.subarray([...MARKS]),
      fc.constantFrom(...CHANNELS),
      fc.subarray<Channel | 'all'>(['all', ...CHANNELS]),
      fc.option(fc.constantFrom(0, 3_601, 90_000)),
      fc.constantFrom<Audience>('public', 'signed-in', 'subscribers'),
      fc.boolean(),
      (terms, marks, channel, blocked, age, reader, isInLine) => {
        const permits = (given: Audience): boolean => PERMITTED[given].includes(reader);
        const known = marks.map((mark) => terms.marks?.audiences[mark]).filter((each) => each !== undefined);
        const isMarked =
          terms.marks === null ||
          (known.length === 0
            ? terms.marks.missing === 'show'
            : known.some(permits) || (channel !== 'explorer' && reader === 'subscribers'));
        const isFresh = terms.maximumAge === null || (age !== null && age <= terms.maximumAge);
        const isOpen = !blocked.includes('all') && !blocked.includes(channel);
        const expected = permits(terms.channels[channel]) && isMarked && isFresh && isOpen && isInLine;
        const given = permittedAudience(terms, marks, { blocked: new Set(blocked), age, isInLine }, channel);
        assert.equal(includes(given, reader), expected);
      },
    ),
    { numRuns: 2_000, seed: 44 },
  );
});

test('what is the operator’s own is open to everybody everywhere', () => {
  for (const channel of CHANNELS)
    assert.equal(
      permittedAudience(OWN, [], { blocked: new Set(), age: null, isInLine: true }, channel),
      'public',
    );
});
