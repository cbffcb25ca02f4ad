// Compilation of conditions to filters over a segment or a tail.

import { type Condition, isShape } from '../../query/condition.ts';
import type { Columns } from '../columns/segment.ts';
import { areasFilter } from './area-filter.ts';
import type { Filter, FilterContext } from './filter.ts';
import { daysFilter, flagFilter, numbersFilter, openFilter, rangeFilter } from './number-filters.ts';
import { shapeFilter } from './shape-filters.ts';
import { addressFilter, listFilter, statusFilter, textFilter, wordsFilter } from './word-filters.ts';

/** The filters of a search: of its conditions, and of what its reader may see. */
export function compileFilters(
  conditions: readonly Condition[],
  ignoreDisplayRules: boolean,
  columns: Columns,
  context: FilterContext,
): Filter[] {
  const statuses = conditions.flatMap((each) => (each.kind === 'statuses' ? [each.statuses] : []));
  const others = conditions.filter(({ kind }) => kind !== 'statuses');
  return [
    statusFilter(statuses, ignoreDisplayRules, columns, context),
    ...others.map((condition) => compileFilter(condition, columns, context)),
  ];
}

/** The filter of one condition, which lets pass what may not be shown, too. */
export function compileFilter(condition: Condition, columns: Columns, context: FilterContext): Filter {
  if (isShape(condition)) return shapeFilter(condition, columns);
  switch (condition.kind) {
    case 'range':
      return condition.column === 'daysOnMarket'
        ? daysFilter(condition, columns, context.startedAt)
        : rangeFilter(condition.column, condition, columns);
    case 'numbers':
      return numbersFilter(condition.column, condition.values, columns);
    case 'words':
      return wordsFilter(condition.column, condition.values, columns, context);
    case 'flag':
      return flagFilter(condition.column, condition.value, columns);
    case 'list':
      return listFilter(condition, columns, context);
    case 'open':
      return openFilter(condition, columns);
    case 'address':
      return addressFilter(condition.key, columns);
    case 'areas':
      return areasFilter(context.areaNos, columns, context.areaRows(columns));
    case 'text':
      return textFilter(context.matchText(condition, columns));
    case 'statuses':
      return statusFilter([condition.statuses], true, columns, context);
  }
}
