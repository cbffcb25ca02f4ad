// Proof that a number with two readings is taken as one of them only where its map, its column or its field says which.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertEvery } from '../../../test/support/check/every.ts';
import { runs } from '../../../test/support/check/runs.ts';
import { parseMap } from './map.ts';
import { compileMap, sentenceOf, surveyNumbers } from './row.ts';

type Rule = Readonly<Record<string, unknown>>;

/** Reads texts as a column of a file that holds just these; null for each that is rejected. */
function readColumn(field: string, rule: Rule, texts: readonly unknown[]): (number | null)[] {
  return outcomes(field, rule, texts).map(({ value }) => value);
}

function outcomes(field: string, rule: Rule, texts: readonly unknown[]) {
  const constant = (value: string) => ({ constant: value });
  const fields = {
    listingKey: { column: 'id' },
    listingType: constant('sale'),
    status: constant('ACTIVE'),
    propertyType: constant('CONDO'),
    currency: constant('EUR'),
    [field]: { column: 'value', ...rule },
  };
  const source = { id: 'here', name: 'Here' };
  const map = parseMap('map.json', JSON.stringify({ kind: 'listings', source, fields }));
  const records = texts.map((value, at) => ({ id: `${at}`, value }));
  const survey = surveyNumbers(map);
  for (const record of records) survey.add(record);
  const read = compileMap(map, survey.columns);
  return records.map((each, at) => {
    const record = { row: at + 1, place: at + 2, fields: each, broken: null, geometry: null };
    const { values, faults } = read({ ...record, rejectedText: () => '' });
    return { value: faults.length === 0 ? values.number(field) : null, reason: sentenceOf(faults) };
  });
}

const german = { format: '1.234,5' };
const english = { format: '1,234.5' };

test('prices and areas as a German file writes them are read as they are meant', () => {
  const prices = ['450.000', '385.000', '1.250.000', '499.900,00', '310.000 €', '275000'];
  assert.deepEqual(
    readColumn('listPrice', german, prices),
    [450_000, 385_000, 1_250_000, 499_900, 310_000, 275_000],
  );
  const areas = ['85', '1.100', '120,5', '90', '70', '60'];
  assert.deepEqual(
    readColumn('livingArea', { ...german, unit: 'sqm' }, areas),
    [85, 1_100, 120.5, 90, 70, 60].map((value) => Math.round(value * 10.763910416709722 * 100) / 100),
  );
  assert.deepEqual(readColumn('lotSize', german, ['3.000', '12.500']), [3_000, 12_500]);
});

test('a number that could be another is rejected, with both readings and what to write for each', () => {
  for (const format of [undefined, '1,234.5']) {
    const [first] = outcomes('listPrice', format === undefined ? {} : { format }, ['155.000', '90.500']);
    assert.match(
      first?.reason ?? '',
      /^value "155\.000" could be 155 or 155000 \(say "format": "1234\.5" for the first, "1\.234,5" for the second\)$/,
    );
  }
  assert.deepEqual(readColumn('listPrice', english, ['€155.000']), [null]);
  assert.deepEqual(readColumn('closePrice', { format: '1 234,5' }, ['3,000']), [null]);
  assert.deepEqual(readColumn('listPrice', { format: '1234.5' }, ['155.000']), [155]);
  // A number of JSON has one reading.
  assert.deepEqual(readColumn('listPrice', german, [155.125, '155.125']), [155.125, 155_125]);
});

test('the other values of a column show which reading is meant, unless they contradict each other', () => {
  assert.deepEqual(readColumn('listPrice', {}, ['155.000', '12.5']), [155, 12.5]);
  assert.deepEqual(readColumn('listPrice', english, ['155.000', '1,155.25']), [155, 1_155.25]);
  const [mixed] = outcomes('listPrice', english, ['155.000', '1,155.25', '1.155,25']);
  assert.match(mixed?.reason ?? '', /could be 155 or 155000, and its column has "1\.155,25"/);
  assert.deepEqual(readColumn('listPrice', german, ['155.000', '12.5', '12.25']), [null, null, null]);
  // One slip among many does not decide.
  const many = [...Array.from({ length: 50 }, (_, at) => `${at + 1}.000`), '12.5'];
  assert.deepEqual(readColumn('listPrice', german, many), [
    ...Array.from({ length: 50 }, (_, at) => (at + 1) * 1_000),
    null,
  ]);
});

test('a field that can hold but one of two readings takes that one', () => {
  assert.deepEqual(readColumn('bathrooms', {}, ['2.250']), [2.25]);
  assert.deepEqual(readColumn('bedrooms', {}, ['3.000']), [3]);
  assert.deepEqual(readColumn('bedrooms', german, ['3.000']), [null]);
  assert.deepEqual(readColumn('livingArea', {}, ['1.250']), [null]);
});

test('whatever a German or an English file holds, no number comes out as another one than was written', () => {
  const amount = fc.record({ whole: fc.nat({ max: 2_000_000 }), cents: fc.option(fc.nat({ max: 999 })) });
  const write = (locale: string, { whole, cents }: { whole: number; cents: number | null }): string =>
    (whole + (cents ?? 0) / 1_000).toLocaleString(locale, {
      ...(cents === null ? { maximumFractionDigits: 0 } : { minimumFractionDigits: 1 + (cents % 3) }),
      maximumFractionDigits: cents === null ? 0 : 3,
    });
  fc.assert(
    fc.property(
      fc.constantFrom('de-DE', 'en-US'),
      fc.constantFrom(undefined, '1,234.5', '1.234,5'),
      fc.array(amount, { minLength: 1, maxLength: 6 }),
      (locale, format, amounts) => {
        const texts = amounts.map((each) => write(locale, each));
        const read = readColumn('taxes.amount', format === undefined ? {} : { format }, texts);
        const isDeclared = format === (locale === 'de-DE' ? '1.234,5' : '1,234.5');
        for (const [at, value] of read.entries()) {
          const { whole = 0, cents = 0 } = amounts[at] ?? {};
          const meant = whole + (cents ?? 0) / 1_000;
          if (isDeclared && value !== null)
            assert.ok(Math.abs(value - meant) < 1e-6, `${texts[at]} of ${texts}`);
          // Under a wrong format a text that has groups and decimals is rejected; one of groups alone is what the map says.
          else if (value !== null && format === undefined)
            assert.ok(Math.abs(value - meant) < 1e-6, `${texts[at]} of ${texts}`);
        }
        if (isDeclared && texts.some((text) => /[.,]\d{1,2}$|[.,]\d{3}[.,]/.test(text)))
          assertEvery(read, (value) => value !== null, `${texts}`);
      },
    ),
    runs(2_000, 11),
  );
});
