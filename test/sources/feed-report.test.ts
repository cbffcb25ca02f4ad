// Proves that what is wrong with a feed has a name in /readyz?verbose and doctor, while what is stored is still served.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../../src/app/app.ts';
import { checkFeed } from '../../src/cli/doctor/doctor-feed.ts';
import { checkSource } from '../../src/cli/doctor/doctor-sources.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { createOutbound } from '../../src/lib/outbound.ts';
import { OWN } from '../../src/licence/terms/terms.ts';
import { readProfile } from '../../src/sources/reso/profiles/profile.ts';
import { resoSource } from '../../src/sources/reso/transport/client.ts';
import { until } from '../support/check/until.ts';
import { atEnd, type Closing, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { quietPort } from '../support/service/ports.ts';
import {
  type FeedRecord,
  isMetadata,
  listOf,
  NO_METADATA,
  recordsOf,
  type StrictFeed,
  startFeed,
} from '../support/sources/strict-feed.ts';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly required: boolean;
  readonly detail?: string;
}

/** A service that replicates what the feed answers. */
async function serve(t: Closing, answer: StrictFeed['answer']) {
  const clock = manualClock(Date.UTC(2026, 0, 5, 12));
  const feed = await startFeed(t, clock, answer);
  const { database, url: databaseUrl } = await testDatabase(t);
  const folder = await temporaryFolder(t, 'feed');
  const settings = {
    SOURCE: 'reso',
    RESO_BASE_URL: feed.url,
    RESO_BEARER_TOKEN: 'secret',
    LOG_LEVEL: 'silent',
  };
  const config = readConfig({ ...settings, DATABASE_URL: databaseUrl, DATA_DIR: folder }, folder);
  const source = resoSource({
    id: 'reso',
    name: 'Feed',
    url: feed.url,
    profile: readProfile('standard', { licence: OWN }),
    credentials: { kind: 'bearer', token: 'secret' },
    outbound: createOutbound({ clock }),
    clock,
  });
  const port = await quietPort();
  const url = `http://127.0.0.1:${port}`;
  const app = await createApp({
    config,
    database,
    source,
    interval: 3_600_000,
    publicUrl: url,
    log: createLog({ level: 'silent' }),
    overrides: { clock },
  });
  atEnd(t, () => app.stop());
  await app.server.listen('127.0.0.1', port);
  const checks = async () => {
    clock.advance(1_000);
    const response = await fetch(`${url}/readyz?verbose`);
    return ((await response.json()) as { checks: Check[] }).checks;
  };
  return { feed, database, config, url, checks, status: () => app.replication?.status() };
}

test('a feed whose pages are a circle is named in /readyz?verbose and doctor', async (t) => {
  const records = recordsOf(3);
  const { checks, config, database, status } = await serve(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    const { origin, pathname } = request.url;
    return listOf(records, request, { link: () => `${origin}${pathname}?page=1`, count: false });
  });
  await until('it is noticed', async () => {
    const found = (await checks()).find(({ name }) => name === 'source');
    return found?.detail?.includes('cyclic_links') === true;
  });
  const found = (await checks()).find(({ name }) => name === 'source');
  assert.deepEqual([found?.ok, found?.required], [false, false]);
  assert.equal(
    found?.detail,
    'Reading from the source fails: cyclic_links: The source links back to a page that was read already.',
  );
  assert.equal(status()?.loadedAt, null);
  await until('it is reported', async () => (await checkFeed(config, database)).length > 0);
  const [finding] = await checkFeed(config, database);
  assert.equal(finding?.state, 'fail');
  assert.match(finding?.detail ?? '', /^cyclic_links since 2026-01-05T12:\S+: The source links back/);
  assert.match(finding?.remedy ?? '', /operator of the feed/);
});

test('a server that refuses to expand media is read without, and what is missing is named', async (t) => {
  const records = recordsOf(3);
  const { config, database, checks, status } = await serve(t, (request) => {
    if (isMetadata(request)) return NO_METADATA;
    return request.url.searchParams.has('$expand')
      ? { status: 400 }
      : listOf(records, request, { pageSize: 50 });
  });
  // Forms of the query are tried a second apart.
  await until('the load is complete', async () => {
    await checks();
    return status()?.state === 'following';
  });
  await until('it is reported', async () => (await checkFeed(config, database)).length > 1);
  const [read, parts] = await checkFeed(config, database);
  assert.deepEqual([read?.state, read?.detail], ['ok', 'read to its end']);
  assert.deepEqual(
    [parts?.state, parts?.detail],
    ['warn', 'the server refuses to expand Media, so that listings come without'],
  );
  const found = (await checks()).find(({ name }) => name === 'source');
  assert.deepEqual([found?.ok, found?.detail], [true, 'following; the server refuses to expand Media']);
});

test('doctor counts the values that withhold listings, and what is withheld is found by nobody', async (t) => {
  const more: readonly FeedRecord[] = [
    { InternetEntireListingDisplayYN: 'F' },
    { InternetEntireListingDisplayYN: 'F' },
    { InternetEntireListingDisplayYN: false },
    { InternetAddressDisplayYN: 'perhaps' },
    { PropertyType: 'Vacation', ListPrice: 2_000 },
    { PropertyType: 'RLSE', ListPrice: 2_000 },
  ];
  const records = recordsOf(8).map((record, at) => ({ ...record, ...more[at] }));
  const { config, database, url, status } = await serve(t, (request) =>
    isMetadata(request) ? NO_METADATA : listOf(records, request, { pageSize: 50 }),
  );
  await until('the load is complete', () => status()?.state === 'following');
  await until('it is reported', async () => (await checkFeed(config, database)).length > 0);
  const findings = await checkFeed(config, database);
  assert.deepEqual(
    findings.map(({ state, detail }) => [state, detail]),
    [
      ['ok', 'read to its end'],
      ['ok', 'InternetEntireListingDisplayYN false (1)'],
      [
        'warn',
        'neither yes nor no, so that it is withheld: InternetEntireListingDisplayYN "F" (2), InternetAddressDisplayYN "perhaps" (1)',
      ],
      ['warn', 'unknown, so that their listings are withheld: PropertyType "Vacation" (1)'],
    ],
  );
  const keysAt = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: { 'cache-control': 'no-cache' } });
    const { data } = (await response.json()) as { data: { provider: { listingKey: string } }[] };
    return data.map(({ provider }) => provider.listingKey).sort();
  };
  await until('searches know all', async () => (await keysAt('/v1/search/rentals')).length > 0);
  assert.deepEqual(await keysAt('/v1/search/sales'), ['k3', 'k6', 'k7']);
  assert.deepEqual(await keysAt('/v1/search/rentals'), ['k5']);
});

test('doctor names a wrong address for tokens, and says which setting to correct', async (t) => {
  const feed = await startFeed(t, manualClock(), () => ({ status: 404 }));
  const { origin } = new URL(feed.url);
  const credentials = {
    kind: 'client',
    tokenUrl: `${origin}/token`,
    clientId: 'a',
    clientSecret: 'b',
  } as const;
  const config = readConfig({ SOURCE: 'reso', RESO_BASE_URL: feed.url, RESO_BEARER_TOKEN: 'a' }, '/nowhere');
  assert.ok(config.source.kind === 'reso');
  const [finding = assert.fail()] = await checkSource({
    ...config,
    source: { ...config.source, credentials },
  });
  assert.deepEqual([finding.state, finding.remedy], ['fail', 'Correct RESO_TOKEN_URL.']);
  assert.match(finding.detail, /The address for tokens \(RESO_TOKEN_URL\) answers 404/);
});
