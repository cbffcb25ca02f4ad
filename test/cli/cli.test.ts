// Tests of the command line: it finds its Node, passes signals on once, and works beside a running service.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { VERSION } from '../../src/app/version.ts';
import { until } from '../support/check/until.ts';
import { ROOT } from '../support/code/source-files.ts';
import { emptyDatabase, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { LAUNCHER, readyUrl, runCli, runCommand, startCli } from '../support/process/cli.ts';
import { olderNode } from '../support/process/older-node.ts';
import { startService } from '../support/service/service.ts';

const folder = await temporaryFolder({ after }, 'cli');
const { url } = await testDatabase({ after });
const environment = { DATABASE_URL: url };

const older = olderNode();
const withOlderNode = { skip: older === undefined ? 'no older Node on the PATH' : false };

/** A checkout of the launcher alone, with a program of ours where the service would be. */
async function checkout(program: string, node: boolean): Promise<string> {
  const place = await temporaryFolder({ after }, 'checkout');
  await mkdir(join(place, 'bin'));
  await mkdir(join(place, 'src/cli'), { recursive: true });
  await mkdir(join(place, 'node_modules'));
  await cp(LAUNCHER, join(place, 'bin/freehold.js'));
  await writeFile(join(place, 'package.json'), '{"type": "module"}');
  await writeFile(join(place, 'src/cli/main.ts'), program);
  if (node) {
    const name = `node-${process.platform === 'darwin' && process.arch === 'arm64' ? 'bin-' : ''}${process.platform}-${process.arch}`;
    await mkdir(join(place, 'node_modules', name, 'bin'), { recursive: true });
    await symlink(process.execPath, join(place, 'node_modules', name, 'bin/node'));
  }
  return place;
}

const SIGNALLED = `
export function main() {
  let signals = 0;
  process.on('SIGINT', () => { signals++; console.log('signal ' + signals); });
  process.on('disconnect', () => process.exit(0));
  console.log('ready ' + process.version);
  setTimeout(() => process.exit(40 + signals), 1500);
}`;

test('an older Node runs the Node of the checkout, and ends with its exit code', withOlderNode, async (t) => {
  const place = await checkout(
    'export function main(args) { console.log(process.version, args.join()); process.exitCode = 7; }',
    true,
  );
  const run = spawnSync(older ?? '', [join(place, 'bin/freehold.js'), 'serve', '--x'], { encoding: 'utf8' });
  assert.equal(run.stdout, `${process.version} serve,--x\n`);
  assert.equal(run.status, 7);
  const real = await runCli(t, ['--version'], { folder, node: older ?? '' });
  assert.deepEqual([real.code, real.stdout], [0, `${VERSION}\n`]);
});

test('an older Node without the Node of the checkout says what is missing', withOlderNode, async () => {
  const place = await checkout('', false);
  const run = spawnSync(older ?? '', [join(place, 'bin/freehold.js')], { encoding: 'utf8' });
  assert.equal(run.status, 1);
  assert.match(run.stderr, /^Freehold needs Node 26 or newer, and this is v\d+\S+\. Run `npm ci`/);
});

test(
  'a signal to the whole group, as a terminal sends it, reaches the service once',
  withOlderNode,
  async () => {
    const place = await checkout(SIGNALLED, true);
    const child = spawn(older ?? '', [join(place, 'bin/freehold.js')], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await until('the program is ready', async () => output.includes('ready'));
    // The terminal signals the group, and npm the process besides.
    process.kill(-(child.pid ?? 0), 'SIGINT');
    process.kill(child.pid ?? 0, 'SIGINT');
    assert.equal(await ended, 41);
    assert.match(output, /ready v26\S+\nsignal 1\n$/);
  },
);

test(
  'the service ends when its launcher is killed without a chance to pass anything on',
  withOlderNode,
  async () => {
    const place = await checkout(SIGNALLED.replace('1500', '600_000'), true);
    const child = spawn(older ?? '', [join(place, 'bin/freehold.js')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    // The pipe is closed once both processes are gone.
    const closed = new Promise((resolve) => child.on('close', resolve));
    await until('the program is ready', async () => output.includes('ready'));
    child.kill('SIGKILL');
    await closed;
  },
);

test('a subscription is made, listed, changed, ended and revoked', async () => {
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(['subscriptions', ...args, '--json'], {
      folder,
      environment,
    });
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const made = await run('create', '--plan', 'pro', '--label', 'Acme', '--ends-at', '2999-01-31');
  assert.match(String(made.key), /^SERVICE-[0-9A-F-]{36}$/);
  const id = String(made.id);
  const { subscriptions } = (await run('list')) as { subscriptions: Record<string, unknown>[] };
  const [listed] = subscriptions;
  assert.equal(listed?.id, id);
  assert.equal(listed?.state, 'ends 2999-01-31');
  assert.ok(!JSON.stringify(subscriptions).includes(String(made.key)), 'the key is told once');
  assert.equal((await run('change', id, '--plan', 'business')).plan, 'business');
  assert.equal((await run('end', id)).state, 'ended');
  assert.equal((await run('revoke', id)).state, 'revoked');
});

test('a subscription that replaces another takes over its customer', async () => {
  const run = (...args: string[]) => runCommand(['subscriptions', ...args], { folder, environment });
  const create = async (...args: string[]) => {
    const { code, stdout, stderr } = await run('create', '--plan', 'pro', ...args, '--json');
    assert.equal(code, 0, stderr);
    return { ...(JSON.parse(stdout) as { id: string; customer: string | null }), stderr };
  };
  const first = await create('--customer', 'acme homes');
  const second = await create('--replaces', first.id);
  assert.deepEqual([first.customer, second.customer], ['acme homes', 'acme homes']);
  assert.doesNotMatch(second.stderr, /has no customer/);
  assert.match(
    (await run('create', '--plan', 'pro', '--replaces', second.id)).stdout,
    /^Customer {6}acme homes$/m,
  );
  const unnamed = await create();
  const successor = await create('--replaces', unnamed.id);
  assert.equal(successor.customer, null);
  const remedy = `freehold watchers move ${unnamed.id} ${successor.id}`;
  assert.ok(
    successor.stderr.includes(`${unnamed.id} has no customer, so its watchers stay with it: \`${remedy}\``),
  );
  assert.match((await run('list')).stdout, new RegExp(`^${second.id} .* acme homes\\s*$`, 'm'));
});

test('a running service takes a new key at once and refuses it from the moment of its revocation', async (t) => {
  const service = await startService(t);
  const options = { folder, environment: { DATABASE_URL: service.databaseUrl } };
  const made = await runCommand(['subscriptions', 'create', '--plan', 'free', '--json'], options);
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  assert.equal((await service.get('/v1/search/sales', key)).status, 200);
  const revoked = await runCommand(['subscriptions', 'revoke', id], options);
  assert.equal(revoked.code, 0);
  await until(
    'the service refuses the key',
    async () => (await service.get('/v1/search/sales', key)).status === 401,
  );
});

test('what is wrong is told in one sentence with its remedy, and the exit code says of what kind', async (t) => {
  const cases = [
    [
      ['subscriptions', 'change', 'sub_none', '--plan', 'pro'],
      1,
      /^Error: There is no subscription sub_none: /,
    ],
    [['subscriptions', 'create', '--plan', 'gold'], 2, /The plans are free, pro, business, internal\./],
    [['subscriptions', 'create', '--plan', 'pro', '--ends-at', '2026-02-30'], 2, /Give a date such as/],
    [
      ['subscriptions', 'create', '--plan', 'pro', '--ends-at', '2020-01-31'],
      2,
      /^Error: --ends-at 2020-01-31T00:00:00\.000Z is in the past: /,
    ],
    [
      ['subscriptions', 'end', 'sub_none', '--at', '2020-01-31'],
      2,
      /^Error: --at 2020-01-31T00:00:00\.000Z is in the past: /,
    ],
    [['subscriptions', 'create', '--plan', 'pro', '--customer', ' '], 2, /Give 1 to 200 characters/],
    [
      ['subscriptions', 'create', '--plan', 'pro', '--replaces', 'sub_none'],
      1,
      /^Error: There is no subscription sub_none: /,
    ],
    [
      ['subscriptions', 'create', '--plan', 'pro', '--replaces', 'sub_none', '--customer', 'acme'],
      2,
      /'--replaces <id>' cannot be used with option '--customer <id>'/,
    ],
    [['clients', 'revoke', 'client_none'], 1, /^Error: There is no client client_none: /],
    [['subscriptions', 'create'], 2, /required option '--plan <plan>' not specified/],
    [['serv'], 2, /Did you mean serve\?/],
    [
      ['import', 'listings', 'none.csv', '--map', 'none.json'],
      1,
      /^Error: The map file none\.json cannot be read/,
    ],
    [['openapi', '--check', 'none.json'], 1, /^Error: none\.json cannot be read/],
  ] as const;
  for (const [at, [args, code, message]] of cases.entries()) {
    const options = { folder, environment };
    // The first two as processes, which end with these codes.
    const end = await (at < 2 ? runCli(t, args, options) : runCommand(args, options));
    assert.equal(end.code, code, `${args.join(' ')}: ${end.stderr}`);
    assert.match(end.stderr, message);
    assert.doesNotMatch(end.stderr, /\n\s+at /, 'no stack trace');
    assert.ok(!end.stderr.includes('\u001b'), 'no colour where there is no terminal');
  }
});

test('a faulty configuration is told whole', async () => {
  const wrong = { PORT: 'x', SOURCE: 'mls' };
  const end = await runCommand(['subscriptions', 'list'], { folder, environment: wrong });
  assert.equal(end.code, 2);
  assert.match(end.stderr, /PORT=x/);
  assert.match(end.stderr, /SOURCE=mls/);
});

test('a database that is out of reach is told with its cause and where to look, not as something to wait out', async () => {
  const away = { DATABASE_URL: 'postgres://someone:hidden-word@127.0.0.1:9/none' };
  const end = await runCommand(['subscriptions', 'list'], { folder, environment: away });
  assert.equal(end.code, 1);
  assert.match(
    end.stderr,
    /^Error: The database does not answer \(connect ECONNREFUSED 127\.0\.0\.1:9\)\. Check/,
  );
  assert.doesNotMatch(end.stderr, /hidden-word|few seconds/);
});

test('a database that lacks migrations is refused until they are run', async (t) => {
  const { url: empty } = await emptyDatabase(t);
  const options = { folder, environment: { DATABASE_URL: empty } };
  const refused = await runCommand(['subscriptions', 'list'], options);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /lacks \d+ migrations of this release: run `freehold migrate` first\./);
  const doctor = await runCommand(['doctor'], options);
  assert.match(doctor.stdout, /^warn {2}migrations .*001_database\.sql/m);
  const migrated = await runCommand(['migrate', '--json'], options);
  assert.ok((JSON.parse(migrated.stdout) as { applied: string[] }).applied.includes('001_database.sql'));
  assert.equal((await runCommand(['migrate'], options)).stdout, 'Nothing to do.\n');
  const listed = await runCommand(['subscriptions', 'list'], options);
  assert.match(listed.stdout, /^There is none yet/);
});

test('doctor finds everything in order, and changes nothing where nothing has been started yet', async () => {
  const place = join(folder, 'untouched');
  const fresh = await runCommand(['doctor', '--json'], {
    folder,
    environment: { DATA_DIR: place, PORT: '0' },
  });
  assert.equal(fresh.code, 0);
  const { mount = 'ok', ...states } = statesOf(fresh.stdout);
  assert.notEqual(mount, 'fail');
  assert.deepEqual(states, {
    node: 'ok',
    configuration: 'ok',
    'data directory': 'warn',
    disk: 'ok',
    port: 'ok',
    database: 'warn',
    source: 'ok',
  });
  assert.ok(!existsSync(place));
  await mkdir(place, { mode: 0o700 });
  const sound = await runCommand(['doctor', '--json'], {
    folder,
    environment: { ...environment, DATA_DIR: place, PORT: '0' },
  });
  assert.equal(sound.code, 0);
  const found = statesOf(sound.stdout);
  assert.deepEqual([found.database, found.migrations, found['data directory']], ['ok', 'ok', 'ok']);
});

test('doctor fails, with the remedy, where the database or the source is out of reach or keys lie open', async () => {
  const place = join(folder, 'open');
  await mkdir(place, { mode: 0o700 });
  await writeFile(join(place, 'keys.env'), 'x');
  await chmod(join(place, 'keys.env'), 0o644);
  const wrong = {
    DATA_DIR: place,
    DATABASE_URL: 'postgres://someone:hidden-word@127.0.0.1:9/none',
    SOURCE: 'reso',
    RESO_BASE_URL: 'http://127.0.0.1:9/odata',
    RESO_BEARER_TOKEN: 'secret-token',
  };
  const end = await runCommand(['doctor', '--json'], { folder, environment: wrong });
  assert.equal(end.code, 1);
  const found = statesOf(end.stdout);
  assert.deepEqual([found.database, found.source, found['keys file']], ['fail', 'fail', 'fail']);
  assert.match(end.stdout, new RegExp(`chmod 600 ${join(place, 'keys.env')}`));
  assert.doesNotMatch(end.stdout + end.stderr, /hidden-word|secret-token/);
});

test('a command without a running service starts the embedded server for its own time', async (t) => {
  const data = join(folder, 'embedded');
  const options = { folder, environment: { DATA_DIR: data } };
  const made = await runCommand(['subscriptions', 'create', '--plan', 'free', '--init', '--json'], options);
  assert.equal(made.code, 0, made.stderr);
  assert.equal(await stat(join(data, 'postgres/cluster/postmaster.pid')).catch(() => null), null);
  const service = startCli(t, ['serve'], { folder, environment: { DATA_DIR: data, PORT: '0' } });
  await until('the service is up', async () => readyUrl(service.stdout()) !== undefined);
  const listed = await runCommand(['subscriptions', 'list', '--json'], options);
  assert.equal((JSON.parse(listed.stdout) as { subscriptions: unknown[] }).subscriptions.length, 1);
  service.kill('SIGINT');
  assert.equal((await service.ended).code, 0);
});

test('where there is no database no command makes one unasked, and each says how to', async () => {
  const data = join(folder, 'nothing');
  const commands = [
    ['subscriptions', 'create', '--plan', 'free'],
    ['subscriptions', 'list'],
    ['clients', 'list'],
    ['grants', 'list'],
    ['import', 'listings', 'sales.csv', '--map', join(ROOT, 'docs/examples/king-county-sales.json')],
    ['migrate'],
  ];
  for (const args of commands) {
    const end = await runCommand(args, { folder, environment: { DATA_DIR: data } });
    assert.equal(end.code, 1, args.join(' '));
    assert.match(end.stderr, /^Error: There is no database in \S+nothing yet\..*--init/);
    assert.ok(!existsSync(data), args.join(' '));
  }
  const asked = await runCommand(['migrate', '--init', '--json'], {
    folder,
    environment: { DATA_DIR: data },
  });
  assert.equal(asked.code, 0, asked.stderr);
  const { applied } = JSON.parse(asked.stdout) as { applied: string[] };
  assert.ok(applied.length > 5);
});

test('openapi prints the document of the routes, and checks a file against it', async () => {
  const printed = await runCommand(['openapi'], { folder });
  const document = JSON.parse(printed.stdout) as { openapi: string; paths: Record<string, unknown> };
  assert.equal(document.openapi, '3.1.0');
  assert.ok('/v1/search/sales' in document.paths);
  const file = join(folder, 'openapi.json');
  await writeFile(file, printed.stdout);
  assert.equal((await runCommand(['openapi', '--check', file], { folder })).code, 0);
  await writeFile(file, printed.stdout.replace('/v1/search/sales', '/v1/search/homes'));
  const stale = await runCommand(['openapi', '--check', file], { folder });
  assert.equal(stale.code, 1);
  assert.match(stale.stderr, /does not match the routes \(line \d+ should be /);
});

function statesOf(json: string): Record<string, string> {
  const { findings } = JSON.parse(json) as { findings: { name: string; state: string }[] };
  return Object.fromEntries(findings.map(({ name, state }) => [name, state]));
}
