// Proves that no spelling of a withheld address is left in a text, and that nothing else is taken out of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NO_ADDRESS } from '../../test/support/drafts.ts';
import { runs } from '../../test/support/runs.ts';
import { spelledStreet, textWith } from '../../test/support/spellings.ts';
import { addressMatcher } from './address-matcher.ts';
import type { DraftAddress } from './draft.ts';

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
