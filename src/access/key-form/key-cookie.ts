// Cookie of the pages about a key: for ten minutes it opens them without the key. Nothing else reads it.

import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../lib/clock.ts';
import { CannotOpen, Keyring } from '../../lib/keyring.ts';
import { parseJson } from '../../lib/parse.ts';
import { isLoopback } from '../../lib/settings.ts';
import { PAGE_LIFETIME } from './signed-parameters.ts';

export const COOKIE_NAME = '__Host-freehold-key';
/** The pages that it opens: account, watchers and apps. Those of another family seal another name. */
const FAMILY = 'account';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
/** Characters of a cookie that is opened: more than any subscription needs. */
const MAX_LENGTH = 1_000;

type SetCookie = Readonly<Record<'set-cookie', string>>;

export interface KeyCookieOptions {
  readonly clock: Clock;
  /** Of all processes; what seals is derived from it. */
  readonly proofKey: () => Promise<Buffer>;
  readonly publicUrl: string;
}

export class KeyCookie {
  /** False where browsers would not keep it, or hand it to whatever else is served on the host: forms then work without. */
  readonly isUsed: boolean;
  readonly #options: KeyCookieOptions;

  constructor(options: KeyCookieOptions) {
    const { protocol, hostname, pathname } = new URL(options.publicUrl);
    const isSecure = protocol === 'https:' || isLoopback(hostname);
    this.isUsed = isSecure && pathname === '/';
    this.#options = options;
  }

  /** The subscription whose pages the cookie of a request opens; null for a cookie that is missing, twice there, changed or expired. */
  async read({ cookie = '' }: Pick<IncomingHttpHeaders, 'cookie'>): Promise<string | null> {
    if (!this.isUsed) return null;
    const values = cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${COOKIE_NAME}=`))
      .map((pair) => pair.slice(COOKIE_NAME.length + 1));
    const [value] = values;
    if (value === undefined || values.length > 1 || value.length > MAX_LENGTH) return null;
    const sealed = this.#open(await this.#keyring(), Buffer.from(value, 'base64url'));
    if (!Array.isArray(sealed)) return null;
    const [end, family, subscription] = sealed as readonly unknown[];
    const left = typeof end === 'number' ? end - this.#options.clock.now() : 0;
    // Also expired if it lives too long: a clock that was set back would otherwise prolong it.
    if (left <= 0 || left > PAGE_LIFETIME || family !== FAMILY) return null;
    return typeof subscription === 'string' ? subscription : null;
  }

  /** The header that has the browser remember a subscription for ten minutes; none where cookies are not used. */
  async remember(subscription: string): Promise<SetCookie | Record<string, never>> {
    if (!this.isUsed) return {};
    const sealed = JSON.stringify([this.#options.clock.now() + PAGE_LIFETIME, FAMILY, subscription]);
    const value = (await this.#keyring()).seal(Buffer.from(sealed), FAMILY).toString('base64url');
    return { 'set-cookie': `${COOKIE_NAME}=${value}; Max-Age=${PAGE_LIFETIME / 1_000}; ${ATTRIBUTES}` };
  }

  /** The header that has the browser forget it. */
  forget(): SetCookie | Record<string, never> {
    return this.isUsed ? { 'set-cookie': `${COOKIE_NAME}=; Max-Age=0; ${ATTRIBUTES}` } : {};
  }

  /** A key of its own: what is sealed here never serves as a proof, nor the other way round. */
  async #keyring(): Promise<Keyring> {
    const key = await this.#options.proofKey();
    return new Keyring([createHmac('sha256', key).update('cookie of the pages about a key').digest()]);
  }

  #open(keyring: Keyring, sealed: Buffer): unknown {
    try {
      return parseJson(keyring.open(sealed, FAMILY).toString());
    } catch (error) {
      if (error instanceof CannotOpen) return null;
      throw error;
    }
  }
}
