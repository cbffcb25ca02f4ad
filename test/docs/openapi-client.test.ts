// Proof that types generated from the OpenAPI document fit what the service answers.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/database/database.ts';
import { CLIENTS, clientsSkip } from '../support/process/client-packages.ts';
import { startService } from '../support/service/service.ts';

const PACKAGES = join(CLIENTS, 'node_modules');
const GENERATOR = join(PACKAGES, 'openapi-typescript/bin/cli.js');
const COMPILER = join(PACKAGES, 'typescript/bin/tsc');
const skip = clientsSkip();

const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, args);

test('a client with types generated from the document compiles, and finds what they promise', {
  skip,
}, async (t) => {
  const { url, keys, get } = await startService(t, { source: 'sample' });
  const folder = await temporaryFolder(t, 'client');
  for (const file of ['openapi/client.ts', 'openapi/tsconfig.json', 'package.json'])
    await cp(join(CLIENTS, file), join(folder, basename(file)));
  await symlink(PACKAGES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'openapi.json'), await (await get('/openapi.json')).text());
  await run(GENERATOR, join(folder, 'openapi.json'), '-o', join(folder, 'api.d.ts'));

  const compiled = await run(COMPILER, '-p', folder).catch((error: { stdout: string }) => error);
  assert.equal(compiled.stdout, '');

  const { stdout } = await run(join(folder, 'client.ts'), url, keys.pro);
  const { prices, cheapest, point, client, ...rest } = JSON.parse(stdout);
  assert.deepEqual(
    prices.toSorted((a: number, b: number) => a - b),
    prices,
  );
  assert.equal(prices.length, 2);
  assert.ok(cheapest > 0 && cheapest <= 4_000);
  assert.equal(point.length, 2);
  assert.equal(typeof client, 'string');
  const { total, ...exact } = rest;
  assert.match(total, /^(exact|estimate)$/);
  assert.deepEqual(exact, { rows: 3, property: true, code: 'AREA_NOT_FOUND', tier: 'pro', unused: 2 });
});

test('no member of a request body has a default, which generators take for one that must be sent', async (t) => {
  const { json } = await startService(t);
  const document: object = await json('/openapi.json');
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
