// Test of docs/watchers.md: both receivers run as they are printed, take what is signed, and refuse everything else.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../support/check/until.ts';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { quietPort } from '../support/service/ports.ts';

const PAGE = readSource('docs/watchers.md').text;
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const FORMER = Buffer.alloc(32, 6);

const RECEIVERS = [
  { language: 'ts', program: process.execPath, file: 'receiver.ts' },
  { language: 'python', program: 'python3', file: 'receiver.py' },
] as const;

function blockOf(language: string): string {
  const [, block = ''] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE) ?? [];
  return block;
}

async function start(t: TestContext, { language, program, file }: (typeof RECEIVERS)[number]) {
  const folder = await temporaryFolder(t, 'receiver');
  const path = join(folder, file);
  await writeFile(path, blockOf(language));
  const port = await quietPort();
  const child = spawn(program, [path], {
    env: { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const failed = new Promise<'missing'>((resolve) => child.once('error', () => resolve('missing')));
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk;
  });
  t.after(() => child.kill());
  const url = `http://127.0.0.1:${port}/`;
  const listening = until('the receiver answers', () =>
    fetch(url).then(
      (answer) => answer.text().then(() => true),
      () => false,
    ),
  );
  const isMissing = (await Promise.race([failed, listening])) === 'missing';
  return { url, isMissing, printed: () => printed };
}

const BODY = JSON.stringify({ id: 'evt_1', type: 'listing.updated', data: { name: 'Haus – 5 €' } });
const now = () => Math.floor(Date.now() / 1_000);

function sign(key: Buffer, { id = 'evt_1', time = now(), body = BODY } = {}): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
}

for (const receiver of RECEIVERS)
  test(`the receiver in ${receiver.language} takes what is signed, and refuses everything else`, async (t) => {
    assert.ok(blockOf(receiver.language).trim().split('\n').length <= 22, 'it is short');
    const { url, isMissing, printed } = await start(t, receiver);
    if (isMissing) return t.skip(`${receiver.program} is not there`);
    const key = Buffer.alloc(32, 5);
    const send = async (signature: string, { time = now(), body = BODY } = {}) => {
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(time),
        'webhook-signature': signature,
      };
      return (await fetch(url, { method: 'POST', body, headers })).status;
    };
    assert.equal(await send(sign(key)), 204);
    assert.equal(await send(`${sign(FORMER)} ${sign(key)}`), 204, 'two signatures after a rotation');
    await until('both were printed', () => printed().split('evt_1 listing.updated').length === 3);
    assert.equal(await send(sign(FORMER)), 400);
    assert.equal(await send(''), 400);
    assert.equal(await send('v1,'), 400);
    assert.equal(await send(sign(key), { body: BODY.replace('5', '6') }), 400, 'another body');
    const old = now() - 600;
    assert.equal(await send(sign(key, { time: old }), { time: old }), 400, 'sent again later');
    assert.equal(printed().split('evt_1').length, 3);
  });
