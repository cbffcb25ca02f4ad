// Proves that what is written in these colours can be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DARK, LIGHT, type Palette } from './palette.ts';

const TEXT = ['ink', 'quiet', 'accent', 'sale', 'rental', 'warning', 'error'] as const;
const GROUND = ['paper', 'land', 'water'] as const;

/** Relative luminance of #RRGGBB, WCAG 2.2. */
function luminance(colour: string): number {
  const channel = (at: number) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

test('contrast is computed as WCAG defines it', () => {
  assert.equal(contrast('#FFFFFF', '#000000'), 21);
  assert.equal(contrast('#777777', '#FFFFFF').toFixed(2), '4.48');
});

for (const [name, palette] of Object.entries({ light: LIGHT, dark: DARK })) {
  test(`every colour of text has a contrast of 4.5 or more on every ground, ${name}`, () => {
    assert.deepEqual(faint(palette), []);
  });
}

function faint(palette: Palette): string[] {
  const pairs = TEXT.flatMap((text) => GROUND.map((ground) => [text, ground] as const));
  const rated = pairs.map(
    ([text, ground]) => [text, ground, contrast(palette[text], palette[ground])] as const,
  );
  return rated
    .filter(([, , ratio]) => ratio < 4.5)
    .map(([text, ground, ratio]) => `${text} on ${ground}: ${ratio}`);
}
