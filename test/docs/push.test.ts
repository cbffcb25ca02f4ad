// Test of docs/push.md: its commands run as they are printed, and its client pushes a file.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { follow, shellBlocks } from '../support/process/shell-blocks.ts';
import { createSender, record } from '../support/push/sender.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/push.md').text;
const service = await startService({ after });
const folder = await temporaryFolder({ after }, 'push-page');

test('the quickstart runs as it is printed', async () => {
  const environment = { DATABASE_URL: service.databaseUrl, SOURCE: 'none' };
  const printed = await follow(shellBlocks(PAGE), folder, service.url, environment);
  assert.equal(printed.length, 3);
  assert.match(printed[1] ?? '', /"result":"created"/);
  assert.match(printed[2] ?? '', /"result":"changed".*"status":"CLOSED".*"closePrice":412000/s);
});

test('the client pushes a file of JSON lines, and names what was rejected', async () => {
  const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
  assert.ok(code.split('\n').length <= 31, 'thirty lines');
  const { id, token, send } = await createSender(service, 'client');
  const lines = Array.from({ length: 1_500 }, (_, at) =>
    JSON.stringify(record({ listingKey: `k${at}`, ...(at === 7 && { status: 'NO' }) })),
  );
  const [client, file] = [join(folder, 'client.mjs'), join(folder, 'listings.ndjson')];
  await writeFile(client, code);
  await writeFile(file, `${lines.join('\n')}\n`);
  const env = { PATH: process.env.PATH, FREEHOLD_URL: service.url, PUSH_SOURCE: id, PUSH_TOKEN: token };
  const { stderr } = await promisify(execFile)(process.execPath, [client, file], { env });
  assert.match(stderr, /^k7 The member status must be one of/);
  assert.equal((await send('GET', '/listings/k1499')).json.status, 'ACTIVE');
});
