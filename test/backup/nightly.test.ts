// Proves that the service makes a backup each night, once however many processes there are, and tells how old the last one is.

import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { verifyArchive } from '../../src/backup/archive/verify-archive.ts';
import { createThreadRunner } from '../../src/backup/backup-thread.ts';
import { isBackupDue } from '../../src/backup/nightly.ts';
import { DAY, HOUR, MINUTE, systemClock } from '../../src/lib/clock.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { startSecondService } from '../support/service/second-service.ts';
import { startService } from '../support/service/service.ts';

const closing = { after };
const folder = await temporaryFolder(closing, 'nightly');
const passphraseFile = join(folder, 'passphrase');
await writeFile(passphraseFile, 'correct horse battery staple\n');
const backups = join(folder, 'backups');
const environment = {
  BACKUP_DIR: backups,
  BACKUP_AT: '03:00 America/Chicago',
  BACKUP_KEEP: '2',
  BACKUP_PASSPHRASE_FILE: passphraseFile,
};
/** An hour before a backup is due. */
const START = Date.parse('2026-11-28T08:00:00Z');
const clock = manualClock(START);
const service = await startService(closing, { clock, environment });
const second = await startSecondService(closing, service, {}, undefined, environment);

const names = async (): Promise<string[]> => (await readdir(backups).catch(() => [])).toSorted();
const finding = async (url: string) => {
  // Answers are cached for a second.
  clock.advance(1_000);
  const answer = await fetch(`${url}/readyz?verbose`);
  const { checks } = (await answer.json()) as { checks: { name: string; ok: boolean; detail: string }[] };
  const found = checks.find(({ name }) => name === 'backup');
  assert.ok(found);
  return found;
};
const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const [, value = ''] = new RegExp(`^${name} (.+)$`, 'm').exec(text) ?? [];
  return Number(value);
};
const succeededAt = () => metric('freehold_backup_last_success_timestamp_seconds');
/** Time goes on meanwhile: a round that was under way looks at the clock a minute after its end. */
const eventually = (what: string, holds: () => Promise<boolean>) =>
  until(what, async () => {
    clock.advance(1_000);
    return holds();
  });
const wait = (count: number) =>
  eventually(
    `${count} backups`,
    async () => (await names()).filter((name) => name.endsWith('.sealed')).length === count,
  );

test('without any backup the first start makes one, and one process does', async () => {
  await wait(1);
  await eventually('the record is known', async () => (await succeededAt()) > 0);
  clock.advance(2 * MINUTE);
  assert.deepEqual(await names(), ['freehold-20261128T080000000Z.tar.zst.sealed']);
  for (const { url } of [service, second]) {
    const found = await finding(url);
    assert.deepEqual([found.ok, /0 hours ago/.test(found.detail)], [true, true], found.detail);
  }
  const verified = await verifyArchive(createReadStream(join(backups, (await names())[0] ?? '')), {
    passphrase: async () => 'correct horse battery staple',
  });
  assert.equal(verified.isEncrypted, true);
});

test('the next ones come at their time of day, and the oldest goes', async () => {
  clock.advance(HOUR);
  await wait(2);
  const [, due = ''] = await names();
  assert.match(due, /^freehold-20261128T09\d{7}Z/);
  const time = Date.parse('2026-11-28T09:00:00Z') / 1_000;
  await eventually('its time is known', async () => (await succeededAt()) >= time);
  clock.advance(DAY);
  await eventually(
    'the third one',
    async () => (await names()).at(-1)?.startsWith('freehold-20261129T09') === true,
  );
  await eventually('the oldest is removed', async () => (await names()).length === 2);
});

test('a backup that fails is tried again, and 26 hours after the last good one all that tells says so', async () => {
  await rm(passphraseFile);
  clock.advance(DAY);
  await eventually('a failure', async () => {
    return (
      (await service.database.read((sql) => sql`select failure from backup_record`))[0]?.failure !== null
    );
  });
  const failed = await finding(service.url);
  assert.match(failed.detail, /the last try failed at .*passphrase cannot be read/);
  clock.advance(3 * HOUR);
  const late = await finding(service.url);
  assert.deepEqual([late.ok, /too old/.test(late.detail)], [false, true], late.detail);
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200, 'it goes on serving');
  await writeFile(passphraseFile, 'correct horse battery staple\n');
  const before = await succeededAt();
  await eventually('it works again', async () => {
    clock.advance(MINUTE);
    return (await succeededAt()) > before;
  });
  assert.equal((await finding(service.url)).ok, true);
});

test('one is due at its time unless there is one since; one that failed waits a quarter of an hour', () => {
  const at = { at: { hour: 3, minute: 0, timeZone: 'UTC' } };
  const due = (now: string, succeededAt: string | null, failedAt: string | null = null) =>
    isBackupDue({ succeededAt, failedAt }, Date.parse(now), at);
  assert.equal(due('2026-11-28T02:59:00Z', '2026-11-27T03:00:00Z'), false);
  assert.equal(due('2026-11-28T03:00:00Z', '2026-11-27T03:00:00Z'), true);
  assert.equal(due('2026-11-28T03:01:00Z', '2026-11-28T03:00:00Z'), false);
  assert.equal(due('2026-11-28T20:00:00Z', '2026-11-27T20:00:00Z'), true, 'after a night without a service');
  assert.equal(due('2026-11-28T03:10:00Z', '2026-11-27T03:00:00Z', '2026-11-28T03:00:00Z'), false);
  assert.equal(due('2026-11-28T03:15:00Z', '2026-11-27T03:00:00Z', '2026-11-28T03:00:00Z'), true);
  assert.equal(due('2026-11-28T03:00:00Z', '2026-11-26T03:00:00Z', '2026-11-28T02:59:00Z'), true);
});

test('in a thread of its own it makes the same, and when it is stopped nothing is left', async () => {
  const target = { url: service.databaseUrl };
  const run = createThreadRunner(target, systemClock);
  const task = {
    settings: { directory: join(folder, 'thread'), keep: 1, passphraseFile: null },
    release: '0.2.0',
    outside: { settings: [], files: [] },
    at: START,
    isLocal: false,
    claim: null,
  };
  const made = await run(task, new AbortController().signal);
  const verified = await verifyArchive(createReadStream(made.file), { passphrase: async () => null });
  assert.equal(verified.header.sequence, made.sequence);
  const holding = service.database.dedicated();
  await holding.sql.unsafe('begin; lock table listing in access exclusive mode');
  const stopping = new AbortController();
  const stopped = run({ ...task, at: START + 1 }, stopping.signal);
  await until('it writes', async () => (await readdir(join(folder, 'thread'))).length === 2);
  stopping.abort(new Error('The service stops'));
  await assert.rejects(stopped, /The service stops/);
  assert.deepEqual(await readdir(join(folder, 'thread')), ['freehold-20261128T080000000Z.tar.zst']);
  await holding.end(1);
  await assert.rejects(
    run(
      { ...task, settings: { ...task.settings, directory: join(passphraseFile, 'below') } },
      new AbortController().signal,
    ),
    /cannot be written/,
  );
});
