// Tests of units of areas in the spellings that feeds and files use.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaUnitOf } from './area-units.ts';

test('a unit of area is known in every spelling that feeds and files use, and a word that is none is not', () => {
  const spellings = {
    sqft: ['Square Feet', 'SquareFeet', 'SQFT', 'Sq. Ft.', 'sq ft', 'SF', 'ft²', 'ft2', 'Square Foot'],
    sqm: ['Square Meters', 'SquareMeters', 'square metre', 'sqm', 'SQM', 'm²', 'm2', 'Sq Meters', 'qm'],
    acres: ['Acres', 'Acre', 'ac', 'ACRES'],
    hectares: ['Hectares', 'hectare', 'ha'],
  };
  for (const [unit, texts] of Object.entries(spellings))
    for (const text of texts) assert.equal(areaUnitOf(text), unit, text);
  for (const text of ['Tatami', '', 'Square', 'm', 'constructor', 'Feet'])
    assert.equal(areaUnitOf(text), undefined, text);
});
