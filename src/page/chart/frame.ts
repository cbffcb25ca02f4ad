// Frame of a chart: grid, labels above their grid lines, and the field that holds the data.
//
// Heights are pixels. Within the field x is in percent, so a chart takes the width of its container without a script.

import { type Fragment, type Html, html } from '../html.ts';
import type { MonthTick } from './months.ts';
import { percent, type Ticks, tenth } from './ticks.ts';

/** Units of the width of a path: paths know no percent, so they are drawn in these and stretched. */
const PATH_WIDTH = 1_000;

export interface ChartFrame {
  /** What the chart shows, for people who do not see it. */
  readonly label: string;
  readonly height: number;
  readonly ticks: Ticks;
  /** The position of a value, in pixels from the top. */
  readonly y: (value: number) => number;
  readonly formatTick: (value: number) => string;
  /** The value whose line is the base; absent: the lowest tick. */
  readonly base?: number;
  /** Elements of the field behind its labels. */
  readonly field: Fragment;
  /** Labels below the field. */
  readonly below: Fragment;
  /** Text at the left of the labels below. */
  readonly aside?: Fragment;
}

export function chartFrame(frame: ChartFrame): Html {
  const { label, height, ticks, y, formatTick, base = ticks.min, field, below, aside = null } = frame;
  const lines = ticks.values.map(
    (value) =>
      html`<line class="${value === base ? 'base' : 'grid'}" x1="0" x2="100%" y1="${y(value)}" y2="${y(value)}"/>`,
  );
  const labels = ticks.values.map(
    (value) => html`<text class="halo" x="0" y="${tenth(y(value) - 5)}">${formatTick(value)}</text>`,
  );
  return html`<svg class="chart" height="${height}" role="img" aria-label="${label}">${lines}<svg class="plot" x="8%" width="92%" height="${height}">${field}<g class="axis">${below}</g></svg><g class="axis">${labels}${aside}</g></svg>`;
}

/** Labels of months below the field; `x` gives the share of the width for an index. */
export function monthLabels(ticks: readonly MonthTick[], x: (at: number) => number, y: number): Fragment {
  return ticks.map(
    ({ at, label, isMain }) =>
      html`<text${isMain ? null : SPARE} x="${percent(x(at))}" y="${y}" text-anchor="middle">${label}</text>`,
  );
}

/** What a narrow screen leaves out. */
export const SPARE = html` class="spare"`;

/** A layer for paths, stretched over the field; strokes keep their width. */
export function pathLayer(height: number, paths: Fragment): Html {
  return html`<svg width="100%" height="${height}" viewBox="0 0 ${PATH_WIDTH} ${height}" preserveAspectRatio="none">${paths}</svg>`;
}

export interface Position {
  /** Share of the width, 0 to 1. */
  readonly x: number;
  /** Pixels from the top. */
  readonly y: number;
}

/** A polyline as path data. */
export function polyline(positions: readonly Position[]): string {
  return positions.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${tenth(x * PATH_WIDTH)} ${y}`).join('');
}

/** Stretches without a gap: the items between those that are null. */
export function runs<T>(items: readonly (T | null)[]): readonly (readonly T[])[] {
  const all: T[][] = [];
  let open: T[] = [];
  for (const item of items) {
    if (item === null) open = [];
    else if (open.push(item) === 1) all.push(open);
  }
  return all;
}
