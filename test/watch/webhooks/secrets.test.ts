// Proves that secrets of webhooks are readable nowhere but in the answers that show them, and what a missing or wrong key does. R9, R30, R31.

import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createLog } from '../../../src/lib/log.ts';
import { until } from '../../support/check/until.ts';
import { temporaryFolder } from '../../support/database/database.ts';
import { copyTables } from '../../support/database/table-copy.ts';
import { Canaries, serving } from '../../support/fuzz/canaries.ts';
import { runCommand, startCli } from '../../support/process/cli.ts';
import { sendWatcher } from '../../support/watch/watchers.ts';
import { SECRETS_KEY, secretOf, webhookStage, webhooksOf } from '../../support/watch/webhooks.ts';

const URL_A = 'https://a.example/hook';
const delivery = [{ type: 'webhook', url: URL_A }];
const OTHER_KEY = Buffer.alloc(32, 8).toString('base64');

/** Watches a secret as its text, and as the bytes that it is made of. */
function watch(canaries: Canaries, name: string, secret: string): void {
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  canaries.watch(name, secret);
  canaries.watch(`${name}, in base64`, secret.slice('whsec_'.length));
  canaries.watch(`${name}, in hexadecimal`, bytes.toString('hex'));
  canaries.watch(`${name}, its bytes`, bytes.toString('latin1'));
}

/** A secret that nobody else has. */
const randomSecret = (): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(40))).toString('base64')}`;

test('R30, R31: a copy of every table and the log at its most talkative hold no secret of a webhook', async (t) => {
  const sink = new PassThrough();
  const written: Buffer[] = [];
  sink.on('data', (chunk: Buffer) => written.push(chunk));
  const log = createLog({ level: 'trace', stream: sink });
  const { subscribe, send, create, service } = await webhookStage(t, { SECRETS_KEY }, {}, log);
  const canaries = new Canaries();
  const { key } = await subscribe('pro');
  const given = randomSecret();
  watch(canaries, 'the secret that was sent', given);
  const headers = { 'idempotency-key': 'k' };
  const body = [...delivery, { type: 'webhook', url: 'https://b.example/', secret: given }];
  const created = await create(key, body, headers);
  const [made] = webhooksOf(created);
  watch(canaries, 'the secret that was made', made?.secret ?? '');
  for (const wrong of [`${given}x`, `${given}!`, 'whsec_short'])
    assert.equal((await create(key, [{ ...delivery[0], secret: wrong }])).status, 400);
  await service.get(`/v1/watchers?secret=${encodeURIComponent(given)}`, key).then((answer) => answer.text());
  const path = `/${created.watcher.id}`;
  const rotated = await send('POST', `${path}/rotate-secret`, { key, body: { webhookId: made?.id } });
  watch(canaries, 'the rotated secret', JSON.parse(rotated.text).secret);
  const again = randomSecret();
  watch(canaries, 'the second rotated secret', again);
  await send('POST', `${path}/rotate-secret`, { key, body: { webhookId: made?.id, secret: again } });
  const urls = [URL_A, 'https://b.example/', 'https://c.example/'];
  const list = urls.map((url) => ({ type: 'webhook', url }));
  const added = await send('PATCH', path, { key, body: { delivery: list } });
  assert.equal(added.status, 200, added.text);
  watch(canaries, 'the secret that was added', webhooksOf(added)[2]?.secret ?? '');
  const copy = await copyTables(service.database);
  assert.ok(copy.includes(URL_A) && copy.includes('idempotency_key'), 'the tables are there');
  assert.deepEqual(canaries.in(copy), []);
  assert.deepEqual(canaries.in(Buffer.concat(written).toString()), []);
  assert.ok(Buffer.concat(written).toString().includes('/rotate-secret'), 'the log tells of the requests');
});

test('R30: the data directory, its WAL included, holds the key of secrets in one file of its owner, and no secret', async (t) => {
  const folder = await temporaryFolder(t, 'webhook-secrets');
  const data = join(folder, 'data');
  const environment = {
    DATA_DIR: data,
    PORT: '0',
    LOG_LEVEL: 'trace',
    SOURCE: 'none',
    WEBHOOK_ALLOW: '127.0.0.1:9',
  };
  const service = startCli(t, ['serve'], { folder, environment });
  const url = await serving(service);
  const made = await runCommand(['subscriptions', 'create', '--plan', 'pro', '--json'], {
    folder,
    environment,
  });
  const { key } = JSON.parse(made.stdout) as { key: string };
  const canaries = new Canaries();
  const target = { type: 'search', listingType: 'sale', query: {} };
  const secret = randomSecret();
  watch(canaries, 'the secret', secret);
  const hook = { type: 'webhook', url: 'http://127.0.0.1:9/hook' };
  const body = {
    target,
    delivery: [
      { ...hook, secret },
      { ...hook, url: `${hook.url}2` },
    ],
  };
  const headers = { 'idempotency-key': 'k' };
  const created = await sendWatcher({ url }, 'POST', '', { key, body, headers });
  assert.equal(created.status, 201, created.text);
  watch(canaries, 'the second secret', webhooksOf(created)[1]?.secret ?? '');
  const file = join(data, 'secrets.key');
  canaries.watch('the key of secrets', (await readFile(file, 'utf8')).trim());
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const doctor = await runCommand(['doctor', '--json'], { folder, environment });
  const { findings } = JSON.parse(doctor.stdout) as { findings: { name: string; state: string }[] };
  assert.equal(findings.find(({ name }) => name === 'webhooks')?.state, 'ok');
  service.kill('SIGTERM');
  const { stdout, stderr } = await service.ended;
  assert.deepEqual(canaries.in(`${stdout}\n${stderr}`), []);
  assert.deepEqual(await canaries.below(data, ['keys.env', 'secrets.key']), []);
});

test('R9: a repeated creation gets the same answer with the secret, of which the table holds nothing', async (t) => {
  const { subscribe, create, service } = await webhookStage(t);
  const { key } = await subscribe('pro');
  const headers = { 'idempotency-key': 'k' };
  const first = await create(key, delivery, headers);
  const secret = webhooksOf(first)[0]?.secret ?? '';
  assert.match(secret, /^whsec_/);
  await sendWatcher(service, 'POST', `/${first.watcher.id}/rotate-secret`, { key });
  for (let turn = 0; turn < 3; turn++) {
    const again = await create(key, delivery, headers);
    assert.deepEqual([again.status, again.text], [201, first.text], 'the same bytes');
    assert.equal(again.headers.get('location'), first.headers.get('location'));
  }
  const other = await create(key, [{ type: 'webhook', url: 'https://b.example/' }], headers);
  assert.equal(other.code, 'IDEMPOTENCY_KEY_REUSED');
  const [row] = await service.database.read((sql) => sql`select body, sealed_body from idempotency_key`);
  assert.equal(row?.body, '');
  assert.ok(!Buffer.from(row?.sealed_body).includes(Buffer.from(secret, 'utf8')));
});

test('without a key everything else works, and a webhook is 503 with the setting that is missing', async (t) => {
  const { subscribe, send, create, service, target } = await webhookStage(t, {});
  const { key } = await subscribe('pro');
  const refused = await create(key, delivery);
  assert.deepEqual([refused.status, refused.code], [503, 'WEBHOOKS_UNAVAILABLE']);
  assert.match(refused.detail, /SECRETS_KEY/);
  assert.equal(
    (await create(key, [{ ...delivery[0], url: 'nonsense' }])).status,
    400,
    'a fault is told first',
  );
  const made = await send('POST', '', { key, body: { target, delivery: [] } });
  assert.equal(made.status, 201, made.text);
  const changed = await send('PATCH', `/${made.watcher.id}`, { key, body: { delivery } });
  assert.equal(changed.code, 'WEBHOOKS_UNAVAILABLE');
  assert.equal((await send('PATCH', `/${made.watcher.id}`, { key, body: { name: 'A' } })).status, 200);
  assert.equal((await service.get('/readyz')).status, 200);
});

test('two keys overlap: the first seals, what the second sealed opens and is sealed anew, then the second can go', async (t) => {
  const stage = await webhookStage(t);
  const { key } = await stage.subscribe('pro');
  const created = await stage.create(key, [{ ...delivery[0], secret: secretOf(32) }], {
    'idempotency-key': 'k',
  });
  const path = `/${created.watcher.id}`;
  await stage.send('POST', `${path}/rotate-secret`, { key, body: { secret: secretOf(33) } });
  const sealed = async () => {
    const [row] = await stage.service.database.read(
      (sql) =>
        sql<{ secret: Buffer; previous: Buffer }[]>`select secret, previous_secret as previous from webhook`,
    );
    return row ?? assert.fail();
  };
  const before = await sealed();
  const both = await stage.another({ SECRETS_KEY: `${OTHER_KEY},${SECRETS_KEY}` });
  await until('all is sealed anew', async () => !(await sealed()).secret.equals(before.secret));
  const after = await sealed();
  assert.ok(!after.previous.equals(before.previous));
  const replay = await both.create(key, [{ ...delivery[0], secret: secretOf(32) }], {
    'idempotency-key': 'k',
  });
  assert.equal(replay.text, created.text);
  await both.stop();
  const alone = await stage.another({ SECRETS_KEY: OTHER_KEY });
  const same = [{ ...delivery[0], secret: secretOf(33) }];
  const repeated = await alone.send('PATCH', path, { key, body: { delivery: same } });
  assert.equal(repeated.status, 200, `the secret is still known: ${repeated.text}`);
});

test('a wrong key changes nothing, says so where a secret is needed, and fails doctor until the right one is back', async (t) => {
  const stage = await webhookStage(t);
  const { key } = await stage.subscribe('pro');
  const headers = { 'idempotency-key': 'k' };
  const created = await stage.create(key, [{ ...delivery[0], secret: secretOf(32) }], headers);
  const rows = () => stage.service.database.read((sql) => sql`select secret, status, url from webhook`);
  const before = JSON.stringify(await rows());
  const wrong = await stage.another({ SECRETS_KEY: OTHER_KEY });
  const replay = await wrong.create(key, [{ ...delivery[0], secret: secretOf(32) }], headers);
  assert.deepEqual([replay.status, replay.code], [503, 'WEBHOOKS_UNAVAILABLE']);
  assert.match(replay.detail, /another key/);
  assert.equal((await wrong.send('GET', `/${created.watcher.id}`, { key })).status, 200);
  assert.equal(JSON.stringify(await rows()), before, 'nothing is deleted or disabled');
  await wrong.stop();
  const examine = async (environment: Record<string, string>) => {
    const folder = await temporaryFolder(t, 'doctor');
    const base = { DATABASE_URL: stage.service.databaseUrl, PORT: '0', SOURCE: 'none', DATA_DIR: folder };
    const { code, stdout } = await runCommand(['doctor', '--json'], {
      folder,
      environment: { ...base, ...environment },
    });
    const { findings } = JSON.parse(stdout) as {
      findings: { name: string; state: string; detail: string; remedy: string }[];
    };
    const found = findings.find(({ name }) => name === 'webhooks');
    return { code, state: found?.state, said: `${found?.detail} ${found?.remedy}` };
  };
  assert.deepEqual(await examine({ SECRETS_KEY }).then(({ state, said }) => [state, said]), [
    'ok',
    '1 unverified null',
  ]);
  const failed = await examine({ SECRETS_KEY: OTHER_KEY });
  assert.deepEqual([failed.code, failed.state], [1, 'fail']);
  assert.match(failed.said, /1 of 1 were sealed with another key.*SECRETS_KEY/);
  const missing = await examine({});
  assert.deepEqual([missing.code, missing.state], [1, 'fail']);
  const both = await examine({ SECRETS_KEY: `${OTHER_KEY},${SECRETS_KEY}` });
  assert.match(both.said, /second key/);
  assert.equal(both.state, 'warn');
});
