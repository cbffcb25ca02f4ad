// Owns what is looked up before a search: the areas that it names, and what its words can mean.

import { type NamedArea, suggestArea } from '../../areas/lookup-store.ts';
import { invalidParameter } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { isMisspelt, isName, tellingTrigrams, wordsOf, writtenForms } from '../../text/words.ts';
import type { Crowd } from '../legacy/crowd.ts';
import { FEW } from '../legacy/page-ways.ts';
import type { Crowding, ResolvedQuery, WordMeaning } from '../query/resolved-query.ts';
import type { SearchPlan } from '../query/search.ts';
import { isShape } from '../query/search-conditions.ts';
import { isActive, wholeQuery } from '../sql/source-sql.ts';
import { textClasses, textQuery } from '../sql/text-query.ts';
import { findAreasByWord, findKnownNames, findSimilarNames, guessSizes } from '../sql/word-store.ts';

export interface LookedUp {
  readonly areas: readonly NamedArea[];
  readonly meanings: ResolvedQuery;
}

/** Where names are looked up. */
export interface LookUpOptions {
  readonly database: Database;
  /** The areas with these ids, in their order; unknown ids are left out. */
  readonly named: (ids: readonly string[]) => Promise<readonly NamedArea[]>;
  /** Absent where nothing is walked through in order. */
  readonly crowd?: Crowd;
}

/** Looks up what the plan names. Throws INVALID_PARAMETER for an area that there is not. */
export async function lookUp(options: LookUpOptions, plan: SearchPlan): Promise<LookedUp> {
  const { database } = options;
  const areas = await namedAreas(options, plan);
  const words = plan.text ? await meaningsOf(database, plan.text.words) : new Map();
  const meanings = {
    areaNos: areas.map((area) => area.no),
    areaListings: areas.reduce((sum, area) => sum + area.listings, 0),
    inShape: crowdIn(options, plan),
    words,
  };
  return { areas, meanings: { ...meanings, sizes: await sizesOf(database, plan, meanings) } };
}

async function namedAreas(options: LookUpOptions, plan: SearchPlan): Promise<readonly NamedArea[]> {
  const ids = plan.conditions.flatMap((condition) => (condition.kind === 'areas' ? condition.ids : []));
  if (ids.length === 0) return [];
  const areas = await options.named([...new Set(ids)]);
  const unknown = ids.find((id) => !areas.some((area) => area.id === id));
  if (unknown === undefined) return areas;
  const suggestion = await suggestArea(options.database, wordsOf(unknown).slice(0, 10));
  const detail = `there is no area with the id "${unknown}"; GET /v1/areas?q= finds ids by name`;
  throw invalidParameter('areaId', detail, suggestion ?? undefined);
}

function crowdIn({ crowd }: LookUpOptions, { listingType, conditions }: SearchPlan): Crowding | null {
  const shapes = conditions.filter(isShape);
  return shapes.length === 0 ? null : (crowd?.(listingType, shapes) ?? null);
}

/** A word that no address and no area has may stand for the names that it is a slip away from. */
async function meaningsOf(database: Database, words: readonly string[]): Promise<Map<string, WordMeaning>> {
  const known = new Set(await findKnownNames(database, words));
  const spelled = await Promise.all(
    words.map(async (word) => {
      const isKnown = known.has(word) || !isName(word);
      return { word, spellings: isKnown ? [word] : [word, ...(await misspelt(database, word))] };
    }),
  );
  const areas = await findAreasByWord(
    database,
    spelled.flatMap(({ spellings }) => spellings.flatMap(writtenForms)),
  );
  return new Map(
    spelled.map(({ word, spellings }) => {
      const forms = new Set(spellings.flatMap(writtenForms));
      const areaNos = areas.filter((area) => forms.has(area.word)).map(({ areaNo }) => areaNo);
      return [word, { spellings, areaNos: [...new Set(areaNos)] }];
    }),
  );
}

async function misspelt(database: Database, word: string): Promise<string[]> {
  const names = await findSimilarNames(database, tellingTrigrams(word), word.length);
  return names.filter((name) => isMisspelt(word, name));
}

/** About how many active listings have the words, and, where they are many and wanted by relevance, how many of each. */
async function sizesOf(
  database: Database,
  plan: SearchPlan,
  meanings: Omit<ResolvedQuery, 'sizes'>,
): Promise<Map<string, number>> {
  const { text, order } = plan;
  if (!text || !isActive(plan)) return new Map();
  const guess = async (queries: readonly string[]) => {
    const sizes = await guessSizes(
      database,
      queries.map((query) => wholeQuery(plan, meanings, [query])),
    );
    return queries.map((query, at) => [query, sizes[at] ?? 0] as const);
  };
  const all = await guess([textQuery(text, meanings.words)]);
  const isBroad = all.some(([, size]) => size > FEW);
  const classes = isBroad && order[0]?.key === 'relevance' ? textClasses(text, meanings.words) : null;
  return new Map([...all, ...(classes ? await guess(classes.map(({ query }) => query)) : [])]);
}
