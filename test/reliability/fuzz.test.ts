// Proof that nothing that can be sent crashes, blocks, hangs or pollutes the service, or is answered as our failure.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HOSTILE_BODIES, requestOf } from '../support/fuzz/bodies.ts';
import { fuzz } from '../support/fuzz/run.ts';
import { sendBytes, startFuzzService } from '../support/fuzz/service.ts';

const LIMITS = { headersTimeoutMs: 600, requestTimeoutMs: 800, keepAliveTimeoutMs: 500, checkIntervalMs: 50 };
const service = await startFuzzService({ after }, LIMITS);
const before = await service.fared();

/** The longest that one turn of the event loop may take, in milliseconds of its own processor time. */
const LONGEST_TURN = 50;
/** As many milliseconds where a turn answers however many connections are ready: what blocks takes seconds. */
const LONGEST_CROWDED_TURN = 1_000;

test('five thousand bent requests are answered in words or cut, and leave nothing behind', async (t) => {
  const warmUp = await fuzz(service, { cases: 300, seed: 1, patience: 20_000 });
  assert.deepEqual(warmUp.wrong, []);
  await service.fared();
  const { statuses, wrong } = await fuzz(service, { cases: 5_000, seed: 20_260_105, patience: 20_000 });
  assert.deepEqual(wrong, []);
  assert.ok((statuses[200] ?? 0) > 300 && (statuses[400] ?? 0) > 500, JSON.stringify(statuses));
  const { longestTurn, longestDelay, prototypes, errors } = await service.fared();
  t.diagnostic(JSON.stringify({ statuses, longestTurn, longestDelay }));
  assert.equal(prototypes, before.prototypes);
  assert.deepEqual(errors, []);
  assert.ok(longestTurn < LONGEST_CROWDED_TURN, `${longestTurn} ms in one turn`);
});

const LONG = 100_000;
/** Texts that make careless patterns and comparisons slow. */
const HOSTILE = [
  'a',
  '%61',
  '-',
  ' ',
  ',',
  '1',
  '0.',
  '(',
  '[',
  '"a",',
  '://a:',
  'é',
  'a/b;q=0.1,',
  'SERVICE-',
  '\\',
  'P1D',
];

test('a text of 100 KB in any place, and as much of it as fits, blocks nobody for 50 ms', async (t) => {
  const { port, key } = service;
  const fits = (text: string, most: number) => text.repeat(Math.floor(most / text.length));
  const heads = HOSTILE.flatMap((text) =>
    [LONG, 15_000, 7_900].flatMap((size) => {
      const hostile = Buffer.from(fits(text, size)).toString('latin1');
      const inPlace = hostile.replaceAll(' ', '+');
      return [
        `GET /v1/search/sales?q=${inPlace}&polygon=${inPlace} HTTP/1.1\r\nHost: x`,
        `GET /v1/search/sales?polygon=${inPlace.slice(0, 7_000)} HTTP/1.1\r\nHost: x`,
        `GET /v1/search/sales?${inPlace.slice(0, 7_000)} HTTP/1.1\r\nHost: x`,
        `GET /v1/areas?q=${inPlace.slice(0, 7_000)} HTTP/1.1\r\nHost: x`,
        `GET /v1/search/rentals?cursor=${inPlace.slice(0, 7_000)} HTTP/1.1\r\nHost: x`,
        `GET /v1/property/${inPlace.slice(0, 7_000)} HTTP/1.1\r\nHost: x`,
        `GET /${inPlace} HTTP/1.1\r\nHost: x`,
        ...[
          'Accept',
          'If-None-Match',
          'X-Forwarded-For',
          'Authorization',
          'Content-Type',
          'Host',
          'Cookie',
        ].map(
          (name) =>
            `GET /v1/areas HTTP/1.1\r\nHost: x\r\n${name}: ${name === 'Authorization' ? 'Bearer ' : ''}${hostile}`,
        ),
        `GET /oauth/authorize?client_id=a&redirect_uri=http://localhost/${inPlace.slice(0, 7_000)} HTTP/1.1\r\nHost: x`,
        `GET /oauth/authorize?client_id=https://${inPlace.slice(0, 7_000)} HTTP/1.1\r\nHost: x`,
        ...['client_id=https://', 'client_id=a&redirect_uri=http://localhost/', 'transaction='].map(
          (start) => {
            const form = `${start}${inPlace}`.slice(0, 60_000);
            return `POST /oauth/authorize HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`;
          },
        ),
        `POST /v1/areas HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${LONG}\r\n\r\n${hostile}`,
      ];
    }),
  );
  await service.fared();
  for (let at = 0; at < heads.length; at += 8) {
    const answers = await Promise.all(
      heads.slice(at, at + 8).map((head) => {
        const authorization = head.includes('Authorization') ? '' : `\r\nAuthorization: Bearer ${key}`;
        const [first = '', ...rest] = head.split('\r\n');
        const bytes = `${first}${authorization}\r\nConnection: close\r\n${rest.join('\r\n')}\r\n\r\n`;
        return sendBytes(port, Buffer.from(bytes, 'latin1'), false, 20_000);
      }),
    );
    for (const { statuses, hung, text } of answers) {
      assert.ok(!hung);
      for (const status of statuses) assert.ok(status < 500, text);
    }
  }
  const { longestTurn, longestDelay, prototypes } = await service.fared();
  t.diagnostic(JSON.stringify({ requests: heads.length, longestTurn, longestDelay }));
  assert.equal(prototypes, before.prototypes);
  assert.ok(longestTurn < LONGEST_TURN, `${longestTurn} ms in one turn`);
});

test('a body that is made to be expensive is answered, or refused with a 4xx', async () => {
  for (const each of HOSTILE_BODIES) {
    const key = each.path.startsWith('/v1/') ? service.key : null;
    const { statuses, hung, text } = await sendBytes(service.port, requestOf(each, key), true, 20_000);
    assert.ok(!hung, each.body.slice(0, 80));
    assert.equal(statuses.length, 1);
    for (const status of statuses)
      assert.ok(status < 500, `${each.body.slice(0, 80)} was answered ${text.slice(0, 1_000)}`);
  }
  assert.deepEqual((await service.fared()).errors, []);
});

test('no connection outlives its requests', async () => {
  for (let look = 0; look < 200; look++) {
    if ((await service.fared()).sockets <= before.sockets) return;
    await fetch(`http://127.0.0.1:${service.port}/livez`, { headers: { connection: 'close' } });
  }
  assert.fail(`${(await service.fared()).sockets} sockets are open`);
});
