// Proves what `freehold backup` writes and leaves behind, and that `freehold backup verify` finds what is wrong with it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { until } from '../support/check/until.ts';
import { atEnd, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { INHERITED, LAUNCHER, runCommand, startCli } from '../support/process/cli.ts';

const closing = { after };
const { database, url } = await testDatabase(closing);
const folder = await temporaryFolder(closing, 'backup');
const KEY = 'ZXhhbXBsZSBvZiAzMiBieXRlczogbWFrZSB5b3VycyE=';
const options = { folder, environment: { DATABASE_URL: url, SECRETS_KEY: KEY, TIERS_FILE: 'tiers.json' } };
const run = (...args: string[]) => runCommand(['backup', ...args], options);
await writeFile(join(folder, 'tiers.json'), '{}');
await writeFile(join(folder, 'passphrase'), 'correct horse battery staple\n');
const sealing = ['--passphrase-file', 'passphrase'];

test('a backup is a private file that verifies, and says what it leaves out without a secret', async () => {
  const made = await run('homes.tar.zst', '--json');
  assert.equal(made.code, 0, made.stderr);
  const result = JSON.parse(made.stdout);
  const { size, mode } = await stat(join(folder, 'homes.tar.zst'));
  assert.equal(mode & 0o777, 0o600);
  assert.deepEqual(
    [result.file, result.bytes, result.encrypted],
    [join(folder, 'homes.tar.zst'), size, false],
  );
  assert.deepEqual(result.outside.files, [join(folder, 'tiers.json')]);
  assert.deepEqual(
    ['DATABASE_URL', 'SECRETS_KEY', 'TIERS_FILE'].filter((name) => !result.outside.settings.includes(name)),
    [],
  );
  assert.equal((made.stdout + made.stderr).includes(KEY), false);
  const verified = await run('verify', 'homes.tar.zst', '--json');
  assert.equal(verified.code, 0, verified.stderr);
  assert.equal(JSON.parse(verified.stdout).rows, result.rows);
  const [row] = await database.read((sql) => sql`select file, bytes, failure from backup_record`);
  assert.deepEqual(row, { file: result.file, bytes: size, failure: null });
});

test('a byte that was changed, and an end that is missing, are found', async () => {
  const file = join(folder, 'damaged');
  await copyFile(join(folder, 'homes.tar.zst'), file);
  await truncate(file, (await stat(file)).size - 1);
  const short = await run('verify', 'damaged');
  assert.deepEqual([short.code, /cut short/.test(short.stderr)], [1, true], short.stderr);
  const bytes = await readFile(join(folder, 'homes.tar.zst'));
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  await writeFile(file, bytes);
  const changed = await run('verify', 'damaged');
  assert.deepEqual([changed.code, /damaged/.test(changed.stderr)], [1, true], changed.stderr);
  const other = await run('verify', 'tiers.json');
  assert.match(other.stderr, /no backup of Freehold/);
});

test('an encrypted backup opens with its passphrase alone, and holds the keys where that is wanted', async () => {
  const refused = await run('keys.sealed', '--keys');
  assert.deepEqual([refused.code, /--keys goes with --encrypt/.test(refused.stderr)], [2, true]);
  const asked = await run('keys.sealed', '--encrypt');
  assert.deepEqual([asked.code, /no terminal/.test(asked.stderr)], [2, true]);
  await writeFile(join(folder, 'short'), 'secret\n');
  assert.equal((await run('keys.sealed', '--encrypt', '--passphrase-file', 'short')).code, 2);
  const made = await run('keys.sealed', '--encrypt', '--keys', ...sealing);
  assert.equal(made.code, 0, made.stderr);
  const verified = await run('verify', 'keys.sealed', '--json', ...sealing);
  assert.deepEqual(JSON.parse(verified.stdout).files, ['secrets.key']);
  assert.equal((await readFile(join(folder, 'keys.sealed'))).includes(KEY), false);
  await writeFile(join(folder, 'wrong'), 'correct horse battery stapler\n');
  const wrong = await run('verify', 'keys.sealed', '--passphrase-file', 'wrong');
  assert.deepEqual([wrong.code, /another passphrase/.test(wrong.stderr)], [1, true]);
});

test('a folder keeps so many backups, and what else is in it', async () => {
  const into = join(folder, 'nightly');
  for (let round = 0; round < 3; round++) {
    const made = await run('nightly', '--keep', '2');
    assert.equal(made.code, 0, made.stderr);
    if (round === 0) await writeFile(join(into, 'notes.txt'), 'mine');
  }
  const names = (await readdir(into)).toSorted();
  assert.equal(names.length, 3, names.join());
  assert.ok(names.includes('notes.txt'));
  assert.equal((await stat(into)).mode & 0o777, 0o700);
  const refused = await run('homes.tar.zst', '--keep', '2');
  assert.equal(refused.code, 2);
});

test('standard output gets the archive alone; where its reader fails, so does the command', async () => {
  const shell = async (line: string) => {
    const child = spawn(
      '/bin/bash',
      ['-c', `set -o pipefail; ${line}`, 'freehold', process.execPath, LAUNCHER],
      {
        cwd: folder,
        env: { ...INHERITED, SOURCE: 'none', ...options.environment },
      },
    );
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    return { code, stderr };
  };
  assert.deepEqual((await shell('"$1" "$2" backup - > piped')).code, 0);
  assert.equal((await run('verify', 'piped')).code, 0);
  const full = await shell('"$1" "$2" backup - > /dev/full');
  assert.deepEqual([full.code, /disk is full/.test(full.stderr)], [1, true], full.stderr);
  const gone = await shell('"$1" "$2" backup - | true');
  assert.deepEqual([gone.code, /has ended/.test(gone.stderr)], [1, true], gone.stderr);
});

test('places that cannot be written are refused with the remedy', async () => {
  const nowhere = await run('missing/homes.tar.zst');
  assert.deepEqual([nowhere.code, /does not exist/.test(nowhere.stderr)], [1, true], nowhere.stderr);
  const device = await run('/dev/full');
  assert.deepEqual([device.code, /no regular file/.test(device.stderr)], [1, true], device.stderr);
  if (process.platform !== 'linux') return;
  const closed = await run('/proc/nothing/backups/');
  assert.deepEqual([closed.code, /lets nobody create folders/.test(closed.stderr)], [1, true], closed.stderr);
});

test('stopped, it leaves nothing; killed, it leaves no file under the name, and the next one removes the rest', async (t) => {
  // The backup waits for the table.
  const holding = database.dedicated();
  await holding.sql.unsafe('begin; lock table listing in access exclusive mode');
  atEnd(t, () => holding.end(1));
  const into = join(folder, 'stopped');
  const partial = async () =>
    (await readdir(into).catch(() => [])).filter((name) => name.includes('.partial-'));
  const begin = async () => {
    const started = startCli(t, ['backup', 'stopped', '--keep', '1'], options);
    await until('it has begun to write', async () => (await partial()).length > 0);
    return started;
  };
  const stopped = await begin();
  stopped.kill('SIGINT');
  assert.equal((await stopped.ended).code, 130);
  assert.deepEqual(await readdir(into), []);
  const killed = await begin();
  killed.kill('SIGKILL');
  await killed.ended;
  assert.deepEqual(await readdir(into), await partial());
  await holding.sql.unsafe('rollback');
  const [left = ''] = await partial();
  // As it looks an hour later.
  spawn('touch', ['-d', '2 hours ago', join(into, left)]);
  await until('its time is set', async () => (await stat(join(into, left))).mtimeMs < Date.now() - 3_600_000);
  const next = await run('stopped', '--keep', '1');
  assert.equal(next.code, 0, next.stderr);
  assert.equal((await readdir(into)).length, 1);
  assert.deepEqual(await partial(), []);
});
