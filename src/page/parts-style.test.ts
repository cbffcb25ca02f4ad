// Proves that the parts which pages are made of have their styles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PARTS_STYLE } from './parts-style.ts';
import { FRAME_STYLE } from './style.ts';

const PARTS =
  'btn primary bare small seg chip on open offer tag sale rental new pending withdrawn panel notice warning error card row sheet data code-box token fresh price quiet visually-hidden'.split(
    ' ',
  );

test('every part and state that pages name has a style', () => {
  const without = PARTS.filter((name) => !new RegExp(`\\.${name}(?![\\w-])`).test(FRAME_STYLE + PARTS_STYLE));
  assert.deepEqual(without, []);
});

test('no rule holds a colour of its own: all are tokens', () => {
  assert.doesNotMatch(PARTS_STYLE, /#[0-9a-f]{3,8}\b(?![^{]*\{)/i);
});
