// Messages to the MCP endpoint as programs without a client library send them, in both eras of the protocol.

import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';

/** `modern`: each request says everything about itself. `initialize`: the older protocol, which begins with a handshake. */
export type Era = 'modern' | 'initialize';

export const ERAS: readonly Era[] = ['modern', 'initialize'];
export const REVISIONS: Readonly<Record<Era, string>> = { modern: '2026-07-28', initialize: '2025-11-25' };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly code?: string; readonly [name: string]: unknown };
}

/** A result of any method, with the members that tests look at. */
export interface RpcResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

export interface RpcResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The messages of the body, be it one or a stream of them. */
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly result: RpcResult | undefined;
  readonly error: RpcError | undefined;
  /** Code of the problem, of an error of HTTP or of a tool's result. */
  readonly code: string | null;
}

export interface RpcOptions {
  /** Default `modern`. */
  readonly era?: Era;
  /** Key or token. */
  readonly credential?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly id?: number | string;
  readonly signal?: AbortSignal;
}

const NAME_PARAMETERS: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** What a modern request says about its client. */
export function envelope(progressToken?: string): Readonly<Record<string, unknown>> {
  return {
    'io.modelcontextprotocol/protocolVersion': REVISIONS.modern,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
    ...(progressToken !== undefined && { progressToken }),
  };
}

/** Body and headers of a request. */
export function rpcRequest(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { era = 'modern', credential, headers, id = 1 }: RpcOptions = {},
): { body: string; headers: Record<string, string> } {
  const isModern = era === 'modern';
  const given = params._meta as Readonly<Record<string, unknown>> | undefined;
  const complete = isModern ? { ...params, _meta: { ...envelope(), ...given } } : params;
  const name = params[NAME_PARAMETERS[method] ?? ''];
  return {
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: complete }),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISIONS[era],
      ...(isModern && { 'mcp-method': method }),
      ...(isModern && typeof name === 'string' && { 'mcp-name': headerText(name) }),
      ...(credential != null && { authorization: `Bearer ${credential}` }),
      ...headers,
    },
  };
}

/** Names that are no plain ASCII are sent in base64. */
function headerText(name: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name)
    ? name
    : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

/** Sends a request, and reads its answer to the end. */
export async function send(
  { url }: { readonly url: string },
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  options: RpcOptions = {},
): Promise<RpcResponse> {
  const { body, headers } = rpcRequest(method, params, options);
  const { signal } = options;
  return readResponse(
    await fetch(`${url}/mcp`, { method: 'POST', body, headers, ...(signal !== undefined && { signal }) }),
  );
}

/** Calls a tool. */
export function callTool(
  place: { readonly url: string },
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  options: RpcOptions = {},
): Promise<RpcResponse> {
  return send(place, 'tools/call', { name, arguments: args }, options);
}

export async function readResponse(answer: Response): Promise<RpcResponse> {
  const { status, headers } = answer;
  const text = await answer.text();
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const messages = (isStream ? dataOf(text) : text === '' ? [] : [text]).map(
    (each) => JSON.parse(each) as Record<string, unknown>,
  );
  const last = messages.findLast((message) => 'result' in message || 'error' in message);
  const result = last?.result as RpcResult | undefined;
  const error = last?.error as RpcError | undefined;
  // A method that /mcp does not have is refused by the frame, with a problem document.
  const problem = error?.data ?? messages[0];
  const [, toolCode] = /^code: (\w+)/m.exec(result?.content?.[0]?.text ?? '') ?? [];
  const code = toolCode ?? (typeof problem?.code === 'string' ? problem.code : null);
  return { status, headers, text, messages, result, error, code };
}

/** The data of each event of a stream. */
export function dataOf(stream: string): string[] {
  return [...stream.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data);
}

type Answered = { readonly headers: Headers };

export const challengeOf = ({ headers }: Answered): string | null => headers.get('www-authenticate');

/** What the official client reads from a challenge. */
export const readChallenge = ({ headers }: Answered) =>
  extractWWWAuthenticateParams(new Response(null, { headers }));
