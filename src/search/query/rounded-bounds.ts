// Bounds on areas and prices per area: what is shown rounded and converted is compared as it is shown.

import { areaIn, perAreaIn } from '../../listings/presenter.ts';
import type { UnitSystem } from '../../listings/vocabulary.ts';

/** Whether a number is shown as it is kept, converted as an area, or rounded and converted as a price per area. */
export type Measure = 'plain' | 'area' | 'perArea';

/** Bounds on what is kept: at least, at most, and less than. */
export interface Bounds {
  readonly min: number | undefined;
  readonly max?: number | undefined;
  readonly below?: number | undefined;
}

/**
 * The bounds on kept numbers that just those meet which are shown within the asked ones, in the reader's units: nobody
 * could make out why a listing misses its own number, or comes with one beyond the bound.
 */
export function storedBounds(
  min: number | undefined,
  max: number | undefined,
  measure: Measure,
  units: UnitSystem,
): Bounds {
  const exact = measure === 'plain' || (measure === 'area' && units === 'imperial');
  if (exact) return { min, max };
  const displayed = (stored: number): number =>
    (measure === 'area' ? areaIn(stored, units) : perAreaIn(stored, units)) ?? 0;
  return {
    min: min === undefined ? undefined : minShownAs(Math.ceil(hundredths(min)) / 100, displayed),
    below: max === undefined ? undefined : minShownAs((Math.floor(hundredths(max)) + 1) / 100, displayed),
  };
}

/** Without the noise that multiplying adds. */
const hundredths = (value: number): number => Number((value * 100).toFixed(6));

/** The least number that is shown as this one or more: halved down to two neighbours, as no formula rounds like rounding. */
function minShownAs(target: number, displayed: (stored: number) => number): number {
  if (target <= 0) return 0;
  let [short, enough] = [0, 1];
  while (displayed(enough) < target) enough *= 2;
  for (;;) {
    const middle = (short + enough) / 2;
    if (middle <= short || middle >= enough) return enough;
    if (displayed(middle) >= target) enough = middle;
    else short = middle;
  }
}
