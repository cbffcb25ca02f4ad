// Tests of what the log and the metrics say of agents: who called which tool with what outcome, and nothing else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool, ERAS, send } from '../support/mcp/messages.ts';
import { memoryLog } from '../support/service/memory-log.ts';
import { startService } from '../support/service/service.ts';

const CANARY = 'canary7f3a91';

test('the log names the method, the tool and the outcome of a message, and what the agent made up by no name', async (t) => {
  const { log, text } = memoryLog();
  const service = await startService(t, { log });
  for (const era of ERAS) {
    const options = { era, credential: service.keys.pro };
    await callTool(service, 'search_sales', {}, options);
    await callTool(service, 'search_sales', { [CANARY]: 1 }, options);
    await callTool(service, CANARY, {}, options);
    await send(service, CANARY, {}, options);
  }
  const lines = text()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ route }) => route === '/mcp');
  assert.deepEqual(
    lines.map(({ rpc, tool, outcome, tier }) => [rpc, tool, outcome, tier]),
    ERAS.flatMap(() => [
      ['tools/call', 'search_sales', 'ok', 'pro'],
      ['tools/call', 'search_sales', 'INVALID_PARAMETER', 'pro'],
      ['tools/call', 'unknown', undefined, 'pro'],
      ['other', undefined, undefined, 'pro'],
    ]),
  );
  assert.ok(!text().includes(CANARY));
});

test('metrics count the calls of each tool by outcome, and tell how long they took', async (t) => {
  const service = await startService(t);
  const options = { credential: service.keys.pro };
  await callTool(service, 'search_sales', {}, options);
  await callTool(service, 'search_sales', {}, options);
  await callTool(service, 'search_sales', { minBedroms: 2 }, options);
  await callTool(service, 'get_listing_live', { id: 'lst_1' }, options);
  const metrics = await (await service.get('/metrics')).text();
  const calls = [...metrics.matchAll(/^freehold_mcp_calls_total\{tool="(\w+)",outcome="(\w+)"\} (\d+)$/gm)];
  assert.deepEqual(
    calls.map(([, ...values]) => values),
    [
      ['search_sales', 'ok', '2'],
      ['search_sales', 'INVALID_PARAMETER', '1'],
      ['get_listing_live', 'LISTING_NOT_FOUND', '1'],
    ],
  );
  assert.match(metrics, /^freehold_mcp_call_duration_seconds_count\{tool="search_sales"\} 3$/m);
  assert.match(metrics, /^freehold_mcp_subscriptions_open 0$/m);
});
