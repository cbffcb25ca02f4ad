// Tests of amounts and enumerations in words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moneyWords, priceWords } from './words.ts';

test('an amount is written in its currency, and as a number where that is not known', () => {
  assert.equal(moneyWords(759_900, 'USD'), '$759,900');
  assert.equal(moneyWords(1_250.5, 'EUR'), '€1,250.50');
  assert.equal(moneyWords(900, 'CHF'), 'CHF 900');
  assert.equal(moneyWords(9_000, 'JPY'), '¥9,000');
  assert.equal(moneyWords(1_000, null), '1,000');
  assert.equal(moneyWords(1_000, 'dollars'), '1,000');
});

test('a rent says what it pays for, and a price that is paid once says nothing more', () => {
  const price = (priceFrequency: string | null) =>
    priceWords({ price: 2_000, currency: 'USD', priceFrequency });
  assert.deepEqual(['ONE_TIME', null].map(price), ['$2,000', '$2,000']);
  assert.equal(price('MONTHLY'), '$2,000 a month');
});
