// Proof that the recipes of docs/client.md and the samples of the client's README compile, and do what they are said to.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { until } from '../support/check/until.ts';
import { readSource } from '../support/code/source-files.ts';
import { atEnd, temporaryFolder } from '../support/database/database.ts';
import { decideAt } from '../support/oauth/person.ts';
import { checkPrograms, placeClient } from '../support/package/client-folder.ts';
import { quietPort } from '../support/service/ports.ts';
import { startService } from '../support/service/service.ts';
import { SECRETS_KEY } from '../support/watch/webhooks.ts';

const file = { after };
const port = await quietPort();
const { url, keys, json, clock } = await startService(file, {
  source: 'sample',
  environment: { SECRETS_KEY, WEBHOOK_ALLOW: `127.0.0.1:${port}` },
});
const folder = await temporaryFolder(file, 'recipes');
const env = { PATH: process.env.PATH, FREEHOLD_URL: url, FREEHOLD_KEY: keys.pro, PORT: String(port) };

const samplesOf = (page: string) =>
  [...readSource(page).text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
/** Name of a file -> its program. */
const programs = new Map([
  ...samplesOf('docs/client.md').map((code, at) => [`recipe${at + 1}.mts`, code] as const),
  ...samplesOf('packages/client/README.md').map((code, at) => [`readme${at + 1}.mts`, code] as const),
]);

await placeClient(folder);
for (const [name, code] of programs) await writeFile(join(folder, name), code);

async function run(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [name], { cwd: folder, env });
  return stdout.trim();
}

/** Starts a program that goes on until it is stopped. */
function start(name: string) {
  const child = spawn(process.execPath, [name], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill();
    await ended;
  };
  atEnd(file, stop);
  return { stop, ended, output: () => output };
}

const { total }: { total: { value: number } } = await json('/v1/search/sales?limit=1', keys.pro);

test('there are ten recipes, and with the samples of the README they compile as strictly as can be', async () => {
  assert.equal([...programs.keys()].filter((name) => name.startsWith('recipe')).length, 10);
  await checkPrograms(folder, [...programs.keys()]);
});

test('the first program of the README, and that of the recipes, print homes with their attribution', async () => {
  for (const name of ['readme1.mts', 'recipe1.mts']) {
    const lines = (await run(name)).split('\n');
    assert.ok(lines.length >= 5, name);
    for (const line of lines) assert.match(line, /^\d+ .+Calder Sound Listing Service$/);
  }
});

test('all pages are read, and one page has its total, facets and figures', async () => {
  const [count = '', cheapest, ...areas] = (await run('recipe2.mts')).split('\n');
  const query = '/v1/search/sales?minBedrooms=3&limit=1';
  const wanted: { total: { value: number } } = await json(query, keys.pro);
  assert.equal(count, `${wanted.total.value} homes with a price`);
  assert.equal(cheapest, '30 of the cheapest');
  assert.ok(areas.includes('Port Calder'));
  const [head = '', ...bedrooms] = (await run('recipe3.mts')).split('\n');
  assert.match(head, new RegExp(`^${total.value} homes, \\d+ in the middle$`));
  assert.ok(bedrooms.some((line) => /^3 bedrooms: \d+$/.test(line)));
});

test('an export is a file with every home, or lines, and a stream has the copy and the source', async () => {
  await run('recipe4.mts');
  const [head = '', ...rows] = (await readFile(join(folder, 'homes.csv'), 'utf8')).trim().split('\r\n');
  assert.ok(head.startsWith('id,price,address.city'));
  assert.equal(rows.length, total.value);
  assert.match(await run('recipe5.mts'), /^\d+ prices, the highest \d+$/);
  const streamed = (await run('recipe6.mts')).split('\n').map((line) => line.split(' ')[0]);
  assert.deepEqual(streamed, ['cached', 'live']);
});

async function watch(id: string | undefined): Promise<void> {
  const target = { type: 'search', listingType: 'sale', query: { ids: [id] } };
  const response = await fetch(`${url}/v1/watchers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.pro}`, 'content-type': 'application/json' },
    body: JSON.stringify({ target, backfill: true }),
  });
  assert.equal(response.status, 201, await response.text());
}

test('a feed goes on behind the last event that its program has handled', async () => {
  const { data }: { data: { id: string }[] } = await json('/v1/search/sales?limit=2', keys.pro);
  const handled: string[] = [];
  for (const { id } of data) {
    await watch(id);
    const reader = start('recipe7.mts');
    await until('the event is handled', () => / search\.match_added\n/.test(reader.output()));
    const cursor = () => readFile(join(folder, 'cursor.txt'), 'utf8').catch(() => '');
    await until(
      'its cursor is kept',
      async () => !handled.includes(await cursor()) && (await cursor()) !== '',
    );
    await reader.stop();
    handled.push(await cursor(), ...reader.output().trim().split('\n'));
  }
  assert.equal(new Set(handled).size, 4, 'two cursors, and two events that came once');
});

test('a watcher with a webhook sends its test and then events, which are verified; what is not signed is refused', async () => {
  // The receiver has the time of this machine.
  clock.advance(Math.max(0, Date.now() - clock.now()));
  const receiver = start('recipe8.mts');
  await until('an event has arrived', () => {
    clock.advance(1_000);
    return receiver.output().includes('search.match_added');
  });
  assert.match(receiver.output(), /^evt_\w+ watcher\.test\n/);
  const forged = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: '{}' });
  assert.equal(forged.status, 400);
  await receiver.stop();
});

test('errors say what is wrong, each try is reported, and limits are known', async () => {
  const lines = (await run('recipe9.mts')).split('\n');
  assert.match(lines[0] ?? '', /^GET \/v1\/search\/sales 400 try 1 \d+ ms$/);
  assert.match(lines[1] ?? '', /^sort must be one of price, /);
  assert.match(lines[2] ?? '', /^GET \/v1\/listing\/lst_0+\/record 404 try 1/);
  assert.equal(lines[3], 'no such listing');
  assert.match(
    lines.slice(4).join('\n'),
    /^\d+ left in this minute, for \d+ s\n\d+ left in this month, for \d+ s$/,
  );
});

test('a person signs in once, with a browser, and later runs ask nobody', async () => {
  for (const name of ['readme3.mts', 'recipe10.mts']) {
    const program = start(name);
    await until('it asks', () => program.output().includes('\n'));
    const address = program.output().trim().replace('Open ', '');
    await fetch(await decideAt(address, { decision: 'key', api_key: keys.business }));
    const [code] = await program.ended;
    assert.equal(code, 0);
    assert.match(program.output(), /\nbusiness\n$/);
  }
  assert.equal(await run('recipe10.mts'), 'business');
});
