// The small charts of the market page: one metric each by month, beside that of the second area.

import { lineChart } from '../../page/chart/line-chart.ts';
import { type Html, html } from '../../page/html.ts';
import type { ChartedMetric } from './metric-choice.ts';
import {
  chartLinks,
  choiceOf,
  figureTable,
  type MarketPage,
  nothingToDraw,
  placeOf,
  valuesOf,
} from './page-parts.ts';
import { differenceWords, figureOrReason, figureWords, monthWords, shortFigure } from './words.ts';

export function smallCharts(page: MarketPage): Html {
  return html`<div class="smalls">${choiceOf(page).charts.map((metric) => smallChart(page, metric))}</div>`;
}

function smallChart(page: MarketPage, { table, id, title, kind }: ChartedMetric): Html {
  const { series, second } = page.figures;
  const { points } = series;
  const values = valuesOf(points, id);
  const other = second === null ? [] : valuesOf(second.points, id);
  const chart = lineChart({
    label: `${title} in ${placeOf(page)} by month`,
    months: points.map(({ start }) => start),
    values,
    second: other,
    formatTick: (value) => shortFigure(kind, value, null),
    height: 124,
  });
  const last = points.at(-1)?.metrics[id];
  const before = values.at(-13) ?? null;
  const words = (value: number | null | undefined) =>
    value === null || value === undefined ? 'too few' : figureWords(kind, value, null);
  const rows = points.map(({ start, metrics }, at) => [
    monthWords(start),
    words(values[at]),
    ...(second === null ? [] : [words(other[at])]),
    String(metrics[id]?.n ?? 0),
  ]);
  const head = ['Month', placeOf(page), ...(page.second === null ? [] : [page.second.name]), 'n'];
  const request = table === 'areas' ? page.requests.series : page.requests[table];
  return html`<section class="panel chart-box small-chart" data-chart><header><h3>${title}</h3><strong>${figureOrReason(kind, last, null)}</strong></header>${chart ?? nothingToDraw('Too few homes for a figure.')}<p class="aside">${differenceWords(kind, last?.value ?? null, before) ?? 'No figure of a year ago'}</p><div class="tools">${chart === null ? null : figureTable(`${title} by month`, head, rows)}${chartLinks(page, table, id, request)}</div></section>`;
}
