// Units of areas as sources and files spell them, in square feet.

import { SQUARE_FEET_PER_SQUARE_METRE } from './vocabulary.ts';

/** Square feet in one of each unit. */
export const SQUARE_FEET = {
  sqft: 1,
  sqm: SQUARE_FEET_PER_SQUARE_METRE,
  acres: 43_560,
  hectares: 10_000 * SQUARE_FEET_PER_SQUARE_METRE,
} as const;

export type AreaUnit = keyof typeof SQUARE_FEET;

/** Spellings without case, spaces and punctuation. */
const SPELLINGS: Readonly<Record<AreaUnit, readonly string[]>> = {
  sqft: ['sqft', 'sqfeet', 'sqfoot', 'squarefeet', 'squarefoot', 'squareft', 'ft2', 'sf', 'feet2'],
  sqm: [
    'sqm',
    'sqmt',
    'sqmtr',
    'sqmeter',
    'sqmetre',
    'squaremeter',
    'squaremetre',
    'squarem',
    'm2',
    'qm',
    'mq',
    'mt2',
    'mts2',
    'mtr2',
    'quadratmeter',
    'metroscuadrados',
    'metroscuadrado',
    'metrescarres',
    'mtrescarrs',
  ],
  acres: ['acre', 'ac'],
  hectares: ['hectare', 'ha'],
};

const UNITS: ReadonlyMap<string, AreaUnit> = new Map(
  Object.entries(SPELLINGS).flatMap(([unit, spellings]) =>
    spellings.map((spelling) => [spelling, unit as AreaUnit] as const),
  ),
);

/** The unit that a text names: `Sq. Ft.`, `SQFT` and `SquareFeet` are one. Undefined for any other text. */
export function areaUnitOf(text: string): AreaUnit | undefined {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return UNITS.get(folded) ?? UNITS.get(folded.replace(/s$/, ''));
}
