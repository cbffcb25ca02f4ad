// Client of version 1 of the official MCP SDK: lists the tools, calls what stdin says, and prints what its caller would see.
// node mcp/sdk.ts PACKAGE URL KEY < calls.json

import { text } from 'node:stream/consumers';
import type * as ClientModule from '@modelcontextprotocol/sdk/client/index.js';
import type * as TransportModule from '@modelcontextprotocol/sdk/client/streamableHttp.js';

type Call = Parameters<ClientModule.Client['callTool']>[0];

const [sdk = '', url = '', key = ''] = process.argv.slice(2);
const { Client }: typeof ClientModule = await import(`${sdk}/client/index.js`);
const { StreamableHTTPClientTransport }: typeof TransportModule = await import(
  `${sdk}/client/streamableHttp.js`
);
const calls = JSON.parse(await text(process.stdin)) as readonly Call[];

const client = new Client({ name: 'sdk-1', version: '1' });
const headers = { authorization: `Bearer ${key}` };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
await client.connect(transport as Parameters<typeof client.connect>[0]);
// From here on the client holds results against the output schemas.
const { tools } = await client.listTools();
const results: unknown[] = [];
for (const call of calls) {
  const result = await client.callTool(call).catch((error: Error) => ({ thrown: error.message }));
  results.push(result);
}
await client.close();
console.log(JSON.stringify({ tools: tools.map(({ name }) => name), results }));
