// Held statuses: those of the listings that the engine has; all others are searched in PostgreSQL.

import type { Status } from '../../../listings/vocabulary.ts';

export const HELD_STATUSES: readonly Status[] = ['ACTIVE', 'ACTIVE_UNDER_CONTRACT', 'COMING_SOON'];

const HELD: ReadonlySet<Status> = new Set(HELD_STATUSES);

export const isHeld = (status: Status): boolean => HELD.has(status);
