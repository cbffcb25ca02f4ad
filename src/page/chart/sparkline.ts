// Charts as small as a word: a sparkline, and a bar in the cell of a table.

import { type Html, html } from '../html.ts';
import { polyline, runs } from './frame.ts';
import { tenth } from './ticks.ts';

export interface Sparkline {
  /** At equal distances; null: a gap. */
  readonly values: readonly (number | null)[];
  /** Pixels; 88 by default. */
  readonly width?: number;
  /** Pixels; 22 by default. */
  readonly height?: number;
  /** What it shows, for people who do not see it; absent: the text beside it says the same. */
  readonly label?: string;
}

/** A line with a dot at its last value; null with fewer than two values. */
export function sparkline({ values, width = 88, height = 22, label }: Sparkline): Html | null {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return null;
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const y = (value: number) =>
    tenth(high === low ? height / 2 : height - 4 - ((value - low) / (high - low)) * (height - 8));
  const x = (at: number) => tenth(3 + (at / (values.length - 1)) * (width - 7));
  const points = values.map((value, at) => (value === null ? null : { x: x(at) / 1_000, y: y(value) }));
  const end = values.findLastIndex((value) => value !== null);
  const path = runs(points).map(polyline).join('');
  return html`<svg class="spark" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"${
    label === undefined ? html` aria-hidden="true"` : html` role="img" aria-label="${label}"`
  }><path class="line" d="${path}"/><circle class="dot" cx="${x(end)}" cy="${y(values[end] ?? low)}" r="2.5"/></svg>`;
}

/** A bar for a share of 0 to 1, of a figure that stands beside it. */
export function cellBar(share: number, width = 64): Html {
  const length = Math.max(1, tenth(Math.min(1, Math.max(0, share)) * width));
  return html`<svg class="cell-bar" width="${width}" height="6" aria-hidden="true"><rect width="${length}" height="6" rx="1"/></svg>`;
}
