// Statuses of a query, in our spelling or RESO’s, with or without those under contract.

import { nearest } from '../../lib/nearest.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { HIDDEN_STATUSES, STATUSES, type Status } from '../../listings/vocabulary.ts';

const ANY: readonly Status[] = STATUSES.filter((status) => !HIDDEN_STATUSES.includes(status));
const UNDER_CONTRACT: readonly Status[] = ['ACTIVE_UNDER_CONTRACT', 'PENDING'];
const foldStatus = (text: string): string => text.replace(/[\s_-]/g, '').toUpperCase();
const BY_SPELLING = new Map(ANY.map((status) => [foldStatus(status), status]));

export const DEFAULT_STATUS: readonly string[] = ['ACTIVE'];

/** The statuses of a query; `any` means all that a search may show. Throws INVALID_PARAMETER. */
export function parseStatuses(query: {
  readonly status?: readonly string[] | undefined;
  readonly underContract?: 'exclude' | undefined;
}): readonly Status[] {
  const statuses = new Set<Status>();
  for (const text of query.status ?? DEFAULT_STATUS) {
    if (text.toLowerCase() === 'any') for (const status of ANY) statuses.add(status);
    else statuses.add(parseStatus(text));
  }
  if (query.underContract === 'exclude') for (const status of UNDER_CONTRACT) statuses.delete(status);
  return [...statuses];
}

/** Other names of statuses, folded. */
const SYNONYMS: Readonly<Record<string, Status>> = {
  SOLD: 'CLOSED',
  LEASED: 'CLOSED',
  RENTED: 'CLOSED',
  LET: 'CLOSED',
  FORSALE: 'ACTIVE',
  FORRENT: 'ACTIVE',
  AVAILABLE: 'ACTIVE',
  CANCELLED: 'CANCELED',
  UNDERCONTRACT: 'PENDING',
  UNDEROFFER: 'PENDING',
  CONTINGENT: 'ACTIVE_UNDER_CONTRACT',
  OFFMARKET: 'WITHDRAWN',
  DELISTED: 'WITHDRAWN',
};

function parseStatus(text: string): Status {
  const status = BY_SPELLING.get(foldStatus(text));
  if (status) return status;
  throw invalidParameter('status', `must be one of ${ANY.join(', ')} or any`, suggestStatus(text));
}

function suggestStatus(text: string): string | undefined {
  const folded = foldStatus(text);
  return Object.hasOwn(SYNONYMS, folded) ? SYNONYMS[folded] : nearest(text, [...ANY, 'any']);
}
