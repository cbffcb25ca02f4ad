// StandardStatus: a closed list in two spellings, and UNKNOWN for all else.

import type { Status } from '../../../listings/vocabulary.ts';
import { spelled } from './enumerations.ts';

const statuses = spelled<Status>({
  Active: 'ACTIVE',
  'Active Under Contract': 'ACTIVE_UNDER_CONTRACT',
  'Coming Soon': 'COMING_SOON',
  Pending: 'PENDING',
  Hold: 'HOLD',
  Withdrawn: 'WITHDRAWN',
  Canceled: 'CANCELED',
  Expired: 'EXPIRED',
  Closed: 'CLOSED',
  Delete: 'DELETED',
  Incomplete: 'INCOMPLETE',
});

/** Never a guess: a local word that is none of the dictionary's eleven is UNKNOWN. */
export function statusOf(standardStatus: string | null): Status {
  return statuses(standardStatus) ?? 'UNKNOWN';
}
