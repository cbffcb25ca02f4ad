// Maker of an upgrade fixture: a release fills a database and answers questions; the backup and the answers are kept.
//
//   node test/upgrade/make-fixture.ts NAME [CHECKOUT]
//
// NAME is that of the release, such as 0.2.0. CHECKOUT is the folder of another checkout with its own node_modules, whose code fills the
// database and answers; default: this one. The backup is always made by this one, before anything is migrated.

import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { VERSION } from '../../src/app/version.ts';
import { count } from '../../src/cli/output.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { backupFile } from '../support/backup/backup-file.ts';
import type { Closing } from '../support/database/database.ts';
import type { TestService } from '../support/service/service.ts';
import {
  COMMON,
  comparable,
  PUBLIC_URL,
  type RecordedAnswer,
  type RecordedRelease,
} from '../support/upgrade/questions.ts';

const [name = '', checkout = join(import.meta.dirname, '../..')] = process.argv.slice(2);
if (!/^[\w.-]+$/.test(name)) throw new Error('Usage: node test/upgrade/make-fixture.ts NAME [CHECKOUT]');
const SECRETS_KEY = Buffer.alloc(32, 5).toString('base64');
/** The smallest market: the archive has some hundred kilobytes. */
const LISTINGS = 500;
const STEPS = 5;

const endings: (() => Promise<void>)[] = [];
const closing: Closing = { after: (callback) => void endings.push(callback) };
const support = <Module>(path: string): Promise<Module> =>
  import(join(resolve(checkout), 'test/support', path)) as Promise<Module>;

const { startService } = await support<typeof import('../support/service/service.ts')>('service/service.ts');
const { sendWatcher } = await support<typeof import('../support/watch/watchers.ts')>('watch/watchers.ts');
const { signIn } = await support<typeof import('../support/oauth/oauth.ts')>('oauth/oauth.ts');
const { until } = await support<typeof import('../support/check/until.ts')>('check/until.ts');
const { findPosition } = (await import(
  join(resolve(checkout), 'src/watch/events/position-store.ts')
)) as typeof import('../../src/watch/events/position-store.ts');
const { headSequence } = (await import(
  join(resolve(checkout), 'src/changes/change-store.ts')
)) as typeof import('../../src/changes/change-store.ts');

try {
  await record();
} finally {
  for (const end of endings.toReversed()) await end();
}
process.exit(0);

async function record(): Promise<void> {
  const service = await startService(closing, {
    source: 'sample',
    sampleListings: LISTINGS,
    environment: { PUBLIC_URL, SECRETS_KEY, WEBHOOK_ALLOW: '127.0.0.1:9' },
  });
  const [first, second] = await listingIds(service);
  await createWatchers(service, first);
  const app = await signIn(service, { key: service.keys.pro });
  await liveOn(service);
  const paths = [
    ...COMMON,
    ...[first, second].flatMap((id): [string, RecordedAnswer['caller']][] => [
      [`/v1/property/${id}`, 'pro'],
      [`/v1/property/${id}/history`, 'pro'],
      [`/v1/property/${id}/listings`, 'pro'],
      [`/v1/property/${id}/estimate`, 'pro'],
    ]),
  ] as const;
  const recorded: RecordedAnswer[] = [];
  for (const [path, caller] of paths) recorded.push(await answer(service, path, caller, app.accessToken));
  const release: RecordedRelease = {
    release: name,
    now: service.clock.now(),
    secretsKey: SECRETS_KEY,
    keys: service.keys,
    ...app,
    listed: await listed(service),
    answers: recorded,
  };
  const folder = join(import.meta.dirname, 'releases');
  await mkdir(folder, { recursive: true });
  const backup = join(folder, `${name}.tar.zst`);
  const database = openDatabase({ url: service.databaseUrl, timeout: 0 });
  await backupFile(database, backup, { release: VERSION });
  await database.close();
  await writeFile(join(folder, `${name}.json`), fileOf(release));
  process.stdout.write(`${backup}: ${count(recorded.length)} answers\n`);
  for (const { path, caller, status } of recorded)
    if (status !== 200) process.stdout.write(`${status} for ${caller}: ${path}\n`);
}

/** One answer a line. */
function fileOf({ answers, ...rest }: RecordedRelease): string {
  const lines = answers.map((each) => JSON.stringify(each)).join(',\n');
  return `${JSON.stringify(rest).slice(0, -1)},"answers":[\n${lines}\n]}\n`;
}

async function listingIds(service: TestService): Promise<readonly [string, string]> {
  const page: { data: { id: string }[] } = await service.json(
    '/v1/search/sales?limit=2&sort=price',
    service.keys.pro,
  );
  const [first, second] = page.data.map(({ id }) => id);
  if (first === undefined || second === undefined) throw new Error('The market has no sales');
  return [first, second];
}

async function createWatchers(service: TestService, listingId: string): Promise<void> {
  const delivery = [{ type: 'webhook', url: 'http://127.0.0.1:9/hook' }];
  const bodies = [
    { name: 'All sales', target: { type: 'search', listingType: 'sale', query: {} }, delivery },
    { name: 'One home', target: { type: 'listing', listingId } },
    {
      name: 'Daily',
      target: { type: 'search', listingType: 'rental', query: { minBedrooms: 1 } },
      cadence: 'daily',
    },
  ];
  for (const body of bodies) {
    const { status, detail, text } = await sendWatcher(service, 'POST', '', { key: service.keys.pro, body });
    if (status !== 201) throw new Error(`${status} ${detail} ${text}`);
  }
}

/** Lets the market change for a while, until everything has become history and events. */
async function liveOn(service: TestService): Promise<void> {
  const { database, clock } = service;
  for (let step = 0; step < STEPS; step++) {
    await service.control('POST', '/control/advance', { steps: 3 });
    clock.advance(20_000);
    const at = clock.now();
    await until('the changes are read', () => Date.parse(service.app.replication?.status().asOf ?? '') >= at);
  }
  await until('all changes have become events', async () =>
    database.read(async (sql) => (await findPosition(sql)) === (await headSequence(sql))),
  );
}

async function answer(
  service: TestService,
  path: string,
  caller: RecordedAnswer['caller'],
  token: string,
): Promise<RecordedAnswer> {
  const credential = caller === 'nobody' ? undefined : caller === 'app' ? token : service.keys[caller];
  const response = await service.get(path, credential);
  return { path, caller, status: response.status, body: comparable(await response.json()) };
}

/** What the commands list of keys and grants. */
async function listed(service: TestService): Promise<RecordedRelease['listed']> {
  const [subscriptions, grants] = await service.database.read(async (sql) => [
    await sql`select id, tier, key_hint, label, sample, created_at, ends_at, revoked_at, customer from subscription order by id`,
    await sql`select id, client_id, redirect_uri, scope, tier, subscription, customer, watched from oauth_grant order by id`,
  ]);
  return { subscriptions, grants };
}
