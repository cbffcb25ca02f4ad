// Search prepared for one table: its filters over either part, each compiled once.

import type { Condition, TextCondition } from '../../query/condition.ts';
import type { ResolvedSearch } from '../../query/plan.ts';
import type { Columns, Generation, Table } from '../columns/segment.ts';
import { compileFilters } from './compile-filters.ts';
import type { Filter } from './filter.ts';
import { matchText, type TextMatch } from './text-match.ts';

export class PreparedSearch {
  readonly table: Table;
  /** Ends scans; absent: nothing does. */
  readonly signal: AbortSignal | undefined;
  readonly #search: ResolvedSearch;
  readonly #generation: Generation;
  readonly #conditions: readonly Condition[];
  readonly #filters = new Map<Columns, readonly Filter[]>();
  readonly #matches = new Map<TextCondition, Map<Columns, TextMatch>>();

  /** `conditions`: others than those of the search. */
  constructor(generation: Generation, search: ResolvedSearch, conditions = search.plan.conditions) {
    this.table = generation.tables[search.plan.listingType];
    this.signal = search.signal;
    this.#generation = generation;
    this.#search = search;
    this.#conditions = conditions;
  }

  readonly filters = (columns: Columns): readonly Filter[] =>
    getOrCreate(this.#filters, columns, () => {
      const { plan, resolved } = this.#search;
      return compileFilters(this.#conditions, plan.ignoreDisplayRules, columns, {
        ...{
          dictionaries: this.#generation.dictionaries,
          areaNos: resolved.areaNos,
          startedAt: plan.startedAt,
        },
        matchText: this.#matchText,
      });
    });

  /** How relevant each row is; null for a search without words. */
  relevance(columns: Columns): Uint16Array | null {
    const { text } = this.#search.plan;
    return text && this.#matchText(text, columns).relevance;
  }

  readonly #matchText = (text: TextCondition, columns: Columns): TextMatch => {
    const matches = getOrCreate(this.#matches, text, () => new Map<Columns, TextMatch>());
    return getOrCreate(matches, columns, () =>
      matchText(text, this.#search.resolved.words, this.table, columns),
    );
  };
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
