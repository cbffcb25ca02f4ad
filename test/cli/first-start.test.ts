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
    ...{ DATABASE_URL: url, DATA_DIR: 'not/there/yet', PORT: String(port) },
    ...{ SOURCE: 'sample', SAMPLE_INTERVAL: '0' },
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
