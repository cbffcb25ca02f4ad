// Proves that the records which processes leave about themselves are read as they are written.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { account } from './cluster-home.ts';
import { ownerMark, parseLock, parseOwner, parseProcessLine, readPostmaster } from './postmaster.ts';
import { serverSettings } from './server-settings.ts';

test('a lock file is read, complete or still being written', () => {
  const full = '4711\n/data\n1767621600\n5432\n/data/socket\n\n  1234\nready   \n';
  assert.deepEqual(parseLock(full), { pid: 4711, socketDirectory: '/data/socket', status: 'ready' });
  assert.equal(parseLock(full.replace('ready', 'stopping'))?.status, 'stopping');
  assert.equal(parseLock('4711\n/data\n')?.status, 'starting');
  assert.equal(parseLock(''), undefined);
});

test('the owner that a server was started with is found in its command line', async () => {
  const owner = await ownerMark('command');
  const settings = serverSettings({ memory: 2 ** 30, socketDirectory: '/s', owner, durable: true });
  const line = `/bin/postgres "-D" "/data" ${Object.entries(settings)
    .map(([name, value]) => `"-c" "${name}=${value}"`)
    .join(' ')}\n`;
  const found = parseOwner(line);
  assert.equal(found?.pid, process.pid);
  assert.equal(found?.role, 'command');
  assert.equal(parseOwner('/bin/postgres "-D" "/data"'), undefined);
});

test('a process is told from a zombie, and its name may hold brackets', () => {
  const rest = `1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 0 0`;
  assert.deepEqual(parseProcessLine(`12 (post) gres) S ${rest}`), {
    program: 'post) gres',
    started: '98765',
  });
  assert.equal(parseProcessLine(`12 (postgres) Z ${rest}`), undefined);
});

test('shared memory is a quarter of the machine, within bounds', () => {
  const shared = (gibibytes: number) =>
    serverSettings({ memory: gibibytes * 2 ** 30, socketDirectory: '/s', owner: '', durable: true })
      .shared_buffers;
  assert.deepEqual([0.125, 1, 2, 8, 64].map(shared), ['32MB', '256MB', '512MB', '1024MB', '2048MB']);
});

test('an account is found under its number, even a negative one, or not at all', () => {
  assert.equal(account('freehold', 'nobody:x:99:98::/:/bin/false\n'), undefined);
  assert.deepEqual(account('nobody', 'root:x:0:0::/:/bin/sh\nnobody:x:99:98::/:/bin/false\n'), {
    uid: 99,
    gid: 98,
  });
  assert.deepEqual(account('nobody', 'nobody:*:-2:-2::/var/empty:/usr/bin/false\n'), {
    uid: 4294967294,
    gid: 4294967294,
  });
});

const onLinux = { skip: process.platform === 'linux' ? false : 'reads /proc' };

test(
  'a server is judged by its owner: one with the same number that started at another time is not it',
  onLinux,
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'freehold-postmaster-'));
    t.after(() => rm(folder, { recursive: true }));
    const program = join(folder, 'postgres');
    await copyFile('/bin/sleep', program);
    const impostor = spawn(program, ['600'], { stdio: 'ignore' });
    await once(impostor, 'spawn');
    t.after(() => impostor.kill());
    await writeFile(join(folder, 'postmaster.pid'), `${impostor.pid}\n/d\n1\n5432\n/s\n\n1\nready   \n`);
    const owned = async (mark: string) => {
      await writeFile(join(folder, 'postmaster.opts'), `postgres "-c" "freehold.owner=${mark}"\n`);
      return (await readPostmaster(folder))?.owner?.pid;
    };
    assert.equal(await owned(await ownerMark('service')), process.pid);
    assert.equal(await owned(`${process.pid}:1:service`), undefined);
  },
);

test('a lock file whose number now belongs to another program is taken away', onLinux, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'freehold-postmaster-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'postmaster.pid'), `${process.pid}\n/d\n1\n5432\n/s\n\n1\nready   \n`);
  assert.equal(await readPostmaster(folder), undefined);
  assert.deepEqual(await readdir(folder), []);
});
