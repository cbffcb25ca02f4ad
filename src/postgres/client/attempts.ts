// Attempts of a database operation: how often it may be tried again, and until when.

import { type Clock, withDeadline } from '../../lib/clock.ts';
import { isReadRepeatable } from './connection-errors.ts';

/** How often an operation may be tried again, besides its first attempt, and after which errors. */
export interface Retries {
  readonly retries: number;
  readonly isRepeatable: (error: unknown) => boolean;
}

export const NEVER: Retries = { retries: 0, isRepeatable: () => false };
export const READ_RETRIES: Retries = { retries: 1, isRepeatable: isReadRepeatable };

/** Of a transaction that is repeatable, besides the first attempt: with pauses that double they take less than a second. */
export const TRANSACTION_RETRIES = 4;

/** No connection was made, so nothing was sent. */
export class NotConnected extends Error {
  override readonly name = 'NotConnected';

  constructor(cause: unknown) {
    super('No connection to the database was made', { cause });
  }
}

export class DeadlineMissed extends Error {
  override readonly name = 'DeadlineMissed';
  readonly code = 'ETIMEDOUT';
}

export function beforeDeadline<T>(clock: Clock, end: number, work: () => Promise<T>): Promise<T> {
  if (end === Number.POSITIVE_INFINITY) return work();
  const milliseconds = Math.max(0, end - clock.monotonic());
  const onTimeout = () => new DeadlineMissed('The database did not answer in time');
  return withDeadline({ clock, milliseconds, onTimeout }, work);
}
