// The large charts of the market page: price with its band, new and sold, distribution of prices.

import { barChart } from '../../page/chart/bar-chart.ts';
import { type HistogramBin, histogram } from '../../page/chart/histogram.ts';
import { lineChart } from '../../page/chart/line-chart.ts';
import { type Html, html } from '../../page/html.ts';
import { CLOSED, NEW } from './metric-choice.ts';
import {
  chartLinks,
  choiceOf,
  figureTable,
  type MarketPage,
  nothingToDraw,
  placeOf,
  valuesOf,
} from './page-parts.ts';
import { figureWords, monthWords, shortFigure } from './words.ts';

const TOO_FEW = 'too few';

/** Median price by month with its quartile band; a second area in the same currency dashed. */
export function priceChart(page: MarketPage): Html {
  const { price } = choiceOf(page);
  const { series, second } = page.figures;
  const { points, currency } = series;
  const place = placeOf(page);
  const isComparable = second !== null && (second.currency === currency || second.currency === null);
  const other = isComparable ? valuesOf(second.points, price.id) : [];
  const figures = points.map(({ metrics }) => metrics[price.id]);
  const money = (value: number | null | undefined) =>
    value === null || value === undefined ? TOO_FEW : figureWords('money', value, currency);
  const chart = lineChart({
    label: `${price.title} in ${place}: median and middle half of all homes by month`,
    months: points.map(({ start }) => start),
    values: valuesOf(points, price.id),
    band: figures.map((figure) =>
      figure?.p25 === null || figure?.p75 === null || figure === undefined ? null : [figure.p25, figure.p75],
    ),
    second: other,
    counts: figures.map((figure) => figure?.n ?? 0),
    formatTick: (value) => shortFigure('money', value, currency),
  });
  const rows = points.map((point, at) => [
    monthWords(point.start),
    money(figures[at]?.value),
    figures[at]?.p25 === null || figures[at] === undefined
      ? TOO_FEW
      : `${shortFigure('money', figures[at].p25, currency)} – ${shortFigure('money', figures[at].p75 ?? 0, currency)}`,
    ...(isComparable ? [money(other[at])] : []),
    String(figures[at]?.n ?? 0),
  ]);
  const secondName = page.second?.name ?? '';
  return html`<section><header class="over"><h2>${price.title}</h2><p>median by month, with the middle half of all homes</p>${chartLinks(page, 'price', price.id, page.requests.price)}</header>
<div class="panel chart-box" data-chart>${legend(place, isComparable ? secondName : null)}${chart ?? nothingToDraw('In no month of this time were there five homes with a price, so there is no median to draw.')}${
    second !== null && !isComparable
      ? html`<p class="aside">Prices in ${secondName} are in ${second.currency}, so they are not drawn here.</p>`
      : null
  }${chart === null ? null : figureTable(`${price.title} in ${place} by month`, ['Month', place, 'middle half', ...(isComparable ? [secondName] : []), 'homes'], rows)}</div></section>`;
}

function legend(place: string, second: string | null): Html {
  return html`<ul class="legend"><li><svg width="26" height="12" aria-hidden="true"><rect class="key-band" width="26" height="12"/><path class="key-line" d="M0 6h26"/></svg>${place}, median and middle half</li>${
    second === null
      ? null
      : html`<li><svg width="26" height="12" aria-hidden="true"><path class="key-second" d="M0 6h26"/><rect class="key-square" x="10" y="3" width="6" height="6"/></svg>${second}, median</li>`
  }</ul>`;
}

export function activityChart(page: MarketPage): Html {
  const { points } = page.figures.series;
  const sold = choiceOf(page).sold.toLowerCase();
  const [up, down] = [valuesOf(points, NEW), valuesOf(points, CLOSED)];
  const hasAny = [...up, ...down].some((count) => count !== null && count > 0);
  const chart = hasAny
    ? barChart({
        label: `New and ${sold} homes in ${placeOf(page)} by month: new up, ${sold} down`,
        months: points.map(({ start }) => start),
        up,
        down,
        formatTick: (value) => value.toLocaleString('en-US'),
      })
    : null;
  const rows = points.map(({ start }, at) => [monthWords(start), `${up[at] ?? 0}`, `${down[at] ?? 0}`]);
  return html`<section class="panel chart-box" data-chart><header><h3>New and ${sold}, by month</h3><ul class="legend"><li><i class="swatch"></i>new</li><li><i class="swatch sold"></i>${sold}</li></ul>${chartLinks(page, 'activity', NEW, page.requests.activity)}</header>${chart ?? nothingToDraw(`No home came on the market or was ${sold} in this time.`)}${chart === null ? null : figureTable(`New and ${sold} homes by month`, ['Month', 'new', sold], rows)}</section>`;
}

export function distributionChart(page: MarketPage): Html {
  const { price } = choiceOf(page);
  const { percentiles, buckets, suppressed, n, scope } = page.figures.distribution;
  const { p25, p50, p75 } = percentiles;
  const short = (value: number) => shortFigure('money', value, scope.plan.currency);
  const bins = withoutTail(merged(buckets, n));
  const beyond = countOf(buckets) - countOf(bins);
  const edge = bins.at(-1)?.to ?? 0;
  const chart = histogram({
    label: `Homes in ${placeOf(page)} by ${price.title.toLowerCase()}`,
    bins,
    median: p50,
    medianLabel: p50 === null ? '' : `Median ${short(p50)}`,
    middle: p25 === null || p75 === null ? null : [p25, p75],
    formatTick: short,
  });
  const reason =
    suppressed && n > 0
      ? `Only ${n} homes are on the market: five are needed to show how prices are spread.`
      : 'No home with a price is on the market.';
  const rows = bins.map(({ from, to, count }) => [`${short(from)} – ${short(to)}`, `${count}`]);
  return html`<section class="panel chart-box" data-chart><header><h3>Homes by ${price.title.toLowerCase()}</h3>${chartLinks(page, 'distribution', price.id, page.requests.distribution)}</header>${chart ?? nothingToDraw(reason)}${beyond === 0 ? null : html`<p class="aside">${beyond} more above ${short(edge)}</p>`}${chart === null ? null : figureTable(`Homes by ${price.title.toLowerCase()}`, [price.title, 'homes'], rows)}</section>`;
}

const countOf = (bins: readonly HistogramBin[]): number => bins.reduce((sum, { count }) => sum + count, 0);

/** Of few homes wider intervals: two or three homes each, not a comb of single ones. */
function merged(buckets: readonly HistogramBin[], n: number): readonly HistogramBin[] {
  const width = n >= 400 ? 1 : n >= 150 ? 2 : n >= 50 ? 3 : 5;
  const bins: HistogramBin[] = [];
  for (let at = 0; at < buckets.length; at += width) {
    const part = buckets.slice(at, at + width);
    const [first, last] = [part[0], part.at(-1)];
    if (first && last) bins.push({ from: first.from, to: last.to, count: countOf(part) });
  }
  return bins;
}

/** The intervals without those at the end that hold one home in a hundred: a castle would press all others into a corner. */
function withoutTail(bins: readonly HistogramBin[]): readonly HistogramBin[] {
  const most = countOf(bins) / 100;
  let [end, left] = [bins.length, 0];
  while (end > 12) {
    left += bins[end - 1]?.count ?? 0;
    if (left > most) break;
    end--;
  }
  return bins.slice(0, end);
}
