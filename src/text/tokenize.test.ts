// Proves that names which a misspelt word may mean are found by few of its trigrams, and that words do not depend on what stands beside them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isMisspelt, selectiveTrigrams, splitWords, trigramsOf } from './tokenize.ts';

const letter = fc.constantFrom(...'abc');
const word = fc.array(letter, { minLength: 4, maxLength: 14 }).map((letters) => letters.join(''));
/** What may be done to a word at a place: put in, left out, replaced, or exchanged. */
const slip = fc.tuple(fc.constantFrom('in', 'out', 'other', 'exchange'), fc.nat({ max: 14 }), letter);

function slipped(text: string, [how, place, by]: readonly [string, number, string]): string {
  const at = place % text.length;
  if (how === 'in') return text.slice(0, at) + by + text.slice(at);
  if (how === 'out') return text.slice(0, at) + text.slice(at + 1);
  if (how === 'other') return text.slice(0, at) + by + text.slice(at + 1);
  return (
    text.slice(0, at) +
    text
      .slice(at, at + 2)
      .split('')
      .toReversed()
      .join('') +
    text.slice(at + 2)
  );
}

test('a name that is misspelt has one of the telling trigrams of what was asked', () => {
  fc.assert(
    fc.property(word, fc.array(slip, { minLength: 1, maxLength: 2 }), (name, slips) => {
      const asked = slips.reduce(slipped, name);
      fc.pre(asked.length >= 4 && isMisspelt(asked, name));
      const had = new Set(trigramsOf(name));
      assert.ok(selectiveTrigrams(asked).some((trigram) => had.has(trigram)));
    }),
    { numRuns: 5_000, seed: 3 },
  );
});

test('a text of plain letters has the same words alone and beside a letter with an accent', () => {
  const ascii = fc.string({ unit: 'binary-ascii', maxLength: 40 });
  fc.assert(
    fc.property(ascii, (text) => {
      assert.deepEqual([...splitWords(text), 'e'], splitWords(`${text} é`));
    }),
    { numRuns: 2_000 },
  );
});
