// Proves that what people read about agents is true: commands are run as they stand, and tables are those of the code.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SCOPES } from '../../src/access/tiers/tiers.ts';
import { PROBLEMS } from '../../src/lib/problem.ts';
import { createPrompts } from '../../src/mcp/prompts.ts';
import { PLAIN_RESOURCES, TEMPLATES } from '../../src/mcp/resources/resource-table.ts';
import { textOf } from '../support/browser/page-text.ts';
import { assertEvery } from '../support/check/every.ts';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { toolReference, unconnectedTools } from '../support/mcp/tool-reference.ts';
import { follow, shellBlocks, writeKeys } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/mcp.md').text;
const tools = unconnectedTools();
const service = await startService({ after }, { source: 'sample', sampleListings: 500 });

test('docs/mcp-tools.md says of each tool what agents are told: if not, run npm run docs:tools', () => {
  assert.equal(readSource('docs/mcp-tools.md').text, toolReference());
});

test('whoever follows docs/mcp.md lists the tools, calls one with two programs, and sees where access is given', async (t) => {
  const folder = await temporaryFolder(t, 'agent');
  await writeKeys(folder, service.keys);
  const [listed = '', called = '', plain = '', refused = ''] = await follow(
    shellBlocks(PAGE),
    folder,
    service.url,
    { HOME: folder },
  );
  const { tools: shown } = JSON.parse(listed) as { tools: { name: string }[] };
  assert.deepEqual(
    shown.map(({ name }) => name),
    tools.map(({ name }) => name),
  );
  assert.equal((JSON.parse(called) as Called).structuredContent.data.length, 2);
  const [, message = ''] = /^data: (.*)$/m.exec(plain) ?? [];
  assert.equal((JSON.parse(message) as { result: Called }).result.structuredContent.data.length, 2);
  assert.match(refused, /401 Unauthorized.*www-authenticate: Bearer resource_metadata="[^"]+"/s);
  assert.ok(refused.includes(`"resource":"${service.url}/mcp"`));
});

interface Called {
  readonly structuredContent: { readonly data: readonly unknown[] };
}

test('the page that is served names every tool, resource and prompt of the service, and its own address', async () => {
  const page = textOf(await (await service.get('/docs/mcp')).text());
  const names = [
    ...tools.map(({ name }) => name),
    ...rowsOf('Resources').flatMap(([cell]) => namesIn(cell)),
    ...rowsOf('Prompts').flatMap(([cell]) => namesIn(cell)),
    `${service.url}/mcp`,
  ];
  for (const name of names) assert.ok(page.includes(name), name);
});

/** Cells of the rows of a section, by the names of its columns. */
function rowsOf(section: string): string[][] {
  const [, text = ''] = PAGE.split(`\n## ${section}\n`);
  return [...(text.split('\n## ')[0] ?? '').matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) =>
    row.split(' | '),
  );
}

const namesIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

test('docs/mcp.md names every tool, resource and prompt, and no other', () => {
  assert.deepEqual(
    rowsOf('Tools')
      .flatMap(([cell]) => namesIn(cell))
      .toSorted(),
    tools.map(({ name }) => name).toSorted(),
  );
  const uris = [
    ...Object.keys(TEMPLATES).map((kind) => `${kind}://{id}`),
    ...PLAIN_RESOURCES.map(({ uri }) => uri),
  ];
  assert.deepEqual(
    rowsOf('Resources').flatMap(([cell]) => namesIn(cell)),
    uris,
  );
  const followed = rowsOf('Resources').flatMap(([cell, , updates]) => (updates ? namesIn(cell) : []));
  const withUpdates = Object.entries(TEMPLATES).flatMap(([kind, { hasUpdates }]) =>
    hasUpdates ? [`${kind}://{id}`] : [],
  );
  assert.deepEqual(
    followed.filter((uri) => uris.includes(uri)),
    withUpdates,
  );
  assert.deepEqual(
    rowsOf('Prompts').flatMap(([cell]) => namesIn(cell)),
    createPrompts()
      .list()
      .map(({ name }) => name),
  );
});

test('docs/mcp.md states the scopes that tools need, and every code that it names exists', () => {
  const rows = rowsOf('Scopes and tiers');
  for (const scope of Object.keys(SCOPES)) assert.ok(rows.some(([, cell]) => namesIn(cell).includes(scope)));
  const live = tools.filter(({ access }) => access.scope === 'listings:live').map(({ name }) => name);
  assert.deepEqual(live, ['get_listing_live']);
  const watching = tools.filter(({ access }) => access.scope === 'watchers').map(({ name }) => name);
  assertEvery(watching, (name) => name.includes('watcher'));
  assert.deepEqual(
    tools.filter(({ access: { tier } }) => tier !== undefined).map(({ name }) => name),
    live,
  );
  const codes = [...PAGE.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)]
    .map(([, code = '']) => code)
    .filter((code) => code !== 'PUBLIC_URL');
  assert.ok(codes.length > 20);
  assert.deepEqual(
    codes.filter((code) => !Object.hasOwn(PROBLEMS, code)),
    [],
  );
});
