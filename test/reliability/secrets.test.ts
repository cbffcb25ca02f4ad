// Proof that no secret is ever written down: not in logs, answers, measurements, tables, or the files of the database.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { OWN } from '../../src/licence/terms/terms.ts';
import { poll } from '../support/check/until.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { Canaries, canaryKey, canaryToken, serving } from '../support/fuzz/canaries.ts';
import { runCommand, startCli } from '../support/process/cli.ts';
import { readToEnd } from '../support/service/http-server.ts';
import { type Fault, startUpstream } from '../support/sources/upstream.ts';

async function send(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.end(bytes);
  return readToEnd(socket);
}

/** Requests that hold a secret where one belongs, and everywhere else where people have put one. */
function requestsWith(key: string, token: string): string[] {
  const paths = ['/v1/usage', '/v1/search/sales?limit=1', '/v1/areas/none', '/nowhere', '/livez', '/docs'];
  const headers = [
    ...[key, token, key.toLowerCase(), `${key}x`, `"${token}"`].map(
      (each) => `Authorization: Bearer ${each}`,
    ),
    ...[`Basic ${Buffer.from(`user:${token}`).toString('base64')}`, token, key, `ApiKey ${key}`].map(
      (each) => `Authorization: ${each}`,
    ),
    `Authorization: Bearer ${key}\r\nAuthorization: Bearer ${token}`,
    `X-Api-Key: ${key}\r\nCookie: session=${token}; key=${key}\r\nReferer: https://x/?token=${token}`,
    `Authorization: Bearer ${token}\r\nX-Long: ${'a'.repeat(17_000)}`,
    `Authorization: Bearer ${token}\r\nBroken header ${key}`,
    `Authorization: Bearer ${token}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked`,
    `Authorization: Bearer ${token}\r\nX-Forwarded-For: ${key}\r\nAccept: ${key}/json\r\nIf-None-Match: "${key}"`,
    `Authorization: Bearer ${token}\r\nExpect: ${key}`,
    `Authorization: Bearer ${key}\u00ff\u0001`,
  ];
  const escaped = key.replace('-', '%2D').replace('S', '%53');
  const targets = [
    ...[key, escaped, `Bearer%20${token}`, `x;token=${token}`].flatMap((each) => [
      `/v1/property/${each}`,
      `/v1/listing/${each}`,
      `/v1/areas/${each}`,
      `/${each}/deeper`,
    ]),
    ...['apiKey', 'api_key', 'key', 'token', 'access_token', 'q', 'cursor', 'client_secret'].flatMap(
      (name) => [
        `/v1/areas?${name}=${key}`,
        `/v1/areas?${name}=${token}`,
        `/v1/search/rentals?${name}=${escaped}`,
      ],
    ),
    `/v1/areas?${key}`,
    `/v1/areas?${escaped}=1`,
    `/v1/areas?${token}`,
    `/v1/areas?a=1;token=${token}`,
    `/v1/areas?q=a#${key}`,
    `/v1/areas?q=${token}${'a'.repeat(9_000)}`,
    `http://u:${token}@x/v1/areas`,
    `/v1/areas?%FF=${key}`,
    `/v1/areas?limit=${key}`,
    `/v1/search/sales?sort=${key}&status=${key}`,
  ];
  const end = 'Host: x\r\nConnection: close\r\n';
  const body = JSON.stringify({ key, password: token, [key]: token });
  const withBody = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  return [
    ...paths.flatMap((path) => headers.map((header) => `GET ${path} HTTP/1.1\r\n${end}${header}\r\n\r\n`)),
    ...['POST', 'DELETE', 'TRACE'].map(
      (method) => `${method} /v1/usage HTTP/1.1\r\n${end}${headers[0]}\r\n\r\n`,
    ),
    ...targets.map((target) => `GET ${target} HTTP/1.1\r\n${end}\r\n`),
    ...['GET', 'POST', 'PUT'].map((method) => `${method} /v1/areas HTTP/1.1\r\n${end}${withBody}`),
    `POST /v1/areas HTTP/1.1\r\n${end}Authorization: Bearer ${token}\r\nContent-Length: 99999999\r\n\r\n`,
    `CONNECT ${token}:443 HTTP/1.1\r\n${end}Proxy-Authorization: Bearer ${token}\r\n\r\n`,
    `${token} ${key}\r\n\r\n`,
  ];
}

test('of all secrets that are sent, configured or made, none is in the log, an answer or a file of the database', async (t) => {
  const folder = await temporaryFolder(t, 'secrets');
  const canaries = new Canaries();
  const [junkKey, token] = [
    canaries.watch('a key that nobody has', canaryKey()),
    canaries.watch('a token that nobody has', canaryToken()),
  ];
  const clientSecret = canaries.watch('the client secret', canaryToken());
  const upstreamToken = canaries.watch("the source's token", canaryToken());
  const upstream = await startUpstream(t);
  for (const ListingKey of ['a', 'b'])
    upstream.records.set(ListingKey, {
      ListingKey,
      ListPrice: 1,
      StandardStatus: 'Active',
      PropertyType: 'Residential',
      ModificationTimestamp: '2026-01-01T00:00:00Z',
    });
  const environment = {
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    LOG_LEVEL: 'trace',
    SOURCE: 'reso',
    RESO_PROFILE_OVERRIDES: JSON.stringify({ licence: OWN }),
    RESO_BASE_URL: upstream.url,
    RESO_TOKEN_URL: upstream.tokenUrl,
    RESO_CLIENT_ID: 'client',
    RESO_CLIENT_SECRET: clientSecret,
  };
  const service = startCli(t, ['serve'], { folder, environment });
  const url = await serving(service);
  const cli = (...args: string[]) => runCommand(args, { folder, environment });
  const made = await cli('subscriptions', 'create', '--plan', 'internal', '--json');
  const { id, key } = JSON.parse(made.stdout) as { id: string; key: string };
  canaries.watch('a good key', key);

  const answers: string[] = [];
  for (const each of [junkKey, key]) {
    for (const bytes of requestsWith(each, token)) answers.push(await send(url, bytes));
  }
  assert.ok(answers.some((answer) => answer.startsWith('HTTP/1.1 200')));
  assert.ok(answers.filter((answer) => answer.startsWith('HTTP/1.1 4')).length > 100);
  const headers = { authorization: `Bearer ${key}` };
  const get = async (path: string) => (await fetch(`${url}${path}`, { headers })).text();
  const listed = await poll(
    'a listing is found',
    async () => (JSON.parse(await get('/v1/search/sales')) as { data: { id: string }[] }).data[0]?.id,
  );
  const leaky: Fault = (request, response) => {
    const secrets = `${request.headers.authorization} ${upstreamToken} ${clientSecret}`;
    const kind = answers.length % 4;
    response.writeHead([500, 200, 302, 401][kind] ?? 500, {
      location: `/x?token=${upstreamToken}`,
      'x-secrets': secrets,
    });
    response.end(
      kind === 1 ? `{"error":"${secrets}"` : JSON.stringify({ error: { message: secrets }, secrets }),
    );
  };
  const given = JSON.stringify({ access_token: upstreamToken, expires_in: 3_600, token_type: 'Bearer' });
  Object.assign(upstream.faults, {
    token: ((_, response) => void response.end(given)) satisfies Fault,
    entity: leaky,
    list: leaky,
  });
  upstream.revoke();
  for (let kind = 0; kind < 8; kind++) {
    if (kind === 4) upstream.faults.token = leaky;
    answers.push(await get(`/v1/property/${listed}`));
    answers.push(await get(`/v1/listing/${listed}`));
    answers.push('');
  }
  assert.ok(upstream.listingRequests.length > 4, 'the source was reached, and failed');
  answers.push(await get('/metrics'), await get('/openapi.json'), await get('/readyz?verbose'));
  const ends = [
    await cli('subscriptions', 'list'),
    await cli('subscriptions', 'revoke', junkKey),
    await cli('subscriptions', 'change', key, '--plan', junkKey),
    await cli('subscriptions', 'revoke', id),
    await cli('doctor'),
  ];
  answers.push(await get('/v1/usage'));
  service.kill('SIGTERM');
  const { stdout, stderr } = await service.ended;
  for (const answer of answers) assert.deepEqual(canaries.in(answer), [], answer);
  for (const line of `${stdout}\n${stderr}`.split('\n')) assert.deepEqual(canaries.in(line), [], line);
  for (const end of ends) assert.deepEqual(canaries.in(end.stdout + end.stderr), [], end.stdout + end.stderr);
  assert.ok(stdout.split('\n').length > 150, 'the log tells of every request');
  assert.deepEqual(await canaries.below(join(folder, 'data'), ['keys.env']), []);
});
