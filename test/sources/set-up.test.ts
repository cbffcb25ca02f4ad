// Proves how sources are set up: by commands, and by a file that commands do not change; secrets stand in neither.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { applySourcesFile } from '../../src/sources/registry/set-up.ts';
import { schemaText } from '../../src/sources/registry/source-schema.ts';
import { newToken } from '../../src/sources/registry/source-token.ts';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';

const folder = await temporaryFolder({ after }, 'set-up');
const { database, url } = await testDatabase({ after });
const environment = { DATABASE_URL: url, SOURCE: 'none' };
const run = (...args: string[]) => runCommand(['sources', ...args], { folder, environment });

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly tokens: readonly { readonly requests: number }[];
}

const list = async (): Promise<Listed[]> =>
  (JSON.parse((await run('list', '--json')).stdout) as { sources: Listed[] }).sources;
const stateOf = async (id: string) => (await list()).find((source) => source.id === id);

/** Writes a file of sources. */
async function file(name: string, sources: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify({ sources }));
  return path;
}

test('create sets up a source of MLS Grid, which wants the name of its data, and says which variable is missing', async () => {
  const flags = ['--profile', 'mlsgrid', '--url', 'https://grid.example/v2', '--bearer-token', 'GRID_TOKEN'];
  assert.match((await run('create', 'grid', ...flags)).stderr, /grid: originatingSystem: this vendor wants/);
  const created = await run('create', 'grid', ...flags, '--originating-system', 'mred');
  assert.match(created.stderr, /Not set here: GRID_TOKEN/);
  const [row] = await database.read(
    (sql) => sql<{ name: string }[]>`select settings::text as name from source where id = 'grid'`,
  );
  assert.match(row?.name ?? '', /"mred"/);
});

test('create prints a token once, which is stored as a hash', async () => {
  const created = await run('create', 'crm', '--push', '--currency', 'EUR');
  assert.match(created.stdout, /^src_[\w-]{43}\n$/, created.stderr);
  const token = created.stdout.trim();
  const rows = await database.read((sql) => sql`select row_to_json(t)::text as text from source_token as t`);
  assert.equal(rows.length, 1);
  assert.equal(JSON.stringify(rows).includes(token), false);
  const shown = await stateOf('crm');
  assert.deepEqual([shown?.state, shown?.tokens.length], ['push', 1]);
  assert.match((await run('create', 'crm', '--push')).stderr, /There is a source crm already/);
  assert.match((await run('create', 'x')).stderr, /--push/);
  assert.match((await run('create', 'Big Name', '--push')).stderr, /lower-case letters, digits and hyphens/);
  assert.match((await run('create', 'reso', '--push')).stderr, /this id is of the settings/);
  assert.match((await run('create', 'zone', '--push', '--time-zone', 'Mars/Olympus')).stderr, /is not known/);
});

test('a source has at most two tokens, and old ones end on request', async () => {
  assert.match((await run('token', 'crm')).stdout, /^src_/);
  assert.match((await run('token', 'crm')).stderr, /has 2 tokens already/);
  assert.match((await run('token', 'crm', '--revoke', 'old')).stdout, /1 token revoked/);
  assert.match((await run('token', 'crm', '--revoke')).stdout, /1 token revoked/);
  assert.equal((await stateOf('crm'))?.tokens.length, 0);
  assert.match((await run('token', 'nothing')).stderr, /There is no source nothing/);
});

test('a file is applied whole or not at all, and each fault in it is named', async () => {
  const faulty = await file('faulty.json', [
    { id: 'one', name: 'One', kind: 'push' },
    { id: 'two', name: 'Two', kind: 'pull' },
    { id: 'three', name: 'Three', kind: 'push', curency: 'USD', token: 'x' },
  ]);
  const refused = await run('apply', faulty);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /two.*kind must be push/s);
  assert.match(refused.stderr, /three: curency is not known; did you mean currency\?/);
  assert.equal(await stateOf('one'), undefined);
  const twice = await file('twice.json', [
    { id: 'one', name: 'One', kind: 'push' },
    { id: 'one', name: 'Again', kind: 'push', map: 'missing.json' },
  ]);
  assert.match((await run('apply', twice)).stderr, /one: is in the file twice/);
  const good = await file('good.json', [{ id: 'one', name: 'One', kind: 'push' }]);
  assert.match((await run('apply', good)).stdout, /^Applied: one$/m);
  assert.equal((await stateOf('one'))?.state, 'push');
});

test('sources of SOURCES_FILE are set by file: commands do not change them, and one that is gone is disabled', async () => {
  const token = newToken();
  const path = await file('service.json', [
    { id: 'filed', name: 'Filed', kind: 'push', secrets: { token: 'FILED_TOKEN' } },
    { id: 'free', name: 'Free', kind: 'push' },
  ]);
  const apply = (variables: Record<string, string>) =>
    applySourcesFile(database, { file: path, variables, setBy: 'file' });
  await assert.rejects(apply({}), /filed: its token is missing: the variable FILED_TOKEN is not set/);
  await assert.rejects(apply({ FILED_TOKEN: 'secret-but-wrong' }), (error: Error) => {
    assert.match(error.message, /holds no token of a source/);
    return !error.message.includes('secret-but-wrong');
  });
  assert.deepEqual(await apply({ FILED_TOKEN: token }), { applied: ['filed', 'free'], disabled: [] });
  await apply({ FILED_TOKEN: token });
  assert.deepEqual(
    [(await stateOf('filed'))?.state, (await stateOf('filed'))?.tokens.length],
    ['set by file', 1],
  );
  for (const args of [
    ['remove', 'filed', '--yes'],
    ['apply', path],
    ['create', 'filed', '--push'],
  ])
    assert.match((await run(...args)).stderr, /set by file|is missing/, args.join(' '));
  assert.match((await run('token', 'filed')).stderr, /set by file/);
  assert.match((await run('token', 'free')).stdout, /^src_/);
  const settings = await database.read((sql) => sql`select settings::text from source where id = 'filed'`);
  assert.equal(JSON.stringify(settings).includes(token), false);
  await file('service.json', [{ id: 'free', name: 'Free', kind: 'push' }]);
  assert.deepEqual(await apply({}), { applied: ['free'], disabled: ['filed'] });
  assert.deepEqual(
    [(await stateOf('filed'))?.state, (await stateOf('filed'))?.tokens.length],
    ['disabled', 0],
  );
});

test('the published schema is that of the reader', async () => {
  assert.equal(readSource('docs/sources.schema.json').text, schemaText());
  assert.equal((await run('schema')).stdout, schemaText());
  assert.match(await readFile(join(folder, 'good.json'), 'utf8'), /"sources"/);
});
