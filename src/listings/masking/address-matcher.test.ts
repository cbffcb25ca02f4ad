// Proves that no spelling of a withheld address is left in a text, and that nothing else is taken out of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NO_ADDRESS } from '../../../test/support/catalogue/drafts.ts';
import { spelledStreet, textWith } from '../../../test/support/catalogue/spellings.ts';
import { runs } from '../../../test/support/check/runs.ts';
import type { DraftAddress } from '../draft.ts';
import { addressMatcher } from './address-matcher.ts';

const mask = (address: Partial<DraftAddress>, text: string): string =>
  addressMatcher({ ...NO_ADDRESS, line1: null, ...address }).mask(text);

test('whatever way a house is written, its number and street are masked, and all other words stay', () => {
  const texts = spelledStreet.chain((house) =>
    textWith(house.spellings).map((written) => ({ ...house, ...written })),
  );
  fc.assert(
    fc.property(texts, ({ address, spellings, name, text, rest }) => {
      const masked = mask(address, text);
      assert.doesNotMatch(masked, name);
      const kept = masked.split(';').map((part) => part.trim());
      const others = kept.filter((part) => !/^(?:\(address withheld\)\.?)?$/.test(part));
      assert.deepEqual(others, rest);
      assert.equal(masked.split('(address withheld)').length - 1, spellings.length);
    }),
    runs(400, 41),
  );
});

const QUILLBY = { streetNumber: '2028', streetName: 'Quillby Court' };

test('an address is masked where it runs into other letters, and the street without its number', () => {
  for (const [text, masked] of [
    ['2028 Quillby Ct. is near', '(address withheld). is near'],
    ['Quillby Ct.Great light', '(address withheld).Great light'],
    ["Quillby Court's finest", "(address withheld)'s finest"],
    ['#2028QuillbyCourt', '#(address withheld)'],
    ['tour.example/2028%20Quillby%20Ct', 'tour.example/(address withheld)'],
    ['2028 N Quillby', '(address withheld)'],
    ['the court of Quillby', 'the court of Quillby'],
    ['a court with 2028 roses', 'a court with 2028 roses'],
  ] as const)
    assert.equal(mask(QUILLBY, text), masked);
});

test('a number may stand behind its street, carry a letter, or be missing; crossing streets are masked too', () => {
  assert.equal(
    mask({ full: 'Calle Mayor 5, Madrid' }, 'En Calle Mayor, 5: alcalde mayor'),
    'En (address withheld): alcalde mayor',
  );
  assert.equal(
    mask({ streetNumber: '3A', streetName: 'Oak Rd' }, '3-a Oak Road, 3 Oak'),
    '(address withheld), (address withheld)',
  );
  assert.equal(mask({ streetName: 'Broadway' }, 'on Broadway'), 'on (address withheld)');
  assert.equal(
    mask({ full: '3 Main St, X', streetName: 'Main' }, 'main floor on Main Street'),
    'main floor on (address withheld)',
  );
  assert.equal(
    mask({ crossStreet: 'Oak & Third Ave' }, 'oak floors near 3rd Avenue'),
    'oak floors near (address withheld)',
  );
  assert.equal(mask({}, 'Elm Street'), 'Elm Street');
});

test('an address is masked in HTML, in words, with invisible letters, and where its number or ordinal is cut apart', () => {
  const wexford = {
    full: '4217 N Wexford Street, Aldern',
    streetNumber: '4217',
    streetName: 'N Wexford Street',
  };
  const unit = { ...wexford, unit: 'Apt 3B' };
  const mary = { streetNumber: '77', streetName: "Saint Mary's Ct" };
  const oak = { streetNumber: '12', streetName: 'Oak Street' };
  const ordinal = { streetNumber: '901', streetName: 'NE 21st Ave' };
  const highway = { streetNumber: '1500', streetName: 'US Highway 101' };
  for (const [address, name, texts] of [
    [
      wexford,
      /wexford|4217|seventeen/i,
      [
        '4217&nbsp;N&nbsp;Wexford&nbsp;St',
        '&#52;217&#x20;Wexford',
        '4217 &amp;nbsp; Wex&shy;ford St',
        '<b>4217</b> <i>Wexford</i><br/>Street',
        '4217 Wex\u00adford St',
        'Wex\u200bford Street',

        '4,217 N Wexford',
        'forty-two seventeen Wexford',
        'four thousand two hundred and seventeen Wexford',
        '4217%2520Wexford',
        'Wexford, number 4217',
        `4217${' '.repeat(40)}Wexford`,
      ],
    ],
    [unit, /wexford|3b/i, ['UNIT 3B, 4217 Wexford Str.', '#3B - 4217 N Wexford', '3B/4217 Wexford']],
    [
      mary,
      /mary|77/i,
      ['77 Saint Mary&#39;s Ct', '77 St Mary`s Court', '77 St. Mary\u02bcs', '77 Saint Mary&rsquo;s Ct'],
    ],
    [oak, /oak|12|twelve/i, ['Twelve Oak', 'twelve Oak Street', '12&nbsp;Oak', 'Oak&nbsp;Street, no. 12']],
    [ordinal, /21|901/, ['901 n e 21 st Ave', '901 NE 21 Avenue', '901 21 Ave', '21 Avenue NE']],
    [highway, /101|1500/, ['1500 US-101', '1500 U.S. 101', '1500 Hwy. 101', 'Highway 101']],
    [
      { streetNumber: '8', streetName: 'Mount Vernon Rd' },
      /vernon|8|eight/i,
      ['8 Mt. Vernon', 'Eight Mt Vernon Road'],
    ],
  ] as const)
    for (const text of texts) assert.doesNotMatch(mask(address, text), name, text);
});

test('words and figures that only look like parts of the address stay', () => {
  const oak = { streetNumber: '1', streetName: 'Oak Street' };
  for (const text of ['one oak tree', 'floors of oak, 12 rooms', '<b>oak</b> &amp; 1 bath', '5 < 6 oak > 3'])
    assert.equal(mask(oak, text), text);
  const ordinal = { streetNumber: '901', streetName: '21st Ave' };
  for (const text of ['901 sqft, 21 days', 'of the 21st century', '21 street lamps'])
    assert.equal(mask(ordinal, text), text);
  const highway = { streetNumber: '1500', streetName: 'US Highway 101' };
  assert.equal(mask(highway, '101 roses, 1500 sqft'), '101 roses, 1500 sqft');
});

test('streets and texts may be named like what every object has', () => {
  for (const word of ['constructor', 'valueOf', 'toString', '__proto__']) {
    const address = { streetNumber: '12', streetName: `${word} Street` };
    assert.equal(mask(address, `See 12 ${word} St today`), 'See (address withheld) today', word);
    assert.equal(mask(QUILLBY, `a &${word}; b`), `a &${word}; b`);
  }
});
