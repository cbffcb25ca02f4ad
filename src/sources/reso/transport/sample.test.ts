// Proof that a sample of a record shows what is wrong with it, and nothing that must not be kept.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleOf } from './sample.ts';

test('keys, kinds and times are shown, other members by their names alone', () => {
  const text = sampleOf(
    {
      ListingKey: null,
      StandardStatus: 'Active',
      ListPrice: 100,
      ChangedAt: '2026-01-01T00:00:00Z',
      PublicRemarks: 'Call Ann at 555-0100',
      ListAgentFullName: 'Ann Agent',
      Media: [{ MediaURL: 'https://photos.example.com/token=secret/1.jpeg' }],
    },
    'ChangedAt',
  );
  assert.equal(
    text,
    '{"ListingKey":null,"StandardStatus":"Active","ListPrice":100,"ChangedAt":"2026-01-01T00:00:00Z"}, also: PublicRemarks, ListAgentFullName, Media',
  );
});

test('whatever stands where a plain value should is described and not shown, and the whole is bounded', () => {
  const text = sampleOf({
    ListingKey: { first: 'Ann' },
    MlsStatus: 'ann@example.com',
    ListingId: 'https://photos.example.com/1',
    PropertyType: ['Ann'],
    StandardStatus: 'x'.repeat(100),
    'Ann Agent <ann@example.com>': 1,
  });
  assert.doesNotMatch(text, /Ann|ann@|https|xxx/);
  assert.match(text, /"StandardStatus":"\(a text of 100 characters\)".*also: 1 more$/);
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`Member${at}`, at]));
  assert.ok(sampleOf(many).length <= 1_000);
  assert.equal(sampleOf('Ann'), 'no record: a text of 3 characters');
});
