// Tests of the headers of all pages, errors included.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pageHeaders } from '../../../src/page/form-page.ts';
import { challengeOf, newVerifier } from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after });

const request = {
  response_type: 'code',
  client_id: 'an-app',
  redirect_uri: 'http://127.0.0.1:4321/callback',
  code_challenge: challengeOf(newVerifier()),
  code_challenge_method: 'S256',
  state: 'a state',
};
const query = new URLSearchParams(request);
const WRONG = 'SERVICE-00000000-0000-4000-8000-000000000000';

const form = (fields: Record<string, string>, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
  headers: { origin: service.url, ...headers },
  redirect: 'manual',
});

/** What a browser can be shown, by the status that it comes with. */
const PAGES: readonly (readonly [what: string, status: number, path: string, init?: RequestInit])[] = [
  ['consent', 200, `/oauth/authorize?${query}`],
  ['a client that is named twice', 400, `/oauth/authorize?${query}&client_id=another`],
  ['no parameters', 400, '/oauth/authorize'],
  ['a wrong key', 401, '/oauth/authorize', form({ ...request, api_key: WRONG })],
  ['no key', 401, '/oauth/authorize', form(request)],
  ['a form that was changed', 400, '/oauth/authorize', form({ transaction: 'changed', api_key: WRONG })],
  ['a form of another site', 403, '/oauth/authorize', form(request, { 'sec-fetch-site': 'cross-site' })],
  ['a body that is too long', 413, '/oauth/authorize', form({ ...request, state: 'a'.repeat(100_000) })],
  ['a method that is not there', 405, '/oauth/authorize', { method: 'PUT' }],
  ['connected apps', 200, '/oauth/grants'],
  ['connected apps of a key', 200, '/oauth/grants', form({ api_key: service.keys.pro })],
  ['connected apps of a wrong key', 401, '/oauth/grants', form({ api_key: WRONG })],
];

for (const [what, status, path, init = {}] of PAGES) {
  test(`CP3, CP4: ${what} comes with every header that a page needs, as ${status}`, async () => {
    const headers = { accept: 'text/html', ...(init.headers as Record<string, string> | undefined) };
    const answer = await fetch(`${service.url}${path}`, { ...init, headers });
    const text = await answer.text();
    assert.equal(answer.status, status, text.slice(0, 200));
    for (const [name, value] of Object.entries(pageHeaders()))
      assert.equal(answer.headers.get(name), value, name);
    // Only a key that was typed for the account is remembered: consent has no cookie.
    const cookies = answer.headers.getSetCookie().length;
    assert.equal(cookies, what === 'connected apps of a key' ? 1 : 0);
    assert.equal(answer.headers.get('access-control-allow-origin'), null);
    assert.match(text, /^<!doctype html>/);
    assert.ok(!/<script|\sstyle=|\son\w+=|SERVICE-0/.test(text));
  });
}
