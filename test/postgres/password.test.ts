// Proves that the password of the database is told to nobody, however wrong its URL is and however the database fails.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseDatabaseUrl, socketUrl } from '../../src/postgres/client/connection-url.ts';
import { temporaryFolder, testAccount, testDatabase } from '../support/database/database.ts';
import { startDatabaseProxy } from '../support/database/database-proxy.ts';
import { Canaries, canaryToken, serving } from '../support/fuzz/canaries.ts';
import { runCommand, startCli } from '../support/process/cli.ts';

test('the password of the database is told by no command, no failing service and no answer', async (t) => {
  const folder = await temporaryFolder(t, 'password');
  const canaries = new Canaries();
  const password = canaries.watch('the password', canaryToken());
  // Dropped before the account, which owns what the service creates in it.
  const { url } = await testDatabase({ after });
  const account = await testAccount({ after }, password);
  const proxy = await startDatabaseProxy(t, url);
  const secret = `:${password}@`;
  const wrong = [
    `postgres://freehold${secret}127.0.0.1:1/freehold`,
    `postgres://freehold${secret}nowhere.invalid/freehold`,
    `postgres://freehold${secret}127.0.0.1:port/freehold`,
    `postgres://freehold${secret}[::1/freehold`,
    `postgres://freehold${secret}127.0.0.1/freehold?sslmode=${password}&options=${password}`,
    `postgres://freehold:%zz${password}@127.0.0.1/freehold`,
    `postgres://freehold:a/b#${password}@127.0.0.1/freehold`,
    `mysql://freehold${secret}127.0.0.1/freehold`,
    `freehold${secret}127.0.0.1/freehold`,
  ];
  const said: string[] = [];
  for (const [index, DATABASE_URL] of wrong.entries()) {
    const args = [['serve'], ['doctor'], ['migrate']][index % 3] ?? [];
    const environment = { DATABASE_URL, LOG_LEVEL: 'trace', PORT: '0', DATA_DIR: folder };
    const { code, stdout, stderr } = await runCommand(args, { folder, environment });
    assert.notEqual(code, 0, DATABASE_URL);
    said.push(stdout, stderr);
  }
  const DATABASE_URL = socketUrl({ ...parseDatabaseUrl(proxy.url), ...account });
  assert.ok(DATABASE_URL.includes(password), 'the URL has a place for it');
  const environment = { DATABASE_URL, LOG_LEVEL: 'trace', PORT: '0', DATA_DIR: folder };
  const service = startCli(t, ['serve'], { folder, environment });
  const base = await serving(service);
  const ask = async (path: string) => (await fetch(`${base}${path}`)).text();
  said.push(await ask('/v1/search/sales'), await ask('/readyz?verbose'));
  proxy.mode = 'cut';
  for (const path of ['/v1/search/sales', '/v1/areas', '/readyz?verbose', '/metrics'])
    said.push(await ask(path));
  service.kill('SIGTERM');
  const { stdout, stderr } = await service.ended;
  assert.match(stdout, /DATABASE_UNAVAILABLE/);
  for (const text of [...said, stdout, stderr]) assert.deepEqual(canaries.in(text), [], text);
});
