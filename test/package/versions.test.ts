// Proof of the rules that a version has to keep, and that everything names the same one.

import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { VERSION as CLIENT_VERSION } from '../../packages/client/src/version.ts';
import { VERSION } from '../../src/app/version.ts';
import { changelogSection, fitsSchema, isNewer, isVersion } from '../../tools/versions.ts';
import { ROOT, readSource } from '../support/code/source-files.ts';

const NAMING = [
  'README.md',
  'docs/*.md',
  'packages/client/README.md',
  'Containerfile',
  'compose.yaml',
  'deploy/**/*.*',
  '.github/workflows/*.yml',
];

test('a version has three numbers, and they are compared one by one', () => {
  assert.deepEqual(['0.2.0', '10.0.3', '1.2', 'v1.2.3', '01.2.3', '1.2.3-beta'].map(isVersion), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  assert.deepEqual(
    [
      isNewer('0.10.0', '0.9.9'),
      isNewer('1.0.0', '0.9.9'),
      isNewer('0.2.1', '0.2.0'),
      isNewer('0.2.0', '0.2.0'),
      isNewer('0.2.9', '0.3.0'),
    ],
    [true, true, true, false, false],
  );
});

test('a patch brings no migration; minor and major versions may', () => {
  const migration = 'src/postgres/migrations/099_more.sql';
  assert.equal(fitsSchema('0.2.1', '0.2.0', migration), false);
  assert.equal(fitsSchema('0.2.1', '0.2.0', ''), true);
  assert.equal(fitsSchema('0.3.0', '0.2.9', migration), true);
  assert.equal(fitsSchema('1.0.0', '0.2.0', migration), true);
});

test('a version is released with its dated section, and with nothing left under Unreleased', () => {
  const faultOf = (changelog: string) => {
    const section = changelogSection(changelog, '0.2.0');
    return 'fault' in section ? section.fault : '';
  };
  const complete =
    '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-28\n\n### Added\n\n- All.\n\n## [0.1.0] - 2026-01-01\n\n- Old.\n';
  assert.deepEqual(changelogSection(complete, '0.2.0'), { text: '### Added\n\n- All.', date: '2026-11-28' });
  assert.match(faultOf(complete.replace('## [Unreleased]\n', '')), /no section "\[Unreleased\]"/);
  assert.match(
    faultOf(complete.replace('[Unreleased]\n', '[Unreleased]\n\n- More.\n')),
    /under "Unreleased"/,
  );
  assert.match(faultOf(complete.replace(' - 2026-11-28', '')), /no dated section of 0\.2\.0/);
  assert.match(faultOf(complete.replace('2026-11-28', '2026-13-28')), /no dated section of 0\.2\.0/);
  assert.match(faultOf(complete.replace('[0.2.0]', '[0.2.00]')), /no dated section of 0\.2\.0/);
  assert.match(faultOf(complete.replace('### Added\n\n- All.\n', '')), /says nothing about 0\.2\.0/);
});

test('documents, deployment files and openapi.json name the version of package.json', () => {
  const mentions = globSync(NAMING, { cwd: ROOT }).flatMap((path) =>
    [...readSource(path).text.matchAll(/freehold(?:-client)?[-:@ ]v?(\d+\.\d+\.\d+)/gi)].map(
      ([, version]) => `${path} ${version}`,
    ),
  );
  assert.ok(mentions.length > 2, 'mentions were found');
  assert.deepEqual(
    mentions.filter((mention) => !mention.endsWith(` ${VERSION}`)),
    [],
  );
  const { info } = JSON.parse(readSource('openapi.json').text) as { info: { version: string } };
  const lock = JSON.parse(readSource('package-lock.json').text) as { version: string };
  const client = JSON.parse(readSource('packages/client/package.json').text) as { version: string };
  assert.deepEqual([info.version, lock.version, client.version], [VERSION, VERSION, VERSION]);
  assert.equal(CLIENT_VERSION, VERSION, 'what the client says of itself');
});

test('the newest dated section of the changelog is that of package.json, with nothing after it but older ones', () => {
  const versions = [
    ...readSource('CHANGELOG.md').text.matchAll(/^## \[(\d[^\]]*)\] - \d{4}-\d{2}-\d{2}$/gm),
  ].map(([, version = '']) => version);
  assert.equal(versions[0], VERSION);
  assert.ok(versions.every((version, at) => at === 0 || isNewer(versions[at - 1] ?? '', version)));
});

/** Text that leads whoever follows it to the registry, where the name may be a stranger's. */
const FROM_REGISTRY = [
  /\bnpx (?!--no-install |\.)(?:-\S+ )*(?:@freehold\/|freehold\b(?!-\d))/,
  /\bnpm (?:i|install|add|exec|x|init|create) (?:-\S+ )*(?:-- )?(?:@freehold\/|freehold\b(?!-\d))/,
];

test('no document or message tells anybody to run freehold from the registry, where the name may be a stranger’s', () => {
  const pages = [
    '*.md',
    '{docs,packages}/**/*.md',
    'src/**/*.{ts,json}',
    'bin/*',
    'compose.yaml',
    'deploy/**/*.*',
  ];
  const found = globSync(pages, { cwd: ROOT }).flatMap((path) =>
    readSource(path)
      .text.split('\n')
      .filter((line) => FROM_REGISTRY.some((pattern) => pattern.test(line)))
      .map((line) => `${path}: ${line}`),
  );
  assert.deepEqual(found, []);
  const isRefused = (line: string) => FROM_REGISTRY.some((pattern) => pattern.test(line));
  assert.deepEqual(
    ['npx freehold serve', 'npx -y freehold', 'npm install freehold', 'npm i -g @freehold/client'].map(
      isRefused,
    ),
    [true, true, true, true],
  );
  assert.deepEqual(
    [
      'npx ./freehold-0.2.0.tgz serve',
      'npx --no-install freehold serve',
      'npm install ./freehold-0.2.0.tgz',
    ].map(isRefused),
    [false, false, false],
  );
});
