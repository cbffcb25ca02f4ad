// Bars by month: one count up from the base line, another down.

import { type Fragment, type Html, html } from '../html.ts';
import { chartFrame, monthLabels } from './frame.ts';
import { type MonthTick, monthTicks } from './months.ts';
import { niceTicks, percent, tenth, verticalScale } from './ticks.ts';

export interface BarChart {
  /** What the chart shows, for people who do not see it. */
  readonly label: string;
  /** Consecutive months, YYYY-MM or dates within them. */
  readonly months: readonly string[];
  /** Counts of 0 or more; null: not known. */
  readonly up: readonly (number | null)[];
  readonly down: readonly (number | null)[];
  readonly formatTick: (value: number) => string;
  /** Labels below the bars; default: of months. */
  readonly ticks?: readonly MonthTick[];
  /** Pixels; 230 by default. */
  readonly height?: number;
}

const SHARE = 0.72;

/** The chart as SVG; null when there is no count at all. */
export function barChart(chart: BarChart): Html | null {
  const { label, months, up, down, formatTick, height = 230 } = chart;
  const known = [...up, ...down].filter((count) => count !== null);
  if (known.length === 0) return null;
  const [low, high] = [-Math.max(0, ...down.map(Number)), Math.max(1, ...up.map(Number))];
  const nice = niceTicks(low, high, 6);
  // The bars reach up to the edges; ticks beyond them would only make the bars shorter.
  const values = nice.values.filter((value) => value >= low && value <= high);
  const ticks = { ...nice, values, min: low, max: high };
  const bottom = height - 22;
  const y = verticalScale(ticks, 18, bottom - 4);
  const x = (at: number) => (at + 0.5) / months.length;
  const bars = (counts: readonly (number | null)[], name: string, sign: 1 | -1): Fragment =>
    counts.map((count, at) => {
      if (!count) return null;
      const tip = y(sign * count);
      const size = Math.max(1, tenth(Math.abs(y(0) - tip)));
      const width = SHARE / months.length;
      return html`<rect class="${name}" x="${percent(x(at) - width / 2)}" width="${percent(width)}" y="${Math.min(tip, y(0))}" height="${size}" rx="1"/>`;
    });
  return chartFrame({
    label,
    height,
    ticks,
    y,
    base: 0,
    formatTick: (value) => formatTick(Math.abs(value)),
    field: [bars(up, 'up', 1), bars(down, 'down', -1)],
    below: monthLabels(chart.ticks ?? monthTicks(months, 9), x, bottom + 17),
  });
}
