// Browser that signs in to the explorer, as its script does: one cookie jar, and requests from pages of the service.

import type { SessionAnswer } from '../../../src/explore/session/session-answer.ts';
import { type AuthorizationCode, consent } from '../oauth/oauth.ts';
import type { TestService } from '../service/service.ts';

export const EXPLORER = 'freehold-explorer';

export interface SessionReply extends SessionAnswer {
  readonly status: number;
  readonly code: string | null;
  readonly headers: Headers;
}

export class ExplorerBrowser {
  readonly #service: Pick<TestService, 'url'>;
  /** What the cookie holds; null: there is none. */
  cookie: string | null = null;

  constructor(service: Pick<TestService, 'url'>) {
    this.#service = service;
  }

  /** Somebody consents: with a key, or without one as the Free tier. */
  consent(key?: string): Promise<AuthorizationCode> {
    const redirectUri = `${this.#service.url}/explore/callback`;
    return consent(this.#service, { clientId: EXPLORER, redirectUri, ...(key !== undefined && { key }) });
  }

  async signIn(key?: string): Promise<SessionReply> {
    const { code, verifier } = await this.consent(key);
    return this.send({ action: 'exchange', code, codeVerifier: verifier });
  }

  refresh(): Promise<SessionReply> {
    return this.send({ action: 'refresh' });
  }

  /** POST /explore/session; `headers` replace those of a page of the service, undefined leaves one out. */
  async send(
    body: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<SessionReply> {
    const all = {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      cookie: this.cookie === null ? undefined : `__Host-freehold-session=${this.cookie}`,
      ...headers,
    };
    const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const answer = await fetch(`${this.#service.url}/explore/session`, {
      method: 'POST',
      headers: sent,
      body: JSON.stringify(body),
    });
    const [, kept, life] =
      /^__Host-freehold-session=([^;]*); Max-Age=(\d+)/.exec(answer.headers.get('set-cookie') ?? '') ?? [];
    if (kept !== undefined) this.cookie = life === '0' ? null : kept;
    const {
      session = null,
      wasRefused = false,
      code = null,
    } = (await answer.json()) as Partial<SessionReply>;
    return { status: answer.status, headers: answer.headers, session, wasRefused, code };
  }
}
