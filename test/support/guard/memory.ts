// Flood of addresses: how much memory the limits take, and whether it frees anybody who is limited.

import { RateLimiter } from '../../../src/access/limits/rate-limiter.ts';
import { EVERYTHING } from '../../../src/access/tiers/reach.ts';
import { anonymous, type Principal, TIERS } from '../../../src/access/tiers/tiers.ts';
import { Problem } from '../../../src/lib/problem.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { collect } from '../check/collect-garbage.ts';
import { manualClock } from '../service/clock.ts';

export interface FloodResult {
  /** Megabytes of heap and buffers above those before the flood: the most seen. */
  readonly megabytes: number;
  readonly admitted: number;
  readonly turnedAway: number;
  /** Requests over ten a minute that an address which calls all the time got through. */
  readonly freed: number;
  /** Requests within its rate that a subscription was refused. */
  readonly harmed: number;
}

const MINUTE = { credentials: 'optional', counts: 'minute' } as const;
const SUBSCRIBER: Principal = {
  kind: 'key',
  tier: 'free',
  account: 'sub:known',
  subscription: 'known',
  owner: null,
  grant: null,
  scopes: null,
  reach: EVERYTHING,
};

function memory(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

/** So many addresses, each with three requests, `pace` of them a second; every second the known ones call too. */
export async function floodAddresses(
  database: Database,
  { addresses, pace }: { readonly addresses: number; readonly pace: number },
): Promise<FloodResult> {
  const clock = manualClock();
  const limits = new RateLimiter({ tiers: TIERS, clock, database, report: () => {} });
  const known = anonymous('192.0.2.1');
  const before = memory();
  let [megabytes, admitted, turnedAway, harmed, freed] = [0, 0, 0, 0, 0];
  let lastMinute: number[] = [];
  async function isLetIn(caller: Principal): Promise<boolean> {
    try {
      await limits.admit(caller, MINUTE);
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }
  for (let sent = 0, second = 0; sent < addresses; second++, clock.advance(1_000)) {
    if (await isLetIn(known)) lastMinute.push(clock.monotonic());
    lastMinute = lastMinute.filter((at) => at > clock.monotonic() - 60_000);
    freed += Math.max(0, lastMinute.length - 10);
    if (!(await isLetIn(SUBSCRIBER))) harmed++;
    for (const end = Math.min(addresses, sent + pace); sent < end; sent++) {
      const address =
        sent % 2 === 0
          ? ipv4(sent)
          : `2001:db8:${(sent >>> 16).toString(16)}:${(sent & 0xffff).toString(16)}::1`;
      const caller = anonymous(address);
      if (await isLetIn(caller)) admitted++;
      else turnedAway++;
      for (let more = 0; more < 2; more++) await isLetIn(caller);
    }
    if (second % 30 === 0) megabytes = Math.max(megabytes, memory() - before);
  }
  megabytes = Math.max(megabytes, memory() - before);
  return { megabytes: Math.round(megabytes), admitted, turnedAway, freed, harmed };
}

function ipv4(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
}
