// Tools made of the routes of the API: each row of the tool table with the route that does its work.

import type { IncomingHttpHeaders } from 'node:http';
import { atLeast, isTier, type Principal, tierName } from '../../access/tiers/tiers.ts';
import { RequestUsage } from '../../http/frame/request-usage.ts';
import type { RequestContext, Route } from '../../http/frame/route.ts';
import { withAllFaults } from '../../http/input/faults.ts';
import { toProblem } from '../../http/output/problem-document.ts';
import { jsonOf, type ServerSentEvent } from '../../http/output/reply.ts';
import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { sizeOf } from './answer-size.ts';
import { APP_URI } from './app-resource.ts';
import { compileArguments, type ToolArguments } from './arguments.ts';
import { inputSchema, outputSchema } from './json-schema.ts';
import { listingLine, objectOf } from './listing-text.ts';
import { locatedArguments, locatedRow } from './located-results.ts';
import { problemResult } from './problem-result.ts';
import { shortenedResult, toolResult } from './result.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';
import type { Json, ToolRow } from './tool-row.ts';
import { TOOL_TABLE } from './tool-table.ts';

export interface ToolOptions {
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** Whether there is an explorer that results may lead to. */
  readonly hasExplorer: boolean;
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

function createTool(row: ToolRow, route: Route<Principal>, options: ToolOptions): Tool {
  const { publicUrl, hasExplorer, report, clock } = options;
  const viewBase = hasExplorer ? publicUrl : null;
  const { name, title, annotations } = row;
  const description = `${row.description}${exampleOf(row)}`;
  const readArguments = compileArguments(row, route);
  return {
    name,
    descriptor: {
      name,
      title,
      description,
      annotations,
      inputSchema: inputSchema(row, route),
      outputSchema: outputSchema(row),
      ...(row.hasApp === true && { _meta: { ui: { resourceUri: APP_URI } } }),
    },
    access: route.access,
    async call(args, context) {
      context.usage.answeredBy(route.operation);
      try {
        if (context.refusal !== null) throw context.refusal;
        requireTier(row, route, context.caller);
        const parsed = readArguments(args);
        const isMapped = row.hasApp === true && context.showsApps;
        const call = { parsed: isMapped ? locatedArguments(parsed) : parsed, context, clock, viewBase };
        return await answerThatFits(isMapped ? locatedRow(row) : row, route, call);
      } catch (thrown) {
        if (context.signal.aborted && thrown === context.signal.reason) throw thrown;
        const problem = toProblem(
          await withAllFaults(thrown, {}, async (readable) => route.check?.(readable, context.caller)),
        );
        if (problem.status >= 500) report(problem.cause ?? problem);
        return problemResult(problem, { publicUrl, requestId: context.requestId });
      }
    },
  };
}

interface Call {
  readonly parsed: ToolArguments;
  readonly context: ToolContext;
  readonly clock: ToolOptions['clock'];
  readonly viewBase: string | null;
}

/** Rows that may fit into an answer; more are not even asked for. */
const MAX_ROWS = { short: 50, full: 10 } as const;
/** Answers to one call. */
const MAX_TRIES = 4;
/** Rows are of unequal length. */
const MARGIN = 0.9;

/** Answers again with fewer rows until they fit, so that the cursor goes on right after the last of them. */
async function answerThatFits(row: ToolRow, route: Route<Principal>, call: Call): Promise<ToolResult> {
  const { parsed, context, clock, viewBase } = call;
  const { detail, sent } = parsed;
  const limit = Number(parsed.query.limit ?? 0);
  let loweredTo: number | null = row.rows !== undefined && limit > MAX_ROWS[detail] ? MAX_ROWS[detail] : null;
  for (let tries = 1; ; tries += 1) {
    const query: Json = loweredTo === null ? parsed.query : { ...parsed.query, limit: loweredTo };
    // Of an answer that is not sent nothing is shown.
    const usage = new RequestUsage(route.operation, () => {});
    const answer = await callRoute(row, route, {
      ...call,
      context: { ...context, usage },
      parsed: { ...parsed, query },
    });
    context.signal.throwIfAborted();
    const options = { detail, sent, query: parsed.query, viewBase, now: clock.now(), loweredTo };
    const result = toolResult(row, answer, options);
    const size = sizeOf(result);
    const rows = (answer as Json)[row.rows ?? ''];
    if (size <= 1 || !Array.isArray(rows) || rows.length < 2 || tries === MAX_TRIES) {
      for (const [source, listings] of usage.take()) context.usage.shows(source, listings);
      return size <= 1 ? result : shortenedResult(row, answer, options);
    }
    loweredTo = Math.max(1, Math.min(rows.length - 1, Math.floor((rows.length / size) * MARGIN)));
  }
}

async function callRoute(
  row: ToolRow,
  route: Route<Principal>,
  { parsed, context, clock }: Call,
): Promise<object> {
  const reply = await route.handle(callOf(route, parsed, context));
  const { progress } = context;
  return reply.events
    ? await readLiveAnswer(reply.events, { progress, now: () => clock.now() })
    : (jsonOf(reply) ?? row.emptyAnswer?.(parsed.params) ?? {});
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
  { caller, requestId, address, peer, headers, signal, usage }: ToolContext,
): RequestContext<Principal, Json, Json, unknown> {
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  return {
    caller,
    requestId,
    address,
    peer,
    signal,
    url,
    params,
    query,
    body,
    headers: headersOf(headers),
    mediaType: 'application/json',
    refusal: null,
    usage,
    note: () => undefined,
  };
}

/** Conditions of the POST are none of the route's: a 304 would have no answer. */
function headersOf({ 'cache-control': cacheControl }: IncomingHttpHeaders): IncomingHttpHeaders {
  return cacheControl === undefined ? {} : { 'cache-control': cacheControl };
}

interface LiveOptions {
  readonly progress: ((message: string) => Promise<void>) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Both copies of the listing, or the cached one and why there is no other. Tells the cached one as progress at once. */
async function readLiveAnswer(
  events: AsyncIterable<ServerSentEvent>,
  { progress, now }: LiveOptions,
): Promise<Json> {
  const answer: Record<string, unknown> = { cached: null, live: null, error: null };
  for await (const { event, data, json } of events) {
    if (!Object.hasOwn(answer, event)) continue;
    answer[event] = json === undefined ? data : JSON.parse(json);
    if (event === 'cached') await progress?.(cachedLine(objectOf(answer.cached), now()));
  }
  return answer;
}

/** `Cached: USD 1,895 a month · … · confirmed 3 min ago`. */
function cachedLine(listing: Json, now: number): string {
  const { price, currency, priceFrequency, status, fetchedAt } = listing;
  return `Cached: ${listingLine({ price, currency, priceFrequency, status, fetchedAt }, now)}. Fetching it live.`;
}
