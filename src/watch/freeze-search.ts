// Freezing of a search: a watcher's query read, its areas, words and currency looked up once, as a saved search.

import type { Principal } from '../access/tiers/tiers.ts';
import { findNamedAreas } from '../areas/name-store.ts';
import { ofMembers } from '../http/input/parameter-problem.ts';
import { invalidParameter, Problem } from '../lib/problem.ts';
import { requireDisplay } from '../listings/presenter.ts';
import type { ListingType, UnitSystem } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { toJson } from '../postgres/client/value-types.ts';
import { type NameSuggestion, suggestNames } from '../search/http/name-suggestions.ts';
import { resolveQuery } from '../search/http/resolve-query.ts';
import { type Condition, isCurrency } from '../search/query/condition.ts';
import { isOpenCondition } from '../search/query/open-conditions.ts';
import { planSearch, type ResolvedSearch, type SearchPlan } from '../search/query/plan.ts';
import { readSavedQuery, writtenNames } from '../search/query/saved-query.ts';
import type { SavedSearch } from '../search/query/saved-search.ts';
import { type SearchSessions, withSession } from '../search/query/search-backend.ts';
import {
  type CurrencyChoice,
  type CurrencyOptions,
  comparesMoney,
  type ResolvedCurrency,
  resolveCurrency,
} from '../search/summaries/currency.ts';

export interface FreezeOptions extends Pick<CurrencyOptions, 'findCurrencies' | 'defaultCurrency'> {
  readonly database: Database;
  readonly backend: SearchSessions;
}

export interface FreezeRequest {
  readonly caller: Pick<Principal, 'tier' | 'account' | 'reach'>;
  readonly listingType: ListingType;
  /** The JSON value of the member. */
  readonly query: unknown;
  /** Points to the member in the body: `/target/query`. */
  readonly pointer: string;
  /** Milliseconds. */
  readonly now: number;
}

/** How a query was understood, for its author. */
export interface SearchInterpretation {
  readonly areas: readonly { readonly id: string; readonly name: string }[];
  /** Each word of `q` with the spellings that stand for it. */
  readonly words: readonly { readonly word: string; readonly spellings: readonly string[] }[];
  /** ISO 4217; null if prices are neither compared nor limited to a currency. */
  readonly currency: string | null;
  /** Why it is that one of several; null: the query names it, or there was no other. */
  readonly currencyChoice: CurrencyChoice | null;
  /** Places, features and other words that no listing has yet, with those that may be meant; null: all are known. */
  readonly suggestions: readonly NameSuggestion[] | null;
  readonly units: UnitSystem;
  /** Null: under the display rules of the sources. */
  readonly display: 'ignore' | null;
}

export interface FrozenSearch {
  readonly search: SavedSearch;
  readonly interpretation: SearchInterpretation;
}

/**
 * Reads and freezes a query. Throws INVALID_BODY, INVALID_PARAMETER or INVALID_GEOMETRY with pointers to its members, and
 * TIER_RESTRICTED for display=ignore below Internal.
 */
export async function freezeSearch(options: FreezeOptions, request: FreezeRequest): Promise<FrozenSearch> {
  const { listingType, pointer } = request;
  let names: Readonly<Record<string, string>> = Object.fromEntries(writtenNames(listingType, request.query));
  try {
    const saved = readSavedQuery(listingType, request.query, request.now);
    names = { ...names, ...saved.names };
    requireDisplay(request.caller, saved.query.display);
    const plan = planSearch(listingType, saved.query, 1, request.now, request.caller.reach);
    const named = (ids: readonly string[]) => findNamedAreas(options.database, ids);
    const resolved = await resolveQuery({ database: options.database, named }, plan);
    const found = await currencyOf(options, { plan, resolved }, request.caller.account);
    const suggestions = await suggestNames(options.database, plan, saved.query);
    return frozen({ plan: withCurrency(plan, found.currency), resolved }, saved.names, {
      currencyChoice: found.choice,
      suggestions,
    });
  } catch (error) {
    throw error instanceof Problem ? ofMembers(withNames(error, names), pointer) : error;
  }
}

/** The problem with the names that the author of the query used. */
function withNames(problem: Problem, names: Readonly<Record<string, string>>): Problem {
  const { code, headers, members, cause } = problem;
  const nameOf = (parameter: string): string =>
    (Object.hasOwn(names, parameter) && names[parameter]) || parameter;
  const errors = problem.errors.map(({ parameter, ...error }) =>
    parameter === undefined ? error : { parameter: nameOf(parameter), ...error },
  );
  const detail = problem.message.replace(
    /^The parameter (\w+)/,
    (_, parameter: string) => `The parameter ${nameOf(parameter)}`,
  );
  return new Problem(code, detail, { errors, headers, members, cause });
}

/** As in a search; and where nothing says in which currency prices are to be compared, it has to be named. */
async function currencyOf(
  options: FreezeOptions,
  search: ResolvedSearch,
  caller: string,
): Promise<Pick<ResolvedCurrency, 'currency' | 'choice'>> {
  const { plan } = search;
  if (plan.currency !== null || !comparesMoney(plan)) return { currency: plan.currency, choice: null };
  const { currency, choice } = await withSession(options.backend, { caller }, (session) =>
    resolveCurrency({ ...options, backend: session, fresh: true }, [search]),
  );
  if (currency !== null) return { currency, choice };
  if (options.defaultCurrency !== null) return { currency: options.defaultCurrency, choice: null };
  throw invalidParameter(
    'currency',
    'is required: prices are compared, and no listing here shows yet in which currency',
  );
}

/** Always with a condition for the currency: others may come later. */
function withCurrency(plan: SearchPlan, currency: string | null): SearchPlan {
  if (currency === null) return plan;
  const condition: Condition = { kind: 'words', column: 'currency', values: [currency] };
  return {
    ...plan,
    currency,
    conditions: [...plan.conditions.filter((each) => !isCurrency(each)), condition],
  };
}

function frozen(
  { plan, resolved }: ResolvedSearch,
  names: SavedSearch['names'],
  { currencyChoice, suggestions }: Pick<SearchInterpretation, 'currencyChoice' | 'suggestions'>,
): FrozenSearch {
  const { listingType, conditions, ignoreDisplayRules, units, currency } = plan;
  const search: SavedSearch = {
    listingType,
    // What is open is found again each time.
    conditions: conditions.filter((each) => !isOpenCondition(each)),
    ignoreDisplayRules,
    units,
    currency,
    names,
    areaNos: resolved.areaNos,
    words: Object.fromEntries(resolved.words),
  };
  const words = [...resolved.words].map(([word, { spellings }]) => ({ word, spellings }));
  return {
    // As it will be read back: what was not given is absent, and texts are what PostgreSQL can store.
    search: JSON.parse(toJson(search)),
    interpretation: {
      areas: resolved.areas.map(({ id, name }) => ({ id, name })),
      words,
      currency,
      currencyChoice,
      suggestions,
      units,
      display: ignoreDisplayRules ? 'ignore' : null,
    },
  };
}
