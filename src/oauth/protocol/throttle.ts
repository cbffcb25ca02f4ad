// Refusal of too many requests, in the words of OAuth.

import type { ServiceThrottle } from '../../access/limits/request-throttle.ts';
import type { ProblemCode } from '../../lib/problem.ts';
import { oauthError } from './errors.ts';

/** Counts one request. Throws temporarily_unavailable with Retry-After if there were too many. */
export async function requireLowRate(
  throttle: ServiceThrottle,
  name: string,
  code: ProblemCode = 'RATE_LIMITED',
): Promise<void> {
  const wait = await throttle.take(name);
  if (wait === 0) return;
  const headers = { 'retry-after': String(wait) };
  throw oauthError('temporarily_unavailable', 'Too many requests; try again later.', { code, headers });
}
