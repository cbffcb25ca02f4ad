// Full use of OAuth in which every secret is recorded: consents, mistakes, thefts, and secrets in wrong places.

import { type Canaries, canaryKey, canaryToken } from '../fuzz/canaries.ts';
import { open, send, transactionOf } from './authorize.ts';
import {
  call,
  challengeOf,
  type JsonResponse,
  newVerifier,
  parseSession,
  postForm,
  refresh,
  revoke,
} from './oauth.ts';

type Place = { readonly url: string };

const REDIRECT = 'http://127.0.0.1:4321/callback';

export class WatchedLife {
  readonly #place: Place;
  readonly #canaries: Canaries;
  readonly #key: string;
  /** How often each status came. */
  readonly statuses: Record<number, number> = {};

  /** `key` is a good one. */
  constructor(place: Place, canaries: Canaries, key: string) {
    this.#place = place;
    this.#canaries = canaries;
    this.#key = canaries.watch('the key', key);
  }

  /** Consents on the page, after a wrong key; gives what its client exchanges. */
  async consent(name: string) {
    const clientId = 'watched-app';
    const verifier = this.#watch(`the verifier ${name}`, newVerifier());
    const state = this.#watch(`the state ${name}`, canaryToken());
    const parameters = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      state,
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    };
    const page = await this.#seen(open(this.#place, { parameters }));
    const transaction = transactionOf(await page.text());
    this.#watch(`the transaction ${name}`, transaction.split('.')[1] ?? '');
    const referer = `${this.#place.url}/oauth/authorize?${new URLSearchParams(parameters)}`;
    const wrong = this.#watch(`the wrong key ${name}`, canaryKey());
    await this.#seen(send(this.#place, { transaction, api_key: wrong }, { referer }));
    await this.#seen(open(this.#place, { parameters: { ...parameters, prompt: 'none' } }));
    await this.#seen(open(this.#place, { parameters: { ...parameters, client_id: 'https://x.invalid/' } }));
    await this.#seen(send(this.#place, { transaction, decision: 'deny' }, { referer }));
    const done = await this.#seen(send(this.#place, { transaction, api_key: this.#key }, { referer }));
    const location = done.headers.get('location');
    if (location === null) return { clientId, verifier, state, code: null };
    const code = this.#secret(`the code ${name}`, new URL(location).searchParams.get('code'));
    return { clientId, verifier, state, code };
  }

  /** The whole way to tokens, with a wrong verifier first. */
  async signIn(name: string) {
    const { clientId, verifier, state, code } = await this.consent(name);
    if (code === null) throw new Error('There is no code');
    const fields = { grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: REDIRECT };
    const guess = this.#watch(`the wrong verifier ${name}`, newVerifier());
    await this.#token({ ...fields, code_verifier: guess });
    const session = this.#session(name, await this.#token({ ...fields, code_verifier: verifier }), clientId);
    return { ...session, state, fields: { ...fields, code_verifier: verifier } };
  }

  async refresh(name: string, session: { clientId: string; refreshToken: string }) {
    const answer = await this.#counted(refresh(this.#place, session));
    return answer.status === 200 ? this.#session(name, answer, session.clientId) : null;
  }

  /** Everything that goes well and everything that goes wrong, with a service that has no grace for retries. */
  async play(): Promise<void> {
    const first = await this.signIn('of the first');
    await this.#counted(call(this.#place, first.accessToken));
    const next = await this.refresh('of the refreshed', first);
    await this.refresh('of the reused', first);
    if (next !== null) await this.#counted(call(this.#place, next.accessToken));
    const second = await this.signIn('of the second');
    await this.#token(second.fields);
    const third = await this.signIn('of the third');
    await this.misplace(third);
    await this.#grants();
    await this.#counted(revoke(this.#place, third.accessToken, third.clientId));
    await this.#counted(revoke(this.#place, third.refreshToken, third.clientId));
  }

  /** Secrets where they do not belong: in addresses, in other headers, in bodies of another type. */
  async misplace(secrets: Awaited<ReturnType<WatchedLife['signIn']>>): Promise<void> {
    const { accessToken, refreshToken, state, fields } = secrets;
    const query = new URLSearchParams({ ...fields, state, refresh_token: refreshToken, api_key: this.#key });
    const paths = [
      '/oauth/token',
      '/oauth/authorize',
      '/oauth/authorise',
      '/callback',
      '/',
      '/v1/usage',
      '/livez',
      '/oauth/revoke',
      '/oauth/register',
      '/oauth/grants',
      '/.well-known/oauth-authorization-server',
    ];
    for (const path of paths) {
      await this.#get(`${path}?${query}`, {});
      const body = JSON.stringify({ ...Object.fromEntries(query), token: accessToken });
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded'])
        await this.#get(path, { method: 'POST', body, headers: { 'content-type': type } });
    }
    for (const wrong of [refreshToken, fields.code, fields.code_verifier, state, `${accessToken}x`])
      await this.#counted(call(this.#place, wrong));
    for (const path of [accessToken, refreshToken, fields.code]) await this.#get(`/v1/property/${path}`, {});
    const basic = Buffer.from(`${fields.client_id}:${refreshToken}`).toString('base64');
    const form = { grant_type: 'refresh_token', refresh_token: `${refreshToken}x`, client_id: 'another' };
    await this.#counted(postForm(this.#place, '/oauth/token', form, { authorization: `Basic ${basic}` }));
  }

  /** The page on which grants are ended, with the proof in place of the key. */
  async #grants(): Promise<void> {
    const body = new URLSearchParams({ api_key: this.#key });
    const headers = { origin: this.#place.url };
    const opened = await this.#get('/oauth/grants', { method: 'POST', body, headers });
    const page = await opened.text();
    const [, cookie = ''] = /=([^;]+)/.exec(opened.headers.get('set-cookie') ?? '') ?? [];
    this.#watch('the cookie', cookie);
    await this.#get('/oauth/grants', { headers: { cookie: `__Host-freehold-key=${cookie}` } });
    const [, proof = ''] = /name="proof" value="([^"]+)"/.exec(page) ?? [];
    this.#watch('the proof', proof.split('.')[1] ?? '');
    const end = new URLSearchParams({ proof, end: '1' });
    await this.#get('/oauth/grants', { method: 'POST', body: end, headers });
  }

  #get(path: string, init: RequestInit): Promise<Response> {
    return this.#seen(fetch(`${this.#place.url}${path}`, { redirect: 'manual', ...init }));
  }

  #token(fields: Readonly<Record<string, string>>): Promise<JsonResponse> {
    return this.#counted(postForm(this.#place, '/oauth/token', fields));
  }

  #session(name: string, answer: JsonResponse, clientId: string) {
    const session = parseSession(answer, clientId);
    this.#secret(`the access token ${name}`, session.accessToken);
    this.#secret(`the refresh token ${name}`, session.refreshToken);
    return session;
  }

  #watch(name: string, secret: string): string {
    if (secret.length < 24) throw new Error(`${name} is too short to be watched`);
    return this.#canaries.watch(name, secret);
  }

  /** Watches what is issued here as its text, and as the random bytes that it is made of. */
  #secret(name: string, secret: string | null): string {
    const random = /^\w\w_([\w-]{43})/.exec(secret ?? '')?.[1];
    if (secret === null || random === undefined) throw new Error(`${name} was not issued`);
    const bytes = Buffer.from(random, 'base64url');
    this.#watch(`${name}, its random part`, random);
    this.#watch(`${name}, in hexadecimal`, bytes.toString('hex'));
    this.#watch(`${name}, its bytes`, bytes.toString('latin1'));
    return secret;
  }

  async #seen(answer: Promise<Response>): Promise<Response> {
    const { status } = await answer;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    return answer;
  }

  async #counted<T extends { readonly status: number }>(answer: Promise<T>): Promise<T> {
    const { status } = await answer;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    return answer;
  }
}
