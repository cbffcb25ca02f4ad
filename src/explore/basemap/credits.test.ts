// Tests of credits: what may be shown of an attribution.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCredits } from './credits.ts';

test('an attribution becomes texts and links in their order', () => {
  assert.deepEqual(
    readCredits(
      '<a href="https://example.org/maps">Maps</a> &copy; <a href="https://openstreetmap.org/copyright">OpenStreetMap</a>',
    ),
    [
      { text: 'Maps', href: 'https://example.org/maps' },
      { text: ' © ', href: null },
      { text: 'OpenStreetMap', href: 'https://openstreetmap.org/copyright' },
    ],
  );
  assert.deepEqual(readCredits('© OpenStreetMap'), [{ text: '© OpenStreetMap', href: null }]);
});

test('links other than https lead nowhere, tags vanish, and what is no text credits nobody', () => {
  assert.deepEqual(readCredits(`<a href="javascript:alert(1)">A</a><img src=x onerror=alert(1)><b>B</b>`), [
    { text: 'A', href: null },
    { text: ' B ', href: null },
  ]);
  for (const none of [undefined, null, 7, '', '  <br> ']) assert.deepEqual(readCredits(none), []);
});
