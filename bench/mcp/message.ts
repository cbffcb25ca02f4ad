// Messages of the protocol of 2026-07-28 as an agent sends them, for loads and single calls.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Arm, type Load, loadWith, type Testbed } from '../testbed.ts';

const REVISION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function createMessage(
  key: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Message {
  const named = typeof params.name === 'string' ? { 'mcp-name': params.name } : {};
  return {
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...named,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  };
}

/** Sends it once. Throws unless it is answered with a result. */
export async function send({ url }: Arm, { headers, body }: Message): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
  const text = await answer.text();
  const { result } = answer.ok ? (JSON.parse(text) as { result?: Record<string, unknown> }) : {};
  if (result === undefined) throw new Error(`${answer.status} ${text}`);
  return result;
}

/** Loads the endpoint with it. */
export async function loadMessage(
  { folder }: Testbed,
  arm: Arm,
  message: Message,
  seconds: number,
): Promise<Load> {
  const file = join(folder, 'message.json');
  await writeFile(file, message.body);
  const headers = Object.entries(message.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const script = join(import.meta.dirname, 'post.lua');
  return loadWith(arm, [...headers, '-s', script, `${arm.url}/mcp`, '--', file], seconds);
}
