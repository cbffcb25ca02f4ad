// Proves that files are fetched from URLs within bounds, only when they have changed, and without telling anybody credentials.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { parseHeaderVariables, parseRemote } from '../../src/import/remote/remote-file.ts';
import { openImports } from '../support/catalogue/import-service.ts';

const CSV = 'id,price,lat,lng\na,5,40,-90\nb,6,40,-90\n';
const SECRET = 'hunter2-hunter2';
const TOKEN = 'token-9f8e7d6c';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const answers = new Map<string, Answer>();
const requests: IncomingMessage[] = [];

async function startServer(): Promise<number> {
  const server = createServer((request, response) => {
    requests.push(request);
    const { pathname } = new URL(request.url ?? '', 'http://x');
    const answer = answers.get(pathname);
    if (answer === undefined) response.writeHead(404).end('none');
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

const { bench, folder, mapFile } = await openImports({ after });
const [port, other] = [await startServer(), await startServer()];
const home = `http://127.0.0.1:${port}`;
const allowed = { IMPORT_ALLOW: `127.0.0.1:${port},127.0.0.1:${other}` };

async function open(environment: Record<string, string> = {}) {
  requests.length = 0;
  answers.clear();
  const made = await bench({ after }, { ...allowed, ...environment });
  return { ...made, map: await mapFile('urls.json') };
}

const shared = await open({ FEED_TOKEN: `Bearer ${TOKEN}` });
const { run, map } = shared;

test('a file is imported from a URL, and not again while its server says that it is unchanged', async () => {
  let etag = '"1"';
  let text = CSV;
  answers.set('/homes.csv', (request, response) => {
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag }).end(text);
  });
  const url = `${home}/homes.csv`;
  const first = await run('listings', url, '--map', map);
  assert.deepEqual([first.code, /created +2/.test(first.stdout)], [0, true], first.stderr);
  const again = await run('listings', url, '--map', map);
  assert.match(again.stdout, /homes\.csv is unchanged since its import of .*: nothing was written/);
  const purged = await run('listings', url, '--map', map, '--missing', 'withdraw');
  assert.match(purged.stdout, /unchanged +2/, 'with another purpose it is not known');
  const restarted = await run('listings', url, '--map', map, '--restart');
  assert.match(restarted.stdout, /unchanged +2/);
  [etag, text] = ['"2"', CSV.replace('a,5', 'a,7')];
  assert.match((await run('listings', url, '--map', map)).stdout, /changed +1/);
});

test('an inspection of a URL writes its map into the current folder, by which the import goes', async () => {
  answers.set(
    '/fresh.csv',
    (_, response) => void response.end('ref,price,city\nx1,450000,Reno\nx2,380000,Elko\n'),
  );
  const inspected = await run('inspect', `${home}/fresh.csv`);
  assert.match(inspected.stdout, /Map: fresh\.csv\.map\.json/);
  const imported = await run('listings', `${home}/fresh.csv`);
  assert.match(imported.stdout, /created +2/, imported.stderr);
});

test('credentials go to the origin of the URL only, and are shown nowhere', async () => {
  answers.set('/start', (_, response) => void response.writeHead(302, { location: '/there?sig=1' }).end());
  answers.set(
    '/there',
    (_, response) => void response.writeHead(307, { location: `http://127.0.0.1:${other}/end` }).end(),
  );
  answers.set('/end', (_, response) => void response.writeHead(200, { etag: '"9"' }).end(CSV));
  requests.length = 0;
  const url = `http://me:${SECRET}@127.0.0.1:${port}/start?key=${TOKEN}`;
  const outputs = [
    await run('listings', url, '--map', map, '--restart'),
    await run('listings', url, '--map', map),
  ];
  const basic = `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`;
  assert.deepEqual(
    requests.slice(0, 3).map(({ url: path, headers }) => [path, headers.authorization]),
    [
      [`/start?key=${TOKEN}`, basic],
      ['/there?sig=1', basic],
      ['/end', undefined],
    ],
  );
  answers.set('/start', (_, response) => void response.writeHead(403).end());
  const refused = await run('listings', url, '--map', map, '--restart');
  assert.match(refused.stderr, /start\?… refuses the request \(403\): it wants other credentials/);
  answers.set('/header', (_, response) => void response.end(CSV));
  requests.length = 0;
  const headed = await run(
    'listings',
    `${home}/header`,
    '--map',
    map,
    '--header-from',
    'X-Api-Key=FEED_TOKEN',
  );
  assert.equal(requests[0]?.headers['x-api-key'], `Bearer ${TOKEN}`, headed.stderr);
  const unset = await run('listings', `${home}/header`, '--map', map, '--header-from', 'NOBODY');
  assert.match(unset.stderr, /variable NOBODY for the header authorization is not set/);
  const stored = await shared.database.read((sql) => sql`select import_run::text from import_run`);
  for (const { stdout, stderr } of [...outputs, refused, headed])
    for (const secret of [SECRET, TOKEN])
      assert.doesNotMatch(stdout + stderr + JSON.stringify(stored), new RegExp(secret));
});

test('addresses that are not permitted are not reached, neither at once nor by a redirect', async () => {
  answers.set(
    '/away',
    (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  );
  answers.set(
    '/file',
    (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  );
  answers.set('/round', (_, response) => void response.writeHead(302, { location: '/round' }).end());
  for (const [url, told] of [
    ['http://127.0.0.1:1/x.csv', /not on the public Internet.*IMPORT_ALLOW/],
    [`http://[::1]:${port}/x.csv`, /not on the public Internet/],
    [`${home}/away`, /169\.254\.169\.254\/latest leads to an address that is not on the public Internet/],
    [`${home}/file`, /redirects to no address/],
    [`${home}/round`, /redirects more than 5 times/],
    ['ftp://example.com/x.csv', /begins with https:\/\//],
  ] as const) {
    const { code, stderr } = await run('listings', url, '--map', map);
    assert.equal(code, 1, url);
    assert.match(stderr, told);
  }
});

test('answers that are no file are refused by name', async () => {
  answers.set(
    '/page',
    (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<p>Sign in'),
  );
  answers.set('/nothing', (_, response) => void response.end());
  answers.set('/busy', (_, response) => void response.writeHead(429).end());
  answers.set('/cut', (_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write(CSV, () => response.destroy());
  });
  answers.set('/huge', (_, response) => {
    response.writeHead(200, { 'content-length': String(3 * 1024 ** 3) });
    response.write('id', () => response.destroy());
  });
  for (const [path, told] of [
    ['/page', /is a web page and no file/],
    ['/nothing', /is empty/],
    ['/busy', /asked too often \(429\)/],
    ['/cut', /broke the connection off before the file was whole/],
    ['/huge', /is larger than 2 GB/],
    ['/gone', /has no such file \(404\)/],
  ] as const) {
    const { code, stderr } = await run('listings', `${home}${path}`, '--map', map);
    assert.deepEqual([code, told.test(stderr)], [1, true], `${path}: ${stderr}`);
  }
  const useless = await run('listings', `${folder}/none.csv`, '--map', map, '--header-from', 'FEED_TOKEN');
  assert.match(useless.stderr, /--header-from goes with a URL/);
});

test('URLs are split from their credentials, and named without them', () => {
  const remote = parseRemote(`https://me:p%40ss@example.com:8443/export/my%20homes.csv?token=${TOKEN}#x`);
  assert.equal(remote.url.href, `https://example.com:8443/export/my%20homes.csv?token=${TOKEN}`);
  assert.equal(remote.authorization, `Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  assert.deepEqual(
    [remote.shown, remote.name],
    ['https://example.com:8443/export/my%20homes.csv?…', 'my homes.csv'],
  );
  assert.equal(parseRemote('https://example.com/').name, 'example.com');
  assert.equal(parseRemote('https://example.com/..%2f..%2fetc%2fpasswd').name, '.._.._etc_passwd');
  assert.deepEqual(parseHeaderVariables(['FEED_TOKEN', 'X-Key=OTHER']), {
    authorization: 'FEED_TOKEN',
    'x-key': 'OTHER',
  });
  for (const bad of ['Bearer abc', 'Host=X', 'X Y=Z', 'X=', '=Y', 'X=a-b'])
    assert.throws(() => parseHeaderVariables([bad]), RangeError);
});
