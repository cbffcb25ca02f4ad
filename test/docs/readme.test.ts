// Tests of README.md and docs/configuration.md: commands run as they stand; tables of settings, tiers and figures are compared.

import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { glob, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { TIERS } from '../../src/access/tiers/tiers.ts';
import { banner } from '../../src/app/terminal.ts';
import { VERSION } from '../../src/app/version.ts';
import { readConfig } from '../../src/config.ts';
import { SETTING_NAMES } from '../../src/settings/setting-names.ts';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { follow, shellBlocks, writeKeys } from '../support/process/shell-blocks.ts';
import { startService } from '../support/service/service.ts';

const README = readSource('README.md').text;
const PAGES = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...globSync('docs/{*,decisions/*}.md', { cwd: ROOT }),
];
const CONFIGURATION = readSource('docs/configuration.md').text;

interface SearchAnswer {
  readonly data: readonly unknown[];
  readonly page: { readonly nextCursor: string | null };
  readonly total: unknown;
}

test('a newcomer who follows the README searches, takes a key, finds a city, reads a property and sees it live', async (t) => {
  const service = await startService(t, { source: 'sample', sampleListings: 2_000 });
  const { url, keys, databaseUrl } = service;
  // Searches in memory may be a moment behind the first load.
  await service.get('/v1/search/sales?limit=1', keys.internal);
  const folder = await temporaryFolder(t, 'newcomer');
  await writeKeys(folder, keys);
  await symlink(join(ROOT, 'docs'), join(folder, 'docs'));
  const [search = '', usage = '', city = '', words = '', property = '', stream = '', imports = ''] =
    await follow(shellBlocks(README), folder, url, { DATABASE_URL: databaseUrl });
  assert.equal(JSON.parse(search).data.length, 3);
  const { value, relation } = JSON.parse(search).total;
  assert.equal(relation, 'exact');
  const query = '/v1/search/sales?maxPrice=600000&minBedrooms=2';
  const ask = async (more: string) =>
    (await service.json(`${query}${more}`, keys.internal)) as unknown as SearchAnswer;
  let found = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, page } = await ask(`&limit=500${cursor && `&cursor=${cursor}`}`);
    found += data.length;
    cursor = page.nextCursor;
  }
  const { total } = await ask('&count=exact&limit=1');
  assert.deepEqual([value, total], [found, { value: found, relation: 'exact' }]);
  assert.equal(JSON.parse(usage).tier, 'free');
  const rentals = JSON.parse(city);
  assert.ok(rentals.data.length > 0);
  const members = ['id', 'object', 'price', 'address', 'attribution', 'fetchedAt'];
  assert.deepEqual(Object.keys(rentals.data[0]), members);
  const [, facets = '', table = ''] = /^(\{.*\})(id,.*)$/s.exec(words.trim()) ?? [];
  assert.ok(JSON.parse(facets).facets.bedrooms.length > 0);
  assert.equal(table.trim().split('\r\n').length, 4);
  const [stored = '', fresh = ''] = property.trim().split(/(?<=\})(?=\{)/);
  assert.ok(JSON.parse(stored).history.length > 0);
  assert.equal(JSON.parse(fresh).source, 'live');
  assert.deepEqual(
    [...stream.matchAll(/^event: (\w+)$/gm)].map(([, event]) => event),
    ['cached', 'live', 'done'],
  );
  assert.match(imports, /usable +5\s+rejected +1/);
});

test('all but the first request of the README bring a key: ten in a minute would not be enough', () => {
  const requests = shellBlocks(README).flatMap((block) => block.match(/curl [^|]*?'?"?http:/gs) ?? []);
  assert.ok(requests.length > 8);
  const without = requests.filter((request) => !request.includes('Authorization: Bearer $FREEHOLD_'));
  assert.equal(without.length, 1);
});

/** Rows of tables whose first cell is a setting: its name, default and example. */
function settingRows(page: string): { name: string; value: string | undefined; example: string }[] {
  return [...page.matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`)?.*?(?:`([^`]*)` \|)?$/gm)].map(
    ([, name = '', value, example = '']) => ({ name, value, example }),
  );
}

test('docs/configuration.md names every setting with its default, and no other', () => {
  const known = SETTING_NAMES;
  const rows = settingRows(CONFIGURATION);
  assert.ok(known.length > 10);
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), known.toSorted());
  const shown = new Map(rows.map(({ name, value }) => [name, value]));
  const defaults = readConfig({}, ROOT);
  assert.ok(defaults.source.kind === 'sample');
  const { source } = defaults;
  const { source: reso } = readConfig(
    { SOURCE: 'reso', RESO_BASE_URL: 'https://a.test', RESO_BEARER_TOKEN: 'a' },
    ROOT,
  );
  const { backup } = readConfig({ BACKUP_DIR: 'backups' }, ROOT);
  assert.deepEqual(backup?.at, { hour: 3, minute: 0, timeZone: 'UTC' });
  const expected = {
    EXPLORER: defaults.explorer.audience,
    AUDIT_QUERIES: defaults.auditsQueries ? 'on' : 'off',
    BACKUP_AT: '03:00',
    BACKUP_KEEP: backup.keep,
    ALLOW_HTTP: defaults.allowHttp,
    DATABASE_CONNECTIONS: defaults.databaseConnections,
    DRAIN_SECONDS: defaults.drainSeconds,
    KEEP_ALIVE_TIMEOUT: defaults.keepAliveSeconds,
    PORT: defaults.port,
    HOST: defaults.host,
    LOG_LEVEL: defaults.logLevel,
    SOURCE: source.kind,

    SAMPLE_PORT: source.port,
    SAMPLE_INTERVAL: source.interval,
    SUBSCRIPTIONS: defaults.subscriptions.kind,
    OAUTH_REFRESH_GRACE_SECONDS: defaults.oauth.refreshGrace,
    BILLING_GRACE_DAYS: defaults.billing.graceDays,

    SEARCH_ENGINE: defaults.search.engine,
    SEARCH_CACHE_MB: defaults.search.cacheMegabytes,
    MEDIA: defaults.media.mode,
    MEDIA_CACHE_MB: defaults.media.cacheMegabytes,
    MEDIA_AVIF: defaults.media.avif ? 'on' : 'off',
    RESO_PROFILE: reso.kind === 'reso' && reso.profile.name,
    RESO_REFRESHES_PER_MINUTE: reso.kind === 'reso' && reso.refreshesPerMinute,
    RESO_DISPLAY_DEFAULT: reso.kind === 'reso' && reso.showsByDefault ? 'show' : 'withhold',
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(shown.get(name), String(value), name);
  assert.equal(defaults.dataDirectory, join(ROOT, shown.get('DATA_DIR') ?? ''));
  const stated = [...shown].filter(([, value]) => value !== undefined).map(([name]) => name);
  assert.deepEqual(stated.toSorted(), [...Object.keys(expected), 'DATA_DIR'].toSorted());
});

test('every example of docs/configuration.md is a valid setting that changes the configuration', () => {
  const examples = new Map(settingRows(CONFIGURATION).map(({ name, example }) => [name, example]));
  const { RESO_BEARER_TOKEN, ...others } = Object.fromEntries(examples);
  const wasChecked = new Set<string>();
  for (const provider of ['polar', 'stripe']) {
    const all: Record<string, string | undefined> = { ...others, SUBSCRIPTIONS: provider };
    const complete = readConfig(all, ROOT);
    const ignored = provider === 'polar' ? /^(?:SAMPLE|STRIPE)_/ : /^(?:SAMPLE|POLAR)_/;
    for (const name of Object.keys(others).filter((other) => !ignored.test(other))) {
      wasChecked.add(name);
      const { [name]: _, ...rest } = all;
      const isNeeded =
        /^(?:RESO_(?!REFRESHES|DISPLAY|TIME|PROFILE|ORIGINATING|TOKEN)|PUBLIC_URL|GEOCODER_URL|(?:POLAR|STRIPE)_(?!API))/.test(
          name,
        );
      if (isNeeded) assert.throws(() => readConfig(rest, ROOT), name);
      else assert.notDeepEqual(readConfig(rest, ROOT), complete, name);
    }
  }
  assert.deepEqual(
    Object.keys(others).filter((name) => !wasChecked.has(name) && !name.startsWith('SAMPLE_')),
    [],
  );
  const { RESO_BASE_URL = '', SAMPLE_PORT = '', SAMPLE_INTERVAL = '' } = others;
  const { source } = readConfig({ SOURCE: 'reso', RESO_BASE_URL, RESO_BEARER_TOKEN }, ROOT);
  assert.deepEqual(source.kind === 'reso' && source.credentials, {
    kind: 'bearer',
    token: RESO_BEARER_TOKEN,
  });
  const sample = readConfig({ SAMPLE_PORT, SAMPLE_INTERVAL }, ROOT).source;
  assert.deepEqual(sample, { kind: 'sample', port: Number(SAMPLE_PORT), interval: Number(SAMPLE_INTERVAL) });
});

test('the two env files of docs/configuration.md are valid', () => {
  const files = [...CONFIGURATION.matchAll(/^```ini\n([\s\S]*?)^```$/gm)].map(([, file = '']) =>
    parseEnv(file),
  );
  assert.deepEqual(
    files.map((file) => readConfig(file, ROOT).source.kind),
    ['reso', 'none'],
  );
});

test('the settings of the README are ten of docs/configuration.md, with the same defaults', () => {
  const all = new Map(settingRows(CONFIGURATION).map(({ name, value }) => [name, value]));
  const rows = settingRows(README);
  assert.equal(rows.length, 10);
  for (const { name, value } of rows) assert.ok(all.has(name) && all.get(name) === value, name);
});

test('the README opens with three ways to a service, whose commands are there to be run', () => {
  const [, quickstart = ''] = /^## Quickstart\n([\s\S]*?)^## /m.exec(README) ?? [];
  const commands = [...quickstart.matchAll(/^```\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );
  assert.deepEqual(commands.slice(0, 4), [
    'docker compose up -d --wait',
    `npx ./freehold-${VERSION}.tgz serve`,
    'npm ci && npm start',
    'npm ci && npm test',
  ]);
  const { scripts } = JSON.parse(readSource('package.json').text) as { scripts: Record<string, string> };
  assert.ok(scripts.start !== undefined && scripts.test !== undefined);
  for (const file of ['package-lock.json', 'compose.yaml']) assert.ok(existsSync(join(ROOT, file)), file);
});

test('the README takes a reader a few minutes: below 900 words', () => {
  assert.ok(README.split(/\s+/).length < 900);
});

test('the README shows the banner as the service prints it', () => {
  const places = {
    url: 'http://127.0.0.1:8080',
    docs: 'http://127.0.0.1:8080/docs',
    sampleMarket: 'http://127.0.0.1:43123',
    keysFile: '/srv/freehold/.freehold/keys.env',
    dataDirectory: '/srv/freehold/.freehold',
    database: '/srv/freehold/.freehold/postgres/cluster',
    search: 'in memory',
  };
  assert.ok(README.includes(banner(places).trim()));
});

test('the README states the limits of each tier as they are', () => {
  const rows = [
    ...README.matchAll(
      /^\| (none|Free|Pro|Business|Internal) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \| (.*?) \|/gm,
    ),
  ].map(([, tier = '', ...numbers]) => [tier, ...numbers]);
  const write = (value: number | null) => value?.toLocaleString('en') ?? 'unlimited';
  const expected = Object.entries(TIERS).map(([tier, { minute, month, page, streams, watchers }]) => [
    tier === 'anonymous' ? 'none' : tier[0]?.toUpperCase() + tier.slice(1),
    ...[minute, month, page, streams, watchers].map(write),
  ]);
  assert.deepEqual(rows, expected);
});

test('the README states only figures that stand in docs/performance.md', () => {
  const [, table = ''] = /^\| \| Measured \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(README) ?? [];
  const rows = table.trim().split('\n');
  assert.equal(rows.length, 5);
  const performance = readSource('docs/performance.md').text;
  for (const row of rows) assert.ok(performance.includes(`\n${row}`), row);
});

for (const page of PAGES) {
  test(`every file that ${page} refers to is there`, () => {
    const links = [...readSource(page).text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      ([, target = '']) => target,
    );
    const folder = page.split('/').slice(0, -1).join('/');
    const missing = links.filter((target) => !existsSync(join(ROOT, folder, target)));
    assert.deepEqual(missing, []);
  });
}

test('every decision stands in the list of decisions', async () => {
  const pages = await Array.fromAsync(glob('docs/decisions/*.md', { cwd: ROOT }));
  const list = readSource('docs/decisions/README.md').text;
  const missing = pages
    .map((path) => basename(path))
    .filter((name) => name !== 'README.md' && !list.includes(`](${name})`));
  assert.deepEqual(missing, []);
});

test('every dependency has its reason written down', () => {
  const { dependencies } = JSON.parse(readSource('package.json').text) as {
    dependencies: Record<string, string>;
  };
  const reasons = readSource('docs/decisions/dependencies.md').text;
  const rows = [...reasons.matchAll(/^\| ([@\w./-]+) \|/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'Package');
  assert.deepEqual(rows.toSorted(), Object.keys(dependencies).toSorted());
});
