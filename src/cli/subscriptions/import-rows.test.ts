// Proves that a row of a file of keys is taken as it is meant or refused in words, and that no refusal repeats what may be a key.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { PLANS } from '../../access/tiers/tiers.ts';
import type { SourceRecord } from '../../import/formats/record.ts';
import { parseStripeKey, parseSubscription, RowFault } from './import-rows.ts';

const record = (fields: Readonly<Record<string, unknown>>): SourceRecord => ({
  row: 1,
  place: 2,
  fields,
  broken: null,
  geometry: null,
  rejectedText: () => '',
});
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const keys = fc.uuid().map((uuid) => `SERVICE-${uuid}`);
const mixedCase = (text: fc.Arbitrary<string>) =>
  fc.tuple(text, fc.boolean()).map(([each, isLower]) => (isLower ? each.toLowerCase() : each.toUpperCase()));
const blanks = fc.constantFrom('', ' ', '\t ');
const words = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9 ]{0,30}[A-Za-z0-9])?$/);
const moments = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });

test('a complete row comes out as it is meant, whatever its blanks and case', () => {
  fc.assert(
    fc.property(
      fc.record({
        key: mixedCase(keys),
        plan: fc.constantFrom(...PLANS),
        end: moments,
        who: words,
        label: words,
      }),
      blanks,
      ({ key, plan, end, who, label }, blank) => {
        const parsed = parseSubscription(
          record({ key: `${blank}${key}${blank}`, plan, endsAt: end.toISOString(), customer: who, label }),
        );
        assert.deepEqual(parsed, {
          place: 2,
          keyHash: sha256(key.toUpperCase()),
          keyHint: key.toUpperCase().slice(-4),
          plan,
          endsAt: end.toISOString(),
          customer: who,
          label,
        });
      },
    ),
  );
});

test('what is absent stays absent, and what is empty removes an end and a label but no customer', () => {
  const key = 'SERVICE-5B1F0C9E-7A52-4C0B-9E55-0F6C2B7D1A01';
  const known = { place: 2, keyHash: sha256(key), keyHint: '1A01', plan: 'pro' };
  assert.deepEqual(parseSubscription(record({ key, plan: 'pro' })), known);
  for (const empty of ['', ' ', null]) {
    const parsed = parseSubscription(
      record({ key, plan: 'pro', endsAt: empty, customer: empty, label: empty }),
    );
    assert.deepEqual(parsed, { ...known, endsAt: null, label: '' });
  }
});

test('any row is taken or refused in one sentence, which repeats no key', () => {
  const values = fc.oneof(
    keys,
    fc.string(),
    fc.constantFrom(...PLANS, 'sub_A1', '2099-01-01', null, 3, true),
  );
  const names = fc.constantFrom('key', 'plan', 'endsAt', 'customer', 'label', 'subscription', 'Key');
  const rows = fc.dictionary(
    fc.oneof({ weight: 9, arbitrary: names }, { weight: 1, arbitrary: keys }),
    values,
  );
  const outcomes = { taken: 0, refused: 0 };
  for (const parse of [parseSubscription, parseStripeKey]) {
    fc.assert(
      fc.property(rows, keys, fc.boolean(), (row, key, isComplete) => {
        const basis = parse === parseSubscription ? { key, plan: 'pro' } : { key, subscription: 'sub_A1' };
        try {
          const parsed = parse(record(isComplete ? { ...row, ...basis } : row));
          assert.match(parsed.keyHash, /^[0-9a-f]{64}$/);
          outcomes.taken++;
        } catch (error) {
          assert.ok(error instanceof RowFault, String(error));
          assert.match(error.message, /^(?:has|cannot) /);
          assert.ok(!/SERVICE-[0-9A-F]{8}/i.test(error.message), error.message);
          outcomes.refused++;
        }
      }),
      { numRuns: 500 },
    );
  }
  assert.ok(outcomes.taken > 50 && outcomes.refused > 50, JSON.stringify(outcomes));
});
