// The SDK's own low-level server behind node:http, giving a fixed result for every call of a tool, or a fixed list.

import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import {
  type CallToolResult,
  createMcpHandler,
  type ListToolsResult,
  Server,
} from '@modelcontextprotocol/server';

const { result, list } = JSON.parse(readFileSync(process.env.ANSWER ?? '', 'utf8')) as {
  readonly result: CallToolResult;
  readonly list: ListToolsResult;
};
const origin = `http://127.0.0.1:${process.env.PORT}`;

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'sdk', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/call', () => result);
  server.setRequestHandler('tools/list', () => list);
  return server;
});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

createServer(async (request, response) => {
  const parsedBody = await bodyOf(request);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]) as [
    string,
    string,
  ][];
  // As the SDK's own adapter for node:http, which ends the work for a client that leaves.
  const leaving = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort();
  });
  const { signal } = leaving;
  const answer = await handler.fetch(new Request(`${origin}/mcp`, { method: 'POST', headers, signal }), {
    parsedBody,
  });
  const body = await answer.text();
  response.writeHead(answer.status, {
    ...Object.fromEntries(answer.headers),
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('SIGUSR2', () => globalThis.gc?.());
process.once('SIGTERM', () => process.exit(0));
