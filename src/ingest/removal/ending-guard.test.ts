// Tests of the guard of endings.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseEnding } from './ending-guard.ts';

const list = { listed: 900, doubt: null, stored: 1_000, ending: 0 };

test('ten listings may end, or a twentieth of those stored if that is more, and not one more', () => {
  assert.equal(refuseEnding({ ...list, stored: 12, ending: 10 }), null);
  assert.match(refuseEnding({ ...list, stored: 12, ending: 11 }) ?? '', /^11 of 12 listings would end/);
  assert.equal(refuseEnding({ ...list, ending: 50 }), null);
  assert.match(refuseEnding({ ...list, ending: 51 }) ?? '', /^51 of 1000 listings would end/);
});

test('a list that is empty or cut short ends nothing, however little it would be', () => {
  assert.match(
    refuseEnding({ ...list, listed: 0, stored: 1, ending: 1 }) ?? '',
    /^The list names no listing/,
  );
  assert.match(
    refuseEnding({ ...list, doubt: 'its last row is broken', ending: 1 }) ?? '',
    /may be cut short.*: its last row is broken\.$/,
  );
});

test('a list that ends nothing is never refused', () => {
  assert.equal(refuseEnding({ listed: 0, doubt: 'anything', stored: 0, ending: 0 }), null);
});
