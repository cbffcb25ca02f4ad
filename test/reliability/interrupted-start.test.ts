// Proof that a start that was cut short, wherever, leaves nothing that keeps the next one from starting.

import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { startChaosApp } from '../support/chaos/app.ts';
import { endProcess, familyOf, isReady, postmasterOf, serve } from '../support/chaos/service.ts';
import { until } from '../support/check/until.ts';
import { atEnd, temporaryFolder } from '../support/database/database.ts';
import { quietPort } from '../support/service/ports.ts';

test('a lock file that its server had no time to write is no obstacle to the next start', async (t) => {
  const dataDirectory = join(await temporaryFolder(t, 'start'), 'data');
  const options = { dataDirectory, log: () => {}, durable: false };
  const first = await startEmbedded(options);
  await first.stop();
  await writeFile(join(first.place.cluster, 'postmaster.pid'), '');
  const second = await startEmbedded(options);
  atEnd(t, () => second.stop());
  assert.notEqual(await postmasterOf(dataDirectory), undefined);
});

test('a first start that is killed while the cluster is being made can be repeated, and leaves no half of one', async (t) => {
  const dataDirectory = join(await temporaryFolder(t, 'start'), 'data');
  const port = await quietPort();
  const home = join(dataDirectory, 'postgres');
  const drafts = async () => (await readdir(home).catch(() => [])).filter((name) => /^cluster\./.test(name));
  const first = serve(t, { dataDirectory, port });
  await until('the cluster is being made', async () => (await drafts()).length > 0);
  first.kill('SIGKILL');
  await first.ended;
  assert.equal((await drafts()).length, 1);
  const second = serve(t, { dataDirectory, port });
  await until('the service is ready', () => isReady(`http://127.0.0.1:${port}`));
  assert.deepEqual(await drafts(), []);
  second.kill('SIGTERM');
  assert.equal(await second.ended, 0);
});

test('the half of a cluster that another process is making is left to it', async (t) => {
  const dataDirectory = join(await temporaryFolder(t, 'start'), 'data');
  const theirs = join(dataDirectory, 'postgres', `cluster.${process.ppid}`);
  await mkdir(theirs, { recursive: true, mode: 0o711 });
  const server = await startEmbedded({ dataDirectory, log: () => {}, durable: false });
  atEnd(t, () => server.stop());
  assert.ok((await readdir(join(dataDirectory, 'postgres'))).includes(`cluster.${process.ppid}`));
});

test('a server whose recovery is killed too is started once more, and the service is well again', async (t) => {
  const app = await startChaosApp(t, { source: 'none' });
  const server = async () => (await postmasterOf(app.dataDirectory))?.pid ?? 0;
  let struck = false;
  for (let attempt = 0; attempt < 20 && !struck; attempt++) {
    const old = await server();
    const backends = (await familyOf(old)).filter(({ command }) => command.includes('[local]'));
    endProcess(backends[0]?.pid ?? old, 'SIGKILL');
    await until('the server recovers', async () => {
      const family = await familyOf(process.pid);
      const recovery = family.find(({ command }) => command.startsWith('postgres: startup'));
      if (recovery !== undefined) endProcess(recovery.pid, 'SIGKILL');
      struck ||= recovery !== undefined;
      return struck || ((await server()) !== old && (await isReady(app.url)));
    });
  }
  assert.ok(struck, 'no recovery was slow enough to be met');
  await until('the service is ready', () => isReady(app.url));
});
