// Release of one version: checks what it rests on, writes the version everywhere, builds the artefacts into dist/ and says how to publish
// them. It publishes nothing itself, contacts no registry and needs no secret.
//
//   node tools/release.ts VERSION [--checked]

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lostParts, type OpenApi } from './api-growth.ts';
import { changelogSection, fitsSchema, isNewer, isVersion } from './versions.ts';
import { readVersion, writeRepository, writeVersion } from './write-version.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
const MIGRATIONS = 'src/postgres/migrations';

/** What operators run without the sources: copied as it is. */
const DEPLOYMENT = ['compose.yaml', 'Containerfile', 'deploy'];

/** Bytes; openapi.json and the list of materials are a million or two. */
const MAX_OUTPUT = 2 ** 26;

class Refusal extends Error {}

try {
  release();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function release(): void {
  const { version, isChecked } = readArguments();
  const former = readVersion(ROOT);
  const notes = check(version, former);
  if (!isChecked) run('bash', ['.ci/run']);
  writeVersion(ROOT, former, version);
  const origin = output('git', ['config', '--default', '', '--get', 'remote.origin.url']);
  const hasRepository = writeRepository(ROOT, origin);
  writeFileSync(join(ROOT, 'openapi.json'), `${output(process.execPath, ['bin/freehold.js', 'openapi'])}\n`);
  build(version, notes);
  console.log(instructions(version, hasRepository));
}

function readArguments(): { readonly version: string; readonly isChecked: boolean } {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { checked: { type: 'boolean', default: false } },
  });
  const [version = '', ...others] = positionals;
  if (!isVersion(version) || others.length > 0)
    throw new Refusal('Say which version: node tools/release.ts 0.2.0 [--checked]');
  return { version, isChecked: values.checked };
}

/** Refuses what must not be released; returns the changes of this version as the changelog has them. */
function check(version: string, former: string): string {
  const changes = output('git', ['status', '--porcelain']);
  if (changes !== '') throw new Refusal(`Commit or stash these changes first:\n${changes}`);
  if (version !== former && !isNewer(version, former))
    throw new Refusal(`${version} is older than ${former}, the version of package.json.`);
  const section = changelogSection(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  if ('fault' in section) throw new Refusal(section.fault);
  const tag = output('git', ['tag', '--list', '--merged', 'HEAD', '--sort=-v:refname', 'v*'])
    .split('\n')
    .find((name) => isVersion(name.slice(1)) && isNewer(version, name.slice(1)));
  if (tag !== undefined) compare(version, tag);
  return section.text;
}

/** Refuses what docs/versioning.md promises not to do, as far as it can be seen. */
function compare(version: string, tag: string): void {
  const migrations = output('git', ['diff', '--name-only', tag, '--', `${MIGRATIONS}/*.sql`]);
  if (!fitsSchema(version, tag.slice(1), migrations))
    throw new Refusal(
      `${version} is a patch of ${tag.slice(1)} and changes the schema, so nobody could go back:\n${migrations}\nRelease it as a minor version.`,
    );
  const before = JSON.parse(output('git', ['show', `${tag}:openapi.json`])) as OpenApi;
  const lost = lostParts(before, JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as OpenApi);
  if (lost.length > 0)
    throw new Refusal(
      `The API below /v1 only grows, and ${version} takes from ${tag.slice(1)}:\n${lost.join('\n')}`,
    );
}

function build(version: string, notes: string): void {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(DIST);
  const name = `freehold-${version}`;
  const packages = { [name]: '.', [`freehold-client-${version}`]: './packages/client' };
  for (const [file, folder] of Object.entries(packages)) {
    run('npm', ['pack', folder, '--offline', '--silent', '--pack-destination', DIST]);
    if (!existsSync(join(DIST, `${file}.tgz`))) throw new Error(`npm made no ${file}.tgz`);
  }
  const archive = ['--format=tar.gz', `--prefix=${name}/`, `--output=${join(DIST, `${name}-source.tar.gz`)}`];
  run('git', ['archive', ...archive, writeTree()]);
  writeFileSync(join(DIST, `${name}-sbom.cdx.json`), `${listMaterials()}\n`);
  for (const path of DEPLOYMENT)
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(DIST, path), { recursive: true });
  writeFileSync(join(DIST, 'SHA256SUMS'), checksums());
  // Not an artefact, but the text that stands beside them.
  writeFileSync(join(DIST, 'NOTES.md'), `${notes}\n`);
}

/** What the package and its dependencies consist of (CycloneDX). */
function listMaterials(): string {
  // Before npm 12 the name of the folder is that of the product.
  const folder = join(DIST, 'freehold');
  mkdirSync(folder);
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(ROOT, file), join(folder, file));
  const args = [
    'sbom',
    '--package-lock-only',
    '--omit=dev',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
  ];
  const list = output('npm', [...args, '--offline', '--silent', '--prefix', folder]);
  rmSync(folder, { recursive: true });
  return list;
}

/** The tracked files as they are now, with the version that is not committed yet: the commit or a tree. */
function writeTree(): string {
  // Files of a commit have its time.
  if (output('git', ['status', '--porcelain']) === '') return 'HEAD';
  const index = join(DIST, '.index');
  const env = { ...process.env, GIT_INDEX_FILE: index };
  run('git', ['read-tree', 'HEAD'], env);
  run('git', ['add', '--update', '.'], env);
  const tree = output('git', ['write-tree'], env);
  rmSync(index);
  return tree;
}

/** In the format of `sha256sum`. */
function checksums(): string {
  const files = globSync('**/*', { cwd: DIST }).filter((path) => statSync(join(DIST, path)).isFile());
  const lines = files.toSorted().map((path) => {
    const sum = createHash('sha256').update(readFileSync(join(DIST, path)));
    return `${sum.digest('hex')}  ${path}\n`;
  });
  return lines.join('');
}

function instructions(version: string, hasRepository: boolean): string {
  const isChanged = output('git', ['status', '--porcelain']) !== '';
  const commit = isChanged ? [`  git commit --all --message 'Release ${version}'`] : [];
  const warning = hasRepository
    ? []
    : [
        '',
        'package.json names no repository, and the `origin` of git is no URL to take it from: npm then refuses the provenance.',
      ];
  return [
    `Freehold ${version} is in dist/:`,
    ...globSync('*', { cwd: DIST })
      .toSorted()
      .map((name) => `  ${name}`),
    '',
    'To publish it, push its tag; .github/workflows/release.yml does the rest:',
    ...commit,
    `  git tag --annotate v${version} --message 'Freehold ${version}'`,
    `  git push origin HEAD v${version}`,
    '',
    'By hand, without provenance:',
    `  npm publish dist/freehold-${version}.tgz --access public`,
    `  npm publish dist/freehold-client-${version}.tgz --access public`,
    '',
    'Images, at the tag, labelled with what they are built of:',
    `  docker build --build-arg VERSION=${version} --build-arg REVISION=$(git rev-parse HEAD) -t freehold:${version} .`,
    `  docker build --build-arg VERSION=${version} --build-arg REVISION=$(git rev-parse HEAD) --target slim -t freehold:${version}-slim .`,
    ...warning,
  ].join('\n');
}

function run(program: string, args: readonly string[], env = process.env): void {
  execFileSync(program, args, { cwd: ROOT, env, stdio: 'inherit' });
}

/** Its standard output, without the last line's end. */
function output(program: string, args: readonly string[], env = process.env): string {
  const { status, error, stdout } = spawnSync(program, args, {
    cwd: ROOT,
    env,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw error ?? new Error(`${program} ${args[0]} failed`);
  return stdout.trimEnd();
}
