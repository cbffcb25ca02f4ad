// Questions that a release answers, and that later ones have to answer alike once they have restored its backup.

import type { Plan } from '../../../src/access/tiers/tiers.ts';

/** Tokens are valid at the address that they were issued for. */
export const PUBLIC_URL = 'https://homes.example';

/** A request that was sent, and its answer. */
export interface RecordedAnswer {
  readonly path: string;
  /** Whose credentials were sent: a key of that plan, the token of an app, or those of nobody. */
  readonly caller: Plan | 'app' | 'nobody';
  readonly status: number;
  /** As `comparable` makes it. */
  readonly body: unknown;
}

/** What a release leaves behind besides its backup. */
export interface RecordedRelease {
  readonly release: string;
  /** Milliseconds since the epoch: the time of the answers. */
  readonly now: number;
  readonly secretsKey: string;
  readonly keys: Readonly<Record<Plan, string>>;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly clientId: string;
  /** Rows of tables that no request shows: keys and grants as their commands list them. */
  readonly listed: Readonly<Record<string, unknown>>;
  readonly answers: readonly RecordedAnswer[];
}

/** Members that differ from answer to answer, or follow from when the process was started. */
const VOLATILE: ReadonlySet<string> = new Set([
  'requestId',
  'nextCursor',
  'previousCursor',
  'queryTimeMs',
  'cached',
  'dataAsOf',
]);

/** An answer without what differs each time. */
export function comparable(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body, (name, value: unknown) => (VOLATILE.has(name) ? undefined : value)));
}

/**
 * An answer without the members that a later release added to it: clients ignore those that they do not know. The line of a source was null
 * where its listings had several.
 */
export function knownMembers(answer: unknown, recorded: unknown): unknown {
  if (Array.isArray(answer))
    return answer.map((item, at) => knownMembers(item, Array.isArray(recorded) ? recorded[at] : undefined));
  if (!isObject(answer) || !isObject(recorded)) return answer;
  const known = Object.entries(answer).filter(([name]) => Object.hasOwn(recorded, name));
  return Object.fromEntries(
    known.map(([name, value]) => [
      name,
      name === 'attribution' && recorded[name] === null ? null : knownMembers(value, recorded[name]),
    ]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Searches, figures and areas that every market has; the rest follows from what it holds. */
export const COMMON: readonly (readonly [path: string, caller: RecordedAnswer['caller']])[] = [
  ['/v1/search/sales?limit=8&sort=price', 'internal'],
  ['/v1/search/rentals?limit=8&sort=-price', 'internal'],
  ['/v1/search/sales?minBedrooms=3&limit=4&sort=price&include=history,daysOnMarket', 'business'],
  ['/v1/search/sales?status=CLOSED&limit=4&sort=price', 'business'],
  ['/v1/search/sales?limit=2', 'free'],
  ['/v1/search/sales?limit=2&sort=price', 'nobody'],
  ['/v1/search/sales?limit=2&sort=price', 'app'],
  ['/v1/areas?limit=10&sort=name&include=counts', 'pro'],
  ['/v1/market/stats?listingType=sale', 'pro'],
  ['/v1/market/stats?listingType=rental', 'pro'],
  ['/v1/market/history?listingType=sale&interval=month', 'pro'],
  ['/v1/watchers', 'pro'],
  ['/v1/events?limit=20', 'pro'],
  ['/v1/changes?limit=20', 'business'],
];
