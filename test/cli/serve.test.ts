// Tests of the service as a process: what it prints, who may read its keys, and how it ends and comes back.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { poll, until } from '../support/check/until.ts';
import { atEnd, temporaryFolder } from '../support/database/database.ts';
import { INHERITED, LAUNCHER, readyUrl } from '../support/process/cli.ts';

const folder = await temporaryFolder({ after }, 'serve');
const data = join(folder, 'data');

interface Run {
  readonly pid: number;
  readonly url: string;
  readonly output: () => string;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

/** Starts `freehold serve` in the folder, as an operator would; resolves when it has said where it is, or has ended. */
async function serve(environment: Record<string, string> = {}): Promise<Run> {
  const child = spawn(process.execPath, [LAUNCHER, 'serve'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...INHERITED,
      DATA_DIR: data,
      PORT: '0',
      SAMPLE_INTERVAL: '0',
      LOG_LEVEL: 'error',
      ...environment,
    },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  atEnd({ after }, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const announced = async () => (child.exitCode === null ? readyUrl(text) : '');
  const url = await poll('the service says where it is, or ends', announced, 60_000);
  return {
    pid: child.pid ?? 0,
    url,
    output: () => text,
    kill: (signal) => child.kill(signal),
    ended,
  };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('a start says where everything is, and leaves keys that only the owner can read', async () => {
  const run = await serve();
  const line =
    run
      .output()
      .split('\n')
      .find((text) => text.includes('"event":"ready"')) ?? '{}';
  const { docs, sampleMarket, keysFile, dataDirectory, database } = JSON.parse(line) as Record<
    string,
    string
  >;
  assert.deepEqual(
    { docs, keysFile, dataDirectory, database },
    {
      docs: `${run.url}/docs`,
      keysFile: join(data, 'keys.env'),
      dataDirectory: data,
      database: join(data, 'postgres/cluster'),
    },
  );
  assert.match(sampleMarket ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  const file = join(data, 'keys.env');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const keys = await readFile(file, 'utf8');
  const names = [...keys.matchAll(/^(FREEHOLD_\w+_KEY)=SERVICE-[0-9A-F-]{36}$/gm)].map((match) => match[1]);
  assert.deepEqual(names, [
    'FREEHOLD_FREE_KEY',
    'FREEHOLD_PRO_KEY',
    'FREEHOLD_BUSINESS_KEY',
    'FREEHOLD_INTERNAL_KEY',
  ]);
  assert.ok(!run.output().includes('SERVICE-'), 'no key is printed');

  const second = await serve();
  assert.equal(await second.ended, 1);
  assert.match(second.output(), /already runs on .*data \(process \d+\)/);

  run.kill('SIGKILL');
  await run.ended;
  await until('PostgreSQL ends with the service, even one that was killed', async () => {
    const file = join(data, 'postgres/cluster/postmaster.pid');
    const [pid] = (await readFile(file, 'utf8').catch(() => '0')).split('\n');
    return Number(pid) === 0 || !isAlive(Number(pid));
  });

  const again = await serve();
  assert.equal(await readFile(file, 'utf8'), keys);
  const key = /FREEHOLD_PRO_KEY=(\S+)/.exec(keys)?.[1] ?? '';
  const useKey = () =>
    fetch(`${again.url}/v1/usage`, { headers: { authorization: `Bearer ${key.toLowerCase()}` } });
  // Just after the crash the database may be too slow to be asked about a key.
  await until('the key is judged', async () => (await useKey()).status !== 503);
  assert.equal((await useKey()).status, 200);

  again.kill('SIGTERM');
  assert.equal(await again.ended, 0);
  assert.equal(await fetch(again.url).catch(() => null), null);
});

test('a start without the sample market leaves a key for each tier too, and each of them works', async () => {
  const own = join(folder, 'own');
  const run = await serve({ SOURCE: 'none', DATA_DIR: own });
  const file = join(own, 'keys.env');
  assert.ok(run.output().includes(`"keysFile":${JSON.stringify(file)}`), run.output());
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  for (const [, tier = '', key] of (await readFile(file, 'utf8')).matchAll(/^FREEHOLD_(\w+)_KEY=(\S+)$/gm)) {
    const usage = await fetch(`${run.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(((await usage.json()) as { tier: string }).tier, tier.toLowerCase());
  }
  run.kill('SIGTERM');
  assert.equal(await run.ended, 0);
});

test('a faulty configuration is told in plain lines, all of it, and nothing is started', async () => {
  const run = await serve({ PORT: 'high', SOURCE: 'mls', SAMPLE_PROT: '1' });
  assert.equal(await run.ended, 2);
  for (const name of ['PORT', 'SOURCE', 'SAMPLE_PROT'])
    assert.match(run.output(), new RegExp(`^\\s*${name}\\b`, 'm'));
  assert.ok(!run.output().includes('    at '), 'no stack trace');
});
