// Agent of LangChain with its adapter for MCP: loads the tools, calls what stdin says, and prints what its model would see.
// node mcp/langchain.ts URL KEY < calls.json

import { text } from 'node:stream/consumers';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const [url = '', key = ''] = process.argv.slice(2);
const calls = JSON.parse(await text(process.stdin)) as readonly Call[];

const client = new MultiServerMCPClient({
  throwOnLoadError: true,
  mcpServers: { freehold: { transport: 'http', url, headers: { authorization: `Bearer ${key}` } } },
});
const tools = await client.getTools();
const results: unknown[] = [];
for (const { name, arguments: args } of calls) {
  const tool = tools.find((each) => each.name === name);
  // As a model calls it, with an id that its answer carries.
  const message = tool?.invoke({ type: 'tool_call', id: 'call_1', name, args });
  results.push(
    await message?.then(
      ({ content }) => ({ content }),
      (error: Error) => ({ thrown: error.message }),
    ),
  );
}
await client.close();
console.log(JSON.stringify({ tools: tools.map(({ name }) => name), results }));
