// Proof that servers are recognized by what only they have, and that nothing is claimed of others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { profileNames, readProfile } from './profile.ts';
import { recognize, type Seen } from './recognize.ts';

const profiles = profileNames().map((name) => readProfile(name, { originatingSystem: 'any' }));
const NOTHING: Seen = { host: 'feed.example.com', fields: null, headers: new Set(), hasNumericErrors: null };
const bestOf = (seen: Partial<Seen>) => recognize(profiles, { ...NOTHING, ...seen })[0];

test('a server of which nothing particular is seen is nobody’s', () => {
  assert.equal(bestOf({ fields: new Set(['ListingKey', 'ModificationTimestamp']) }), undefined);
  assert.equal(bestOf({ host: 'notsparkapi.com' }), undefined);
});

test('host, fields, headers and errors speak for a profile, and most signs win', () => {
  assert.equal(bestOf({ host: 'replication.sparkapi.com' })?.profile, 'spark');
  assert.equal(bestOf({ hasNumericErrors: true })?.profile, 'spark');
  assert.equal(bestOf({ fields: new Set(['MlgCanView']) })?.profile, 'mlsgrid');
  assert.equal(bestOf({ headers: new Set(['hour-quota-limit']) })?.profile, 'trestle');
  const seen = {
    fields: new Set(['BridgeModificationTimestamp', 'MlgCanView']),
    headers: new Set(['burst-ratelimit-limit']),
  };
  assert.deepEqual(bestOf(seen), {
    profile: 'bridge',
    signs: ['field BridgeModificationTimestamp', 'header Burst-RateLimit-Limit'],
  });
});
