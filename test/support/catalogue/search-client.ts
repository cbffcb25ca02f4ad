// Search client: parameters as text, page after page by cursor.

import assert from 'node:assert/strict';
import type { Listing } from '../../../src/listings/record.ts';
import type { Query } from '../oracle/filters.ts';
import type { TestService } from '../service/service.ts';

export interface Answer {
  readonly data: readonly Listing[];
  readonly page: {
    readonly limit: number;
    readonly hasMore: boolean;
    readonly nextCursor: string | null;
    readonly prevCursor: string | null;
  };
  readonly total: { readonly value: number; readonly relation: string } | null;
  readonly meta: { readonly totalNote: string | null };
}

export type ListingType = 'rental' | 'sale';
type Ask = (type: ListingType, query: Query) => Promise<Answer>;

/** Asks as an Internal caller, whose pages are the largest. */
export function searchClient(service: TestService): Ask {
  return (type, query) => service.json(`/v1/search/${type}s?${parametersOf(query)}`, service.keys.internal);
}

/** Of `points` each corner is sent by itself: its commas are its own. */
function parametersOf({ points, ...query }: Query): URLSearchParams {
  const parameters = new URLSearchParams({ ...query });
  for (const corner of points?.split(';') ?? []) parameters.append('points', corner);
  return parameters;
}

/** Every page from the first to the last. */
export async function walk(ask: Ask, type: ListingType, query: Query): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.page.nextCursor ?? null) {
    pages.push(await ask(type, { ...query, ...(cursor && { cursor }) }));
    assert.ok(pages.length < 1_000, 'the walk ends');
  }
  return pages;
}

/** Every page before this one, the first of all first. */
export async function walkBack(ask: Ask, type: ListingType, query: Query, from: Answer): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let cursor = from.page.prevCursor; cursor !== null; cursor = pages[0]?.page.prevCursor ?? null) {
    pages.unshift(await ask(type, { ...query, cursor }));
    assert.ok(pages.length < 1_000, 'the way back ends');
  }
  return pages;
}

export const idsOf = (pages: readonly Answer[]): string[] =>
  pages.flatMap((page) => page.data.map((listing) => listing.id));
