// Images of the Containerfile, built by buildah without a daemon, on a Debian that mmdebstrap makes.

import { createHash } from 'node:crypto';
import { mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DAY } from '../../../src/lib/clock.ts';
import { statIfExists } from '../../../src/lib/files.ts';
import { ROOT } from '../code/source-files.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { run, withoutPrograms } from './programs.ts';

/** Why tests of images are skipped; false where they run. */
export const withoutImages =
  withoutPrograms(
    ['buildah', 'buildah'],
    ['mmdebstrap', 'mmdebstrap'],
    ['unshare', 'util-linux'],
    ['npm', 'npm'],
  ) || (process.getuid?.() === 0 ? false : 'needs root, to start containers without an engine');

/** The version that the images are labelled with. */
export const VERSION = '1.2.3';
/** What the Containerfile would install: with them in the base, only npm needs a network. */
const PACKAGES = ['libatomic1', 'libstdc++6', 'tini', 'libnss-wrapper'];
/** Milliseconds for which later runs use a base. */
const BASE_LIFETIME = 7 * DAY;

export interface Image {
  /** The root folder of a container of it. */
  readonly root: string;
  readonly config: ImageConfig;
}

/** As Docker's format has it. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly StopSignal: string;
  readonly Volumes: Readonly<Record<string, unknown>>;
  readonly Labels: Readonly<Record<string, string>>;
  /** Durations in nanoseconds. */
  readonly Healthcheck: {
    readonly Test: readonly string[];
    readonly Interval: number;
    readonly Timeout: number;
    readonly StartPeriod: number;
    readonly Retries: number;
  };
}

/** Builds both images, by one build with layers; everything but the base is removed at the end. */
export async function buildImages(t: Closing): Promise<{ readonly full: Image; readonly slim: Image }> {
  const folder = await mkdtemp(join(tmpdir(), 'freehold-images-'));
  const options = ['--root', join(folder, 'root'), '--runroot', join(folder, 'run')];
  const buildah: Buildah = (...args) => run('buildah', [...options, ...args], { cwd: ROOT });
  atEnd(t, async () => {
    // A build that failed leaves its containers mounted.
    await buildah('rm', '--all').catch(() => {});
    await rm(folder, { recursive: true, force: true });
  });
  await createImage(buildah, 'scratch', 'base', [[await debianBase(), '/']]);
  const npm = dirname(dirname(await realpath(await run('sh', ['-c', 'command -v npm']))));
  // What programs of this machine trust besides the usual authorities.
  const authorities = process.env.NODE_EXTRA_CA_CERTS ?? '';
  await createImage(buildah, 'localhost/base', 'node', [
    [process.execPath, '/usr/local/bin/node'],
    [npm, '/usr/local/lib/npm'],
    ...(authorities === '' ? [] : [[authorities, authorities] as const]),
  ]);
  const settings = join(folder, 'npmrc');
  const registry = await run('npm', ['config', 'get', 'registry']);
  await writeFile(settings, `registry=${registry}\n${authorities === '' ? '' : `cafile=${authorities}\n`}`);
  return { full: await build(buildah, 'full', settings), slim: await build(buildah, 'slim', settings) };
}

type Buildah = (...args: readonly string[]) => Promise<string>;

/** The archive of a small Debian of this machine's release, made once in a week. */
async function debianBase(): Promise<string> {
  const sources = await run('apt-get', [
    'indextargets',
    '--format',
    '$(SITE) $(RELEASE)',
    'Created-By: Packages',
  ]);
  const [site = '', suite = ''] = (sources.split('\n').find((line) => /debian \w+$/.test(line)) ?? '').split(
    ' ',
  );
  const key = createHash('sha256')
    .update(`${site} ${suite} ${PACKAGES.join(' ')}`)
    .digest('hex')
    .slice(0, 12);
  const file = join(tmpdir(), `freehold-test-base-${key}.tar`);
  const made = (await statIfExists(file))?.mtimeMs ?? 0;
  if (Date.now() - made < BASE_LIFETIME) return file;
  const draft = `${file}.${process.pid}.tar`;
  const options = [
    '--variant=essential',
    '--dpkgopt=force-unsafe-io',
    `--include=${PACKAGES.join(',')}`,
    '--quiet',
  ];
  const excluded = ['doc', 'info', 'locale', 'man'].map(
    (name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`,
  );
  await run('mmdebstrap', [...options, ...excluded, suite, draft, site]);
  await rename(draft, file);
  return file;
}

async function createImage(
  buildah: Buildah,
  from: string,
  name: string,
  files: readonly (readonly [source: string, target: string])[],
): Promise<void> {
  const container = await buildah('from', from);
  for (const [source, target] of files) await buildah('add', container, source, target);
  if (name === 'node') {
    const root = await buildah('mount', container);
    await symlink('../lib/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  }
  await buildah('commit', '--format', 'docker', '--rm', container, `localhost/${name}`);
}

async function build(buildah: Buildah, target: string, npmrc: string): Promise<Image> {
  const values = { BASE: 'localhost/base', NODE: 'localhost/node', VERSION };
  const settings = Object.entries(values).map(([name, value]) => `--build-arg=${name}=${value}`);
  const how = ['--isolation=chroot', '--format=docker', '--layers', `--secret=id=npmrc,src=${npmrc}`];
  const name = `localhost/freehold:${target}`;
  await buildah(
    'bud',
    ...how,
    ...settings,
    `--target=${target}`,
    `--tag=${name}`,
    '--file=Containerfile',
    '.',
  );
  const inspected = JSON.parse(await buildah('inspect', '--type=image', name)) as {
    readonly Docker: { readonly config: ImageConfig };
  };
  return { root: await buildah('mount', await buildah('from', name)), config: inspected.Docker.config };
}
