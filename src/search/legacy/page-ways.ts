// Choice of the plan that finds the rows of a page: by about how many listings there are; it never changes the result. Pure.

import type { Condition, ReadColumn } from '../query/condition.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { columnReadBy, isStoredDescending } from '../query/sort.ts';
import { isActive, isOfAreas, onlyArea } from '../sql/source-sql.ts';

/** So many listings are found by their words and sorted in a few milliseconds. */
export const FEW = 3_000;
/** Above this those with the words are better not all found, whatever else is to be done. */
export const MANY = 20_000;
/** So many listings next in the order are looked at one by one where a page of them is likely to fit. */
export const NEAR = 4_000;

/** So many next in the order are looked at before anything is planned: that costs about as much as a plan does. */
export const NEXT = 400;
/** Larger pages are not likely to fit among those. */
const LARGE_PAGE = NEXT / 4;

/** So many rows of an area are all looked at in a few milliseconds, which is what the worst plan comes to. */
const FEW_OF_AREA = 20_000;

/** So few listings in a shape are found at once and sorted. */
const FEW_IN_SHAPE = 2_000;
/** So many listings in a shape are better not all found and sorted. */
const CROWDED = 8_000;

const KEPT_ORDERS: ReadonlySet<ReadColumn> = new Set<ReadColumn>([
  'listedAt',
  'updatedAt',
  'price',
  'pricePerArea',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'yearBuilt',
  'daysOnMarketStart',
]);

/** Those of which an area keeps its rows in order, besides the one by days on market. */
const KEPT_OF_AREA: ReadonlySet<ReadColumn> = new Set<ReadColumn>(['listedAt', 'price']);

/** Filters that usually leave many listings. A short list, since each connection keeps a plan for each combination of them. */
const COMMON: ReadonlySet<string> = new Set<ReadColumn>([
  'price',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'yearBuilt',
  'propertyType',
]);

/** Whether search rows of what is active are kept in the order of this key, both ways. */
export const isKeptOrder = (read: ReadColumn): boolean => KEPT_ORDERS.has(read);

/** Whether a page in this order has one best plan whatever is asked: a walk along one index of few rows or without filters. */
export function hasOneWay(plan: SearchPlan, resolved: ResolvedQuery): boolean {
  if (plan.text || !isActive(plan)) return false;
  const reads = plan.order.map(columnReadBy);
  if (onlyArea(plan, resolved) !== null)
    return isOfAreas(plan, reads) && resolved.areaListings <= FEW_OF_AREA;
  return plan.conditions.length === 1 && reads.length === 1 && reads.every(isKeptOrder);
}

/**
 * Whether the listings next in the order may well hold the page: all filters are by what many listings have in common, and an
 * index holds the order. They are read by one plan whatever the filters: to make a better one for a rare value takes longer
 * than to read them.
 */
export function isPerhapsNext(plan: SearchPlan, resolved: ResolvedQuery): boolean {
  const [only, ...others] = plan.order;
  if (only === undefined || others.length > 0 || plan.text || !isActive(plan) || isByDays(plan)) return false;
  const read = columnReadBy(only);
  if (plan.limit > LARGE_PAGE || hasOneWay(plan, resolved)) return false;
  const filters = plan.conditions.filter(({ kind }) => kind !== 'areas' && kind !== 'statuses');
  if (!filters.every((each) => isCommon(each, read))) return false;
  if (!plan.conditions.some(({ kind }) => kind === 'areas')) return isKeptOrder(read);
  return onlyArea(plan, resolved) !== null && isOfAreas(plan, [read]) && KEPT_OF_AREA.has(read);
}

/** A filter on the key of the order itself tells where the page begins, which the next in the order do not. */
function isCommon(condition: Condition, sorted: ReadColumn): boolean {
  const { kind } = condition;
  const isPlain = kind === 'range' || kind === 'numbers' || kind === 'words';
  return isPlain && COMMON.has(condition.column) && condition.column !== sorted;
}

/**
 * Whether rows whose first key is unknown, which come after all others, are to be asked for by themselves, since a page is
 * likely to be full without them: PostgreSQL plans each part of such a statement longer than it runs it.
 */
export function mayEndBeforeUnknown(plan: SearchPlan, resolved: ResolvedQuery): boolean {
  const { cursor, text, order } = plan;
  if (text || isSparse(plan, resolved)) return false;
  if (cursor !== null) return cursor.direction === 'next' && cursor.values[0] !== null;
  const [only, ...others] = order;
  if (only === undefined || others.length > 0) return false;
  return isByDays(plan) || (isKeptOrder(columnReadBy(only)) && only.descending !== isStoredDescending(only));
}

/** Whether a page is found along the moments when listings came on the market. */
export const isByDays = (plan: SearchPlan): boolean =>
  isActive(plan) && plan.order.length === 1 && plan.order[0]?.key === 'daysOnMarket';

/** Whether so many lie in the shape that those which come next in the order are likely to hold a page of them. */
export function isCrowded(plan: SearchPlan, { inShape }: ResolvedQuery): boolean {
  const { conditions, order } = plan;
  if (!isActive(plan) || conditions.some(({ kind }) => kind === 'areas' || kind === 'text')) return false;
  return (
    order.length === 1 && order.map(columnReadBy).every(isKeptOrder) && (inShape?.listings ?? 0) > CROWDED
  );
}

/** Whether so few lie in the shape that all of them are found, whatever the order. */
export function isSparse(plan: SearchPlan, { inShape }: ResolvedQuery): boolean {
  if (!isActive(plan) || plan.conditions.some(({ kind }) => kind === 'areas' || kind === 'text'))
    return false;
  return inShape !== null && inShape.listings <= FEW_IN_SHAPE;
}
