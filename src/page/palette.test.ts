// Proves that what is written in these colours can be read, and that the borders of controls can be seen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrast, DARK, GROUNDS, LIGHT, mix, type Palette } from './palette.ts';

const TEXT = ['ink', 'quiet', 'accent', 'sale', 'rental', 'warning', 'error'] as const;
/** What controls stand on. */
const CONTROL_GROUNDS = ['paper', 'raised', 'water', 'land'] as const;

test('contrast is computed as WCAG defines it', () => {
  assert.equal(contrast('#FFFFFF', '#000000'), 21);
  assert.equal(contrast('#777777', '#FFFFFF').toFixed(2), '4.48');
});

test('a mix has each colour by its share', () => {
  assert.equal(mix('#FF0000', '#0000FF', 1), '#FF0000');
  assert.equal(mix('#FF0000', '#0000FF', 0.25), '#4000BF');
});

for (const [name, palette] of Object.entries({ light: LIGHT, dark: DARK })) {
  test(`every colour of text has a contrast of 4.5 or more on every ground, ${name}`, () => {
    assert.deepEqual(below(palette, TEXT, GROUNDS, 4.5), []);
    assert.deepEqual(below(palette, ['on-accent'], ['accent'], 4.5), []);
    assert.deepEqual(below(palette, ['paper'], ['ink'], 4.5), []);
  });

  test(`the borders of controls have a contrast of 3 or more on every ground, ${name}`, () => {
    assert.deepEqual(below(palette, ['edge'], CONTROL_GROUNDS, 3), []);
  });
}

function below(
  palette: Palette,
  fronts: readonly (keyof Palette)[],
  grounds: readonly (keyof Palette)[],
  min: number,
): string[] {
  return fronts
    .flatMap((front) => grounds.map((ground) => [front, ground] as const))
    .map(([front, ground]) => [front, ground, contrast(palette[front], palette[ground])] as const)
    .filter(([, , ratio]) => ratio < min)
    .map(([front, ground, ratio]) => `${front} on ${ground}: ${ratio.toFixed(2)}`);
}
