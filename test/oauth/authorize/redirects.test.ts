// Tests of redirect URIs written in hostile ways: none leads anywhere that is not registered.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { authorizationRequest, LOOPBACK, open, registerClient } from '../../support/oauth/authorize.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after });
const WEB = 'https://app.example/cb';
const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Pieces of which addresses are made that two parsers understand differently. */
const PIECES = [
  'http:',
  'https:',
  'HTTP:',
  'javascript:',
  'com.app:',
  '//',
  '/',
  '\\',
  '///',
  ':',
  '@',
  '?',
  '#',
  '%',
  '%00',
  '%2f',

  'localhost',
  '127.0.0.1',
  '[::1]',
  'evil.example',
  '127.1',
  '0x7f.1',
  '.',
  '。',
  'ⓛocalhost',
  ':80',
  ':99999',
  'x:y',

  '/cb',
  '/../',
  '%5c',
  '%40',
  ' ',
  '\t',
  '\r\n',
  '\u0000',
  '\u202e',
  '?code=a',
  '&iss=b',
  ';',
  '[',
  ']',
  '*',
  'app.example',
];

test('whatever a redirect is made of, an app that is not registered leads nowhere but to this computer', async () => {
  const redirect = fc
    .tuple(
      fc.constantFrom('http://localhost', 'http://127.0.0.1:1', 'https://[::1]', 'http:', ''),
      fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }),
    )
    .map(([start, pieces]) => start + pieces.join(''));
  let [led, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(redirect, async (redirectUri) => {
      const answer = await open(
        service,
        authorizationRequest({ redirect_uri: redirectUri, response_type: 'token' }),
      );
      const location = answer.headers.get('location');
      if (location === null) {
        refused++;
        return assert.equal(answer.status, 400);
      }
      led++;
      assert.ok(location.startsWith(redirectUri), location);
      assert.ok(LOCAL.has(new URL(location).hostname), location);
      const { searchParams } = new URL(location);
      for (const name of ['error', 'state', 'iss']) assert.equal(searchParams.getAll(name).length, 1, name);
      assert.equal(searchParams.has('code'), false);
    }),
    { numRuns: 400, seed: 20_261_121 },
  );
  assert.ok(led > 20 && refused > 100, `${led} led, ${refused} refused`);
});

test('a site that registered one address is sent to that address, letter by letter', async () => {
  const client = await registerClient(service, WEB);
  const others = [
    `${WEB}/`,
    `${WEB}?`,
    `${WEB}#`,
    `${WEB}/../cb`,
    `${WEB}%00`,
    'https://app.example:443/cb',
    'https://APP.example/cb',

    'https://app.example/CB',
    'https://app.example//cb',
    'https://app.example./cb',
    'http://app.example/cb',
    ` ${WEB}`,

    `${WEB}\n`,
    'https://app.example/%63b',
    'https://evil.example/https://app.example/cb',
    'https:/app.example/cb',

    'https://app.example/cb?code=stolen',
    'https://app.example\\cb',
    'https://user@app.example/cb',
    LOOPBACK,
  ];
  for (const redirectUri of others) {
    const answer = await open(
      service,
      authorizationRequest({ client_id: client, redirect_uri: redirectUri, prompt: 'none' }),
    );
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null], redirectUri);
    const page = await answer.text();
    assert.ok(!page.includes('evil.example') && !page.includes('stolen'), redirectUri);
  }
});
