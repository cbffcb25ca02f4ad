// Test that no secret appears in a table, a file or the log, after a full use of OAuth with mistakes and outages.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { createLog } from '../../src/lib/log.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { copyTables } from '../support/database/table-copy.ts';
import { Canaries, serving } from '../support/fuzz/canaries.ts';
import { WatchedLife } from '../support/oauth/canaries.ts';
import { runCommand, startCli } from '../support/process/cli.ts';
import { startService } from '../support/service/service.ts';
import { stubProvider } from '../support/service/stub-provider.ts';

/** A refresh token counts as reused at once. */
const NO_GRACE = { OAUTH_REFRESH_GRACE_SECONDS: '0' };

test('R30, R31: a copy of every table and the log at its most talkative hold no secret, also after outages', async (t) => {
  const sink = new PassThrough();
  const written: Buffer[] = [];
  sink.on('data', (chunk: Buffer) => written.push(chunk));
  const provider = stubProvider();
  const service = await startService(t, {
    log: createLog({ level: 'trace', stream: sink }),
    environment: NO_GRACE,
    overrides: { provider },
  });
  const canaries = new Canaries();
  const run = new WatchedLife(service, canaries, provider.subscribe('pro'));
  await run.play();
  const session = await run.signIn('before the outage');
  provider.mode = 'fail';
  assert.equal((await run.consent('in the outage')).code, null);
  assert.equal(await run.refresh('in the outage', session), null);
  provider.mode = 'answer';
  assert.ok((run.statuses[503] ?? 0) >= 2, 'there was an outage');
  assert.ok((run.statuses[401] ?? 0) > 10 && (run.statuses[400] ?? 0) > 20, JSON.stringify(run.statuses));
  const copy = await copyTables(service.database);
  assert.ok(copy.includes('watched-app') && copy.includes('oauth_access_token'), 'the tables are there');
  assert.deepEqual(canaries.in(copy), []);
  for (const line of Buffer.concat(written).toString().split('\n'))
    assert.deepEqual(canaries.in(line), [], line);
  assert.ok(Buffer.concat(written).toString().split('\n').length > 80, 'the log tells of every request');
});

test('R30, R31: the data directory and all that the process said hold no secret', async (t) => {
  const folder = await temporaryFolder(t, 'oauth-secrets');
  const data = join(folder, 'data');
  const environment = { ...NO_GRACE, DATA_DIR: data, PORT: '0', LOG_LEVEL: 'trace', SOURCE: 'none' };
  const service = startCli(t, ['serve'], { folder, environment });
  const url = await serving(service);
  const made = await runCommand(['subscriptions', 'create', '--plan', 'pro', '--json'], {
    folder,
    environment,
  });
  const { key } = JSON.parse(made.stdout) as { key: string };
  const canaries = new Canaries();
  const run = new WatchedLife({ url }, canaries, key);
  await run.play();
  service.kill('SIGTERM');
  const { stdout, stderr } = await service.ended;
  assert.ok((run.statuses[200] ?? 0) > 10, JSON.stringify(run.statuses));
  for (const line of `${stdout}\n${stderr}`.split('\n')) assert.deepEqual(canaries.in(line), [], line);
  assert.deepEqual(await canaries.below(data, ['keys.env']), []);
});
