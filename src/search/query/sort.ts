// Sort order of results: the keys in `sort`, their directions, and the type of each key's cursor value.

import type { ValueKind } from '../../http/input/cursor.ts';
import { readAll } from '../../http/input/faults.ts';
import { nearest } from '../../lib/nearest.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { SORT_KEYS, type SortKey } from '../../listings/common-parameters.ts';
import type { NormalizedQuery } from './normalize-query.ts';

export interface SortTerm {
  readonly key: SortKey;
  readonly descending: boolean;
}

const DEFAULT_SORT = ['-listedAt'];

/** The sort order of a query. Throws INVALID_PARAMETER. */
export function parseSort({ sort = DEFAULT_SORT, q, lat }: NormalizedQuery): SortTerm[] {
  const order: SortTerm[] = [];
  for (const by of readAll(sort.map((text) => () => parseSortKey(text)))) {
    const { key } = by;
    if (order.some((before) => before.key === key)) throw invalidParameter('sort', `contains ${key} twice`);
    if (key === 'distance' && lat === undefined)
      throw invalidParameter('sort', 'distance needs lat, lng and radius');
    if (key === 'relevance' && q === undefined) throw invalidParameter('sort', 'relevance needs q');
    order.push(by);
  }
  // Many listings are equally relevant: the newest of them come first.
  const isTied = order.some(({ key }) => key === 'relevance') && !order.some(({ key }) => key === 'listedAt');
  return isTied ? [...order, { key: 'listedAt', descending: true }] : order;
}

/** `-price` or `price`, or as other APIs write them, `priceDesc` and `priceAsc`. */
function parseSortKey(text: string): SortTerm {
  const [, minus, name = '', direction] = /^(-?)(.*?)(Asc|Desc)?$/s.exec(text) ?? [];
  const key = SORT_KEYS.find((known) => known === name);
  if (key && !(minus && direction)) return { key, descending: minus === '-' || direction === 'Desc' };
  throw invalidParameter(
    'sort',
    `must be one of ${SORT_KEYS.join(', ')}; prefix with - for descending`,
    suggestedSort(text),
  );
}

/** The suggestion for a wrong sort: `price_desc`, `price:desc` and `+price` in our form, or the key with a similar name. */
function suggestedSort(text: string): string | undefined {
  const [, sign = '', name = '', direction = ''] =
    /^([+-]?)(.*?)(?:[\s_:.-]*(asc|desc)(?:ending)?)?$/is.exec(text) ?? [];
  const key = nearest(name, SORT_KEYS);
  const descending = sign === '-' || direction.toLowerCase() === 'desc';
  return key === undefined ? undefined : `${descending ? '-' : ''}${key}`;
}

/** Whether the index for a key is descending: most requests want the latest times, but the smallest of everything else. */
export const isStoredDescending = ({ key }: SortTerm): boolean => key.endsWith('At');

/** Whether ids, the last key, are descending: they have the direction of the key before them, as in the index. */
export const areIdsDescending = (order: readonly SortTerm[]): boolean => order.at(-1)?.descending ?? false;

/** The type of a key's cursor value. */
export function valueKindOf({ key }: SortTerm): ValueKind {
  return key.endsWith('At') ? 'time' : 'number';
}
