// Step chart over time: a price stays until it changes, and stretches of which nothing is known are gaps.

import { type Html, html } from '../html.ts';
import { chartFrame, monthLabels, pathLayer } from './frame.ts';
import { monthTicks } from './months.ts';
import { niceTicks, percent, tenth, verticalScale } from './ticks.ts';

export interface StepPoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The value from then on; null: unknown from then on, a gap. */
  readonly value: number | null;
}

export interface StepLine {
  /** Sale round and accent; rental square and dashed. */
  readonly kind: 'sale' | 'rental';
  /** Ascending in time. The last value holds until the end of the chart, or until a point of null. */
  readonly points: readonly StepPoint[];
}

export interface StepChart {
  /** What the chart shows, for people who do not see it. */
  readonly label: string;
  /** Milliseconds since 1970: the left and the right edge. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly StepLine[];
  readonly formatTick: (value: number) => string;
  /** Pixels; 220 by default. */
  readonly height?: number;
}

const TOP = 18;

/** The chart as SVG; null when there is no value at all. */
export function stepChart({ label, from, to, lines, formatTick, height = 220 }: StepChart): Html | null {
  const known = lines.flatMap(({ points }) => points.flatMap(({ value }) => value ?? []));
  if (known.length === 0 || from >= to) return null;
  const ticks = niceTicks(Math.min(...known), Math.max(...known), 5);
  const bottom = height - 22;
  const y = verticalScale(ticks, TOP, bottom);
  const x = (at: number) => Math.min(1, Math.max(0, (at - from) / (to - from)));
  const starts = monthStarts(from, to);
  const months = monthTicks(
    starts.map((at) => new Date(at).toISOString().slice(0, 7)),
    12,
  );
  return chartFrame({
    label,
    height,
    ticks,
    y,
    formatTick,
    field: [
      pathLayer(
        bottom,
        lines.map(
          ({ kind, points }) =>
            html`<path class="${kind === 'sale' ? 'line strong' : 'second'}" d="${stepPath(points, to, x, y)}"/>`,
        ),
      ),
      lines.map(({ kind, points }) =>
        points.map((point) =>
          point.value === null ? null : marker(kind, percent(x(point.at)), y(point.value)),
        ),
      ),
    ],
    below: monthLabels(months, (at) => x(starts[at] ?? from), bottom + 17),
  });
}

function stepPath(
  points: readonly StepPoint[],
  to: number,
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  let path = '';
  points.forEach(({ at, value }, index) => {
    if (value === null) return;
    const before = points[index - 1]?.value ?? null;
    const end = points[index + 1]?.at ?? to;
    const start = tenth(x(at) * 1_000);
    path += before === null ? `M${start} ${y(value)}` : `V${y(value)}`;
    path += `H${tenth(x(end) * 1_000)}`;
  });
  return path;
}

function marker(kind: StepLine['kind'], x: string, y: number): Html {
  return kind === 'sale'
    ? html`<circle class="dot" cx="${x}" cy="${y}" r="3.5"/>`
    : html`<svg class="free" x="${x}" y="${y}"><rect class="square" x="-3" y="-3" width="6" height="6"/></svg>`;
}

/** The first of each month between two times, in UTC. */
function monthStarts(from: number, to: number): readonly number[] {
  const first = new Date(from);
  const all: number[] = [];
  for (let month = 1; all.length < 1_200; month++) {
    const start = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1);
    if (start > to) break;
    all.push(start);
  }
  return all;
}
