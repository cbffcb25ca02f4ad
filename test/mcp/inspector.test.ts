// Tests with the command line of the official Inspector, unchanged: lists, calls and reads in both eras.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { runInspector } from '../support/mcp/inspector.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const { keys, url } = service;
await writer(service)(...['a', 'b', 'c'].map((key) => draft(key, { listPrice: 100_000 })));
const folder = await temporaryFolder({ after }, 'inspector');

/** What the Inspector prints as JSON; fails where it does not succeed. */
async function inspect(
  era: string,
  method: string,
  ...more: readonly string[]
): Promise<Record<string, unknown>> {
  const { exitCode, stdout, stderr } = await runInspector(folder, [
    `${url}/mcp`,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${keys.pro}`,
    '--protocol-era',
    era,
    '--format',
    'json',
    '--method',
    method,
    ...more,
  ]);
  assert.equal(exitCode, 0, `${stdout}\n${stderr}`);
  const { result } = JSON.parse(stdout) as { result: Record<string, unknown> };
  return result;
}

for (const era of ['legacy', 'modern']) {
  test(`${era}: the Inspector finds no fault in any tool's schema`, async () => {
    const { tools } = await inspect(era, 'tools/list', '--strict');
    assert.equal((tools as unknown[]).length, 17);
  });

  test(`${era}: the Inspector calls a tool and reads a resource`, async () => {
    const called = await inspect(era, 'tools/call', '--tool-name', 'search_sales', '--tool-arg', 'limit=2');
    const { data } = called.structuredContent as { data: { id: string }[] };
    assert.equal(data.length, 2);
    const read = await inspect(era, 'resources/read', '--uri', `listing://${data[0]?.id}`);
    assert.equal((read.contents as unknown[]).length, 1);
  });
}
