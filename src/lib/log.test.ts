// Proves that secrets do not reach the log, wherever they stand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, redact, withoutQueryValues } from './log.ts';

const SECRET = 'c4n4ry-0f-s3cr3ts';

test('no form of a secret survives in a line', () => {
  const lines: string[] = [];
  const log = createLog({ level: 'trace', stream: { write: (line) => void lines.push(line) } });
  log.info({ authorization: `Bearer ${SECRET}`, nested: { deep: { api_key: SECRET, token: SECRET } } }, 'x');
  log.info({ headers: { cookie: `a=${SECRET}`, 'set-cookie': `${SECRET}"quoted` } }, 'x');
  log.warn(`upstream said Bearer ${SECRET}== and SERVICE-${SECRET}`);
  log.error({ cause: new Error(`GET https://user:${SECRET}@host/x?access_token=${SECRET}&a=1`) }, 'x');
  log.error(new Error(`postgres://freehold:${SECRET}@127.0.0.1/db`));
  log.info(
    { url: `/v1/x?api_key=${SECRET}`, refresh_token: SECRET, code_verifier: SECRET, secret: SECRET },
    'x',
  );
  log.info({ webhook: `whsec_${SECRET}` }, `service-${SECRET}`);
  const word = SECRET.replaceAll('-', '');
  log.warn(`polar_oat_${word} polar_whs_${word} sk_live_${word} rk_test_${word}`);
  assert.equal(lines.length, 8);
  for (const line of lines) {
    assert.ok(!line.includes(SECRET) && !line.includes(word), line);
    assert.doesNotThrow(() => JSON.parse(line), line);
  }
});

test('ordinary text stays as it is', () => {
  const line =
    '{"route":"/v1/usage","url":"/v1/x?city","account":"sub:12","note":"token buckets are not used"}';
  assert.equal(redact(line), line);
});

test('of a query string only names are logged', () => {
  assert.equal(withoutQueryValues('/v1/x?city=Boston&q=a%20b&flag'), '/v1/x?city&q&flag');
  assert.equal(withoutQueryValues('/v1/x'), '/v1/x');
});

test('a key in a path is recognised however often it was encoded, in whole or in part', () => {
  const key = 'SERVICE-0f8fad5b-d9cb-469f-a165-70867728950e';
  const all = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
  const again = (text: string) => text.replaceAll('%', '%25');
  let [whole, part, mixed] = [all(key), key.replaceAll('-', '%2D'), key.replaceAll('-', '%%32%44')];
  for (let times = 1; times < 12; times++) {
    for (const sent of [whole, part, mixed]) {
      const logged = redact(withoutQueryValues(`/v1/property/${sent}`));
      assert.ok(!/0f8fad5b|70867728950e|66%61%64/i.test(logged.replaceAll('25', '')), `${times}: ${logged}`);
    }
    [whole, part, mixed] = [again(whole), again(part), again(mixed)];
  }
});

test('an address without needless escapes is logged as it came', () => {
  assert.equal(withoutQueryValues('/v1/property/a%2Fb%C3%A9'), '/v1/property/a%2Fb%C3%A9');
});
