// Tests of `freehold api`: a remote service used from the command line, as people and scripts do.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { apiCommands, type Operation, readDocument } from '../../src/cli/api/document.ts';
import { examplesOf } from '../../src/cli/api/help.ts';
import { poll, until } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { INHERITED, LAUNCHER, runCli, runCommand, startCli } from '../support/process/cli.ts';
import { quietPort } from '../support/service/ports.ts';
import { startService } from '../support/service/service.ts';

const file = { after };
const service = await startService(file, { source: 'sample', sampleListings: 1_000 });
const folder = await temporaryFolder(file, 'api');
const environment = { FREEHOLD_URL: service.url, FREEHOLD_KEY: service.keys.business };

const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, three]) => one ?? two ?? three ?? '');

/** Runs `freehold api …` in this process. */
const api = (line: string, more: Readonly<Record<string, string>> = {}) =>
  runCommand(['api', ...words(line)], { folder, environment: { ...environment, ...more } });

async function lines(line: string, more?: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await api(line, more);
  assert.equal(code, 0, stderr);
  return stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text) as Record<string, unknown>);
}

interface Page {
  readonly data: readonly {
    readonly id: string;
    readonly price: number;
    readonly address: { readonly city: string };
  }[];
  readonly total: { readonly value: number };
}
const ask = async (path: string) => (await service.json(path, service.keys.business)) as unknown as Page;

const first = await poll('the sample market is loaded', async () => {
  const page = await ask('/v1/search/sales?limit=1');
  const { value } = page.total;
  return value > 100 && (await ask('/v1/search/sales?limit=1')).total.value === value
    ? page.data[0]
    : undefined;
});

/** A server that answers as the test says. */
async function serve(
  answer: (request: IncomingMessage, place: number) => readonly [number, Record<string, string>, string],
) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const [status, headers, body] = answer(request, requests.length - 1);
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, { 'x-request-id': 'req_test', ...headers }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  const { port } = server.address() as { port: number };
  return { requests, settings: { FREEHOLD_URL: `http://127.0.0.1:${port}`, FREEHOLD_KEY: 'a-key' } };
}

const JSON_TYPE = { 'content-type': 'application/json' };

test('in a pipe a search prints a line of JSON for each home, and --json the whole answer', async () => {
  const { city } = first.address;
  const query = `city=${encodeURIComponent(city)}&minPrice=200000&sort=price&limit=5`;
  const expected = (await ask(`/v1/search/sales?${query}`)).data;
  assert.ok(expected.length > 0);
  const options = `search sales --city '${city}' --min-price 200000 --sort price --limit 5`;
  assert.deepEqual(
    (await lines(options)).map(({ id }) => id),
    expected.map(({ id }) => id),
  );
  // Another name of the same parameter.
  assert.equal(
    (await lines(`search sales --cities '${city}' --minprice 200000 --limit 5`)).length,
    expected.length,
  );
  const { stdout } = await api(`${options} --json`);
  const page = JSON.parse(stdout) as Page;
  assert.deepEqual([page.data.length, page.total.value > 0], [expected.length, true]);
});

test('--limit goes over as many pages as it takes, and --all over every one', async () => {
  const free = { FREEHOLD_KEY: service.keys.free };
  const { value } = (await ask('/v1/search/sales?limit=1')).total;
  assert.ok(value > 60, `${value}`);
  assert.equal((await lines('search sales', free)).length, 20);
  assert.equal((await lines('search sales --limit 30', free)).length, 30);
  const all = await lines('search sales --all', free);
  assert.equal(new Set(all.map(({ id }) => id)).size, value);
  const refused = await api('search sales --all --json');
  assert.equal(refused.code, 2);
});

test('a table has a row for each home, fits, and credits the sources', async () => {
  const { stdout } = await api('search sales --limit 3 --table');
  const [headings = '', ...rows] = stdout.split('\n');
  assert.match(headings, /^\s*PRICE {2}ADDRESS +BEDS +BATHS +AREA +STATUS +ID$/);
  assert.match(rows[0] ?? '', /^\s*\$[\d,]+ {2}.+ +\d+ .*lst_[0-9a-z]+$/);
  assert.ok(rows.slice(0, 3).every((row) => row.length <= 120));
  assert.match(rows[3] ?? '', /Calder Sound Listing Service$/);
  const chosen = await api('search sales --limit 1 --fields id,yearBuilt --table');
  assert.match(chosen.stdout, /^ID +YEAR BUILT/);
  const market = await api('market history --listing-type sale --metrics inventory --table');
  assert.match(market.stdout, /^START +END +INVENTORY\n20\d\d-/);
  const usage = await api('usage get --table');
  assert.match(usage.stdout, /^tier +business$/m);
});

test('--csv prints all results for a tier that has exports, and for others --all goes over the pages with one line of names', async () => {
  const { value } = (await ask('/v1/search/rentals?limit=1')).total;
  const whole = await api('search rentals --csv --fields id');
  const paged = await api('search rentals --csv --fields id --all', { FREEHOLD_KEY: service.keys.pro });
  for (const { code, stdout, stderr } of [whole, paged]) {
    assert.equal(code, 0, stderr);
    const ids = stdout
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((row) => row.split(',')[0]);
    assert.equal(new Set(ids).size, value);
    assert.equal(stdout.match(/^id,/gm)?.length, 1);
  }
  assert.equal((await lines('search rentals --ndjson')).length, value);
});

test('--data sends a body, which options add to', async () => {
  await writeFile(join(folder, 'search.json'), JSON.stringify({ minBedrooms: 2, sort: ['price'], limit: 4 }));
  const expected = await ask('/v1/search/sales?minBedrooms=2&maxPrice=500000&sort=price&limit=4');
  const found = await lines('search sales --data search.json --max-price 500000');
  assert.deepEqual(
    found.slice(0, 4).map(({ id }) => id),
    expected.data.map(({ id }) => id),
  );
  const csv = await api('search sales --data search.json --csv --fields id');
  assert.equal(csv.stdout.trim().split('\n').length, 5);
  const missing = await api('search sales --data nowhere.json');
  assert.deepEqual([missing.code, /nowhere\.json cannot be read/.test(missing.stderr)], [2, true]);
  await writeFile(join(folder, 'broken.json'), '{"limit": ');
  assert.match((await api('search sales --data broken.json')).stderr, /broken\.json is not JSON/);
});

test('a watcher is created by options, changed, read and deleted', async () => {
  const target = `'{"type":"search","listingType":"sale","query":{"maxPrice":400000}}'`;
  const [made] = await lines(`watchers create --name 'My homes' --target ${target} --metadata '{"crm":"1"}'`);
  const id = String(made?.id);
  assert.deepEqual([made?.name, made?.metadata], ['My homes', { crm: '1' }]);
  const [changed] = await lines(
    `watchers update ${id} --name null --events search.match_added,listing.pending`,
  );
  assert.deepEqual([changed?.name, changed?.events], [null, ['search.match_added', 'listing.pending']]);
  assert.ok((await lines('watchers list')).some((watcher) => watcher.id === id));
  const stale = await api(`watchers pause ${id} --if-match '"0"'`);
  assert.deepEqual([stale.code, /412 PRECONDITION_FAILED/.test(stale.stderr)], [1, true]);
  assert.deepEqual(await api(`watchers delete ${id}`), { code: 0, signal: null, stdout: '', stderr: '' });
  assert.equal((await api(`watchers get ${id}`)).code, 1);
});

test('a stream prints the copy and the listing of the source, or why there is none', async () => {
  const events = await lines(`stream ${first.id}`);
  assert.deepEqual(
    events.map(({ type }) => type),
    ['cached', 'live'],
  );
  const table = await api(`stream ${first.id} --table`);
  assert.match(table.stdout, new RegExp(`^EVENT .*\\ncached .*${first.id}\\nlive .*${first.id}\\n`));
  const unknown = await api('stream lst_nowhere');
  assert.deepEqual([unknown.code, /404 LISTING_NOT_FOUND/.test(unknown.stderr)], [1, true]);
  const error = { code: 'timeout', message: 'Too slow', retryable: true, requestId: 'r' };
  const failing = await serve(() => [
    200,
    { 'content-type': 'text/event-stream' },
    `event: error\ndata: ${JSON.stringify(error)}\n\nevent: done\ndata: {}\n\n`,
  ]);
  const failed = await api('stream lst_1', failing.settings);
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /did not give the listing: Too slow \(timeout\)\. Try again later\./);
});

test('what is wrong with the settings is said before anything is sent', async () => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ FREEHOLD_URL: '' }, /FREEHOLD_URL is not set\..*export FREEHOLD_URL=/],
    [{ FREEHOLD_URL: 'localhost:8080' }, /no address/],
    [{ FREEHOLD_URL: 'http://me:secret-word@127.0.0.1:9' }, /belongs in FREEHOLD_KEY/],
    [{ FREEHOLD_URL: `${service.url}/v1` }, /without \/v1/],
    [{ FREEHOLD_KEY: 'two words' }, /key alone/],
  ];
  for (const [settings, message] of cases) {
    const { code, stderr } = await api('usage get', settings);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
    assert.ok(!stderr.includes('secret-word'));
  }
});

test('an address without a service, or with another one, is reported as that', async () => {
  const nobody = await api('watch', { FREEHOLD_URL: `http://127.0.0.1:${await quietPort()}` });
  assert.equal(nobody.code, 1);
  assert.match(
    nobody.stderr,
    /^Error: Nothing answers at http:\S+ \(connect ECONNREFUSED .*\)\. Check FREEHOLD_URL/,
  );
  const other = createServer((_, response) => response.end('<html>'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  after(() => other.close());
  const { port } = other.address() as { port: number };
  const wrong = await api('usage get', { FREEHOLD_URL: `http://127.0.0.1:${port}` });
  assert.deepEqual([wrong.code, /not as Freehold does/.test(wrong.stderr)], [1, true]);
  const moved = await serve(() => [301, { location: 'https://homes.example/' }, '']);
  const elsewhere = await api('usage get', moved.settings);
  assert.match(elsewhere.stderr, /redirects to https:\/\/homes\.example\//);
  assert.equal(moved.requests.length, 1);
});

test('keys that are missing or refused say what to set, and one among the options is never sent or repeated', async () => {
  const missing = await api('usage get', { FREEHOLD_KEY: '' });
  assert.deepEqual([missing.code, /Set FREEHOLD_KEY to a key/.test(missing.stderr)], [2, true]);
  const wrong = await api('usage get', { FREEHOLD_KEY: 'SERVICE-WRONG' });
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /Check FREEHOLD_KEY.*\nRequest req_\S+, 401 INVALID_API_KEY/);
  assert.ok(!wrong.stderr.includes('SERVICE-WRONG'));
  const { requests, settings } = await serve(() => [200, JSON_TYPE, '{}']);
  for (const option of ['--key', '--api-key', '--token']) {
    const given = await api(`usage get ${option} SERVICE-LEAKED`, settings);
    assert.equal(given.code, 2);
    assert.match(given.stderr, /A key is never an option: .*Set FREEHOLD_KEY/);
    assert.ok(!given.stderr.includes('SERVICE-LEAKED'));
  }
  assert.deepEqual(requests, []);
});

test('a refused request names the options, what to do, and the id of the request; exit codes say of what kind', async () => {
  const wrong = await api('search sales --max-price cheap --lat 100');
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /^Error: 2 things are wrong/);
  assert.match(wrong.stderr, /--lat must be a number/);
  assert.match(wrong.stderr, /--max-price must be a number/);
  assert.match(wrong.stderr, /\nRequest req_\S+, 400 INVALID_PARAMETER: http\S+#INVALID_PARAMETER\n$/);
  const one = await api('search sales --max-price cheap');
  assert.match(one.stderr, /^Error: The option --max-price /);
  const misspelt = await api('search sales --bedroms 3');
  assert.deepEqual([misspelt.code, /Did you mean --bedrooms\?/.test(misspelt.stderr)], [2, true]);
  assert.match((await api('serch sales')).stderr, /Did you mean search\?/);
  const place = await api('search sales --city Ashcomb');
  assert.match(place.stderr, /No listing has the city Ashcomb\. Did you mean Ashcombe\?/);
  const tier = await api(`stream ${first.id}`, { FREEHOLD_KEY: service.keys.free });
  assert.deepEqual([tier.code, /403 TIER_RESTRICTED/.test(tier.stderr)], [1, true]);
  assert.equal((await api('areas get ..')).code, 2);
});

test('--verbose shows requests, limits and ids on standard error, and no key', async () => {
  const { stdout, stderr } = await api('search sales --limit 1 --verbose');
  assert.equal(stdout.trim().split('\n').length, 1);
  assert.match(stderr, /^> GET http:\S+\/v1\/search\/sales\?limit=1$/m);
  assert.match(stderr, /^< 200 in \d+\.\d+ s, req_\S+/m);
  assert.match(stderr, /^< limits: minute \d+ left, reset in \d+ s; month \d+ left/m);
  assert.ok(!stderr.includes(service.keys.business));
});

test('a service that asks to wait is asked again after Retry-After, as by the client', async () => {
  const { requests, settings } = await serve((_, place) =>
    place < 2
      ? [429, { ...JSON_TYPE, 'retry-after': '0' }, '{"code":"RATE_LIMITED","detail":"Too many"}']
      : [200, JSON_TYPE, '{"object":"usage"}'],
  );
  const { code, stderr } = await api('usage get', settings);
  assert.equal(code, 0);
  assert.match(stderr, /asks to wait 0 seconds \(429\)/);
  assert.equal(requests.length, 3);
  const late = await serve(() => [
    429,
    { ...JSON_TYPE, 'retry-after': '900' },
    '{"code":"RATE_LIMITED","detail":"Too many"}',
  ]);
  const refused = await api('usage get', late.settings);
  assert.deepEqual([refused.code, /Try again in 900 seconds\./.test(refused.stderr)], [1, true]);
});

test('records of a batch that were rejected end it with 3', async () => {
  const results = '{"index":0,"key":"A-1","result":"created"}\n{"index":1,"key":"A-2","result":"rejected"}\n';
  const seen: string[] = [];
  const { settings } = await serve((request) => {
    seen.push(String(request.headers['content-type']));
    return [200, { 'content-type': 'application/x-ndjson' }, results];
  });
  await writeFile(join(folder, 'homes.ndjson'), '{"listingKey":"A-1"}\n{"listingKey":"A-2"}\n');
  const { code, stdout, stderr } = await api('push batch my-crm --data homes.ndjson', settings);
  assert.deepEqual([code, stdout], [3, results]);
  assert.match(stderr, /1 of 2 records were rejected/);
  assert.deepEqual(seen, ['application/x-ndjson']);
});

test('text of the service cannot act on a terminal', async () => {
  const address = '1 \u001b]0;title\u0007\u001b[2JElm\u009b31m \u202eStreet';
  const listing = {
    id: 'lst_\u001b[1m1',
    object: 'listing',
    price: 1,
    currency: 'USD',
    address: { full: address },
  };
  const detail = 'No \u001b[31msuch\u0007 thing';
  const { settings } = await serve((request) =>
    request.url?.startsWith('/v1/usage')
      ? [404, JSON_TYPE, JSON.stringify({ code: 'NOT_FOUND', detail, requestId: 'req_\u001b[1m' })]
      : [200, JSON_TYPE, JSON.stringify({ object: 'list', data: [listing] })],
  );
  const table = await api('search sales --table', settings);
  assert.match(table.stdout, /1 Elm Street/);
  const pipe = await api('search sales', settings);
  assert.deepEqual(JSON.parse(pipe.stdout), listing);
  const error = await api('usage get', settings);
  for (const text of [table.stdout, pipe.stdout, error.stderr])
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\u202e]/u);
});

test('events are watched over cuts from a cursor on, and Ctrl-C ends with the cursor to go on from', async (t) => {
  const event = (id: string) =>
    `retry: 1\nid: ${id}\nevent: listing.updated\ndata: {"id":"evt_${id}","object":"event","type":"listing.updated"}\n\n`;
  const { requests, settings } = await serve((_, place) =>
    place === 1 ? [0, {}, ''] : [200, { 'content-type': 'text/event-stream' }, event(`c${place}`)],
  );
  const run = startCli(t, ['api', 'watch', '--after', 'now'], { folder, environment: settings });
  await until('events of three connections came', async () => run.stdout().split('\n').length > 3);
  run.kill('SIGINT');
  const end = await run.ended;
  assert.equal(end.code, 130);
  assert.equal((JSON.parse(end.stdout.split('\n')[0] ?? '') as { id: string }).id, 'evt_c0');
  assert.match(end.stderr, /does not answer; trying again\n.*answers again\n/s);
  const [, cursor = ''] = /Go on with --after (\S+)\n$/.exec(end.stderr) ?? [];
  assert.match(cursor, /^c\d+$/);
  assert.ok(requests[0]?.endsWith('?after=now') && requests[2]?.endsWith('?after=c0'));
  const gone = await serve(() => [410, JSON_TYPE, '{"code":"CURSOR_EXPIRED","detail":"Gone"}']);
  const expired = await runCli(t, ['api', 'watch', '--after', 'c1'], { folder, environment: gone.settings });
  assert.deepEqual([expired.code, /Begin again without --after/.test(expired.stderr)], [1, true]);
});

test('a reader that has read enough ends it in silence', async () => {
  const command = `${process.execPath} ${LAUNCHER} api search sales --all | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const shell = spawn('bash', ['-c', command], {
    cwd: folder,
    env: { ...INHERITED, ...environment },
    // A shell that reads from a socket takes itself for one of a remote person.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  shell.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  shell.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await new Promise((resolve) => shell.on('close', resolve));
  const [line = '', status] = stdout.trim().split('\n');
  assert.match(line, /^\{"id":"lst_/);
  assert.deepEqual([status, stderr], ['0', '']);
});

test('every operation is reached by its command', async () => {
  await writeFile(join(folder, 'body.json'), '{}');
  for (const name of ['search.json', 'watcher.json']) await writeFile(join(folder, name), '{}');
  await writeFile(join(folder, 'front.jpg'), Buffer.from([0xff, 0xd8, 0xff, 0xe0]));
  const { requests, settings } = await serve((request) => {
    const accept = String(request.headers.accept);
    if (!accept.includes('event-stream'))
      return [200, { 'content-type': accept }, accept.includes('json') ? '{}\n' : 'x\n'];
    // A feed would connect again and again.
    return [410, JSON_TYPE, '{"code":"CURSOR_EXPIRED","detail":"Gone"}'];
  });
  const reached = async (line: string, { method, path }: Operation) => {
    const before = requests.length;
    const { stderr } = await api(line, settings);
    assert.equal(requests.length, before + 1, `${line}: ${stderr}`);
    const [sent, url = ''] = requests.at(-1)?.split(' ') ?? [];
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`);
    assert.deepEqual([sent, pattern.test(url)], [method, true], `${line}: ${sent} ${url}`);
  };
  let count = 0;
  for (const command of apiCommands(readDocument())) {
    const [example = ''] = examplesOf(command);
    const line = example.replace('freehold api ', '').replace(/ --ndjson| [|>].*$/g, '');
    await reached(line, command.operation);
    for (const [option, operation] of command.variants)
      await reached(option === 'data' ? `${line} --data body.json` : `${line} --${option}`, operation);
    count += 1 + command.variants.size;
  }
  assert.ok(count > 70, `${count}`);
});
