// Owns the proof that secrets do not reach the log, wherever they stand.

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
  assert.equal(lines.length, 7);
  for (const line of lines) {
    assert.ok(!line.includes(SECRET), line);
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
