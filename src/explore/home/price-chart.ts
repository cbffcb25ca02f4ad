// Chart of a home's price history: a step line of what was asked, with the events that people look for.

import { chartFrame, monthLabels, pathLayer, SPARE } from '../../page/chart/frame.ts';
import { monthTicks } from '../../page/chart/months.ts';
import { niceTicks, percent, tenth, verticalScale } from '../../page/chart/ticks.ts';
import { type Fragment, type Html, html } from '../../page/html.ts';
import { moneyWords } from '../../page/words.ts';
import type { PriceHistory, PriceMark } from './price-steps.ts';
import { dayWords, shortMoney } from './words.ts';

const HEIGHT = 240;
const TOP = 26;
const BOTTOM = HEIGHT - 28;
/** Share of the width that is left free at either end, so that marks are not cut. */
const MARGIN = 0.03;
const DAY = 86_400_000;

export interface PriceChart {
  readonly history: PriceHistory;
  readonly currency: string;
  /** What the chart shows, for people who do not see it. */
  readonly label: string;
}

/** Null where there is nothing to draw: a price that was seen at one moment only. */
export function priceChart({ history, currency, label }: PriceChart): Html | null {
  const { asked, changes, marks } = history;
  const times = [...marks.map(({ at }) => at), ...asked.flatMap(({ from, to }) => [from, to])];
  const prices = [...marks, ...asked].map(({ price }) => price);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (times.length === 0 || last - first < DAY) return null;
  const ticks = niceTicks(Math.min(...prices), Math.max(...prices), 5);
  const y = verticalScale(ticks, TOP, BOTTOM);
  const x = (at: number): number => MARGIN + ((at - first) / (last - first)) * (1 - 2 * MARGIN);
  const unit = (at: number): number => tenth(x(at) * 1_000);
  const line = asked.map(
    ({ from, to, price, isPending }) =>
      html`<path class="asked${isPending ? ' pending' : ''}" d="M${unit(from)} ${y(price)}H${unit(to)}"/>`,
  );
  const drops = changes.map(
    ({ at, from, to }) => html`<path class="asked" d="M${unit(at)} ${y(from)}V${y(to)}"/>`,
  );
  return chartFrame({
    label,
    height: HEIGHT,
    ticks,
    y,
    formatTick: (value) => shortMoney(value, currency),
    field: [
      pathLayer(HEIGHT, [line, drops]),
      marks.map((mark) => markShape(mark, percent(x(mark.at)), y(mark.price))),
      labelsOf(marks, x, y, currency),
    ],
    below: timeLabels(first, last, x),
  });
}

function markShape({ kind }: PriceMark, x: string, y: number): Html {
  if (kind === 'sold')
    return html`<svg class="free" x="${x}" y="${y}"><path class="sold-mark" d="M0-6 6 0 0 6-6 0z"/></svg>`;
  return html`<circle class="${kind === 'now' ? 'now-mark' : 'price-mark'}" cx="${x}" cy="${y}" r="${kind === 'now' ? 5 : 4}"/>`;
}

interface PlacedLabel {
  readonly mark: PriceMark;
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Shares of the width that a label takes on a wide and on a narrow screen, and the pixels between two lines of text. */
const WIDE = 0.24;
const NARROW = 0.46;
const LINE = 17;

const PRIORITY = { now: 0, sold: 1, listed: 2, changed: 3 } as const;
const NAMES = { now: 'Now', sold: 'Sold', listed: 'Listed', changed: '' } as const;

/** The labels that there is room for, those of now and of a sale first. */
function labelsOf(
  marks: readonly PriceMark[],
  x: (at: number) => number,
  y: (price: number) => number,
  currency: string,
): Fragment {
  const wanted = marks
    .filter(({ kind }) => kind !== 'changed')
    .toSorted((a, b) => PRIORITY[a.kind] - PRIORITY[b.kind] || b.at - a.at);
  const placed: PlacedLabel[] = [];
  return wanted.map((mark) => {
    const [at, from] = [x(mark.at), y(mark.price)];
    const isBelow = mark.kind !== 'listed' && from + LINE + 6 < BOTTOM;
    const label = { mark, x: at, y: isBelow ? from + LINE + 3 : from - 11, text: NAMES[mark.kind] };
    const meets = (width: number): boolean =>
      placed.some((other) => Math.abs(other.x - at) < width && Math.abs(other.y - label.y) < LINE);
    if (meets(WIDE)) return null;
    const isSpare = meets(NARROW);
    placed.push(label);
    const anchor = at > 0.6 ? 'end' : at < 0.3 ? 'start' : 'middle';
    return html`<svg class="free${isSpare ? ' spare' : ''}" x="${percent(at)}" y="${tenth(label.y)}"><text class="halo note${
      mark.kind === 'now' ? ' strong' : ''
    }" text-anchor="${anchor}" x="${anchor === 'end' ? 8 : anchor === 'start' && at > 0.06 ? -8 : 0}">${label.text} ${moneyWords(mark.price, currency)}</text></svg>`;
  });
}

/** Months, or the first and last day where there are not two months to name. */
function timeLabels(first: number, last: number, x: (at: number) => number): Fragment {
  const starts = monthStarts(first, last);
  if (starts.length < 3) {
    const end = html`<text x="${percent(x(last))}" y="${BOTTOM + 18}" text-anchor="end">${dayWords(last)}</text>`;
    return [html`<text x="${percent(x(first))}" y="${BOTTOM + 18}"${SPARE}>${dayWords(first)}</text>`, end];
  }
  const months = monthTicks(
    starts.map((at) => new Date(at).toISOString().slice(0, 7)),
    10,
  );
  return monthLabels(months, (at) => x(starts[at] ?? first), BOTTOM + 18);
}

/** The first of each month between two times, in UTC. */
function monthStarts(from: number, to: number): readonly number[] {
  const first = new Date(from);
  const starts: number[] = [];
  for (let month = 1; starts.length < 1_200; month++) {
    const start = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1);
    if (start > to) break;
    starts.push(start);
  }
  return starts;
}
