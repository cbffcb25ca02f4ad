// Queries without the options that a server refuses, found one request after the other.

import { LiveError } from '../../source.ts';
import type { QueryOption, QueryRules } from './query.ts';
import { RefusedRequest } from './request.ts';
import type { ParsedPage, ReadPage } from './walk.ts';

/** Statuses of a server that refuses a query. */
const REFUSED: readonly number[] = [400, 414, 501];
const SLOW: readonly number[] = [413, 504];

/** Whether a server refuses a query because it takes too long, so that a smaller page may pass. */
export const isTooSlow = (error: unknown, slowErrors: readonly string[]): boolean =>
  error instanceof LiveError &&
  (SLOW.includes(error.status ?? 0) ||
    (error instanceof RefusedRequest && slowErrors.includes(error.upstreamCode ?? '')));

/** Characters of an address from which on a 404 may mean that it is too long: some servers read 2,048. */
export const LONG_QUERY = 2_000;

/** Whether a server refuses a query as it is written. */
export const isRefusal = (error: unknown, url: string): boolean =>
  error instanceof LiveError &&
  (REFUSED.includes(error.status ?? 0) || (error.status === 404 && url.length > LONG_QUERY));

/** Every set of these options, the smaller ones first. */
function subsets(options: readonly QueryOption[]): readonly (readonly QueryOption[])[] {
  const sets = Array.from({ length: 2 ** options.length }, (_, bits) =>
    options.filter((_option, at) => (bits >> at) % 2 === 1),
  );
  return sets.sort((a, b) => a.length - b.length);
}

export interface AcceptedOptions {
  /** Gets what had to be left out, if anything. */
  readonly learn?: (refused: ReadonlySet<QueryOption>) => void;
  /** The rules in place of those by which the first query was refused; null: they still hold. */
  readonly renew?: () => Promise<QueryRules | null>;
}

/**
 * The answer to the query with the fewest of these options left out; null where the server refuses it in every form. The
 * requests after the first are a second apart. Throws LiveError.
 */
export async function firstAccepted(
  url: (rules: QueryRules) => string,
  options: readonly QueryOption[],
  rules: QueryRules,
  read: ReadPage,
  { learn, renew }: AcceptedOptions = {},
): Promise<ParsedPage | null> {
  const tried = new Set<string>();
  const negotiable = rules.profile.query.negotiate ? options : [];
  for (const left of subsets(negotiable)) {
    const refused = new Set([...rules.refused, ...left]);
    const address = url({ ...rules, refused });
    if (tried.has(address)) continue;
    const page = await read(address, tried.size > 0).catch((error: unknown) => {
      if (isRefusal(error, address)) return null;
      throw error;
    });
    tried.add(address);
    if (page === null) {
      const renewed = tried.size === 1 ? await renew?.() : null;
      if (renewed) return firstAccepted(url, options, renewed, read, learn === undefined ? {} : { learn });
      continue;
    }
    if (left.length > 0) learn?.(refused);
    return page;
  }
  return null;
}
