// Proves that what client developers read about OAuth is true: commands and programs are run as they stand.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, type TestContext, test } from 'node:test';
import { LIFETIMES } from '../../src/oauth/protocol/tokens.ts';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { atEnd, temporaryFolder } from '../support/database/database.ts';
import { follow, shellBlocks, writeKeys } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

const PAGE = readSource('docs/oauth.md').text;
const service = await startService({ after });
const skip = existsSync('/usr/bin/openssl') ? false : 'no openssl at /usr/bin/openssl';

test('whoever follows docs/oauth.md gets tokens, uses them, refreshes them and gives them back', {
  skip,
}, async (t) => {
  const folder = await temporaryFolder(t, 'developer');
  await writeKeys(folder, service.keys);
  const said = await follow(shellBlocks(PAGE), folder, service.url);
  const [metadata = '', client = '', address = '', , , usage = '', , revoked = ''] = said;
  assert.match(metadata, /"authorization_endpoint"/);
  assert.match(client, /^\s*[\w-]{20,}\s*$/);
  const page = await fetch(address.trim());
  assert.equal(page.status, 200);
  assert.match(await page.text(), /My program/);
  assert.equal(JSON.parse(usage).tier, 'pro');
  assert.equal(revoked.trim(), '');
});

/** The person at the browser: continues with this key, and goes where the page leads. */
async function decide(address: string, key: string): Promise<void> {
  const page = await (await fetch(address)).text();
  const [, transaction = ''] = /name="transaction" value="([^"]+)"/.exec(page) ?? [];
  const body = new URLSearchParams({ transaction, decision: 'key', api_key: key });
  const back = await fetch(`${service.url}/oauth/authorize`, { method: 'POST', body });
  assert.equal(back.status, 200);
  assert.match(await back.text(), /close this page/);
}

/** Runs an example until it ends, and decides when it asks; gives everything it said. */
async function play(t: TestContext, example: string, key: string): Promise<string> {
  const child = spawn(process.execPath, [join(ROOT, 'docs/examples', example), service.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  atEnd(t, async () => void child.kill());
  const ended = once(child, 'close');
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (line.startsWith(`${service.url}/oauth/authorize?`)) await decide(line, key);
  }
  const [code] = await ended;
  assert.equal(code, 0, said.join('\n'));
  return said.join('\n');
}

test('the example with oauth4webapi gets access, refreshes it, and gives it back', async (t) => {
  const said = await play(t, 'oauth-client.ts', service.keys.business);
  assert.match(said, /^Granted: listings:read listings:live, for 3600 seconds$/m);
  assert.match(said, /^Usage: .*"tier":"business"/m);
  assert.match(said, /^Access given back$/m);
});

test('the example with the official MCP client gets access', async (t) => {
  const said = await play(t, 'mcp-client.ts', service.keys.pro);
  assert.match(said, /^Granted: listings:read listings:live watchers$/m);
  assert.match(said, /^Usage: .*"tier":"pro"/m);
});

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const STATED = {
  'Authorization code': `${LIFETIMES.code / MINUTE} minutes`,
  'Access token': `${LIFETIMES.accessToken / HOUR} hour`,
  'Refresh token': `${LIFETIMES.refreshToken / DAY} days`,
  Registration: `${LIFETIMES.registration / DAY} days`,
};

test('the page that is served states the lifetimes that codes, tokens and registrations have', async () => {
  assert.equal(LIFETIMES.accessToken, HOUR);
  assert.equal(LIFETIMES.refreshToken, 30 * DAY);
  const answer = await service.get('/docs/oauth');
  assert.equal(answer.status, 200);
  const served = await answer.text();
  for (const [what, lifetime] of Object.entries(STATED))
    assert.match(served, new RegExp(`<th scope="row">${what}</th><td>${lifetime}\\b`));
});
