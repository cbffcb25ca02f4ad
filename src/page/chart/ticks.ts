// Ticks of an axis of values: round numbers that cover the values.

export interface Ticks {
  /** Ascending, at equal distances; the first and the last enclose every value. */
  readonly values: readonly number[];
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

const MULTIPLES = [1, 2, 2.5, 5, 10] as const;

/**
 * Ticks for values from `low` to `high`, either 0 or between 1e-9 and 1e15 in size: multiples of 1, 2, 2.5 or 5 times a power of ten, three to
 * `max` + 1 of them (max: 3 or more). Equal values get an axis around them.
 */
export function niceTicks(low: number, high: number, max = 6): Ticks {
  const [from, to] = low === high ? aroundValue(low) : [Math.min(low, high), Math.max(low, high)];
  const wanted = (to - from) / (max - 1);
  const power = Math.floor(Math.log10(wanted));
  for (const exponent of [power, power + 1]) {
    for (const multiple of MULTIPLES) {
      const step = scaled(multiple, exponent);
      const first = Math.floor(from / step + 1e-9);
      const last = Math.max(Math.ceil(to / step - 1e-9), first + 1);
      if (last - first > max) continue;
      const values = Array.from({ length: last - first + 1 }, (_, at) =>
        scaled((first + at) * multiple, exponent),
      );
      return { values, min: values[0] ?? from, max: values.at(-1) ?? to, step };
    }
  }
  return { values: [from, to], min: from, max: to, step: to - from };
}

/** A single value stands between ticks that say its size. */
function aroundValue(value: number): readonly [number, number] {
  const margin = Math.max(Math.abs(value) * 0.1, 1e-6);
  return value === 0 ? [0, 1] : [value - margin, value + margin];
}

/** factor × 10^exponent, without the error of a binary fraction: 3 × 0.1 is 0.3. */
function scaled(factor: number, exponent: number): number {
  return exponent < 0 ? factor / 10 ** -exponent : factor * 10 ** exponent;
}

/** Pixels from the top for a value: `top` for the highest tick, `bottom` for the lowest; to a tenth. */
export function verticalScale(ticks: Ticks, top: number, bottom: number): (value: number) => number {
  const span = ticks.max - ticks.min || 1;
  return (value) => tenth(bottom - ((value - ticks.min) / span) * (bottom - top));
}

export function tenth(value: number): number {
  return Math.round(value * 10) / 10 || 0;
}

/** A share of 0 to 1 as SVG has it, in percent to two decimals. */
export function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100 || 0}%`;
}
