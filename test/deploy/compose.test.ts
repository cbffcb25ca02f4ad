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
  readonly volumes: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: unknown;
  readonly networks?: unknown;
  readonly stop_grace_period?: string;
}

const file = parse(readSource('compose.yaml').text, { merge: true }) as {
  readonly services: Readonly<Record<'freehold' | 'postgres' | 'passwords' | 'caddy', Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
};
const { freehold, postgres, passwords, caddy } = file.services;

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
  const named = Object.values(file.services).flatMap(({ volumes }) =>
    volumes.map((volume) => volume.split(':')[0] ?? ''),
  );
  const volumes = named.filter((name) => !name.startsWith('.'));
  assert.deepEqual([...new Set(volumes)].toSorted(), Object.keys(file.volumes).toSorted());
});

test('PostgreSQL keeps its data in a volume, has no port outside, and only Freehold reaches it', () => {
  assert.equal(postgres.image, 'postgres:18');
  // Where the image of version 18 keeps its data; a volume at /var/lib/postgresql/data would stay empty.
  assert.ok(postgres.volumes.includes('database:/var/lib/postgresql'));
  assert.equal(postgres.ports, undefined);
  assert.deepEqual(postgres.networks, ['database']);
  assert.equal(file.networks.database?.internal, true);
  const neighbours = Object.values(file.services).filter(
    ({ networks }) => Array.isArray(networks) && networks.includes('database'),
  );
  assert.deepEqual(neighbours, [freehold, postgres]);
});

test('Freehold listens on this machine only, and Caddy, once a profile asks for it, on every address', () => {
  assert.deepEqual(freehold.ports, ['127.0.0.1:8080:8080']);
  assert.deepEqual(caddy.profiles, ['tls']);
  assert.ok(caddy.ports?.includes('443:443'));
  assert.equal(freehold.stop_grace_period, '30s');
  for (const service of [freehold, postgres]) assert.notEqual(service.healthcheck, undefined);
});

test('DOMAIN decides the public URL, and Caddy alone is trusted with the addresses of clients', async () => {
  const url = freehold.environment?.PUBLIC_URL ?? '';
  assert.equal(await expand(url), 'http://localhost:8080');
  assert.equal(await expand(url, { DOMAIN: 'homes.example.com' }), 'https://homes.example.com');
  const proxy = freehold.environment?.TRUSTED_PROXIES ?? '';
  const { edge } = caddy.networks as { edge: { ipv4_address: string } };
  assert.equal(edge.ipv4_address, proxy);
  for (const environment of [{}, { EDGE: '10.9.8' }]) {
    const settings = {
      HOST: '0.0.0.0',
      PUBLIC_URL: await expand(url, { DOMAIN: 'homes.example.com' }),
      TRUSTED_PROXIES: await expand(proxy, environment),
    };
    assert.deepEqual(readConfig(settings, '/').trustedProxies, [settings.TRUSTED_PROXIES]);
  }
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
