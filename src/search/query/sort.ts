// Sort of results: the keys that `sort` names, their direction, and the type of value that a cursor holds of each.

import type { ValueKind } from '../../http/input/cursor.ts';
import { nearest } from '../../lib/nearest.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { SORT_KEYS, type SortKey } from '../../listings/common-parameters.ts';
import type { ReadColumn } from './condition.ts';
import type { NormalizedQuery } from './normalize-query.ts';

export interface SortTerm {
  readonly key: SortKey;
  readonly descending: boolean;
}

export const DEFAULT_SORT = ['-listedAt'];

/** The order that a query asks for. Throws INVALID_PARAMETER. */
export function parseSort({ sort = DEFAULT_SORT, q, lat }: NormalizedQuery): SortTerm[] {
  const order: SortTerm[] = [];
  for (const text of sort) {
    const by = parseSortKey(text);
    const { key } = by;
    if (order.some((before) => before.key === key)) throw invalidParameter('sort', `contains ${key} twice`);
    if (key === 'distance' && lat === undefined)
      throw invalidParameter('sort', 'distance needs lat, lng and radius');
    if (key === 'relevance' && q === undefined) throw invalidParameter('sort', 'relevance needs q');
    order.push(by);
  }
  // Many listings are as relevant as each other: of those the newest come first.
  const isTied = order.some(({ key }) => key === 'relevance') && !order.some(({ key }) => key === 'listedAt');
  return isTied ? [...order, { key: 'listedAt', descending: true }] : order;
}

/** `-price` or `price`; or, as others write them, `priceDesc` and `priceAsc`. */
function parseSortKey(text: string): SortTerm {
  const [, minus, name = '', way] = /^(-?)(.*?)(Asc|Desc)?$/s.exec(text) ?? [];
  const key = SORT_KEYS.find((known) => known === name);
  if (key && !(minus && way)) return { key, descending: minus === '-' || way === 'Desc' };
  throw invalidParameter(
    'sort',
    `must be one of ${SORT_KEYS.join(', ')}; prefix with - for descending`,
    suggestedSort(text),
  );
}

/** `price_desc`, `price:desc` and `+price` in our form; otherwise the key whose name is near. */
function suggestedSort(text: string): string | undefined {
  const [, sign = '', name = '', way = ''] =
    /^([+-]?)(.*?)(?:[\s_:.-]*(asc|desc)(?:ending)?)?$/is.exec(text) ?? [];
  const key = nearest(name, SORT_KEYS);
  const falls = sign === '-' || way.toLowerCase() === 'desc';
  return key === undefined ? undefined : `${falls ? '-' : ''}${key}`;
}

/** What is read of a listing to sort it by this key, where it is active. */
export function columnReadBy({ key }: SortTerm): ReadColumn {
  if (key === 'relevance') return 'words';
  if (key === 'daysOnMarket') return 'daysOnMarketStart';
  return key === 'distance' ? 'other' : key;
}

/** Whether the index that is kept for a key falls: of moments the latest are asked for most, of all else the least. */
export const isStoredDescending = ({ key }: SortTerm): boolean => key.endsWith('At');

/** Whether ids, which come last of all keys, fall: they run the way of the key before them, and so does the index. */
export const areIdsDescending = (order: readonly SortTerm[]): boolean => order.at(-1)?.descending ?? false;

/** What a cursor carries for a sort key. */
export function valueKindOf({ key }: SortTerm): ValueKind {
  return key.endsWith('At') ? 'time' : 'number';
}
