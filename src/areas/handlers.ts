// Handlers of requests for areas: lists, suggestions, children, nearby areas.

import { hash } from 'node:crypto';
import { type Principal, pageSize, type Tiers } from '../access/tiers/tiers.ts';
import { queryDigest, readCursor, writeCursor } from '../http/input/cursor.ts';
import type { Reply } from '../http/output/reply.ts';
import { invalidParameter, Problem } from '../lib/problem.ts';
import { pageLinks } from '../listings/paging.ts';
import type { ReadSources } from '../listings/provenance/data-source-store.ts';
import type { Database } from '../postgres/client/database.ts';
import type { Area } from './area.ts';
import { createAreaCache } from './area-cache.ts';
import {
  type AreaListRequest,
  type AreaQuery,
  checkCombinations,
  cursorAfter,
  includeOf,
  planAreas,
} from './query.ts';
import {
  findAreaNo,
  findAreaNos,
  findAreas,
  findAreasByNo,
  findCountedSources,
  findNearby,
  type ReadArea,
} from './read-store.ts';

/** Areas that misspelt words may match, best first. */
const MAX_CORRECTIONS = 5_000;

export interface AreaCall {
  readonly caller: Principal;
  readonly requestId: string;
  readonly url: string;
}

export interface AreaHandlers {
  list(params: AreaListRequest, call: AreaCall): Promise<Reply>;
  /** The same below one parent, which must be there. */
  children(id: string, params: AreaListRequest, call: AreaCall): Promise<Reply>;
  nearby(id: string, params: AreaListRequest, call: AreaCall): Promise<Reply>;
}

export interface AreaOptions {
  readonly database: Database;
  readonly tiers: Tiers;
  readonly publicUrl: string;
  readonly readSources: ReadSources;
}

export function createAreaHandlers(options: AreaOptions): AreaHandlers {
  const { database, tiers, publicUrl, readSources } = options;
  const cache = createAreaCache(database);

  const sizeFor = (params: AreaListRequest, call: AreaCall): number =>
    pageSize(tiers[call.caller.tier], params.limit);

  /** A page of what was found; `cursorFor` is called if there is more than the limit. */
  async function answer<Found extends ReadArea>(
    call: AreaCall,
    found: readonly Found[],
    limit: number,
    cursorFor: (last: Found) => string | null,
  ): Promise<Reply> {
    const items = found.slice(0, limit);
    const last = items.at(-1);
    const nextCursor = found.length > limit && last ? cursorFor(last) : null;
    const page = { limit, hasMore: nextCursor !== null, nextCursor, prevCursor: null };
    const { tier, reach } = call.caller;
    const nos = items.filter(({ area }) => area.counts !== null).map(({ no }) => no);
    const counted = nos.length === 0 ? [] : await findCountedSources(database, nos, reach);
    const meta = { requestId: call.requestId, tier, sources: await readSources(counted, reach) };
    return {
      json: { object: 'list', data: items.map(({ area }) => area), page, meta },
      headers: pageLinks(publicUrl, call.url, page),
    };
  }

  /** The query with the numbers of the areas in its parameters. */
  async function resolveAreas(params: AreaListRequest, plan: AreaQuery): Promise<AreaQuery> {
    const { lat, lng } = params;
    return {
      ...plan,
      parentNo: await resolveParameter('parentId', params.parentId),
      ancestorNo: await resolveParameter('ancestorId', params.ancestorId),
      nos: lat === undefined || lng === undefined ? null : await cache.areasAt(lng, lat),
    };
  }

  const findNo = (id: string): Promise<number | null> =>
    database.read((sql) => findAreaNo(sql, id), { planned: 'once' });

  async function resolveParameter(parameter: string, id: string | undefined): Promise<number | null> {
    if (id === undefined) return null;
    const no = await findNo(id);
    if (no === null) throw invalidParameter(parameter, `there is no area with the id "${id}"`);
    return no;
  }

  async function requireArea(id: string): Promise<number> {
    const no = await findNo(id);
    if (no === null) throw noArea(id);
    return no;
  }

  /** If no area matches the words exactly, the areas that match with typos. */
  async function withSpelling(query: AreaQuery): Promise<AreaQuery> {
    if (query.words.length === 0) return query;
    const corrections = (await cache.names()).correct(query.words);
    if (corrections === null) return query;
    const nos = corrections.slice(0, MAX_CORRECTIONS);
    const both = query.nos === null ? nos : nos.filter(memberOf(query.nos));
    return { ...query, words: [], nos: both };
  }

  async function answerList(params: AreaListRequest, plan: AreaQuery, call: AreaCall): Promise<Reply> {
    const query = await withSpelling({ ...plan, limit: plan.limit + 1 });
    const found = await database.read((sql) => findAreas(sql, query));
    return answer(call, found, plan.limit, ({ sortValue, area }) => cursorAfter(params, sortValue, area.id));
  }

  async function answerSuggestions(q: string, query: AreaQuery, call: AreaCall): Promise<Reply> {
    const names = await cache.names();
    const suggestions = names.suggest(q, query.words, query.type);
    const allowed = isFiltered(query)
      ? suggestions.filter(memberOf(await database.read((sql) => findAreaNos(sql, { ...query, words: [] }))))
      : suggestions;
    const nos = [...allowed.take(query.limit)];
    const found = await database.read((sql) => findAreasByNo(sql, nos, query.include), { planned: 'once' });
    return answer(call, found, query.limit, () => null);
  }

  return {
    async list(params, call) {
      checkCombinations(params);
      const plan = await resolveAreas(params, planAreas(params, sizeFor(params, call), call.caller.reach));
      if (params.suggest === true && params.q !== undefined) return answerSuggestions(params.q, plan, call);
      return answerList(params, plan, call);
    },
    async children(id, params, call) {
      const parentNo = await requireArea(id);
      const bound = { ...params, parentId: id };
      return answerList(
        bound,
        { ...planAreas(bound, sizeFor(params, call), call.caller.reach), parentNo },
        call,
      );
    },
    async nearby(id, params, call) {
      const no = await requireArea(id);
      const limit = sizeFor(params, call);
      const query = queryDigest(['nearby', id, params.type]);
      const cursor = params.cursor === undefined ? null : readCursor(params.cursor, query, ['number']);
      const found = await database.read((sql) =>
        findNearby(sql, {
          no,
          type: params.type ?? null,
          limit: limit + 1,
          include: includeOf(call.caller.reach, params.include),
          after: cursor && [Number(cursor.values[0]), cursor.id],
        }),
      );
      return answer(call, found, limit, ({ area }) =>
        writeCursor({ query, direction: 'next', startedAt: 0, values: [area.distanceKm], id: area.id }),
      );
    },
  };
}

const memberOf = (nos: readonly number[]): ((no: number) => boolean) => {
  const members = new Set(nos);
  return (no) => members.has(no);
};

/** Whether the query has filters that the index of names cannot apply. */
const isFiltered = ({ nos, parentNo, ancestorNo, boxes, hasBoundary }: AreaQuery): boolean =>
  [nos, parentNo, ancestorNo, boxes, hasBoundary].some((filter) => filter !== null);

/** The part of an area's ETag that depends on other areas and on listings. */
export function surroundings({ parentIds, ancestors, counts, boundary }: Area): string {
  const seen = JSON.stringify([parentIds, ancestors, counts, boundary !== null]);
  return hash('sha256', seen, 'base64url').slice(0, 16);
}

export function noArea(id: string): Problem {
  return new Problem(
    'AREA_NOT_FOUND',
    `There is no area with the id "${id}". GET /v1/areas?q= finds ids by name.`,
  );
}
