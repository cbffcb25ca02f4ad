// Tests of compose.yaml: its form, by the schema of the compose specification, and the passwords that its first start generates.

import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { readSource } from '../support/code/source-files.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { run } from '../support/deploy/programs.ts';

interface Service {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: unknown;
  readonly networks?: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly stop_grace_period?: string;
}

type ServiceName =
  | 'freehold'
  | 'freehold2'
  | 'freehold3'
  | 'postgres'
  | 'passwords'
  | 'caddy'
  | 'haproxy'
  | 'valkey';

const file = parse(readSource('compose.yaml').text, { merge: true }) as {
  readonly services: Readonly<Record<ServiceName, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
};
const { freehold, freehold2, freehold3, postgres, passwords, caddy, haproxy, valkey } = file.services;

const networksOf = ({ networks = {} }: Service): readonly string[] =>
  Array.isArray(networks) ? networks : Object.keys(networks);
const addressOf = ({ networks = {} }: Service): string =>
  (Array.isArray(networks) ? undefined : (networks as Record<string, { ipv4_address?: string }>).edge)
    ?.ipv4_address ?? '';

/** As the repository compose-spec/compose-spec had it on 23 June 2026 (Apache License 2.0). */
const SCHEMA = JSON.parse(readSource('test/support/deploy/compose-spec.json').text) as object;

/** What Compose makes of a text: its parameters are those of a shell. */
const expand = (text: string, environment: Readonly<Record<string, string>> = {}): Promise<string> =>
  run('bash', ['-c', `printf %s "${text}"`], { env: environment });

test('compose.yaml is what the compose specification describes', () => {
  const validate = new Ajv({
    strict: false,
    allErrors: true,
    validateFormats: false,
    validateSchema: false,
  }).compile(SCHEMA);
  assert.ok(validate(file), JSON.stringify(validate.errors, null, 2));
  const misspelt = { ...file, services: { ...file.services, freehold: { ...freehold, prots: [] } } };
  assert.equal(validate(misspelt), false);
});

test('every volume and network that a service names is declared, and none is idle', () => {
  const named = Object.values(file.services).flatMap(({ volumes = [] }) =>
    volumes.map((volume) => volume.split(':')[0] ?? ''),
  );
  const volumes = named.filter((name) => !name.startsWith('.'));
  assert.deepEqual([...new Set(volumes)].toSorted(), Object.keys(file.volumes).toSorted());
});

test('PostgreSQL keeps its data in a volume, has no port outside, and only Freehold reaches it', () => {
  assert.equal(postgres.image, 'postgres:18');
  // Where the image of version 18 keeps its data; a volume at /var/lib/postgresql/data would stay empty.
  assert.ok(postgres.volumes?.includes('database:/var/lib/postgresql'));
  assert.equal(postgres.ports, undefined);
  assert.deepEqual(postgres.networks, ['database']);
  assert.equal(file.networks.database?.internal, true);
  const neighbours = Object.values(file.services).filter((each) => networksOf(each).includes('database'));
  assert.deepEqual(neighbours, [freehold, freehold2, freehold3, postgres]);
});

test('Freehold listens on this machine only, and Caddy, once a profile asks for it, on every address', () => {
  assert.deepEqual(freehold.ports, ['127.0.0.1:8080:8080']);
  assert.deepEqual(caddy.profiles, ['tls']);
  assert.ok(caddy.ports?.includes('443:443'));
  assert.equal(freehold.stop_grace_period, '30s');
  for (const service of [freehold, postgres]) assert.notEqual(service.healthcheck, undefined);
});

test('DOMAIN decides the public URL, and Caddy and HAProxy alone are trusted with the addresses of clients', async () => {
  const url = freehold.environment?.PUBLIC_URL ?? '';
  assert.equal(await expand(url), 'http://localhost:8080');
  assert.equal(await expand(url, { DOMAIN: 'homes.example.com' }), 'https://homes.example.com');
  const proxies = freehold.environment?.TRUSTED_PROXIES ?? '';
  assert.equal(proxies, `${addressOf(caddy)},${addressOf(haproxy)}`);
  assert.equal(haproxy.environment?.PROXY, addressOf(caddy));
  for (const environment of [{}, { EDGE: '10.9.8' }]) {
    const settings = {
      HOST: '0.0.0.0',
      PUBLIC_URL: await expand(url, { DOMAIN: 'homes.example.com' }),
      TRUSTED_PROXIES: await expand(proxies, environment),
    };
    assert.deepEqual(readConfig(settings, '/').trustedProxies, settings.TRUSTED_PROXIES.split(','));
  }
});

test('the profile scale adds two nodes, the balancer before the three, and a limiter that evicts nothing', async () => {
  const added = Object.entries(file.services).filter(([, { profiles }]) => profiles?.includes('scale'));
  assert.deepEqual(
    added.map(([name]) => name),
    ['freehold2', 'freehold3', 'haproxy', 'valkey'],
  );
  const nodes = [freehold, freehold2, freehold3];
  for (const [at, node] of nodes.entries()) {
    assert.equal(haproxy.environment?.[`NODE${at + 1}`], `${addressOf(node)}:8080`);
    assert.equal(node.environment?.TRUSTED_PROXIES, freehold.environment?.TRUSTED_PROXIES);
    assert.equal(node.image, freehold.image);
    assert.ok(networksOf(node).includes('limits'));
    const url = node.environment?.LIMITS_URL ?? '';
    assert.deepEqual(
      [await expand(url), await expand(url, { LIMITS_URL: 'redis://valkey' })],
      ['', 'redis://valkey'],
    );
  }
  // Files of each process are its own, but for the photos that all of them serve.
  const data = nodes.map(({ volumes = [] }) => volumes.find((volume) => volume.endsWith(':/data')));
  assert.deepEqual(data, ['data:/data', 'data2:/data', 'data3:/data']);
  for (const node of [freehold2, freehold3]) {
    assert.ok(node.volumes?.includes('data:/first'));
    const settings = { BACKUP_DIR: '/data/backups', MEDIA_DIR: '', ...node.environment };
    const { backup, media } = readConfig(
      { ...settings, PUBLIC_URL: '', TRUSTED_PROXIES: '', LIMITS_URL: '', HOST: '::1' },
      '/',
    );
    assert.equal(backup, null);
    assert.equal(media.folder, '/first/photos');
  }
  assert.ok(haproxy.volumes?.some((volume) => volume.startsWith('./deploy/balancers/haproxy.cfg:')));
  assert.match(haproxy.image, /^haproxy:2\.6\.\d+$/);
  assert.match(valkey.image, /^valkey\/valkey:\d+\.\d+\.\d+$/);
  assert.match(String(valkey.command), /--maxmemory-policy,noeviction$/);
  assert.equal(valkey.ports, undefined);
  assert.equal(file.networks.limits?.internal, true);
});

const skip = process.getuid?.() === 0 ? false : 'needs root, to give files to other users';

test('the first start generates passwords, each readable for the one who needs it; later starts keep them', {
  skip,
}, async (t) => {
  const generate = async (): Promise<string> => {
    const folder = await temporaryFolder(t, 'secrets');
    const script = (passwords.command?.[0] ?? '').replaceAll('$$', '$').replace('/secrets', folder);
    const start = () => run('bash', ['-euc', script]);
    await start();
    assert.deepEqual((await readdir(folder)).toSorted(), ['.env', 'postgres-password']);
    const [settings, password] = [`${folder}/.env`, `${folder}/postgres-password`];
    const owners = await Promise.all([settings, password].map((path) => stat(path)));
    assert.deepEqual(
      owners.map(({ uid, mode }) => [uid, mode & 0o777]),
      [
        [65_532, 0o600],
        [999, 0o600],
      ],
    );
    const text = await readFile(settings, 'utf8');
    const { databaseUrl, secretsKey } = readConfig(parseEnv(text), folder);
    assert.equal(
      databaseUrl,
      `postgres://freehold:${await readFile(password, 'utf8')}@postgres:5432/freehold`,
    );
    assert.equal(Buffer.from(secretsKey ?? '', 'base64').length, 32);
    await start();
    assert.equal(await readFile(settings, 'utf8'), text);
    return text;
  };
  assert.notEqual(await generate(), await generate());
});

test('no password stands in the file', () => {
  const text = readSource('compose.yaml').text;
  assert.doesNotMatch(text, /POSTGRES_PASSWORD:|PASSWORD=|SECRETS_KEY:/);
});
