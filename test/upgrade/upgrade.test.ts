// Proof of upgrades: the backup of each release is restored and migrated, and what that release answered is answered again.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeHarmless } from '../../src/cli/restore/make-harmless.ts';
import { pendingMigrations } from '../../src/postgres/migrations/migrate.ts';
import { restoreFile } from '../support/backup/restore-file.ts';
import { emptyDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';
import { comparable, knownMembers, PUBLIC_URL, type RecordedRelease } from '../support/upgrade/questions.ts';

const FOLDER = join(import.meta.dirname, 'releases');
const releases = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length));

test('there is a backup of the first release', () => {
  assert.ok(releases.length > 0);
});

for (const release of releases)
  test(`the backup of ${release} answers as the release did`, async (t) => {
    const recorded = JSON.parse(readFileSync(join(FOLDER, `${release}.json`), 'utf8')) as RecordedRelease;
    const clock = manualClock(recorded.now);
    const created = await emptyDatabase(t);
    // As from a final backup: tokens go on, and are part of the proof.
    await restoreFile(created.database, join(FOLDER, `${release}.tar.zst`), (tx) => makeHarmless(tx, true));
    assert.deepEqual(await pendingMigrations(created.database), []);
    const service = await startService(t, {
      clock,
      createDatabase: async () => created,
      keepsKeys: true,
      environment: { PUBLIC_URL, SECRETS_KEY: recorded.secretsKey },
    });
    for (const { path, caller, status, body } of recorded.answers) {
      const credential =
        caller === 'nobody' ? undefined : caller === 'app' ? recorded.accessToken : recorded.keys[caller];
      const answer = await service.get(path, credential);
      const what = `${path} for ${caller}`;
      assert.equal(answer.status, status, what);
      assert.deepEqual(knownMembers(comparable(await answer.json()), body), body, what);
    }
    const [subscriptions, grants] = await created.database.read(async (sql) => [
      await sql`select id, tier, key_hint, label, sample, created_at, ends_at, revoked_at, customer from subscription order by id`,
      await sql`select id, client_id, redirect_uri, scope, tier, subscription, customer, watched from oauth_grant order by id`,
    ]);
    assert.deepEqual(comparable({ subscriptions, grants }), comparable(recorded.listed));
  });
