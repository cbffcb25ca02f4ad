// Tests with mcp-remote, the bridge for programs that only speak to processes: with a key in a header, and through OAuth.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { connectThroughBridge } from '../support/mcp/bridge.ts';
import { decideAt } from '../support/oauth/person.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const { keys, url } = service;
await writer(service)(...['a', 'b', 'c'].map((key) => draft(key, { listPrice: 100_000 })));

for (const protocol of ['legacy', 'auto']) {
  test(`a program behind mcp-remote lists and calls tools with a key in a header (--protocol ${protocol})`, async (t) => {
    const folder = await temporaryFolder(t, 'bridge');
    const headers = join(folder, 'headers');
    await writeFile(headers, `Authorization: Bearer ${keys.pro}\n`);
    const client = await connectThroughBridge(t, service, {
      folder,
      args: ['--header-file', headers, '--protocol', protocol],
    });
    const { tools } = await client.listTools();
    assert.equal(tools.length, 17);
    const { isError, structuredContent } = await client.callTool({
      name: 'search_sales',
      arguments: { limit: 2 },
    });
    assert.notEqual(isError, true);
    assert.equal((structuredContent as { data: unknown[] }).data.length, 2);
    const usage = await client.callTool({ name: 'get_usage', arguments: {} });
    assert.equal((usage.structuredContent as { tier: string }).tier, 'pro');
  });
}

test('a program behind mcp-remote is led through OAuth, and the next one uses the same consent', async (t) => {
  const folder = await temporaryFolder(t, 'bridge');
  const visits: string[] = [];
  const onLine = (line: string) => {
    const address = line.trim();
    if (!address.startsWith(`${url}/oauth/authorize?`)) return;
    visits.push(address);
    void decideAt(address, { api_key: keys.business }).then((back) => fetch(back));
  };
  const connect = () => connectThroughBridge(t, service, { folder, onLine });
  const client = await connect();
  const usage = await client.callTool({ name: 'get_usage', arguments: {} });
  assert.equal((usage.structuredContent as { tier: string }).tier, 'business');
  const { searchParams } = new URL(visits[0] ?? '');
  assert.equal(searchParams.get('resource'), `${url}/mcp`);
  await client.close();
  const again = await connect();
  assert.equal((await again.listTools()).tools.length, 17);
  assert.equal(visits.length, 1);
});
