// Proof that clients generated from the OpenAPI document compile, and find in the service what their types promise.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { placeClient } from '../support/package/client-folder.ts';
import { CLIENTS, clientsSkip } from '../support/process/client-packages.ts';
import { startService } from '../support/service/service.ts';

const PACKAGES = join(CLIENTS, 'node_modules');
const skip = clientsSkip();

/** Programs of test/clients/openapi, with the command that generates what each imports as `./api`. */
const GENERATORS: Readonly<Record<string, readonly string[]>> = {
  'openapi-fetch': ['openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'api/api.d.ts'],
  'hey-api': ['@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'api'],
  orval: [
    'orval/dist/bin/orval.mjs',
    '--input',
    'openapi.json',
    '--output',
    'api/api.ts',
    '--client',
    'fetch',
  ],
  'swagger-typescript-api': [
    'swagger-typescript-api/dist/cli.mjs',
    'generate',
    '-p',
    'openapi.json',
    '-o',
    'api',
    '-n',
    'api.ts',
  ],
};

/** Imports without an extension, as bundlers resolve them. */
const RESOLVE = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { existsSync } from 'node:fs';
  registerHooks({
    resolve(name, context, next) {
      const found = ['.js', '/index.js'].map((end) => new URL(name + end, context.parentURL)).find(existsSync);
      return next(name.startsWith('.') && found ? found.href : name, context);
    },
  });`)}`;

const service = await startService({ after }, { source: 'sample' });

for (const [program, [generator = '', ...args]] of Object.entries(GENERATORS))
  test(`a program on a client by ${generator.split('/dist')[0]?.split('/bin')[0]} compiles, and finds what its types promise`, {
    skip,
  }, async (t) => {
    const folder = await temporaryFolder(t, 'client');
    await mkdir(join(folder, 'api'));
    for (const file of ['tsconfig.json', 'events.ts'])
      await cp(join(CLIENTS, 'openapi', file), join(folder, file));
    await cp(join(CLIENTS, 'openapi', `${program}.ts`), join(folder, 'program.ts'));
    await symlink(PACKAGES, join(folder, 'node_modules'));
    await writeFile(join(folder, 'openapi.json'), await (await service.get('/openapi.json')).text());
    await runIn(folder, join(PACKAGES, generator), ...args);
    await runIn(folder, join(PACKAGES, 'typescript/bin/tsc'), '-p', folder);

    const stdout = await runIn(
      folder,
      '--import',
      RESOLVE,
      join(folder, 'built/program.js'),
      service.url,
      service.keys.pro,
    );
    assertSeen(stdout, { streamed: ['cached', 'live', 'done'], deleted: 204 });
  });

test('the same program on @freehold/client compiles with the TypeScript of the others, and finds the same', {
  skip,
}, async (t) => {
  const folder = await temporaryFolder(t, 'client');
  await placeClient(folder);
  await cp(join(CLIENTS, 'openapi/tsconfig.json'), join(folder, 'tsconfig.json'));
  await cp(join(CLIENTS, 'openapi/freehold.ts'), join(folder, 'program.ts'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await runIn(folder, join(PACKAGES, 'typescript/bin/tsc'), '-p', folder);
  const stdout = await runIn(folder, 'built/program.js', service.url, service.keys.pro);
  assertSeen(stdout, { streamed: ['cached', 'live'], deleted: true });
});

/** Runs it with this Node; gives what it printed, and fails with that where it fails. */
async function runIn(folder: string, ...command: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => assert.fail(`${stdout}${stderr}`),
  );
  return stdout;
}

function assertSeen(printed: string, expected: { readonly streamed: string[]; readonly deleted: unknown }) {
  const { ids, total, bedrooms, lowest, median, rent, point, inventory, ...exact } = JSON.parse(printed);
  assert.equal(new Set(ids).size, 4);
  assert.ok(total > 4);
  assert.ok(bedrooms.includes(3));
  assert.ok(lowest >= 0, `a bucket from ${lowest}`);
  assert.ok(median > 0);
  assert.ok(rent > 0 && rent <= 4_000);
  assert.equal(point.length, 2);
  assert.ok(inventory > 0);
  assert.deepEqual(exact, { rows: 3, matched: ids[0], code: 'AREA_NOT_FOUND', ...expected });
}

test('docs/client.md says how long that program is on each client', () => {
  const linesOf = (name: string) => {
    const { text } = readSource(`test/clients/openapi/${name}.ts`);
    const reader = text.includes("'./events'") ? readSource('test/clients/openapi/events.ts').text : '';
    return `${text}\n${reader}`.split('\n').filter((line) => !/^\s*(?:\/\/.*|\/\*.*)?$/.test(line)).length;
  };
  const [, section = ''] = readSource('docs/client.md').text.split('## Before and after');
  const rows = [...section.matchAll(/^\| `([^`]+)` \| (\d+) \|/gm)].map(([, name, lines]) => [
    name,
    Number(lines),
  ]);
  const names = { '@freehold/client': 'freehold', '@hey-api/openapi-ts': 'hey-api' };
  assert.equal(rows.length, 5);
  for (const [name, lines] of rows)
    assert.equal(lines, linesOf(names[name as keyof typeof names] ?? String(name)), String(name));
});

test('no member of a request body has a default, which generators take for one that must be sent', async () => {
  const document: object = await service.json('/openapi.json');
  const faults: string[] = [];
  const paths = Object.entries((document as { paths: Record<string, Record<string, Operation>> }).paths);
  for (const [path, methods] of paths)
    for (const { requestBody } of Object.values(methods))
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        if (JSON.stringify(resolve(document, schema)).includes('"default":')) faults.push(path);
  assert.deepEqual(faults, []);
});

interface Operation {
  readonly requestBody?: {
    readonly content: Record<string, { readonly schema: { readonly $ref?: string } }>;
  };
}

function resolve(document: object, schema: { readonly $ref?: string }): unknown {
  const names = schema.$ref?.split('/').slice(1);
  if (names === undefined) return schema;
  return names.reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document);
}
