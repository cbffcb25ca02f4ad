// Owns the question which client calls the token and revocation endpoints: public ones, that name themselves and prove nothing.

import type { Problem } from '../../lib/problem.ts';
import { oauthError } from '../protocol/errors.ts';

/**
 * The client's id: from the body, or from HTTP Basic, which some send with an empty secret. Throws invalid_request where
 * there is neither, invalid_client where Basic is no use or names another client than the body. Secrets are not looked
 * at, since nobody has one here.
 */
export function callingClient(
  sent: string | undefined,
  authorization: string | undefined,
  publicUrl: string,
): string {
  const basic = /^basic +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const claimed = basic === undefined ? sent : basicName(basic);
  if (claimed === null || (sent !== undefined && claimed !== sent)) throw contradiction(publicUrl);
  if (claimed === undefined) throw oauthError('invalid_request', 'The field client_id is missing.');
  return claimed;
}

/** The name in Basic credentials, which OAuth escapes like a form (OAuth 2.1, section 2.4.1); null where there is none. */
function basicName(credentials: string): string | null {
  const text = Buffer.from(credentials, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon <= 0) return null;
  try {
    const name = decodeURIComponent(text.slice(0, colon).replaceAll('+', ' '));
    return name.includes('\0') ? null : name;
  } catch {
    return null;
  }
}

/** The Bearer challenge comes first: clients read the first one, and theirs is the way through discovery. */
function contradiction(publicUrl: string): Problem {
  const bearer = `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`;
  return oauthError('invalid_client', 'The Authorization header names another client than the body.', {
    headers: { 'www-authenticate': `${bearer}, Basic realm="Freehold"` },
  });
}
