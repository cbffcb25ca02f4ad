// Calls of MCP tools as a client sends them: one message of JSON-RPC for each.

import assert from 'node:assert/strict';

/** Result of a call. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text?: string; readonly uri?: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

export type CallTool = (name: string, args: object) => Promise<ToolAnswer>;

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** Sends one request; gives its result. */
async function send(url: string, key: string, method: string, params: object): Promise<unknown> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { ...HEADERS, authorization: `Bearer ${key}`, 'cache-control': 'no-cache' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  const [, data = text] = /^data: (\{.*"result".*)$/m.exec(text) ?? [];
  const { result } = JSON.parse(data) as { result?: unknown };
  assert.ok(result, `${response.status}: ${text}`);
  return result;
}

/** A client with this key. */
export const toolCaller =
  (url: string, key: string): CallTool =>
  async (name, args) =>
    (await send(url, key, 'tools/call', { name, arguments: args })) as ToolAnswer;

/** The result of `tools/list`. */
export const listTools = async (url: string, key: string): Promise<readonly Record<string, unknown>[]> =>
  ((await send(url, key, 'tools/list', {})) as { tools: readonly Record<string, unknown>[] }).tools;

/** All text of a result. */
export const textOf = ({ content }: ToolAnswer): string => content.map(({ text = '' }) => text).join('\n');
