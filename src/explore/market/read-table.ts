// Table of areas on the market page: one page of it, sorted by figures or by names.

import type { MarketAnswers } from '../../market/answers.ts';
import type { MetricFigure } from '../../market/compute-metrics.ts';
import { type ComparedArea, comparisonOf, historiesOf } from '../../market/handlers.ts';
import { SPARK_MONTHS } from './api-requests.ts';
import { AGE, areaMetrics, CHOICES, INVENTORY, MONTHS_OF_SUPPLY } from './metric-choice.ts';
import type { MarketView, SortKey } from './page-query.ts';
import type { AreaSet } from './read-areas.ts';
import { inCurrency, type Reader } from './read-figures.ts';

/** Areas whose figures are all computed to sort by them; of more areas, those of one page are. */
const MAX_SORTED = 100;
export const PAGE_SIZE = 14;

export interface AreaRow {
  readonly id: string;
  readonly name: string;
  readonly currency: string | null;
  readonly metrics: Readonly<Record<string, MetricFigure>>;
  /** The asking price by month; null: a gap. */
  readonly spark: readonly (number | null)[];
}

export interface AreaTable {
  readonly set: AreaSet;
  readonly rows: readonly AreaRow[];
  /** The figures that were read, of all areas where they can be sorted by them. */
  readonly compared: readonly ComparedArea[];
  readonly page: number;
  readonly pages: number;
  /** What it is sorted by in fact: too many areas are sorted by name or homes only. */
  readonly sortKey: SortKey;
  readonly canSortByFigures: boolean;
  /** The most homes of a row, as long as a bar gets. */
  readonly maxHomes: number;
}

export async function readTable(
  answers: MarketAnswers,
  view: MarketView,
  set: AreaSet,
  reader: Reader,
): Promise<AreaTable> {
  const canSortByFigures = isSortable(set);
  const sortKey = sortKeyOf(view, set);
  const { page, pages } = pageOf(view, set);
  const compared = await compare(answers, view, comparedAreas(view, set), reader);
  const sorted = canSortByFigures ? sliceOf(sortAreas(compared, { ...view, sortKey }), page) : compared;
  const sparks = await readSparks(answers, view, sorted, reader);
  const rows = sorted.map(({ areaId, ...row }) => ({ ...row, id: areaId, spark: sparks.get(areaId) ?? [] }));
  const maxHomes = Math.max(1, ...rows.map(({ metrics }) => metrics[INVENTORY]?.value ?? 0));
  return { set, rows, compared, page, pages, sortKey, canSortByFigures, maxHomes };
}

const isSortable = ({ areas }: AreaSet): boolean => areas.length <= MAX_SORTED;

const sortKeyOf = ({ sortKey }: MarketView, set: AreaSet): SortKey =>
  isSortable(set) || sortKey === 'name' ? sortKey : 'homes';

function pageOf(view: MarketView, { areas }: AreaSet): { readonly page: number; readonly pages: number } {
  const pages = Math.max(1, Math.ceil(areas.length / PAGE_SIZE));
  return { pages, page: Math.min(view.page, pages) };
}

const sliceOf = <T>(all: readonly T[], page: number): readonly T[] =>
  all.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);

/** The areas whose figures are computed: all, or those of one page. */
export const comparedAreas = (view: MarketView, set: AreaSet): AreaSet['areas'] =>
  isSortable(set)
    ? set.areas
    : sliceOf(orderAreas(set.areas, sortKeyOf(view, set), view.isDescending), pageOf(view, set).page);

/** The asking prices of each area by month, for its sparkline. */
async function readSparks(
  answers: MarketAnswers,
  { listingType, currency }: Pick<MarketView, 'listingType' | 'currency'>,
  areas: readonly ComparedArea[],
  reader: Reader,
): Promise<ReadonlyMap<string, AreaRow['spark']>> {
  if (areas.length === 0) return new Map();
  const { id } = CHOICES[listingType].price;
  const query = {
    listingType,
    ...inCurrency(currency),
    areaId: areas.map(({ areaId }) => areaId),
    metrics: [id],
    periods: SPARK_MONTHS,
  };
  const histories = await answers.get('explore sparks', historiesOf, {
    ...reader,
    query,
    limit: SPARK_MONTHS,
  });
  return new Map(
    [...histories].map(([areaId, points]) => [
      areaId,
      points.map(({ metrics }) => metrics[id]?.value ?? null),
    ]),
  );
}

/** What GET /v1/market/compare answers, all areas at once. */
async function compare(
  answers: MarketAnswers,
  { listingType, currency }: Pick<MarketView, 'listingType' | 'currency'>,
  areas: readonly { readonly id: string }[],
  reader: Reader,
): Promise<readonly ComparedArea[]> {
  if (areas.length === 0) return [];
  const query = {
    listingType,
    ...inCurrency(currency),
    areaId: areas.map(({ id }) => id),
    metrics: [...areaMetrics(listingType)],
  };
  const call = { ...reader, query, limit: areas.length };
  const answer = await answers.get('explore compare', comparisonOf, call);
  return answer.areas;
}

/** The same of any number of areas, a hundred after the other: each answer has its own time. */
export async function compareAll(
  answers: MarketAnswers,
  view: Pick<MarketView, 'listingType' | 'currency'>,
  areas: AreaSet['areas'],
  reader: Reader,
): Promise<readonly ComparedArea[]> {
  const compared: ComparedArea[] = [];
  for (let at = 0; at < areas.length; at += MAX_SORTED)
    compared.push(...(await compare(answers, view, areas.slice(at, at + MAX_SORTED), reader)));
  return compared;
}

/** Areas come with the most homes first; the other orders of what has no figures yet. */
function orderAreas<Each extends { readonly name: string }>(
  areas: readonly Each[],
  sortKey: SortKey,
  isDescending: boolean,
): readonly Each[] {
  if (sortKey !== 'name') return isDescending ? areas : areas.toReversed();
  const byName = areas.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  return isDescending ? byName.toReversed() : byName;
}

/** Sorted by a column, then by name; what has no figure comes last either way. */
export function sortAreas(
  areas: readonly ComparedArea[],
  { listingType, sortKey, isDescending }: Pick<MarketView, 'listingType' | 'sortKey' | 'isDescending'>,
): readonly ComparedArea[] {
  const byName = areas.toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  if (sortKey === 'name') return isDescending ? byName.toReversed() : byName;
  const price = CHOICES[listingType].price.id;
  const figureOf = ({ metrics }: ComparedArea): number | null => {
    if (sortKey === 'year') return metrics[price]?.change?.yearAgo ?? null;
    const id = { median: price, homes: INVENTORY, age: AGE, supply: MONTHS_OF_SUPPLY }[sortKey];
    return metrics[id]?.value ?? null;
  };
  return byName.toSorted((a, b) => {
    const [one, other] = [figureOf(a), figureOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return isDescending ? other - one : one - other;
  });
}
