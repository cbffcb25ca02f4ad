// Proof of the first start: in an empty folder the service makes what it needs, or says in one sentence what is missing.

import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '../support/check/until.ts';
import { emptyDatabase, temporaryFolder } from '../support/database/database.ts';
import { startCli } from '../support/process/cli.ts';
import { quietPort } from '../support/service/ports.ts';

test('with a database elsewhere and no data directory yet, the first start makes the folder and its keys', async (t) => {
  const folder = await temporaryFolder(t, 'first');
  const { url } = await emptyDatabase(t);
  const port = await quietPort();
  const environment = {
    DATABASE_URL: url,
    DATA_DIR: 'not/there/yet',
    PORT: String(port),
    SOURCE: 'sample',
    SAMPLE_INTERVAL: '0',
  };
  const run = startCli(t, ['serve'], { folder, environment });
  let over = false;
  void run.ended.then(() => {
    over = true;
  });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      ({ ok }) => ok,
      () => over,
    );
  await until('the service answers', answers);
  assert.equal(over, false, run.stderr());
  const file = join(folder, 'not/there/yet/keys.env');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.match(await readFile(file, 'utf8'), /^FREEHOLD_FREE_KEY=SERVICE-/);
  run.kill('SIGTERM');
  assert.equal((await run.ended).code, 0);
});

test('a wrong password and a missing database are one line each, in the log and for people', async (t) => {
  const folder = await temporaryFolder(t, 'refused');
  const { url } = await emptyDatabase(t);
  for (const [what, wrong] of [
    ['password', url.replace(/\/\/[^@]+@/, '//nobody:wrong@')],
    ['database', url.replace(/@([^/]*)\/[^?]+/, '@$1/not_there')],
  ] as const) {
    assert.notEqual(wrong, url);
    const environment = { DATABASE_URL: wrong, PORT: '0', LOG_LEVEL: 'info' };
    const { code, stdout, stderr } = await startCli(t, ['serve'], { folder, environment }).ended;
    assert.equal(code, 1, what);
    assert.match(stderr, /^Error: The database does not answer \(.+\)\. Check .*freehold doctor`\.\n$/, what);
    const [failed = ''] = stdout.split('\n').filter((line) => line.includes('"event":"failed"'));
    const { reason, err } = JSON.parse(failed) as { reason?: string; err?: unknown };
    assert.match(reason ?? '', /^The database cannot answer at the moment\. .*\(.+\)$/, what);
    assert.equal(err, undefined, 'no stack');
  }
});
