// Search prepared for one table: its filters over either part, each compiled once.

import { eventLoop, type Task } from '../../../lib/scheduler.ts';
import { type Condition, isShape, type TextCondition } from '../../query/condition.ts';
import type { ResolvedSearch } from '../../query/plan.ts';
import type { Columns, Generation, Table } from '../columns/segment.ts';
import { areasFilter, rowsOfAreas } from './area-filter.ts';
import { daysFilter, flagFilter, numbersFilter, openFilter, rangeFilter } from './number-filters.ts';
import { type Filter, type FilterContext, partsOf } from './scan.ts';
import { shapeFilter } from './shape-filters.ts';
import { matchText, type TextMatch } from './text-match.ts';
import { addressFilter, listFilter, statusFilter, textFilter, wordsFilter } from './word-filters.ts';

interface Found {
  readonly matches: ReadonlyMap<TextCondition, ReadonlyMap<Columns, TextMatch>>;
  /** Of the segment; null: the search names no areas. */
  readonly areaRows: Uint32Array | null;
}

/** Finds the rows of its areas, and those that have the words of its texts and of `others`, whose filters are used by themselves. */
export async function prepareSearch(
  generation: Generation,
  search: ResolvedSearch,
  task = eventLoop.task(),
  others: readonly Condition[] = [],
): Promise<PreparedSearch> {
  const { plan, resolved } = search;
  const table = generation.tables[plan.listingType];
  const isInAreas = plan.conditions.some(({ kind }) => kind === 'areas');
  const areaRows = isInAreas ? await task.run(rowsOfAreas(table.base.areas, resolved.areaNos)) : null;
  const texts = [...plan.conditions, ...others].filter((condition) => condition.kind === 'text');
  const matches = new Map<TextCondition, Map<Columns, TextMatch>>();
  for (const text of new Set([...texts, ...(plan.text ? [plan.text] : [])])) {
    const own = new Map<Columns, TextMatch>();
    for (const { columns } of partsOf(table))
      own.set(columns, await task.run(matchText(text, resolved.words, table, columns)));
    matches.set(text, own);
  }
  return new PreparedSearch(generation, search, task, { matches, areaRows });
}

export class PreparedSearch {
  readonly table: Table;
  readonly task: Task;
  readonly #search: ResolvedSearch;
  readonly #context: FilterContext;
  readonly #filters = new Map<Columns, readonly Filter[]>();

  constructor(
    { tables, dictionaries }: Generation,
    search: ResolvedSearch,
    task: Task,
    { matches, areaRows }: Found,
  ) {
    const { plan, resolved } = search;
    const table = tables[plan.listingType];
    this.table = table;
    this.task = task;
    this.#search = search;
    this.#context = {
      dictionaries,
      areaNos: resolved.areaNos,
      startedAt: plan.startedAt,
      areaRows: (columns) => (columns === table.base ? areaRows : null),
      matchText(text, columns) {
        const match = matches.get(text)?.get(columns);
        if (match === undefined) throw new Error('The words of a text were not looked up');
        return match;
      },
    };
  }

  readonly filters = (columns: Columns): readonly Filter[] => {
    const known = this.#filters.get(columns);
    if (known !== undefined) return known;
    const { conditions, ignoreDisplayRules } = this.#search.plan;
    const filters = compileFilters(conditions, ignoreDisplayRules, columns, this.#context);
    this.#filters.set(columns, filters);
    return filters;
  };

  /** The filter of a condition by itself. */
  filterOf(condition: Condition, columns: Columns): Filter {
    return compileFilter(condition, columns, this.#context);
  }

  /** How relevant each row is; null for a search without words. */
  relevance(columns: Columns): Uint8Array | null {
    const { text } = this.#search.plan;
    return text && this.#context.matchText(text, columns).relevance;
  }
}

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
