// Resolution of a search query: its areas, and the possible meanings of its words.

import { type NamedArea, suggestArea } from '../../areas/name-store.ts';
import { MAX_FAULTS, parameterProblem } from '../../http/input/parameter-problem.ts';
import type { FieldError } from '../../lib/problem.ts';
import { eventLoop } from '../../lib/scheduler.ts';
import type { Database } from '../../postgres/client/database.ts';
import { isMisspelt, isName, selectiveTrigrams, splitWords, writtenForms } from '../../text/tokenize.ts';
import type { ResolvedQuery, SearchPlan, WordMeaning } from '../query/plan.ts';
import type { SavedSearch } from '../query/saved-search.ts';
import { findAreasByWord, findKnownNames, findSimilarNames } from '../sql/name-store.ts';

/** Where names are looked up. */
export interface ResolveOptions {
  readonly database: Database;
  /** The areas with these ids, in their order; unknown ids are left out. */
  readonly named: (ids: readonly string[]) => Promise<readonly NamedArea[]>;
}

/** Looks up the plan's areas and words. Throws INVALID_PARAMETER for an unknown area. */
export async function resolveQuery(options: ResolveOptions, plan: SearchPlan): Promise<ResolvedQuery> {
  const areas = await namedAreas(options, plan);
  const words = plan.text ? await resolveWords(options.database, plan.text.words) : new Map();
  return { areas, areaNos: areas.map((area) => area.no), words };
}

/** The same for a saved search, whose areas and words stay what they were. */
export async function resolveSaved(
  options: ResolveOptions,
  plan: SearchPlan,
  { areaNos, words }: Pick<SavedSearch, 'areaNos' | 'words'>,
): Promise<ResolvedQuery> {
  const areas = await options.named(areaIdsOf(plan));
  return { areas, areaNos, words: new Map(Object.entries(words)) };
}

const areaIdsOf = ({ conditions }: SearchPlan): string[] => [
  ...new Set(conditions.flatMap((condition) => (condition.kind === 'areas' ? condition.ids : []))),
];

const namedAreas = (options: ResolveOptions, plan: SearchPlan): Promise<readonly NamedArea[]> =>
  requireAreas(options, areaIdsOf(plan));

/** The areas with these ids. Throws INVALID_PARAMETER that names each unknown one. */
export async function requireAreas(
  options: ResolveOptions,
  ids: readonly string[],
): Promise<readonly NamedArea[]> {
  if (ids.length === 0) return [];
  const areas = await options.named(ids);
  const unknown = ids.filter((id) => !areas.some((area) => area.id === id));
  if (unknown.length === 0) return areas;
  throw parameterProblem(await Promise.all(unknown.slice(0, MAX_FAULTS).map(unknownArea)));

  async function unknownArea(id: string): Promise<FieldError> {
    const suggestion = await suggestArea(options.database, splitWords(id).slice(0, 10));
    const detail = `there is no area with the id "${id}"; GET /v1/areas?q= finds ids by name`;
    return { parameter: 'areaId', detail, ...(suggestion !== null && { suggestion }) };
  }
}

/** A word that no address and no area has may be a typo of similar names. */
async function resolveWords(database: Database, words: readonly string[]): Promise<Map<string, WordMeaning>> {
  const known = new Set(await findKnownNames(database, words));
  const spelled = await Promise.all(
    words.map(async (word) => {
      const isKnown = known.has(word) || !isName(word);
      return { word, spellings: isKnown ? [word] : [word, ...(await similarNames(database, word))] };
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

async function similarNames(database: Database, word: string): Promise<string[]> {
  const names = await findSimilarNames(database, selectiveTrigrams(word), word.length);
  const similar: string[] = [];
  // Thousands may have a few letters in common.
  await eventLoop.forEach(names, (name) => {
    if (isMisspelt(word, name)) similar.push(name);
  });
  return similar;
}
