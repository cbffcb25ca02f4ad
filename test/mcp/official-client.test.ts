// Tests with the official MCP client in both eras: tools, progress, cancellation, resources, prompts, completion, subscriptions.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ProtocolError } from '@modelcontextprotocol/client';
import { until } from '../support/check/until.ts';
import { ERAS, type Era, REVISIONS } from '../support/mcp/messages.ts';
import { connectClient } from '../support/mcp/official-client.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { source: 'sample' });
const { keys, clock } = service;

interface Page {
  readonly data: readonly { readonly id: string; readonly propertyId: string; readonly address: Address }[];
}
interface Address {
  readonly neighborhood: string;
  readonly city: string;
}
const sales: Page = await service.json('/v1/search/sales?limit=5', keys.pro);
const [home = assert.fail('the sample has homes')] = sales.data;
const areas: { readonly data: readonly { readonly id: string; readonly name: string }[] } =
  await service.json('/v1/areas?limit=5', keys.pro);
const [area = assert.fail('the sample has areas'), otherArea = assert.fail()] = areas.data;

const TOOLS = [
  'search_rentals',
  'search_sales',
  'find_areas',
  'get_property',
  'get_listing_live',
  'estimate_value',
  'find_comparables',
  'get_market_stats',
  'get_market_history',
  'compare_markets',
  'list_watchers',

  'create_watcher',
  'get_watcher_events',
  'pause_watcher',
  'resume_watcher',
  'delete_watcher',
  'get_usage',
];
const connect = (t: Parameters<typeof connectClient>[0], era: Era, credential = keys.business) =>
  connectClient(t, service, { era, credential });

/** The tools that only read, with arguments that succeed. */
const READS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  search_rentals: { maxPrice: 5_000 },
  search_sales: { minBedrooms: 2, detail: 'full', limit: 2 },
  find_areas: { q: area.name },
  get_property: { id: home.propertyId },
  estimate_value: { id: home.propertyId },
  find_comparables: { id: home.propertyId },
  get_market_stats: { listingType: 'sale', areaId: [area.id] },
  get_market_history: { listingType: 'sale', areaId: [area.id], periods: 3 },
  compare_markets: { listingType: 'rental', areaId: [area.id, otherArea.id] },
  list_watchers: {},
  get_usage: {},
};

for (const era of ERAS) {
  test(`${era}: the client connects to ${REVISIONS[era]}, and is told what the server is and can do`, async (t) => {
    const { client, exchanges } = await connect(t, era);
    assert.equal(client.getNegotiatedProtocolVersion(), REVISIONS[era]);
    assert.equal(client.getServerVersion()?.name, 'freehold');
    assert.match(client.getInstructions() ?? '', /search_sales/);
    const { tools, resources, prompts, completions } = client.getServerCapabilities() ?? {};
    assert.ok(tools && prompts && completions);
    assert.equal(resources?.subscribe ?? false, era === 'modern');
    assert.deepEqual(new Set(exchanges.map(({ sessionId }) => sessionId)), new Set([null]));
  });

  test(`${era}: every tool is listed in one order, with title, description, schemas and annotations`, async (t) => {
    const { client } = await connect(t, era);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      TOOLS,
    );
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      assert.ok(title && (description ?? '').length > 40, name);
      assert.equal(inputSchema.type, 'object', name);
      assert.equal(outputSchema?.type, 'object', name);
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations ?? {};
      for (const hint of [readOnlyHint, destructiveHint, idempotentHint, openWorldHint])
        assert.equal(typeof hint, 'boolean', name);
      assert.equal(readOnlyHint, name in READS || ['get_listing_live', 'get_watcher_events'].includes(name));
    }
    const again = await client.listTools(undefined, { cacheMode: 'refresh' });
    assert.deepEqual(again.tools, tools);
  });

  test(`${era}: every tool that reads answers with what its output schema promises, and with text for people`, async (t) => {
    const { client } = await connect(t, era);
    await client.listTools();
    for (const [name, args] of Object.entries(READS)) {
      // The client itself holds the structured content against the output schema.
      const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
      assert.notEqual(isError, true, `${name}: ${JSON.stringify(content)}`);
      assert.equal(typeof structuredContent, 'object', name);
      const [first] = content;
      assert.ok(first?.type === 'text' && first.text.length > 20, name);
    }
  });

  test(`${era}: a mistake comes back as a result that names the argument and the remedy`, async (t) => {
    const { client } = await connect(t, era);
    const typo = await client.callTool({ name: 'search_sales', arguments: { minBedroom: 2 } });
    assert.equal(typo.isError, true);
    const [text] = typo.content;
    assert.ok(text?.type === 'text');
    assert.match(text.text, /minBedroom is .* Did you mean minBedrooms\?\ncode: INVALID_PARAMETER/);
    await assert.rejects(
      client.callTool({ name: 'search_sale', arguments: {} }),
      (error) => error instanceof ProtocolError && /search_sales/.test(error.message),
    );
  });

  test(`${era}: a live read tells the cached price first if the client wants progress, and then both copies`, async (t) => {
    const { client } = await connect(t, era);
    const call = { name: 'get_listing_live', arguments: { id: home.id } };
    const lines: string[] = [];
    const told = await client.callTool(call, {
      onprogress: ({ message }) => void lines.push(message ?? ''),
    });
    assert.notEqual(told.isError, true, JSON.stringify(told.content));
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /\d/);
    const { cached, live } = told.structuredContent as Record<string, { id: string } | undefined>;
    assert.deepEqual([cached?.id, live?.id], [home.id, home.id]);
    const silent = await client.callTool(call);
    assert.notEqual(silent.isError, true);
  });

  test(`${era}: a call whose client leaves ends, and frees the place of its stream`, async (t) => {
    const { client } = await connect(t, era, keys.pro);
    await service.control('PUT', '/control/faults', { latencyMs: 60_000, resource: 'entity' });
    t.after(async () => void (await service.control('DELETE', '/control/faults')));
    const [{ id } = assert.fail()] = sales.data.slice(era === 'modern' ? 1 : 2);
    const open = async () =>
      ((await service.json('/v1/usage', keys.pro)) as { streams: { open: number } }).streams.open;
    const leaving = new AbortController();
    // In the older era an abort is a message of its own, which no session ties to the call.
    const leave = () => (era === 'modern' ? leaving.abort() : void client.close());
    const lines: string[] = [];
    const call = client.callTool(
      { name: 'get_listing_live', arguments: { id } },
      {
        signal: leaving.signal,
        onprogress({ message = '' }) {
          lines.push(message);
          leave();
        },
      },
    );
    await assert.rejects(call);
    assert.equal(lines.length, 1);
    await until('the place is free', async () => (await open()) === 0);
  });

  test(`${era}: resources are listed, read and completed`, async (t) => {
    const { client } = await connect(t, era);
    const { resources } = await client.listResources();
    assert.equal(resources.length, 3);
    for (const { uri, name, description } of resources) {
      assert.ok(name && description, uri);
      const { contents } = await client.readResource({ uri });
      assert.ok('text' in (contents[0] ?? {}), uri);
    }
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate).toSorted(), [
      'area://{id}',
      'listing://{id}',
      'property://{id}',
      'watcher://{id}',
    ]);
    for (const uri of [`listing://${home.id}`, `property://${home.propertyId}`, `area://${area.id}`]) {
      const { contents } = await client.readResource({ uri });
      const [content] = contents;
      assert.equal(content?.uri, uri);
      assert.ok(content && 'text' in content && content.text.length > 20, uri);
    }
    const { completion } = await client.complete({
      ref: { type: 'ref/resource', uri: 'area://{id}' },
      argument: { name: 'id', value: area.name.slice(0, 4) },
    });
    assert.ok(completion.values.includes(area.id), JSON.stringify(completion));
    for (const uri of ['listing://none', 'watcher://wat_000000000000000000000000', 'nothing://x'])
      await assert.rejects(client.readResource({ uri }), ProtocolError, uri);
  });

  test(`${era}: prompts are listed with their arguments, filled in, and completed`, async (t) => {
    const { client } = await connect(t, era);
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name }) => name),
      ['find_home', 'is_price_fair', 'watch_area'],
    );
    const given = { area: area.name, listingType: 'sale', home: home.id };
    for (const { name, arguments: parameters = [] } of prompts) {
      const required = parameters.filter((parameter) => parameter.required === true);
      assert.ok(required.length > 0, name);
      const args = Object.fromEntries(
        Object.entries(given).filter(([key]) => required.some((parameter) => parameter.name === key)),
      );
      const { messages } = await client.getPrompt({ name, arguments: args });
      const text = JSON.stringify(messages);
      for (const value of Object.values(args)) assert.ok(text.includes(value), name);
    }
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'find_home' },
      argument: { name: 'area', value: area.name.slice(0, 4) },
    });
    assert.ok(completion.values.includes(area.name), JSON.stringify(completion));
    await assert.rejects(client.getPrompt({ name: 'find_homes' }), ProtocolError);
  });
}

interface Watcher {
  readonly id: string;
}

test('a subscription acknowledges what exists and may be followed, and tells when it changes', async (t) => {
  const { client } = await connect(t, 'modern');
  const stranger = await connect(t, 'modern', keys.pro);
  const make = async (from: typeof client, name: string) => {
    const args = { name, target: { type: 'search', listingType: 'rental', query: {} } };
    const { isError, structuredContent, content } = await from.callTool({
      name: 'create_watcher',
      arguments: args,
    });
    assert.notEqual(isError, true, JSON.stringify(content));
    return (structuredContent as unknown as Watcher).id;
  };
  const mine = `watcher://${await make(client, 'Mine')}`;
  const theirs = `watcher://${await make(stranger.client, 'Theirs')}`;
  const updated: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updated.push(params.uri);
  });
  const followed = `listing://${home.id}`;
  const subscription = await client.listen({
    resourceSubscriptions: [mine, theirs, 'watcher://wat_000000000000000000000000', followed],
  });
  assert.deepEqual(subscription.honoredFilter.resourceSubscriptions, [mine, followed]);
  await service.control('POST', '/control/advance', { steps: 40 });
  await until('the watcher is told of', async () => {
    clock.advance(5_000);
    await service.get('/livez');
    return updated.includes(mine);
  });
  assert.ok(!updated.includes(theirs));
  await subscription.close();
  assert.equal(await subscription.closed, 'local');
});
