// SQL of notices of months that are nearly used up.

import type { Transaction } from '../postgres/client/database.ts';
import type { QuotaReached } from './events/quota-entry.ts';

/** Whether this notice is new. Those of earlier months go with the first of a month. */
export async function insertNotice(
  tx: Transaction,
  account: string,
  { month, threshold }: QuotaReached,
  at: Date,
): Promise<boolean> {
  const { count } = await tx`
    insert into quota_notice (account, month, threshold, noticed_at) values (${account}, ${month}::date, ${threshold}, ${at})
    on conflict do nothing`;
  if (count > 0) await tx`delete from quota_notice where account = ${account} and month < ${month}::date`;
  return count > 0;
}
