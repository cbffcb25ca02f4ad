// Line chart by month: a series with a band and a second one dashed, gaps where there is no figure, and n beneath each point.

import { type Fragment, type Html, html } from '../html.ts';
import { chartFrame, monthLabels, type Position, pathLayer, polyline, runs, SPARE } from './frame.ts';
import { monthTicks } from './months.ts';
import { niceTicks, percent, tenth, verticalScale } from './ticks.ts';

export interface LineChart {
  /** What the chart shows, for people who do not see it. */
  readonly label: string;
  /** Consecutive months, YYYY-MM or dates within them. */
  readonly months: readonly string[];
  /** One value a month; null: a gap. */
  readonly values: readonly (number | null)[];
  /** Lower and upper edge by month; null: a gap. */
  readonly band?: readonly (readonly [number, number] | null)[];
  /** Values of a second series: dashed, with square markers. */
  readonly second?: readonly (number | null)[];
  /** Sizes of the samples, beneath the points. */
  readonly counts?: readonly number[];
  readonly formatTick: (value: number) => string;
  /** Pixels; 290 by default. Below 160 the chart has fewer labels. */
  readonly height?: number;
  /** Whether the axis begins at zero whatever the values are. */
  readonly isFromZero?: boolean;
}

const LABEL_HEIGHT = 22;
const COUNT_HEIGHT = 24;
const TOP = 18;

/** The chart as SVG; null when there is no value at all. */
export function lineChart(chart: LineChart): Html | null {
  const { label, months, values, band = [], second = [], counts, formatTick, height = 290 } = chart;
  const known = [...values, ...second, ...band.flatMap((edges) => edges ?? [])].filter(
    (value) => value !== null,
  );
  if (known.length === 0) return null;
  const isSmall = height < 160;
  const lowest = chart.isFromZero ? 0 : Math.min(...known);
  const ticks = niceTicks(lowest, Math.max(...known), isSmall ? 3 : 6);
  const bottom = height - LABEL_HEIGHT - (counts === undefined ? 0 : COUNT_HEIGHT);
  const y = verticalScale(ticks, TOP, bottom);
  const x = (at: number) => (at + 0.5) / months.length;
  const position = (value: number | null, at: number): Position | null =>
    value === null ? null : { x: x(at), y: y(value) };
  const labels = monthTicks(months, isSmall ? 4 : 12);
  const main = values.map(position);
  const other = second.map(position);
  const marked = new Set([...labels.map(({ at }) => at), second.findLastIndex((value) => value !== null)]);
  return chartFrame({
    label,
    height,
    ticks,
    y,
    formatTick,
    field: [
      pathLayer(bottom, [
        bandPaths(band, x, y),
        linePath(other, 'second'),
        linePath(main, isSmall ? 'line' : 'line strong'),
      ]),
      other.map((point, at) => (point && (marked.has(at) || isAlone(other, at)) ? square(point) : null)),
      main.map((point, at) => (point && (isAlone(main, at) || isLast(main, at)) ? dot(point) : null)),
    ],
    below: [
      monthLabels(labels, x, bottom + 17),
      counts === undefined ? null : countLabels(counts, x, bottom + 40),
    ],
    aside: counts === undefined ? null : html`<text x="0" y="${bottom + 40}">n</text>`,
  });
}

function bandPaths(
  band: readonly (readonly [number, number] | null)[],
  x: (at: number) => number,
  y: (value: number) => number,
): Fragment {
  const edges = band.map((pair, at) => (pair === null ? null : { at, low: pair[0], high: pair[1] }));
  return runs(edges).map((run) => {
    const high = polyline(run.map((each) => ({ x: x(each.at), y: y(each.high) })));
    const low = polyline(run.toReversed().map((each) => ({ x: x(each.at), y: y(each.low) })));
    const edge = polyline(run.map((each) => ({ x: x(each.at), y: y(each.low) })));
    return html`<path class="band" d="${high}${low.replace('M', 'L')}z"/><path class="edge" d="${high}${edge}"/>`;
  });
}

function linePath(positions: readonly (Position | null)[], name: string): Html | null {
  const path = runs(positions)
    .filter((run) => run.length > 1)
    .map(polyline)
    .join('');
  return path === '' ? null : html`<path class="${name}" d="${path}"/>`;
}

const isAlone = (positions: readonly (Position | null)[], at: number): boolean =>
  !positions[at - 1] && !positions[at + 1];
const isLast = (positions: readonly (Position | null)[], at: number): boolean =>
  positions.findLastIndex((point) => point !== null) === at;

function dot({ x, y }: Position): Html {
  return html`<circle class="dot" cx="${percent(x)}" cy="${y}" r="3.5"/>`;
}

/** Centred by a nested svg, because a rect cannot be moved by pixels from a percentage. */
function square({ x, y }: Position): Html {
  return html`<svg class="free" x="${percent(x)}" y="${y}"><rect class="square" x="-3" y="-3" width="6" height="6"/></svg>`;
}

/** As many counts as there is room for; a narrow screen shows every fourth of them. */
function countLabels(counts: readonly number[], x: (at: number) => number, y: number): Fragment {
  const every = Math.ceil(counts.length / 26);
  const last = counts.length - 1;
  return counts.map((count, at) =>
    (last - at) % every !== 0
      ? null
      : html`<text${(last - at) % (every * 4) === 0 ? null : SPARE} x="${percent(x(at))}" y="${tenth(y)}" text-anchor="middle">${count}</text>`,
  );
}
