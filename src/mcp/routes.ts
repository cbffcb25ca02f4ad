// Route of the MCP endpoint: who may call it, what each message counts, and the SDK's response as ours.

import { Type } from 'typebox';
import type { Principal } from '../access/tiers/tiers.ts';
import { type ErrorForm, type Route, route } from '../http/frame/route.ts';
import { problemReply } from '../http/output/problem-document.ts';
import type { Reply } from '../http/output/reply.ts';
import type { Metrics } from '../lib/metrics.ts';
import { Problem, type ProblemCode } from '../lib/problem.ts';
import { createGate, ENDPOINT_ACCESS } from './gate.ts';
import type { McpCall, McpServerOptions, ServeMessage } from './mcp-server.ts';
import { type Message, readMessage } from './message.ts';
import { createOriginCheck } from './origin.ts';
import type { ToolResult } from './tools/tool.ts';

export interface McpRouteOptions extends Omit<McpServerOptions, 'onResult'> {
  readonly metrics: Metrics;
}

const MAX_BODY_BYTES = 1_048_576;

export function mcpRoutes(options: McpRouteOptions): readonly Route<Principal>[] {
  const { tools, resources, publicUrl } = options;
  const load = createLoader(options);
  return [
    route<Principal>()({
      method: 'POST',
      path: '/mcp',
      operation: 'mcp',
      tag: 'MCP',
      summary: 'The MCP endpoint, for agents; a tool counts as the endpoint behind it',
      page: true,
      access: ENDPOINT_ACCESS,
      guard: createOriginCheck(publicUrl),
      guardsPath: true,
      late: createGate({
        accessOfTool: (name) => tools.get(name)?.access,
        accessOfResource: (uri) => resources.access(uri),
      }),
      ...{ body: Type.Unknown(), ownBody: true, bodyBytes: MAX_BODY_BYTES },
      // The protocol has rules of its own for Accept.
      ...{ accepts: ['application/json', 'text/event-stream'], anyAccept: true },
      answer: { description: 'A message of JSON-RPC, or a stream of them' },
      errors: createErrorForm(publicUrl),
      async handle(call) {
        call.note(describe(readMessage(call.body), tools));
        const serve = await load();
        return toReply(await serve(call));
      },
    }),
  ];
}

/** The SDK is loaded with the first message, so that a service without agents pays no memory for it. */
function createLoader({ metrics, ...options }: McpRouteOptions): () => Promise<ServeMessage> {
  const calls = metrics.counter('freehold_mcp_calls_total', 'Calls of MCP tools, by tool and outcome.', [
    ...['tool', 'outcome'],
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
  };
  let loading: Promise<ServeMessage> | null = null;
  return () => {
    loading ??= import('./mcp-server.ts').then(({ createMcpServer }) =>
      createMcpServer({ ...options, onResult }),
    );
    return loading;
  };
}

const METHODS = new Set([
  ...['initialize', 'server/discover', 'ping', 'tools/list', 'tools/call', 'prompts/list', 'prompts/get'],
  ...['resources/list', 'resources/templates/list', 'resources/read', 'completion/complete'],
  ...['subscriptions/listen', 'notifications/initialized', 'notifications/cancelled'],
]);

/** Method and tool for the log: never a name that the client made up, which could be a secret. */
function describe({ method, params }: Message, tools: McpServerOptions['tools']): Record<string, string> {
  const rpc = METHODS.has(method) ? method : 'other';
  const tool = method === 'tools/call' ? String(params.name) : null;
  if (tool === null) return { rpc };
  return { rpc, tool: tools.has(tool) ? tool : 'unknown' };
}

async function toReply(response: Response): Promise<Reply> {
  const { status, body } = response;
  if (status >= 500) throw new Problem('INTERNAL_ERROR', INTERNAL, { cause: await response.text() });
  const type = response.headers.get('content-type');
  if (body === null || type === null) return { status };
  if (!type.startsWith('text/event-stream'))
    return { status, headers: { 'content-type': type }, text: await response.text() };
  const headers = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };
  return {
    ...{ status, headers: { ...headers, 'content-type': type } },
    chunks: body.pipeThrough(new TextDecoderStream()),
  };
}

const INTERNAL = 'Something went wrong on our side. Quote the request id when you report it.';

/** Faults of the message itself, with their codes of JSON-RPC 2.0: its clients read them as errors of the protocol. */
const RPC_CODES: Partial<Readonly<Record<ProblemCode, number>>> = {
  INVALID_BODY: -32_700,
  INVALID_REQUEST: -32_600,
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
