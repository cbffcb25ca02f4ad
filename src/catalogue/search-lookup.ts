// Owns what is looked up before a search: the areas that it names, and what its words can mean.

import { invalidParameter } from '../lib/problem.ts';
import type { Database } from '../postgres/database.ts';
import { wordsOf } from './area.ts';
import { type NamedArea, suggestArea } from './area-lookup-store.ts';
import type { SearchPlan } from './search.ts';
import type { Meanings, WordMeaning } from './text-sql.ts';
import { findAreasByWord, findKnownNames, findSimilarNames } from './word-store.ts';
import { isMisspelt, isName, trigramsOf, writtenForms } from './words.ts';

export interface LookedUp {
  readonly areas: readonly NamedArea[];
  readonly meanings: Meanings;
}

/** Where names are looked up. */
export interface LookUpOptions {
  readonly database: Database;
  /** The areas with these ids, in their order; unknown ids are left out. */
  readonly named: (ids: readonly string[]) => Promise<readonly NamedArea[]>;
}

/** Looks up what the plan names. Throws INVALID_PARAMETER for an area that there is not. */
export async function lookUp(options: LookUpOptions, plan: SearchPlan): Promise<LookedUp> {
  const { database } = options;
  const areas = await namedAreas(options, plan);
  const words = plan.text ? await meaningsOf(database, plan.text.words) : new Map();
  return { areas, meanings: { areaNos: areas.map((area) => area.no), words } };
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

/** A word that no address and no area has may stand for the names that it is a slip away from. */
async function meaningsOf(database: Database, words: readonly string[]): Promise<Map<string, WordMeaning>> {
  const known = new Set(await findKnownNames(database, words));
  const meanings = new Map<string, WordMeaning>();
  for (const word of words) {
    const spellings = known.has(word) || !isName(word) ? [word] : [word, ...(await misspelt(database, word))];
    const areaNos = await findAreasByWord(database, spellings.flatMap(writtenForms));
    meanings.set(word, { spellings, areaNos });
  }
  return meanings;
}

async function misspelt(database: Database, word: string): Promise<string[]> {
  const names = await findSimilarNames(database, trigramsOf(word), word.length);
  return names.filter((name) => isMisspelt(word, name));
}
