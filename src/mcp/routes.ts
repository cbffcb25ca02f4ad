// Route of the MCP endpoint: who may call it, what each message counts, and the SDK's response as ours.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/tiers.ts';
import { type ErrorForm, type Route, route } from '../http/frame/route.ts';
import { problemReply } from '../http/output/problem-document.ts';
import type { Metrics } from '../lib/metrics.ts';
import { Problem, type ProblemCode } from '../lib/problem.ts';
import { ANSWER_TYPES, requireStream, toReply } from './answer-form.ts';
import { createGate, ENDPOINT_ACCESS } from './gate.ts';
import type { McpCall, McpServerOptions, ServeMessage } from './mcp-server.ts';
import { type Message, readMessage } from './message.ts';
import { createOriginCheck } from './origin.ts';
import type { ToolResult } from './tools/tool.ts';

/** A call of a tool, or of a resource by its URI. */
export interface AgentCall {
  readonly caller: Principal;
  readonly address: string;
  readonly tool: string;
  readonly args: unknown;
  /** `ok`, or a code; empty: not known. */
  readonly outcome: string;
}

export interface McpRouteOptions extends Omit<McpServerOptions, 'onResult'> {
  readonly metrics: Metrics;
  /** Called with what agents asked; never with names that they made up. */
  readonly onAsked: (call: AgentCall) => void;
}

/** Arguments are short: the longest are polygons of watchers. */
const MAX_BODY_BYTES = 65_536;

/** Gateways add a slash, and parameters of their own, which say nothing to this service. */
const PATHS = ['/mcp', '/mcp/'];

export function mcpRoutes(options: McpRouteOptions): readonly Route<Principal>[] {
  const { tools, resources, publicUrl } = options;
  const load = createLoader(options);
  const guard = createOriginCheck(publicUrl);
  const gate = createGate({
    accessOfTool: (name) => tools.get(name)?.access,
    accessOfResource: (uri) => resources.access(uri),
  });
  return PATHS.flatMap((path) => [
    getRoute(path, publicUrl),
    route<Principal>()({
      method: 'POST',
      path,
      operation: 'mcp',
      tag: 'MCP',
      summary: 'The MCP endpoint, for agents; a tool counts as the endpoint behind it',
      page: true,
      access: ENDPOINT_ACCESS,
      guard,
      late: gate,
      body: Type.Unknown(),
      ownBody: 'value',
      bodyBytes: MAX_BODY_BYTES,
      ownQuery: true,
      accepts: ANSWER_TYPES,
      answer: { description: 'A message of JSON-RPC, or a stream of them' },
      errors: createErrorForm(publicUrl),
      async handle(call) {
        const message = readMessage(call.body);
        const { accept } = call.headers;
        call.note(describe(message, tools));
        if (message.method === 'subscriptions/listen') requireStream(accept);
        if (message.method === READ)
          options.onAsked({
            caller: call.caller,
            address: call.address,
            tool: READ,
            args: { uri: message.params.uri },
            outcome: '',
          });
        const serve = await load();
        return toReply(await serve(call), accept);
      },
    }),
  ]);
}

/** GET: for browsers the way to the page about the endpoint, for anybody else what other methods are. */
function getRoute(path: string, publicUrl: string): Route<Principal> {
  return route<Principal>()({
    method: 'GET',
    path,
    operation: 'mcpGet',
    tag: 'MCP',
    summary: 'No method of the MCP endpoint',
    page: true,
    ownQuery: true,
    answer: { description: 'A problem' },
    access: { ...ENDPOINT_ACCESS, counts: 'nothing' },
    guard: createOriginCheck(publicUrl),
    accepts: ANSWER_TYPES,
    anyAccept: true,
    errors: createErrorForm(publicUrl),
    handle() {
      throw new Problem('METHOD_NOT_ALLOWED', 'This URL takes messages by POST only.', {
        headers: { allow: 'POST, OPTIONS' },
      });
    },
    variant: route<Principal>()({
      method: 'GET',
      path,
      operation: 'mcpPage',
      tag: 'MCP',
      summary: 'The way to the page about the MCP endpoint',
      page: true,
      ownQuery: true,
      answer: { status: 303, description: 'A redirect' },
      access: { credentials: 'none', counts: 'nothing' },
      accepts: ['text/html'],
      handle: () => ({ status: 303, headers: { location: `${publicUrl}/docs/mcp` } }),
    }),
  });
}

/** The SDK is loaded with the first message, so that a service without agents pays no memory for it. */
function createLoader({ metrics, onAsked, ...options }: McpRouteOptions): () => Promise<ServeMessage> {
  const calls = metrics.counter('freehold_mcp_calls_total', 'Calls of MCP tools, by tool and outcome.', [
    'tool',
    'outcome',
  ]);
  const durations = metrics.durations(
    'freehold_mcp_call_duration_seconds',
    'Time from the call of an MCP tool to its result.',
    ['tool'],
  );
  const onResult = (tool: string, result: ToolResult, call: McpCall, milliseconds: number) => {
    const { outcome } = result;
    calls.inc({ tool, outcome });
    durations.observe({ tool }, milliseconds / 1_000);
    call.note({ outcome });
    const args = readMessage(call.body).params.arguments;
    onAsked({ caller: call.caller, address: call.address, tool, args, outcome });
  };
  let loading: Promise<ServeMessage> | null = null;
  return () => {
    loading ??= import('./mcp-server.ts').then(({ createMcpServer }) =>
      createMcpServer({ ...options, onResult }),
    );
    return loading;
  };
}

const READ = 'resources/read';

const METHODS = new Set([
  READ,
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'completion/complete',
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
]);

/** Method and tool for the log: never a name that the client made up, which could be a secret. */
function describe({ method, params }: Message, tools: McpServerOptions['tools']): Record<string, string> {
  const rpc = METHODS.has(method) ? method : 'other';
  const tool = method === 'tools/call' ? String(params.name) : null;
  if (tool === null) return { rpc };
  return { rpc, tool: tools.has(tool) ? tool : 'unknown' };
}

/** Faults of the message itself, with their codes of JSON-RPC 2.0: its clients read them as errors of the protocol. */
const RPC_CODES: Partial<Readonly<Record<ProblemCode, number>>> = {
  INVALID_BODY: -32_700,
  INVALID_REQUEST: -32_600,
  INVALID_PARAMETER: -32_602,
};

/** Problem documents, as everywhere; what is wrong with the message itself is an error of JSON-RPC, with the document as data. */
function createErrorForm(publicUrl: string): ErrorForm {
  return {
    write({ problem, requestId, headers }) {
      const reply = problemReply(problem, { publicUrl, requestId });
      const code = RPC_CODES[problem.code];
      if (code === undefined) return { ...reply, headers: { ...reply.headers, ...headers } };
      const error = { code, message: problem.message, data: reply.json };
      return { status: problem.status, headers, json: { jsonrpc: '2.0', id: null, error } };
    },
    answers: {},
    content: {},
  };
}
