// Slots of the budget of calls, shared by all processes: the statement that reserves one.

import type { Sql } from '../postgres/client/database.ts';
import type { PaymentService } from './payment-service.ts';

/** Calls that are counted in the present bucket and so many before it. */
export interface CallLimits {
  /** Milliseconds of a bucket. */
  readonly width: number;
  readonly buckets: number;
  readonly max: number;
  readonly maxUnknown: number;
  readonly maxStrangers: number;
  readonly maxBackground: number;
  /** Unknown, strangers and background together: the rest is for known keys. */
  readonly maxOthers: number;
}

/** Reserves a slot: 0, or the milliseconds until one may be free. */
export async function reserveCall(
  sql: Sql,
  service: PaymentService['name'],
  urgency: 'known' | 'unknown' | 'stranger' | 'background',
  { width, buckets, max, maxUnknown, maxStrangers, maxBackground, maxOthers }: CallLimits,
): Promise<number> {
  const [row] = await sql<{ wait: number }[]>`
    select reserve_provider_call(${service}, ${urgency}, ${width}::int, ${buckets}::int, ${max}::int, ${maxUnknown}::int,
      ${maxStrangers}::int, ${maxBackground}::int, ${maxOthers}::int) as wait`;
  if (row === undefined) throw new Error('The database counted no call');
  return row.wait;
}
