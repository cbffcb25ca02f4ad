// Access rules of MCP messages: what a tool or a resource needs is what its route needs.

import { atLeast, type Principal, SCOPES } from '../access/tiers/tiers.ts';
import type { Access, LateAccess } from '../http/frame/route.ts';
import type { Problem } from '../lib/problem.ts';
import { type Message, readMessage, requestedUris } from './message.ts';
import { checkMessage } from './sdk-message.ts';

/** Whoever may call the endpoint at all; messages that do no work count for the minute. */
export const ENDPOINT_ACCESS: Access = {
  credentials: 'required',
  counts: 'minute',
  resource: '/mcp',
  challengeScope: Object.keys(SCOPES).join(' '),
};

/** A later call may succeed, which an agent can act on. */
const ANSWERED_BY_TOOLS = new Set(['RATE_LIMITED', 'QUOTA_EXCEEDED', 'TOO_MANY_STREAMS']);

export interface GateOptions {
  /** Access of a tool's route; undefined: there is no such tool. */
  readonly accessOfTool: (name: string) => Access | undefined;
  /** Access of a resource's route; null: there is no such kind of resource. */
  readonly accessOfResource: (uri: string) => Access | null;
}

export function createGate({ accessOfTool, accessOfResource }: GateOptions): LateAccess<Principal> {
  const toolOf = ({ method, params }: Message) =>
    method === 'tools/call' ? accessOfTool(String(params.name)) : undefined;

  const routeAccess = (message: Message): Access | null | undefined => {
    const { method, params } = message;
    if (method === 'resources/read') return accessOfResource(String(params.uri));
    if (method === 'subscriptions/listen') return accessOfListen(requestedUris(message), accessOfResource);
    return toolOf(message);
  };

  return {
    access(body, caller) {
      const message = readMessage(body);
      checkMessage(body);
      const { scope, counts, tier, stream } = routeAccess(message) ?? ENDPOINT_ACCESS;
      // The tier is left to the tool: a refusal that no other token could lift is a result, not a challenge. Too low a tier
      // has no slots for streams either, which would be reported instead.
      const isTierTooLow = tier !== undefined && !atLeast(caller.tier, tier);
      return {
        ...ENDPOINT_ACCESS,
        counts,
        ...(scope !== undefined && { scope }),
        ...(stream !== undefined && !isTierTooLow && { stream }),
      };
    },
    answers(problem: Problem, body) {
      const isLimit = ANSWERED_BY_TOOLS.has(problem.code) || problem.status === 503;
      return isLimit && toolOf(readMessage(body)) !== undefined;
    },
  };
}

/** The scope of watchers outranks that of listings, which are left out of a stream that may not read them. */
function accessOfListen(
  uris: readonly string[],
  accessOfResource: GateOptions['accessOfResource'],
): Access | null {
  const accesses = uris.flatMap((uri) => accessOfResource(uri) ?? []);
  const access = accesses.find(({ scope }) => scope === 'watchers') ?? accesses[0];
  return access === undefined ? null : { ...access, stream: false };
}
