// Faults of meaning of a request whose parameters could be read in part: they join the answer.

import { withAllFaults } from '../input/faults.ts';
import { UnreadParameters } from '../input/unread-parameters.ts';
import type { ActiveRequest } from './active-request.ts';

/** The error, with what the route finds wrong with the other parameters; never before the request was counted. */
export async function addFaults<Caller>(active: ActiveRequest<Caller>, error: unknown): Promise<unknown> {
  const { check } = active.endpoint.route;
  if (check === undefined || !active.isJudged || !(error instanceof UnreadParameters)) return error;
  return withAllFaults(error, {}, (readable) => check(readable, active.caller));
}
