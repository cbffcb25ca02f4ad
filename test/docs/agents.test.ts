// Proves that hosts of agents are configured as docs/agents.md says, that the skill works as it stands, and that registries take server.json.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { atEnd, temporaryFolder } from '../support/database/database.ts';
import { unconnectedTools } from '../support/mcp/tool-reference.ts';
import { follow, shellBlocks } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/agents.md').text;
const SKILL = readSource('skills/freehold/SKILL.md').text;
const service = await startService({ after }, { source: 'sample', sampleListings: 500 });

interface Configuration {
  readonly url?: string;
  readonly uri?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly bearer_token_env_var?: string;
}

type Servers = Readonly<Record<string, { readonly freehold: Configuration } | undefined>>;

const blocksOf = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, text = '']) => text,
  );

/** The blocks that configure hosts, in each of the three languages. */
const configurations = [
  ...blocksOf('json').map((text) => JSON.parse(text) as Servers),
  ...blocksOf('toml').map((text) => parseToml(text) as unknown as Servers),
  ...blocksOf('yaml').map((text) => parseYaml(text) as Servers),
].map(
  (servers) =>
    (servers.servers ?? servers.mcpServers ?? servers.mcp_servers ?? servers.extensions)?.freehold ??
    assert.fail(JSON.stringify(servers)),
);

test('each configuration of a host names the endpoint, and a key only where its host puts one in', () => {
  assert.equal(configurations.length, 10);
  for (const { url, uri, args = [], headers = {} } of configurations) {
    assert.match([url ?? uri, ...args].join(' '), /https?:\/\/[^ /]+\/mcp\b/);
    for (const value of Object.values(headers))
      assert.match(value, /^Bearer \$\{(?:(?:input|env):)?[\w-]+\}$/);
  }
  assert.equal(configurations.filter((each) => each.bearer_token_env_var === 'FREEHOLD_PRO_KEY').length, 1);
});

test('the page has a section for each host of its table, and names the versions that are installed here', () => {
  const rows = [...PAGE.matchAll(/^\| \[([^\]]+)\]\(#([\w-]+)\)/gm)];
  assert.equal(rows.length, 10);
  for (const [, name = '', anchor] of rows) {
    assert.ok(PAGE.includes(`\n## ${name}\n`), name);
    assert.equal(name.toLowerCase().replaceAll(' ', '-'), anchor);
  }
  const { devDependencies } = JSON.parse(readSource('package.json').text) as {
    devDependencies: Record<string, string>;
  };
  assert.ok(PAGE.includes(`| mcp-remote | ${devDependencies['mcp-remote']} |`));
  assert.ok(PAGE.includes(`| Inspector | ${devDependencies['@modelcontextprotocol/inspector']} |`));
});

/** The official client, through mcp-remote as the page configures it with a key. */
async function connect(t: Parameters<typeof atEnd>[0]): Promise<Client> {
  const folder = await temporaryFolder(t, 'agent');
  const { command, args = [], env = {} } = configurations.findLast((each) => each.args) ?? {};
  assert.deepEqual([command, ...args.slice(0, 2)], ['npx', '-y', 'mcp-remote']);
  const key = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/SERVICE-\S+/, service.keys.pro),
  ]);
  const client = new Client({ name: 'desktop', version: '1' });
  atEnd(t, () => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        join(ROOT, 'node_modules/mcp-remote/dist/proxy.js'),
        ...args.slice(2).map((each) => each.replace('http://127.0.0.1:8080', service.url)),
      ],
      env: { PATH: '', HOME: folder, ...Object.fromEntries(key) },
      stderr: 'ignore',
    }),
  );
  return client;
}

interface Result {
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  readonly content?: unknown;
}

test('a program that starts mcp-remote as docs/agents.md configures it makes the ten recipes of the skill', async (t) => {
  const client = await connect(t);
  const recipes = [...SKILL.matchAll(/^```json\n(.*)\n```$/gm)].map(([, text = '']) => text);
  assert.equal(recipes.length, 10);
  /** Words in capitals -> the ids that results gave. */
  const ids = new Map<string, string>();
  const results: Result['structuredContent'][] = [];
  for (const recipe of recipes) {
    const filled = recipe.replace(/"([A-Z]+)"/g, (text, word) =>
      ids.has(word) ? `"${ids.get(word)}"` : text === '"CLOSED"' ? text : assert.fail(recipe),
    );
    const { tool, arguments: given } = JSON.parse(filled) as {
      tool: string;
      arguments: Record<string, unknown>;
    };
    const result = (await client.callTool({ name: tool, arguments: given })) as Result;
    assert.ok(!result.isError, `${filled}: ${JSON.stringify(result.content)}`);
    const { structuredContent = {} } = result;
    results.push(structuredContent);
    const { data, page, id } = structuredContent as {
      data?: { id: string; propertyId?: string }[];
      page?: { nextCursor: string };
      id?: string;
    };
    const [row] = data ?? [];
    if (tool === 'find_areas') ids.set('AREA', row?.id ?? assert.fail());
    if (tool === 'search_sales' && !ids.has('LISTING')) {
      ids.set('LISTING', row?.id ?? assert.fail());
      ids.set('PROPERTY', row?.propertyId ?? assert.fail(JSON.stringify(row)));
      ids.set('CURSOR', page?.nextCursor ?? assert.fail(JSON.stringify(page)));
    }
    if (tool === 'create_watcher') ids.set('WATCHER', id ?? assert.fail());
  }
  const [, found, more] = results as { data: { id: string }[] }[];
  assert.equal(found?.data.length, 5);
  assert.ok(more?.data.every(({ id }) => found?.data.every((other) => other.id !== id)));
});

test('whoever follows the skill over HTTP finds an area and homes, reads on, streams, prices, watches and stops', async (t) => {
  const folder = await temporaryFolder(t, 'skill');
  const environment = { FREEHOLD_URL: service.url, FREEHOLD_KEY: service.keys.pro };
  const [
    ,
    area = '',
    listing = '',
    more = '',
    home = '',
    stream = '',
    comparables = '',
    sold = '',
    history = '',
    events = '',
    usage = '',
  ] = await follow(shellBlocks(SKILL), folder, service.url, environment);
  assert.match(area.trim(), /^city-\S+$/);
  assert.match(listing.trim(), /^lst_\w+$/);
  assert.match(more, /"data":\[\{"id":"lst_/);
  assert.ok(!more.includes(listing.trim()));
  assert.match(home, /"id":"prp_/);
  assert.deepEqual(stream.trim().split('\n'), ['event: cached', 'event: live', 'event: done']);
  for (const answer of [comparables, sold, history, events]) assert.match(answer, /^\n*\{"/);
  assert.match(usage, /"tier":"pro"/);
});

test('the skill has the form of Agent Skills, and names every tool, requests that exist, and the version', () => {
  const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(SKILL) ?? [];
  const { name, description, license, compatibility, metadata, ...others } = parseYaml(head) as Record<
    string,
    string
  > & { metadata: Record<string, string> };
  assert.match(name ?? '', /^(?!.*--)[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/);
  assert.equal(name, 'freehold', 'the name of its folder');
  assert.ok((description ?? '').length > 100 && (description ?? '').length <= 1_024);
  assert.ok((compatibility ?? '').length <= 500);
  assert.equal(license, 'Apache-2.0');
  const { version } = JSON.parse(readSource('package.json').text) as { version: string };
  assert.deepEqual([metadata, others], [{ version }, {}]);
  assert.ok(body.split('\n').length < 500, 'the format recommends fewer than 500 lines');
  const tools = unconnectedTools().map((tool) => tool.name);
  const named = new Set(
    [...body.matchAll(/`([a-z]+_[a-z_]+)`|"tool": "(\w+)"/g)].map(([, a, b]) => a ?? b ?? ''),
  );
  assert.deepEqual(
    [...named].filter((each) => !tools.includes(each)),
    [],
  );
  const { paths } = JSON.parse(readSource('openapi.json').text) as { paths: Record<string, object> };
  const requests = [...body.matchAll(/`(?:(GET|POST) )?(\/v1\/[\w/{}]+)/g)].map(
    ([, method = 'GET', path = '']) => [method.toLowerCase(), path] as const,
  );
  assert.ok(requests.length > 12);
  for (const [method, path] of requests)
    assert.ok(Object.hasOwn(paths[path] ?? {}, method), `${method} ${path}`);
});

test('server.json is what registries of MCP servers take, and has the version of the package', () => {
  // https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json, MIT License, copyright (c) 2025 Model Context Protocol.
  const schema = JSON.parse(readSource('test/support/mcp/server.schema.json').text) as { $id: string };
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
  const document = JSON.parse(readSource('server.json').text) as Record<string, unknown> & {
    remotes: { url: string; variables: object }[];
  };
  assert.ok(validate(document), JSON.stringify(validate.errors));
  assert.ok(!validate({ ...document, description: 'x'.repeat(101) }), 'and nothing else');
  assert.equal(document.$schema, schema.$id);
  const { version } = JSON.parse(readSource('package.json').text) as { version: string };
  assert.equal(document.version, version);
  for (const { url, variables } of document.remotes)
    assert.deepEqual(
      [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
      Object.keys(variables),
    );
});
