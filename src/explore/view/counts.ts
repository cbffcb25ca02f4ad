// Counts of a view's filters: what each change would give, the prices, the types and the features, all exact.

import type { Principal } from '../../access/tiers/tiers.ts';
import type { Condition } from '../../search/query/condition.ts';
import { planSearch, type ResolvedSearch } from '../../search/query/plan.ts';
import { type SearchSession, withSession } from '../../search/query/search-backend.ts';
import { requireOneCurrency } from '../../search/summaries/currency.ts';
import type {
  CountedChange,
  FilterCounts,
  ParameterChanges,
  PriceBucket,
  ValueCount,
} from './filter-counts.ts';
import { changed } from './parameters.ts';
import { readQuery } from './query.ts';
import type { ExploreState } from './state.ts';
import { prepareSearch, type ViewParts } from './view.ts';

export interface CountedFilter {
  readonly id: string;
  readonly parameters: readonly string[];
}

/** What to count besides the values that there are. */
export interface CountRequest {
  /** Those in force. */
  readonly filters: readonly CountedFilter[];
  readonly offers: readonly Omit<CountedChange, 'count'>[];
  /** Of the prices, for the width of their buckets; null: not known yet. */
  readonly median: number | null;
}

const STEPS = ['1', '2', '3', '4', '5'];
const MAX_VALUES = 40;
/** Prices far beyond the others are counted too. */
const MAX_PRICES = 10_000;
const MAX_BARS = 30;
const PRICE = ['minPrice', 'maxPrice', 'price'];
const TYPE = ['propertyType', 'propertySubType'];
const BEDS = ['minBedrooms', 'maxBedrooms', 'bedrooms'];
const BATHS = ['minBathrooms', 'maxBathrooms', 'bathrooms'];

const isOfCurrency = (condition: Condition): boolean =>
  condition.kind === 'words' && condition.column === 'currency';

const removing = (names: readonly string[]): ParameterChanges =>
  Object.fromEntries(names.map((name) => [name, null]));

/** Throws what `readView` throws. */
export async function readCounts(
  parts: ViewParts,
  state: ExploreState,
  caller: Principal,
  { filters, offers, median }: CountRequest,
): Promise<FilterCounts> {
  const { search, query } = await prepareSearch(parts, state, caller);
  return withSession(parts.backend, { caller: caller.account }, async (session) => {
    const { plan, choice } = await requireOneCurrency(
      { ...parts, backend: session, fresh: false, choosesMost: true },
      search,
      { ...query, facets: ['priceBucket'] },
    );
    const whole = { ...search, plan: { ...plan, cursor: null } };
    // A view in one of several currencies is counted in that one.
    const chosen = choice === null ? [] : plan.conditions.filter(isOfCurrency);
    const conditions = (changes: ParameterChanges) => [
      ...conditionsOf(parts, state, changes, caller),
      ...chosen,
    ];
    const counted = await session.countEach(whole, [
      ...filters.map(({ parameters }) => conditions(removing(parameters))),
      ...offers.map(({ changes }) => conditions(changes)),
      ...STEPS.map((step) => conditions({ ...removing(BEDS), minBedrooms: step })),
      ...STEPS.map((step) => conditions({ ...removing(BATHS), minBathrooms: step })),
    ]);
    const take = takerOf(counted);
    const middle = median ?? (await medianOf(session, whole));
    const values = await valuesIn(session, whole, conditions, bucketWidth(middle));
    return {
      without: Object.fromEntries(filters.map(({ id }) => [id, take()])),
      offers: offers.map((offer) => ({ ...offer, count: take() })),
      beds: STEPS.map((value) => ({ value, count: take() })),
      baths: STEPS.map((value) => ({ value, count: take() })),
      ...values,
    };
  });
}

/** How many homes each change of a view would give, in order. */
export async function countChanges(
  parts: ViewParts,
  state: ExploreState,
  caller: Principal,
  changes: readonly ParameterChanges[],
): Promise<readonly number[]> {
  const { search } = await prepareSearch(parts, state, caller);
  return withSession(parts.backend, { caller: caller.account }, (session) =>
    session.countEach(
      { ...search, plan: { ...search.plan, cursor: null } },
      changes.map((each) => conditionsOf(parts, state, each, caller)),
    ),
  );
}

/** A median in one currency. */
export interface PriceMedian {
  /** Null: no price is known. */
  readonly median: number | null;
  /** ISO 4217; null: there are no homes. */
  readonly currency: string | null;
  /** Whether homes are left out of it, because they are priced in other currencies. */
  readonly hasOthers: boolean;
}

/** The median price of a view's homes in the currency that the view is shown in. Throws what `readView` throws. */
export async function readMedian(
  parts: ViewParts,
  state: ExploreState,
  caller: Principal,
): Promise<PriceMedian> {
  const { search, query } = await prepareSearch(parts, state, caller);
  return withSession(parts.backend, { caller: caller.account }, async (session) => {
    const { plan, choice } = await requireOneCurrency(
      { ...parts, backend: session, fresh: false, choosesMost: true },
      search,
      { ...query, facets: ['priceBucket'] },
    );
    const median = await medianOf(session, { ...search, plan });
    return { median, currency: plan.currency, hasOthers: choice !== null };
  });
}

async function medianOf(session: SearchSession, search: ResolvedSearch): Promise<number | null> {
  const { measures } = await session.summaries(search, ['price']);
  return measures.get('price')?.quartiles?.[1] ?? null;
}

function takerOf(counted: readonly number[]): () => number {
  let at = 0;
  return () => counted[at++] ?? 0;
}

function conditionsOf(
  parts: ViewParts,
  state: ExploreState,
  changes: ParameterChanges,
  { reach }: Principal,
): readonly Condition[] {
  const parameters = changed(state.parameters, changes);
  const query = readQuery({ kind: state.kind, parameters });
  return planSearch(state.kind, query, 1, parts.clock.now(), reach).conditions;
}

/** The values that homes have, each by all filters but its own. */
async function valuesIn(
  session: SearchSession,
  search: ResolvedSearch,
  conditions: (changes: ParameterChanges) => readonly Condition[],
  priceStep: number,
): Promise<Pick<FilterCounts, 'buckets' | 'types' | 'features'>> {
  const without = (names: readonly string[]): ResolvedSearch => {
    const currency = search.plan.conditions.filter(isOfCurrency);
    const others = conditions(removing(names)).filter((condition) => !isOfCurrency(condition));
    return { ...search, plan: { ...search.plan, conditions: [...others, ...currency] } };
  };
  const limits = { max: MAX_VALUES, priceStep: null };
  const [prices, types, features] = await Promise.all([
    session.facets(without(PRICE), ['priceBucket'], { max: MAX_PRICES, priceStep }),
    session.facets(without(TYPE), ['propertyType'], limits),
    session.facets(search, ['features'], limits),
  ]);
  const texts = (counts: readonly { value: string | number; count: number }[] = []): ValueCount[] =>
    counts.map(({ value, count }) => ({ value: String(value), count }));
  return {
    buckets: bucketsOf(prices.values.get('priceBucket') ?? [], priceStep),
    types: texts(types.values.get('propertyType')),
    features: texts(features.values.get('features')),
  };
}

/** A width of 1, 2, 2.5 or 5 times a power of ten of which the median has about ten. */
function bucketWidth(median: number | null): number {
  const width = Math.max(1, (median ?? 100_000) / 10);
  const power = 10 ** Math.floor(Math.log10(width));
  const factor = [5, 2.5, 2, 1].find((each) => each * power <= width) ?? 1;
  return Math.max(1, Math.round(factor * power));
}

/** The buckets from the first to the last that has homes; what is dearer than the last that is drawn is in it. */
function bucketsOf(
  counts: readonly { value: string | number; count: number }[],
  step: number,
): readonly PriceBucket[] {
  const found = counts.map(({ value, count }) => ({ at: Number(value) - 1, count }));
  if (found.length === 0) return [];
  const first = Math.min(...found.map(({ at }) => at));
  const last = Math.min(first + MAX_BARS - 1, Math.max(...found.map(({ at }) => at)));
  const isCut = found.some(({ at }) => at > last);
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const at = first + index;
    const isEnd = isCut && at === last;
    const inIt = found.filter((each) => each.at === at || (isEnd && each.at > at));
    return {
      from: at * step,
      to: isEnd ? null : (at + 1) * step,
      count: inIt.reduce((sum, { count }) => sum + count, 0),
    };
  });
}
