// Tools made of the routes of the API: each row of the tool table with the route that does its work.

import type { IncomingHttpHeaders } from 'node:http';
import { atLeast, isTier, type Principal, tierName } from '../../access/tiers/tiers.ts';
import type { RequestContext, Route } from '../../http/frame/route.ts';
import { toProblem } from '../../http/output/problem-document.ts';
import { jsonOf } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { compileArguments, type ToolArguments } from './arguments.ts';
import { inputSchema, outputSchema } from './json-schema.ts';
import { readLiveAnswer } from './live-answer.ts';
import { problemResult } from './problem-result.ts';
import { toolResult } from './result.ts';
import type { Tool, ToolContext } from './tool.ts';
import type { Json, ToolRow } from './tool-row.ts';
import { TOOL_TABLE } from './tool-table.ts';

export interface ToolOptions {
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** Called with errors whose cause only the log may have. */
  readonly report: (error: unknown) => void;
  readonly clock: Pick<Clock, 'now'>;
}

/** All tools, in the order of their table. Throws if a row names an operation or a parameter that there is not. */
export function createTools(routes: readonly Route<Principal>[], options: ToolOptions): readonly Tool[] {
  return TOOL_TABLE.map((row) => {
    const route = routes.find(({ operation }) => operation === row.operation);
    if (route === undefined) throw new Error(`The tool ${row.name} needs the operation ${row.operation}`);
    return createTool(row, route, options);
  });
}

function createTool(row: ToolRow, route: Route<Principal>, { publicUrl, report, clock }: ToolOptions): Tool {
  const { name, title, annotations } = row;
  const description = `${row.description}${exampleOf(row)}`;
  const readArguments = compileArguments(row, route);
  return {
    name,
    descriptor: {
      ...{ name, title, description, annotations },
      ...{ inputSchema: inputSchema(row, route), outputSchema: outputSchema(row) },
    },
    access: route.access,
    async call(args, context) {
      try {
        if (context.refusal !== null) throw context.refusal;
        requireTier(row, route, context.caller);
        const parsed = readArguments(args);
        const reply = await route.handle(callOf(route, parsed, context));
        const { progress, signal } = context;
        const answer = reply.events
          ? await readLiveAnswer(reply.events, { progress, now: () => clock.now() })
          : (jsonOf(reply) ?? row.emptyAnswer?.(parsed.params) ?? {});
        signal.throwIfAborted();
        return toolResult(row, answer, { detail: parsed.detail, sent: parsed.sent, now: clock.now() });
      } catch (thrown) {
        if (context.signal.aborted && thrown === context.signal.reason) throw thrown;
        const problem = toProblem(thrown);
        if (problem.status >= 500) report(problem.cause ?? problem);
        return problemResult(problem, { publicUrl, requestId: context.requestId });
      }
    },
  };
}

/** The first example, where it has more than an id: in words, since not every vendor of models takes examples in schemas. */
function exampleOf({ examples: [first = {}] }: ToolRow): string {
  return Object.keys(first).length > 1 ? ` Example: ${JSON.stringify(first)}` : '';
}

function requireTier({ name }: ToolRow, { access }: Route<Principal>, { tier }: Principal): void {
  if (access.tier === undefined || atLeast(tier, access.tier)) return;
  const needed = isTier(access.tier) ? tierName(access.tier) : access.tier;
  throw new Problem(
    'TIER_RESTRICTED',
    `${name} needs the ${needed} tier or higher; these credentials have the ${tierName(tier)} tier.`,
  );
}

/** The call as the route's handler sees it. */
function callOf(
  { path }: Route<Principal>,
  { params, query, body }: ToolArguments,
  { caller, requestId, address, peer, headers, signal }: ToolContext,
): RequestContext<Principal, Json, Json, unknown> {
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  return {
    ...{ caller, requestId, address, peer, signal, url, params, query, body },
    ...{ headers: headersOf(headers), mediaType: 'application/json', refusal: null, note: () => undefined },
  };
}

/** Conditions of the POST are none of the route's: a 304 would have no answer. */
function headersOf({ 'cache-control': cacheControl }: IncomingHttpHeaders): IncomingHttpHeaders {
  return cacheControl === undefined ? {} : { 'cache-control': cacheControl };
}
