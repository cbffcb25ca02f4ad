// Owns the proof that the README can be followed: its commands are run as they stand, against a service of the test's own.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { glob, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../src/config.ts';
import { temporaryFolder } from './support/database.ts';
import { follow, shellBlocks, writeKeys } from './support/following.ts';
import { startService } from './support/service.ts';
import { ROOT, readSource } from './support/source-files.ts';

const README = readSource('README.md').text;
test('a newcomer who follows the README searches, takes a key, finds a city, reads a property and sees it live', async (t) => {
  const { url, keys, databaseUrl } = await startService(t, { source: 'sample', sampleListings: 2_000 });
  const folder = await temporaryFolder(t, 'newcomer');
  await writeKeys(folder, keys);
  await symlink(join(ROOT, 'docs'), join(folder, 'docs'));
  const [search = '', usage = '', city = '', words = '', property = '', stream = '', imports = ''] =
    await follow(shellBlocks(README), folder, url, { DATABASE_URL: databaseUrl });
  assert.equal(JSON.parse(search).data.length, 3);
  assert.equal(JSON.parse(usage).tier, 'free');
  const [areas = '', rentals = ''] = city.trim().split(/(?<=\})(?=\{"object")/);
  assert.ok(JSON.parse(areas).data.length > 0);
  assert.deepEqual(Object.keys(JSON.parse(rentals).data[0]), ['id', 'object', 'price', 'address']);
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

test('the README names every setting with its default, and no other', async () => {
  const config = readSource('src/config.ts');
  const known = [
    ...(/const NAMES = \[([\s\S]*?)\n\];/.exec(config.code)?.[1]?.matchAll(/'(\w+)'/g) ?? []),
  ].map(([, name]) => name);
  const rows = [...README.matchAll(/^\| `([A-Z_]+)` \| (?:`([^`]*)`)?/gm)];
  assert.ok(known.length > 10);
  assert.deepEqual(rows.map(([, name]) => name).toSorted(), known.toSorted());
  const shown = new Map(rows.map(([, name, value]) => [name, value]));
  const defaults = readConfig({}, ROOT);
  assert.deepEqual(
    ['PORT', 'HOST', 'LOG_LEVEL', 'SOURCE', 'SUBSCRIPTIONS'].map((name) => shown.get(name)),
    [String(defaults.port), defaults.host, defaults.logLevel, defaults.source.kind, defaults.subscriptions],
  );
  assert.equal(defaults.dataDirectory, join(ROOT, shown.get('DATA_DIR') ?? ''));
  assert.ok(defaults.source.kind === 'sample');
  assert.equal(String(defaults.source.interval), shown.get('SAMPLE_INTERVAL'));
});

for (const page of [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/oauth.md',
  'docs/operations.md',
  'docs/security.md',
  'docs/decisions/README.md',
]) {
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
