// Proves that a page keeps the rules that it has a use for, and no others.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usedRules } from './used-rules.ts';

const MARKUP = '<p class="card wide"><a class="link">x</a></p>';

test('rules stay whose tags and classes stand in the markup, each class of one element', () => {
  const kept = 'p{a:b}.card.wide{a:b}.card a::after{a:b}:root{a:b}*{a:b}@keyframes x{50%{a:b}}';
  assert.equal(usedRules(kept, MARKUP), kept);
  assert.equal(usedRules('.other{a:b}table{a:b}.card.link{a:b}.card .other{a:b}table.card{a:b}', MARKUP), '');
});

test('of a list of selectors those that are used stay, and what stands in brackets decides nothing', () => {
  assert.equal(usedRules('.card,.other,table{a:b}', MARKUP), '.card{a:b}');
  const kept = '.card :is(.other,svg:not(.x,.y)){a:b}.card:has(:checked){a:b}[data-a]{a:b}';
  assert.equal(usedRules(kept, MARKUP), kept);
});

test('a condition of the screen stays with the rules within it that are used', () => {
  assert.equal(
    usedRules('@media (max-width:9px){.card{a:b}.other{a:b}}@media print{.other{a:b}}', MARKUP),
    '@media (max-width:9px){.card{a:b}}',
  );
});
