// Tests of the configuration: defaults, every fault at once with its remedy, nothing silently ignored.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENVIRONMENTS } from '../test/support/process/environments.ts';
import { ConfigError, readConfig } from './config.ts';
import type { Environment } from './lib/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'freehold-config-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

function faultsOf(environment: Environment, envFile = ''): readonly string[] {
  writeFileSync(join(folder, '.env'), envFile);
  try {
    readConfig(environment, folder);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
}

test('an empty environment gives the sample market on an embedded database at 127.0.0.1:8080', () => {
  const config = readConfig({}, folder);
  assert.deepEqual(
    { ...config, dataDirectory: config.dataDirectory.slice(folder.length + 1) },
    {
      port: 8080,
      host: '127.0.0.1',
      publicUrl: null,
      dataDirectory: '.freehold',
      databaseUrl: null,

      source: { kind: 'sample', port: 0, interval: 5 },
      subscriptions: { kind: 'local' },
      tiersFile: null,
      sources: { file: null, variables: {} },
      auditsQueries: false,
      explorer: { audience: 'public', embedder: null, basemapFile: null },
      site: { name: null, logo: null, accent: null, legal: [], notice: null },
      billing: { portalUrl: null, graceDays: 7 },
      media: {
        mode: 'link',
        folder: join(folder, '.freehold/photos'),
        cacheFolder: join(folder, '.freehold/photo-cache'),
        cacheMegabytes: 1_000,
        avif: false,
        allow: [],
      },
      trustedProxies: [],
      metrics: { allow: [], token: null },
      logLevel: 'info',
      backup: null,
      connections: { connections: null, connectionsPerAddress: null },
      oauth: { refreshGrace: 30, grantMaxDays: null },
      search: { engine: 'memory', cacheMegabytes: 16 },
      defaultCurrency: null,
      secretsKey: null,
      webhookAllow: [],
      importAllow: [],
      geocoder: null,
      keepAliveSeconds: 65,
      drainSeconds: 5,
      databaseConnections: 10,
      limitsUrl: null,
      allowHttp: 'loopback',
    },
  );
});

test('a configuration cannot be changed once read', () => {
  const config = readConfig({}, folder);
  assert.ok(
    Object.isFrozen(config) && Object.isFrozen(config.source) && Object.isFrozen(config.trustedProxies),
  );
});

test('every fault is listed at once, each naming its setting', () => {
  const faults = faultsOf({
    PORT: '70000',
    PUBLIC_URL: 'http://api.example.com',
    SOURCE: 'mls',
    LOG_LEVEL: 'loud',
    TRUSTED_PROXIES: '10.0.0.0/8,nonsense',
    SAMPLE_INTERVAL: '1.5',
    DATABASE_URL: 'mysql://x',
    SECRETS_KEY: 'canary',
    WEBHOOK_ALLOW: '10.0.0.0/8:8443,10.0.0.1,example.com:80',
  });
  const named = [
    'SECRETS_KEY',
    'WEBHOOK_ALLOW: 10.0.0.1 ',
    'WEBHOOK_ALLOW: example.com:80 ',
    'PORT',
    'PUBLIC_URL',
    'SOURCE',
    'LOG_LEVEL',
    'TRUSTED_PROXIES',
    'SAMPLE_INTERVAL',
    'DATABASE_URL',
  ];
  assert.equal(faults.length, named.length);
  for (const name of named)
    assert.ok(
      faults.some((fault) => fault.startsWith(name)),
      name,
    );
});

test('unknown names are refused with what was meant: ours in the environment, any in the env file', () => {
  assert.match(
    faultsOf({ SAMPLE_PROT: '1' })[0] ?? '',
    /^SAMPLE_PROT is not a setting; did you mean SAMPLE_PORT\?$/,
  );
  assert.match(
    faultsOf({ SEARCH_SHADOW_RATE: '0' })[0] ?? '',
    /^SEARCH_SHADOW_RATE is not a setting any more: remove it; .*`freehold doctor --compare`$/,
  );
  assert.match(faultsOf({}, 'PRT=1\n')[0] ?? '', /^PRT is not a setting; did you mean PORT\?$/);
  assert.deepEqual(faultsOf({ PROT: '1', EDITOR: 'vi', FREEHOLD_PRO_KEY: 'x' }), []);
});

test('the env file may have secrets of sources under names of the operator, unless they look like settings', () => {
  assert.deepEqual(
    faultsOf({}, 'MLSGRID_TOKEN=1\nWEST_ID=1\nWEST_CLIENT_SECRET=1\nWEST_TOKEN_URL=https://w.example\n'),
    [],
  );
  for (const slip of ['METRIC_TOKEN', 'RESO_BEARER_TOKN', 'RESO_OTHER_TOKEN', 'MLSGRID_TOKENS', 'SITE_URL'])
    assert.match(faultsOf({}, `${slip}=1\n`)[0] ?? '', new RegExp(`^${slip} is not a setting; `), slip);
});

test('a name one slip away from a setting stops the start, with underscores or without', () => {
  const slips = {
    DATABSE_URL: 'DATABASE_URL',
    DATABASE_ULR: 'DATABASE_URL',
    DATABASE_URI: 'DATABASE_URL',
    DATABASE_URLS: 'DATABASE_URL',
    DATABASEURL: 'DATABASE_URL',
    DATA_BASE_URL: 'DATABASE_URL',
    DATADIR: 'DATA_DIR',
    LOGLEVEL: 'LOG_LEVEL',
    SORUCE: 'SOURCE',
    TIER_FILE: 'TIERS_FILE',
    TRUSTED_PROXYES: 'TRUSTED_PROXIES',
    OATH_GRANT_MAX_DAYS: 'OAUTH_GRANT_MAX_DAYS',
    REOS_BASE_URL: 'RESO_BASE_URL',
  };
  const faults = faultsOf(Object.fromEntries(Object.keys(slips).map((name) => [name, 'x'])));
  assert.equal(faults.length, Object.keys(slips).length);
  for (const [slip, meant] of Object.entries(slips)) {
    const told = faults.filter((fault) =>
      fault.startsWith(`${slip} is not a setting; did you mean ${meant}?`),
    );
    assert.equal(told.length, 1, slip);
  }
  assert.deepEqual(faultsOf({ PORTS: 'x', HOSTS: 'x', GHOST: 'x', RESOURCE: 'x' }), []);
});

for (const [system, environment] of Object.entries(ENVIRONMENTS)) {
  test(`nothing that the environment of ${system} holds stops the start`, () => {
    assert.deepEqual(faultsOf(environment), []);
  });
}

test('the environment overrides the env file', () => {
  writeFileSync(join(folder, '.env'), 'PORT=1000\nHOST=::1\n');
  const { port, host } = readConfig({ PORT: '2000' }, folder);
  assert.deepEqual([port, host], [2000, '::1']);
});

test('plain http is accepted for this machine alone', () => {
  assert.deepEqual(faultsOf({ PUBLIC_URL: 'http://localhost:8080' }), []);
  assert.deepEqual(faultsOf({ PUBLIC_URL: 'http://[::1]:8080/' }), []);
  assert.match(faultsOf({ PUBLIC_URL: 'http://localhost.example' })[0] ?? '', /https/);
  assert.match(faultsOf({ PUBLIC_URL: 'https://user:secret@example.com' })[0] ?? '', /credentials/);
});

test('plain http may lead into a private network, once the operator says so, and never further', () => {
  const inside = [
    '192.168.1.5:8080',
    '10.0.0.1',
    '172.31.0.9',
    '100.64.0.1',
    '[fd00::1]',
    'freehold',
    'homes.lan',
    'homes.local',
    'homes.internal',
  ];
  for (const host of inside) {
    const PUBLIC_URL = `http://${host}`;
    assert.deepEqual(faultsOf({ PUBLIC_URL, ALLOW_HTTP: 'private' }), [], host);
    assert.match(faultsOf({ PUBLIC_URL })[0] ?? '', /must use https: .*ALLOW_HTTP=private/, host);
  }
  for (const host of ['203.0.113.9', '172.32.0.1', 'homes.example.com', '[2001:db8::1]', 'local.example'])
    assert.match(faultsOf({ PUBLIC_URL: `http://${host}`, ALLOW_HTTP: 'private' })[0] ?? '', /https/, host);
  assert.match(faultsOf({ ALLOW_HTTP: 'yes' })[0] ?? '', /^ALLOW_HTTP=yes must be loopback or private/);
  const feed = { SOURCE: 'reso', RESO_BASE_URL: 'http://10.0.0.1', RESO_BEARER_TOKEN: 'abc' };
  assert.match(faultsOf({ ...feed, ALLOW_HTTP: 'private' })[0] ?? '', /^RESO_BASE_URL must use https/);
});

test('idle connections are closed after 65 seconds, or as the operator says', () => {
  assert.equal(readConfig({}, folder).keepAliveSeconds, 65);
  assert.equal(readConfig({ KEEP_ALIVE_TIMEOUT: '620' }, folder).keepAliveSeconds, 620);
  assert.match(faultsOf({ KEEP_ALIVE_TIMEOUT: '0' })[0] ?? '', /from 1 to 3600/);
});

test('a byte-order mark before the env file is skipped', () => {
  writeFileSync(join(folder, '.env'), '\uFEFFPORT=1000\n');
  assert.equal(readConfig({}, folder).port, 1000);
  writeFileSync(join(folder, '.env'), '');
});

test('a public URL holds nothing that could end a text it is written into', () => {
  for (const letter of ['"', "'", '<', '>', '`', '\\', ' '])
    assert.match(
      faultsOf({ PUBLIC_URL: `https://example.com/a${letter}b` })[0] ?? '',
      /must not contain quotes/,
    );
});

test('a host that others can reach needs a public URL', () => {
  assert.match(faultsOf({ HOST: '0.0.0.0' })[0] ?? '', /^PUBLIC_URL is missing/);
  assert.deepEqual(faultsOf({ HOST: '0.0.0.0', PUBLIC_URL: 'https://api.example.com' }), []);
});

test('a RESO source needs its root and exactly one kind of credentials', () => {
  const root = { SOURCE: 'reso', RESO_BASE_URL: 'https://feed.example/odata' };
  const client = {
    RESO_TOKEN_URL: 'https://feed.example/token',
    RESO_CLIENT_ID: 'a',
    RESO_CLIENT_SECRET: 'b',
  };
  assert.equal(faultsOf({ SOURCE: 'reso' }).length, 2);
  assert.match(faultsOf({ ...root, RESO_CLIENT_ID: 'a' })[0] ?? '', /incomplete/);
  assert.match(faultsOf({ ...root, ...client, RESO_BEARER_TOKEN: 'c' })[0] ?? '', /excludes/);
  assert.deepEqual(faultsOf({ ...root, ...client }), []);
  assert.deepEqual(faultsOf({ ...root, RESO_BEARER_TOKEN: 'c' }), []);
});

test('a fault never repeats a value that may be secret', () => {
  const faults = faultsOf({
    DATABASE_URL: 'mysql://u:canary@h/d',
    RESO_BASE_URL: 'ftp://u:canary@h',
    SOURCE: 'reso',
    SECRETS_KEY: 'canary,canary',
  });
  assert.ok(faults.length > 1 && !faults.join().includes('canary'));
});

test('keys of secrets and ports of inner networks are read, two keys while one is replaced', () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  assert.equal(readConfig({ SECRETS_KEY: key }, folder).secretsKey, key);
  assert.equal(readConfig({ SECRETS_KEY: `${key},${key}` }, folder).secretsKey, `${key},${key}`);
  const { webhookAllow } = readConfig({ WEBHOOK_ALLOW: '10.0.0.0/8:8443, [fd00::1]:443' }, folder);
  assert.deepEqual(webhookAllow, [
    { network: '10.0.0.0/8', port: 8443 },
    { network: 'fd00::1', port: 443 },
  ]);
});

test('the default currency is a currency by its three letters', () => {
  assert.equal(readConfig({ DEFAULT_CURRENCY: 'eur' }, '.').defaultCurrency, 'EUR');
  assert.throws(
    () => readConfig({ DEFAULT_CURRENCY: 'EURO' }, '.'),
    /DEFAULT_CURRENCY=EURO must be a currency/,
  );
});
