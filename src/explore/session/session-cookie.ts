// Cookie that keeps the refresh token of the explorer. One route reads it; scripts never can.

import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../../lib/settings.ts';
import { LIFETIMES } from '../../oauth/protocol/tokens.ts';

const NAME = '__Host-freehold-session';
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

export class SessionCookie {
  /**
   * False where browsers would not keep it (plain http, but on this machine), or where they would hand it to whatever else is
   * served on the host (below a path): sign-ins then live in the memory of the page.
   */
  readonly isUsed: boolean;

  constructor(publicUrl: string) {
    const { protocol, hostname, pathname } = new URL(publicUrl);
    this.isUsed = (protocol === 'https:' || isLoopback(hostname)) && pathname === '/';
  }

  /** The token in a request; null for a cookie that is missing, or there twice. */
  read({ cookie = '' }: Pick<IncomingHttpHeaders, 'cookie'>): string | null {
    if (!this.isUsed) return null;
    const values = cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${NAME}=`))
      .map((pair) => pair.slice(NAME.length + 1));
    return values.length === 1 ? (values[0] ?? null) : null;
  }

  /** The header that has the browser keep a token. */
  keep(token: string): Readonly<Record<'set-cookie', string>> | Record<string, never> {
    if (!this.isUsed) return {};
    return { 'set-cookie': `${NAME}=${token}; Max-Age=${LIFETIMES.refreshToken / 1_000}; ${ATTRIBUTES}` };
  }

  /** The header that has the browser forget it. */
  forget(): Readonly<Record<'set-cookie', string>> | Record<string, never> {
    return this.isUsed ? { 'set-cookie': `${NAME}=; Max-Age=0; ${ATTRIBUTES}` } : {};
  }
}
