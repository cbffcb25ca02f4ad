// Proof of the single-edit test against a list of every text that one edit can make.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isOneEdit } from './nearest.ts';

const LETTERS = ['A', 'B', '_'];

/** Every text that one edit makes of this one, over a small alphabet. */
function editsOf(text: string): Set<string> {
  const edits = new Set<string>();
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at)];
    for (const letter of LETTERS) {
      edits.add(before + letter + after);
      if (after !== '') edits.add(before + letter + after.slice(1));
    }
    if (after !== '') edits.add(before + after.slice(1));
    if (after.length > 1) edits.add(`${before}${after[1]}${after[0]}${after.slice(2)}`);
  }
  edits.delete(text);
  return edits;
}

test('exactly the texts that one insertion, deletion, substitution or swap makes are one edit away', () => {
  const text = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 5 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(isOneEdit(a, b), editsOf(a).has(b), `${a} ${b}`);
    }),
    { numRuns: 3_000 },
  );
});

test('every single edit is recognised', () => {
  for (const edit of editsOf('ABBA_A')) assert.ok(isOneEdit('ABBA_A', edit), edit);
});
