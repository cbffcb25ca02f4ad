// Search prepared for one table: its filters over either part, each compiled once.

import { type Condition, isCurrency, type TextCondition } from '../../query/condition.ts';
import type { ResolvedSearch } from '../../query/plan.ts';
import type { Columns, Generation, Table } from '../columns/segment.ts';
import { compileFilter, compileFilters } from './compile-filters.ts';
import type { CountedPart } from './count-sets.ts';
import type { Filter, FilterContext } from './filter.ts';
import { Pace } from './pace.ts';
import { partsOf } from './scan.ts';
import { matchText, type TextMatch } from './text-match.ts';

type Matches = ReadonlyMap<TextCondition, ReadonlyMap<Columns, TextMatch>>;

/** `conditions`: others than those of the search. Finds in turns the rows that have the words of its texts. */
export async function prepareSearch(
  generation: Generation,
  search: ResolvedSearch,
  pace = new Pace(),
  conditions = search.plan.conditions,
): Promise<PreparedSearch> {
  const { plan, resolved } = search;
  const table = generation.tables[plan.listingType];
  const texts = conditions.filter((condition) => condition.kind === 'text');
  const matches = new Map<TextCondition, Map<Columns, TextMatch>>();
  for (const text of new Set([...texts, ...(plan.text ? [plan.text] : [])])) {
    const own = new Map<Columns, TextMatch>();
    for (const { columns } of partsOf(table))
      own.set(columns, await pace.run(matchText(text, resolved.words, table, columns)));
    matches.set(text, own);
  }
  return new PreparedSearch(generation, search, pace, conditions, matches);
}

export class PreparedSearch {
  readonly table: Table;
  readonly pace: Pace;
  readonly #search: ResolvedSearch;
  readonly #conditions: readonly Condition[];
  readonly #context: FilterContext;
  readonly #filters = new Map<Columns, readonly Filter[]>();

  constructor(
    { tables, dictionaries }: Generation,
    search: ResolvedSearch,
    pace: Pace,
    conditions: readonly Condition[],
    matches: Matches,
  ) {
    const { plan, resolved } = search;
    this.table = tables[plan.listingType];
    this.pace = pace;
    this.#search = search;
    this.#conditions = conditions;
    this.#context = {
      ...{ dictionaries, areaNos: resolved.areaNos, startedAt: plan.startedAt },
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
    const { ignoreDisplayRules } = this.#search.plan;
    const filters = compileFilters(this.#conditions, ignoreDisplayRules, columns, this.#context);
    this.#filters.set(columns, filters);
    return filters;
  };

  /** The parts of the table with a filter for each condition by itself, among all that may be shown in the plan's currency. */
  countedParts(): CountedPart[] {
    const { plan } = this.#search;
    const currency = plan.conditions.filter(isCurrency);
    return partsOf(this.table).map((part) => ({
      ...part,
      always: compileFilters(currency, plan.ignoreDisplayRules, part.columns, this.#context),
      filters: this.#conditions.map((each) => compileFilter(each, part.columns, this.#context)),
    }));
  }

  /** How relevant each row is; null for a search without words. */
  relevance(columns: Columns): Uint8Array | null {
    const { text } = this.#search.plan;
    return text && this.#context.matchText(text, columns).relevance;
  }
}
