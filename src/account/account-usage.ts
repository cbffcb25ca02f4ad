// Use of a key in the last 30 days, as its page shows it: by day, and by the way that homes were shown.

import type { Principal } from '../access/tiers/tiers.ts';
import { DAY } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import { findUsage, type UsageSum } from '../usage/history-store.ts';
import { accountsOf } from '../usage/usage-recorder.ts';

const DAYS = 30;
/** There are far fewer: days by outcomes, ways by sources. */
const MAX_SUMS = 10_000;

export interface DayOfUse {
  /** YYYY-MM-DD. */
  readonly day: string;
  /** Requests that were answered, and those that were refused or failed. */
  readonly answered: number;
  readonly refused: number;
  readonly homes: number;
}

export interface WayOfUse {
  /** Empty: ways that show no homes. */
  readonly channel: string;
  readonly requests: number;
  readonly homes: number;
}

export interface AccountUsage {
  /** Consecutive days, the last is today. */
  readonly days: readonly DayOfUse[];
  /** Most requests first. */
  readonly ways: readonly WayOfUse[];
}

/** Throws DATABASE_UNAVAILABLE. */
export async function readAccountUsage(
  database: Database,
  caller: Principal,
  now: number,
): Promise<AccountUsage> {
  const days = Array.from({ length: DAYS }, (_, at) => dayOf(now - (DAYS - 1 - at) * DAY));
  const range = { accounts: accountsOf(caller), from: days[0] ?? '', to: days.at(-1) ?? '', limit: MAX_SUMS };
  return database.read(async (sql) => ({
    days: daysOfUse(days, await findUsage(sql, { ...range, groups: ['day', 'status'] })),
    ways: waysOfUse(await findUsage(sql, { ...range, groups: ['channel'] })),
  }));
}

/** The days with their sums by day and outcome; those without any have zeros. */
export function daysOfUse(
  days: readonly string[],
  sums: readonly Pick<UsageSum, 'start' | 'status' | 'requests' | 'listings'>[],
): DayOfUse[] {
  const byDay = Map.groupBy(sums, ({ start }) => start);
  return days.map((day) => {
    const all = byDay.get(day) ?? [];
    const isAnswered = ({ status }: Pick<UsageSum, 'status'>) => status === 2 || status === 3;
    const requests = (some: typeof all) => some.reduce((sum, each) => sum + each.requests, 0);
    return {
      day,
      answered: requests(all.filter(isAnswered)),
      refused: requests(all.filter((each) => !isAnswered(each))),
      homes: all.reduce((sum, { listings }) => sum + listings, 0),
    };
  });
}

const waysOfUse = (sums: readonly UsageSum[]): WayOfUse[] =>
  sums
    .map(({ channel, requests, listings }) => ({ channel: channel ?? '', requests, homes: listings }))
    .sort((a, b) => b.requests - a.requests);

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
