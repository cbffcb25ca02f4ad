// Query of a saved search: the same members as the body of a search, without those that shape a page of results, and without
// what would match by the mere passing of time.

import { type TObject, type TSchema, Type } from 'typebox';
import { compileJsonQuery, describeJsonQuery } from '../../http/input/json-query.ts';
import { memberProblem } from '../../http/input/parameter-problem.ts';
import { parametersByName } from '../../http/input/parameter-table.ts';
import { type FieldError, Problem, pointerTo } from '../../lib/problem.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import { isDuration, parseMoment } from './moment.ts';
import { replaceShorthands } from './normalize-query.ts';
import { answerParameters, RentalSearchQuery, SaleSearchQuery, type SearchQuery } from './parameters.ts';

export interface SavedQuery {
  readonly query: SearchQuery;
  /** The filters as their author wrote them, by their plain names: `beds` for minBedrooms if `beds` is `2:`. */
  readonly names: Readonly<Record<string, string>>;
}

type AnswerParameter = Exclude<keyof typeof answerParameters, 'units' | 'display'>;

const NO_PAGE = 'belongs to a page of results: remove it here, and send it to GET /v1/watchers/{id}/matches';
const NO_RESULTS = 'shapes the results of a search, and a watcher sends events: remove it';
const NO_DAYS =
  'counts days until now, so listings would match by the mere passing of time: use listedSince or listedBefore with a date';

/** Why a parameter of searches is refused, and the remedy. */
const REFUSED: Readonly<Record<AnswerParameter | 'minDaysOnMarket' | 'maxDaysOnMarket' | 'daysOld', string>> =
  {
    sort: NO_RESULTS,
    limit: NO_PAGE,
    cursor: NO_PAGE,
    count: NO_RESULTS,
    includeTotalCount: NO_RESULTS,
    fields: NO_PAGE,
    include: NO_RESULTS,
    format: NO_RESULTS,
    facets: NO_RESULTS,
    priceBucket: NO_RESULTS,
    stats: NO_RESULTS,
    cluster: NO_RESULTS,
    zoom: NO_RESULTS,
    explain: NO_RESULTS,
    minDaysOnMarket: NO_DAYS,
    maxDaysOnMarket: NO_DAYS,
    daysOld: NO_DAYS,
  };

/** The parameters that take a moment. */
const MOMENTS = [
  'listedSince',
  'listedBefore',
  'updatedSince',
  'updatedBefore',
  'closedSince',
  'closedBefore',
  'priceChangedSince',
  'openHouseFrom',
  'openHouseTo',
] as const satisfies readonly (keyof SearchQuery)[];

const isRefused = (name: string): name is keyof typeof REFUSED => Object.hasOwn(REFUSED, name);

interface QueryKind {
  readonly schema: TObject;
  readonly read: (body: unknown) => Record<string, unknown>;
  readonly parameters: ReadonlyMap<string, string>;
}

const kindOfQuery = (schema: TObject): QueryKind => ({
  schema,
  read: compileJsonQuery(schema),
  parameters: parametersByName(schema),
});

const KINDS: Readonly<Record<ListingType, QueryKind>> = {
  rental: kindOfQuery(RentalSearchQuery),
  sale: kindOfQuery(SaleSearchQuery),
};

/** The schema of the query for the OpenAPI document. */
export function describeSavedQuery(listingType: ListingType, id: string): TSchema {
  const { schema } = KINDS[listingType];
  const kept = Object.entries(schema.properties).filter(([name]) => !isRefused(name));
  const [path, description] =
    listingType === 'rental' ? ['rentals', 'Rentals to watch'] : ['sales', 'Sales to watch'];
  return describeJsonQuery(
    Type.Object(Object.fromEntries(kept)),
    id,
    `${description}: the filters of POST /v1/search/${path}, \`units\` included. Times are dates or times; durations such ` +
      'as P7D are refused.',
  );
}

/** The parameters that a body sends, with their names in it. */
export function writtenNames(listingType: ListingType, body: unknown): ReadonlyMap<string, string> {
  const { parameters } = KINDS[listingType];
  const sent = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  return new Map(
    sent.flatMap((name) => {
      const parameter = parameters.get(name);
      return parameter === undefined ? [] : [[parameter, name] as const];
    }),
  );
}

/**
 * Reads the query of a saved search; `now` in milliseconds. Throws INVALID_BODY if it is no object, INVALID_PARAMETER for members
 * that are unknown, invalid or refused, with pointers into the query.
 */
export function readSavedQuery(listingType: ListingType, body: unknown, now: number): SavedQuery {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    const detail = 'must be a JSON object with the parameters of a search';
    throw new Problem('INVALID_BODY', `The query ${detail}.`, { errors: [{ pointer: '', detail }] });
  }
  const written = writtenNames(listingType, body);
  const nameOf = (parameter: string): string => written.get(parameter) ?? parameter;
  const refused = [...written.keys()].filter(isRefused).map((parameter) => ({
    pointer: pointerTo(nameOf(parameter)),
    detail: REFUSED[parameter],
  }));
  const refusedNames = new Set(refused.map(({ pointer }) => pointer.slice(1)));
  const kept = Object.fromEntries(Object.entries(body).filter(([name]) => !refusedNames.has(name)));
  const query = readMembers(KINDS[listingType], kept, refused);
  refuse(durationsOf(query, now).map(([name, error]) => ({ pointer: pointerTo(nameOf(name)), ...error })));
  const { plain, shorthands } = replaceShorthands(query);
  const names = Object.keys(plain)
    .filter((name) => !Object.hasOwn(answerParameters, name))
    .map((name) => [name, nameOf(shorthands[name] ?? name)]);
  return { query, names: Object.fromEntries(names) };
}

/** The members that are not refused; their faults are reported together with those that are. */
function readMembers({ read }: QueryKind, body: object, refused: readonly FieldError[]): SearchQuery {
  try {
    const query = read(body) as SearchQuery;
    refuse(refused);
    return query;
  } catch (error) {
    if (error instanceof Problem && error.code === 'INVALID_PARAMETER' && refused.length > 0)
      refuse([...refused, ...error.errors.filter((each) => !refused.includes(each))]);
    throw error;
  }
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  throw memberProblem(errors);
}

/** Durations would count back from each moment at which a listing is checked. */
function durationsOf(query: SearchQuery, now: number) {
  return MOMENTS.flatMap((name) => {
    const text = query[name];
    if (text === undefined || !isDuration(text)) return [];
    const detail =
      'is a duration back from now, so listings would match or cease to by the mere passing of time: send a date or a time';
    return [[name, { detail, suggestion: new Date(parseMoment(name, text, now)).toISOString() }] as const];
  });
}
