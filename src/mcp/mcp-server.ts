// MCP server on the official SDK, of both protocol eras: one low-level server for each request. Loaded with the first request.

import {
  createMcpHandler,
  type McpRequestContext,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { Principal } from '../access/tiers/tiers.ts';
import type { RequestContext } from '../http/frame/route.ts';
import type { Clock } from '../lib/clock.ts';
import { nearest } from '../lib/nearest.ts';
import { Problem } from '../lib/problem.ts';
import { ANSWER_TYPES } from './answer-form.ts';
import type { Complete } from './completion.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { type Message, readMessage, requestedUris, withUris } from './message.ts';
import type { McpPrompts } from './prompts.ts';
import type { McpResources } from './resources/resources.ts';
import type { Subscriptions } from './resources/subscriptions.ts';
import { sdkBody } from './sdk-message.ts';
import { showsApps } from './tools/app-resource.ts';
import { allFaults } from './tools/problem-result.ts';
import type { Tool, ToolContext, ToolResult } from './tools/tool.ts';

export type McpCall = RequestContext<Principal, unknown, unknown, unknown>;

export interface McpServerOptions {
  /** In the order in which they are listed. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly resources: McpResources;
  readonly prompts: McpPrompts;
  readonly complete: Complete;
  readonly subscriptions: Pick<Subscriptions, 'open'>;
  readonly publicUrl: string;
  readonly version: string;
  readonly clock: Clock;
  /** Called with each result of a tool, and the milliseconds that it took. */
  readonly onResult: (tool: string, result: ToolResult, call: McpCall, milliseconds: number) => void;
}

/** Serves one message. */
export type ServeMessage = (call: McpCall) => Promise<Response>;

/** Milliseconds between two comments on a quiet stream. */
const HEARTBEAT = 15_000;
/** Milliseconds for which lists, the same for every caller until the service is replaced, may be cached. */
const LIST_LIFETIME = 3_600_000;
const LIST_HINT = { ttlMs: LIST_LIFETIME, cacheScope: 'public' } as const;

export function createMcpServer(options: McpServerOptions): ServeMessage {
  const { subscriptions, publicUrl } = options;
  const build = (context: McpRequestContext) => buildServer(options, context);
  const handler = createMcpHandler(build, { keepAliveMs: HEARTBEAT });
  return async (call) => {
    const message = readMessage(call.body);
    const body = sdkBody(call.body, message);
    if (message.method !== 'subscriptions/listen') return serve(handler.fetch, call, body);
    const { caller, address, signal } = call;
    const subscription = await subscriptions.open({
      caller,
      signal,
      uris: requestedUris(message),
      credential: { authorization: call.headers.authorization ?? '', address },
    });
    // A handler of its own, since the SDK ends the streams of one handler together only.
    const { bus, ended } = subscription;
    const listening = createMcpHandler(build, { bus, maxSubscriptions: 1, keepAliveMs: HEARTBEAT });
    const response = await serve(listening.fetch, call, withUris(body, subscription.uris));
    if (!isEventStream(response)) subscription.close();
    else if (ended.aborted) await listening.close();
    else ended.addEventListener('abort', () => void listening.close(), { once: true });
    return response;
  };

  function serve(fetch: typeof handler.fetch, call: McpCall, parsedBody: unknown): Promise<Response> {
    const request = new Request(`${publicUrl}/mcp`, {
      method: 'POST',
      headers: webHeaders(call.headers),
      signal: call.signal,
    });
    return fetch(request, { parsedBody, authInfo: { token: '', clientId: '', scopes: [], extra: { call } } });
  }
}

const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** The headers that the SDK reads; no credential among them. It is free to answer in either form. */
function webHeaders(headers: McpCall['headers']): Record<string, string> {
  const names = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id'];
  const read = names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []));
  const sent: Record<string, string> = { ...Object.fromEntries(read), accept: ANSWER_TYPES.join(', ') };
  // Of clients that agreed on it with an earlier release, and of those that begin without `initialize`.
  if (sent['mcp-protocol-version'] === WITH_BATCHES) sent['mcp-protocol-version'] = BEFORE_BATCHES;
  return sent;
}

const CACHE_HINTS = {
  'server/discover': LIST_HINT,
  'tools/list': LIST_HINT,
  'prompts/list': LIST_HINT,
  'resources/list': LIST_HINT,
  'resources/templates/list': LIST_HINT,
};
const COMMON = { tools: {}, prompts: {}, completions: {} };
/** The older era has no streams that could notify of a change without a session. */
const CAPABILITIES = {
  legacy: { ...COMMON, resources: {} },
  modern: { ...COMMON, resources: { subscribe: true } },
};

/** Allows batches in each message, which are refused here: clients that request it get the one before. */
const WITH_BATCHES = '2025-03-26';
const BEFORE_BATCHES = '2024-11-05';
const VERSIONS = SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version !== WITH_BATCHES);

/** The versions to choose from: the SDK agrees to the one asked for, else to the first. */
const versionsFor = ({ method, params }: Message): string[] =>
  method === 'initialize' && params.protocolVersion === WITH_BATCHES
    ? [BEFORE_BATCHES, ...VERSIONS]
    : VERSIONS;

/** A server for one request, with the handler of its method alone. Everything that it lists was compiled at startup. */
function buildServer(options: McpServerOptions, { era, authInfo }: McpRequestContext): Server {
  const { version, publicUrl } = options;
  const call = authInfo?.extra?.call as McpCall;
  const message = readMessage(call.body);
  const server = new Server(
    { name: 'freehold', title: 'Freehold', version, websiteUrl: `${publicUrl}/docs/mcp` },
    {
      instructions: INSTRUCTIONS,
      capabilities: CAPABILITIES[era],
      cacheHints: CACHE_HINTS,
      supportedProtocolVersions: versionsFor(message),
    },
  );
  const { method } = message;
  if (Object.hasOwn(HANDLERS, method)) HANDLERS[method]?.(server, options, call);
  return server;
}

type SetHandler = (server: Server, options: McpServerOptions, call: McpCall) => void;

const HANDLERS: Readonly<Record<string, SetHandler>> = {
  'tools/list': (server, { tools }) =>
    server.setRequestHandler('tools/list', () => ({
      tools: tools
        .values()
        .map(({ descriptor }) => descriptor)
        .toArray(),
    })),
  'tools/call': (server, { tools, clock, onResult }, call) =>
    server.setRequestHandler('tools/call', async ({ params }, request) => {
      const tool = tools.get(params.name) ?? unknownTool(params.name, tools);
      const startedAt = clock.monotonic();
      const args = readMessage(call.body).params.arguments ?? {};
      const result = await tool.call(args, toolContext(call, request));
      onResult(tool.name, result, call, clock.monotonic() - startedAt);
      const { outcome: _, ...sent } = result;
      return sent;
    }),
  'resources/list': (server, { resources }) =>
    server.setRequestHandler('resources/list', () => ({ resources: [...resources.list()] })),
  'resources/templates/list': (server, { resources }) =>
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [...resources.templates()],
    })),
  'resources/read': (server, { resources }, call) =>
    server.setRequestHandler('resources/read', ({ params }, request) =>
      protocolErrors(params.uri, () => resources.read(params.uri, toolContext(call, request))),
    ),
  'prompts/list': (server, { prompts }) =>
    server.setRequestHandler('prompts/list', () => ({ prompts: [...prompts.list()] })),
  'prompts/get': (server, { prompts }) =>
    server.setRequestHandler('prompts/get', ({ params }) =>
      protocolErrors('', async () => prompts.get(params.name, params.arguments ?? {})),
    ),
  'completion/complete': (server, { complete }, call) =>
    server.setRequestHandler('completion/complete', ({ params }, request) =>
      protocolErrors('', async () => ({
        completion: await complete(params.ref, params.argument, toolContext(call, request)),
      })),
    ),
};

function toolContext(call: McpCall, { mcpReq }: ServerContext): ToolContext {
  const { caller, requestId, address, peer, headers, refusal, usage, body } = call;
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return {
    caller,
    requestId,
    address,
    peer,
    headers,
    refusal,
    usage,
    showsApps: showsApps(readMessage(body).params),
    signal: mcpReq.signal,
    ...(progressToken !== undefined && {
      progress: (message) => {
        progress += 1;
        const params = { progressToken, progress, message };
        return mcpReq.notify({ method: 'notifications/progress', params });
      },
    }),
  };
}

function unknownTool(name: string, tools: ReadonlyMap<string, Tool>): never {
  const suggestion = nearest(name, tools.keys());
  const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool of this name.${meant}`);
}

/** Problems as errors of the protocol; anything else becomes a plain internal error, whose cause only the log has. */
async function protocolErrors<Result>(uri: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 404) throw new ResourceNotFoundError(uri, error.message);
    const code = error.status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, allFaults(error), { code: error.code, errors: error.errors });
  }
}
