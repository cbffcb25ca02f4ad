// Calls of MCP tools as a client sends them: one message of JSON-RPC for each.

import assert from 'node:assert/strict';

/** Result of a call. */
export interface ToolAnswer {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  /** There is none of an error. */
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

/** Code of the problem that a result reports. */
export const codeOf = (answer: ToolAnswer): string | undefined => /^code: (\w+)/m.exec(textOf(answer))?.[1];

/** The arguments that a result finds fault with, each with its sentence. */
export const faultsOf = (answer: ToolAnswer): ReadonlyMap<string, string> =>
  new Map(
    [...textOf(answer).matchAll(/^The (?:parameter|member) (\S+) .*$/gm)].map(([line, name = '']) => [
      name,
      line,
    ]),
  );

/** All text of a result. */
export const textOf = ({ content }: ToolAnswer): string => content.map(({ text = '' }) => text).join('\n');
