// Search prepared for one table: its filters over either part, each compiled once.

import { type Condition, isCurrency, type TextCondition } from '../../query/condition.ts';
import type { ResolvedSearch } from '../../query/plan.ts';
import type { Columns, Generation, Table } from '../columns/segment.ts';
import { compileFilter, compileFilters } from './compile-filters.ts';
import type { CountedPart } from './count-sets.ts';
import type { Filter, FilterContext } from './filter.ts';
import { Pace, runAtOnce } from './pace.ts';
import { partsOf } from './scan.ts';
import { matchText, type TextMatch } from './text-match.ts';

export class PreparedSearch {
  readonly table: Table;
  readonly pace: Pace;
  readonly #search: ResolvedSearch;
  readonly #generation: Generation;
  readonly #conditions: readonly Condition[];
  readonly #filters = new Map<Columns, readonly Filter[]>();
  readonly #matches = new Map<TextCondition, Map<Columns, TextMatch>>();

  /** `conditions`: others than those of the search. */
  constructor(
    generation: Generation,
    search: ResolvedSearch,
    conditions = search.plan.conditions,
    pace = new Pace(),
  ) {
    this.table = generation.tables[search.plan.listingType];
    this.pace = pace;
    this.#generation = generation;
    this.#search = search;
    this.#conditions = conditions;
  }

  /** Does in turns what filters are compiled with; without it they do so in one go. */
  async prepare(): Promise<void> {
    const { text } = this.#search.plan;
    const texts = this.#conditions.filter((condition) => condition.kind === 'text');
    for (const each of new Set([...texts, ...(text ? [text] : [])])) {
      for (const { columns } of partsOf(this.table)) {
        const matches = getOrCreate(this.#matches, each, () => new Map<Columns, TextMatch>());
        if (matches.has(columns)) continue;
        matches.set(columns, await this.pace.run(this.#matchSteps(each, columns)));
      }
    }
  }

  readonly filters = (columns: Columns): readonly Filter[] =>
    getOrCreate(this.#filters, columns, () =>
      compileFilters(this.#conditions, this.#search.plan.ignoreDisplayRules, columns, this.#context),
    );

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

  get #context(): FilterContext {
    const { plan, resolved } = this.#search;
    return {
      dictionaries: this.#generation.dictionaries,
      areaNos: resolved.areaNos,
      startedAt: plan.startedAt,
      matchText: this.#matchText,
    };
  }

  /** How relevant each row is; null for a search without words. */
  relevance(columns: Columns): Uint8Array | null {
    const { text } = this.#search.plan;
    return text && this.#matchText(text, columns).relevance;
  }

  readonly #matchText = (text: TextCondition, columns: Columns): TextMatch => {
    const matches = getOrCreate(this.#matches, text, () => new Map<Columns, TextMatch>());
    return getOrCreate(matches, columns, () => runAtOnce(this.#matchSteps(text, columns)));
  };

  #matchSteps(text: TextCondition, columns: Columns) {
    return matchText(text, this.#search.resolved.words, this.table, columns);
  }
}

function getOrCreate<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
