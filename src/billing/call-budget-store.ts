// Places of the budget of calls, shared by all processes: the statement that reserves one.

import type { Sql } from '../postgres/client/database.ts';
import type { PaymentService } from './payment-service.ts';

/** Calls that are counted in the present bucket and so many before it. */
export interface CallLimits {
  /** Milliseconds of a bucket. */
  readonly width: number;
  readonly buckets: number;
  readonly most: number;
  readonly mostUnknown: number;
  readonly mostStrangers: number;
  readonly mostBackground: number;
  /** Unknown, strangers and background together: the rest is for known keys. */
  readonly mostBoth: number;
}

/** Reserves a place: 0, or the milliseconds until one may be free. */
export async function reserveCall(
  sql: Sql,
  service: PaymentService['name'],
  urgency: 'known' | 'unknown' | 'stranger' | 'background',
  { width, buckets, most, mostUnknown, mostStrangers, mostBackground, mostBoth }: CallLimits,
): Promise<number> {
  const [row] = await sql<{ wait: number }[]>`
    select reserve_provider_call(${service}, ${urgency}, ${width}::int, ${buckets}::int, ${most}::int, ${mostUnknown}::int,
      ${mostStrangers}::int, ${mostBackground}::int, ${mostBoth}::int) as wait`;
  if (row === undefined) throw new Error('The database counted no call');
  return row.wait;
}
