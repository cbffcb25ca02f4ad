// Histogram: how many homes lie in each interval, with the median and the middle half marked.

import { type Html, html } from '../html.ts';
import { niceTicks, percent, tenth, verticalScale } from './ticks.ts';

export interface HistogramBin {
  /** Lower edge, included. */
  readonly from: number;
  /** Upper edge. */
  readonly to: number;
  readonly count: number;
}

export interface Histogram {
  /** What the chart shows, for people who do not see it. */
  readonly label: string;
  /** Ascending, each beginning where the one before ends. */
  readonly bins: readonly HistogramBin[];
  readonly median?: number | null;
  /** What stands beside the line of the median. */
  readonly medianLabel?: string;
  /** The quartiles, shaded. */
  readonly middle?: readonly [number, number] | null;
  readonly formatTick: (value: number) => string;
  /** Pixels; 230 by default. */
  readonly height?: number;
}

/** The chart as SVG, without an axis of counts; null without homes. */
export function histogram({
  label,
  bins,
  median = null,
  medianLabel = '',
  middle = null,
  formatTick,
  height = 230,
}: Histogram): Html | null {
  const [first, last] = [bins[0], bins.at(-1)];
  const highest = Math.max(0, ...bins.map(({ count }) => count));
  if (first === undefined || last === undefined || highest === 0) return null;
  const bottom = height - 22;
  const y = verticalScale({ values: [], min: 0, max: highest, step: highest }, 34, bottom);
  const span = last.to - first.from || 1;
  const x = (value: number) => Math.min(1, Math.max(0, (value - first.from) / span));
  const inside = niceTicks(first.from, last.to, 6).values.filter(
    (value) => x(value) > 0.04 && x(value) < 0.96,
  );
  const labels = inside.filter((value) => value > first.from && value < last.to);
  return html`<svg class="chart" height="${height}" role="img" aria-label="${label}">${
    middle === null
      ? null
      : html`<rect class="middle" x="${percent(x(middle[0]))}" width="${percent(x(middle[1]) - x(middle[0]))}" y="18" height="${bottom - 18}"/>`
  }${bins.map(({ from, to, count }) =>
    count === 0
      ? null
      : html`<rect class="bin" x="${percent(x(from))}" width="${percent((x(to) - x(from)) * 0.88)}" y="${y(count)}" height="${Math.max(1, tenth(bottom - y(count)))}" rx="1"/>`,
  )}<line class="base" x1="0" x2="100%" y1="${bottom}" y2="${bottom}"/>${
    median === null ? null : medianLine(x(median), bottom, medianLabel)
  }<g class="axis">${labels.map(
    (value, at) =>
      html`<text${at % 2 === 0 ? null : html` class="spare"`} x="${percent(x(value))}" y="${bottom + 17}" text-anchor="middle">${formatTick(value)}</text>`,
  )}</g></svg>`;
}

/** The text stands on the side where there is room. */
function medianLine(x: number, bottom: number, text: string): Html {
  const isRight = x > 0.6;
  return html`<line class="median" x1="${percent(x)}" x2="${percent(x)}" y1="18" y2="${bottom}"/><svg class="free" x="${percent(x)}" y="28"><text class="mark halo" x="${isRight ? -6 : 6}" text-anchor="${isRight ? 'end' : 'start'}">${text}</text></svg>`;
}
