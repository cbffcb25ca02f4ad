// Figures of one chart or table of the market page as CSV, with the values as the API gives them.

import { csvLine, harmlessText } from '../../http/output/csv.ts';
import type { ComparedArea } from '../../market/handlers.ts';
import { areaMetrics, CHOICES, CLOSED, NEW } from './metric-choice.ts';
import type { FigureTable, MarketView } from './page-query.ts';
import type { Distribution, MarketFigures, Point } from './read-figures.ts';

const cell = (value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

/** The metrics of a chart by month. */
export function chartMetrics(
  { listingType }: Pick<MarketView, 'listingType'>,
  table: FigureTable,
): readonly string[] {
  const { price, charts } = CHOICES[listingType];
  if (table === 'activity') return [NEW, CLOSED];
  return [price, ...charts].filter((each) => each.table === table).map(({ id }) => id);
}

/** One line a month; the columns of the second area end in its id. Withheld values are empty, with their `n`. */
export function seriesCsv(
  { series, second }: Pick<MarketFigures, 'series' | 'second'>,
  metrics: readonly string[],
  withId: string | null,
): string {
  const columns = (suffix: string) =>
    metrics.flatMap((id) => [id, `${id}.p25`, `${id}.p75`, `${id}.n`].map((name) => `${name}${suffix}`));
  const cells = (point: Point | undefined) =>
    metrics.flatMap((id) => {
      const figure = point?.metrics[id];
      return [cell(figure?.value), cell(figure?.p25), cell(figure?.p75), cell(figure?.n)];
    });
  const suffix = ` ${withId ?? ''}`;
  const lines = series.points.map((point, at) =>
    csvLine([point.start, point.end, ...cells(point), ...(second === null ? [] : cells(second.points[at]))]),
  );
  return [
    csvLine(['start', 'end', ...columns(''), ...(second === null ? [] : columns(suffix))].map(harmlessText)),
    ...lines,
  ].join('');
}

export function distributionCsv({ buckets }: Distribution): string {
  const lines = buckets.map(({ from, to, count }) => csvLine([String(from), String(to), String(count)]));
  return [csvLine(['from', 'to', 'count']), ...lines].join('');
}

export function areasCsv(
  areas: readonly ComparedArea[],
  { listingType }: Pick<MarketView, 'listingType'>,
): string {
  const metrics = areaMetrics(listingType);
  const head = ['areaId', 'name', 'currency', ...metrics.flatMap((id) => [id, `${id}.yearAgo`, `${id}.n`])];
  const lines = areas.map((area) =>
    csvLine([
      harmlessText(area.areaId),
      harmlessText(area.name),
      area.currency,
      ...metrics.flatMap((id) => {
        const figure = area.metrics[id];
        return [cell(figure?.value), cell(figure?.change?.yearAgo), cell(figure?.n)];
      }),
    ]),
  );
  return [csvLine(head), ...lines].join('');
}
