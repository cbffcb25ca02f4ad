// Proves that suggestions are the nearest of the known names, and that few names are compared to find one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nearest, nearestFew } from '../../lib/nearest.ts';

/** The edit distance by its definition. */
function steps(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [to, against] of [...other].entries())
      next.push(
        Math.min((row[to] ?? 0) + (letter === against ? 0 : 1), (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'C'), minLength: 1, maxLength: 9 });

test('the suggestion is the first of the nearest names, where one is near enough', () => {
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 12 }), (text, known) => {
      const most = Math.max(1, Math.floor(text.length * 0.4));
      const far = known.map((name) => steps(text.toLowerCase(), name.toLowerCase()));
      const least = Math.min(...far);
      assert.equal(nearest(text, known), least <= most ? known[far.indexOf(least)] : undefined);
    }),
  );
});

test('only names of about the length are compared, and nothing with a text longer than any name', () => {
  const known = Array.from({ length: 500 }, (_, at) => 'n'.repeat(at));
  let compared = 0;
  const compare = () => {
    compared++;
    return 99;
  };
  nearest('x'.repeat(20), known, compare);
  assert.ok(compared <= 17, `${compared} names were compared`);
  compared = 0;
  assert.equal(nearest('x'.repeat(65), known, compare), undefined);
  assert.equal(compared, 0);
});

test('of several suggestions the nearest come first, each once, and none that is not near', () => {
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 12 }), fc.nat({ max: 4 }), (text, known, most) => {
      const asked = text.toLowerCase();
      const expected = [...new Set(known.map((name) => name.toLowerCase()))]
        .filter((name) => steps(asked, name) <= Math.max(1, Math.floor(text.length * 0.4)))
        .sort((a, b) => steps(asked, a) - steps(asked, b) || (a < b ? -1 : 1))
        .slice(0, most);
      const found = nearestFew(text, known, most);
      assert.deepEqual(
        found.map((name) => name.toLowerCase()),
        expected,
      );
      assert.ok(found.every((name) => known.includes(name)));
    }),
  );
});
