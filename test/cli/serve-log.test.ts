// Proof of what `freehold serve` writes where: JSON records when piped, from its start to its stop.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../support/check/until.ts';
import { atEnd, emptyDatabase, temporaryFolder } from '../support/database/database.ts';
import { INHERITED, LAUNCHER } from '../support/process/cli.ts';

interface LogRecord {
  readonly level: string;
  readonly time: string;
  readonly msg: string;
  readonly event?: string;
  readonly signal?: string;
  readonly url?: string;
}

/** A service with its sample market in a process group of its own, as a shell at a terminal starts it. */
async function serve(t: TestContext, level: string) {
  const folder = await temporaryFolder(t, 'log');
  const { url } = await emptyDatabase(t);
  const child = spawn(process.execPath, [LAUNCHER, 'serve'], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...INHERITED,
      DATABASE_URL: url,
      DATA_DIR: join(folder, 'data'),
      PORT: '0',
      LOG_LEVEL: level,
    },
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  atEnd(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const told = (event: string) => async () => written.stdout.includes(`"event":"${event}"`);
  return { pid: child.pid ?? 0, written, ended, told };
}

const recordsOf = (stdout: string): LogRecord[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogRecord);

test('piped output is JSON records alone, from start to stop, and Ctrl-C during a load ends nothing unasked', async (t) => {
  const { pid, written, ended, told } = await serve(t, 'info');
  await until('the load is under way', told('load'));
  await until('the service is ready', told('ready'));
  process.kill(-pid, 'SIGINT'); // To the whole group, as a terminal sends it.
  assert.equal(await ended, 0);
  assert.equal(written.stderr, '');
  const records = recordsOf(written.stdout);
  for (const { level, time, msg } of records) assert.ok(level && !Number.isNaN(Date.parse(time)) && msg);
  const events = records.flatMap(({ event }) => event ?? []);
  assert.equal(events.filter((event) => event === 'search').length, 1);
  const lifecycle = events.filter((event) => event !== 'load' && event !== 'search');
  assert.deepEqual(lifecycle, ['start', 'ready', 'stopping', 'stop']);
  assert.equal(records.at(-1)?.event, 'stop');
  assert.equal(records.at(-1)?.signal, 'SIGINT');
  assert.doesNotMatch(written.stdout, /unexpectedly|is running again|cannot be read/);
});

test('start, ready and stop are told also where requests are not', async (t) => {
  const { pid, written, ended, told } = await serve(t, 'error');
  await until('the service is ready', told('ready'));
  process.kill(pid, 'SIGTERM');
  assert.equal(await ended, 0);
  assert.deepEqual(
    recordsOf(written.stdout).map(({ event }) => event),
    ['start', 'ready', 'stopping', 'stop'],
  );
});
