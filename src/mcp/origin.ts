// Origin and Host of requests to the MCP endpoint: a page of another site must not reach a service on its reader's machine.

import type { IncomingHttpHeaders } from 'node:http';
import { Problem } from '../lib/problem.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Creates the check of Origin and Host, which throws ORIGIN_NOT_ALLOWED. On a loopback public URL both must be loopback, or
 * the public URL's own. On any other, pages may call from any https or loopback origin: no credential is sent by itself.
 * @param publicUrl without a trailing slash
 */
export function createOriginCheck(publicUrl: string): (headers: IncomingHttpHeaders) => void {
  const own = new URL(publicUrl);
  const isLocal = LOOPBACK.test(own.hostname);
  const isAllowedOrigin = (origin: URL) =>
    origin.origin === own.origin ||
    LOOPBACK.test(origin.hostname) ||
    (!isLocal && origin.protocol === 'https:');
  return ({ origin, host }) => {
    // The name is not repeated: no answer shows what somebody calls the service by.
    if (isLocal && !isLoopbackHost(host, own))
      throw refused('This service answers under the names of this machine alone, and Host is none of them.');
    if (origin === undefined) return;
    const url = URL.parse(origin);
    if (url === null || url.origin === 'null' || !isAllowedOrigin(url))
      throw refused(`Pages of the origin ${quoted(origin)} may not call this endpoint.`);
  };
}

function isLoopbackHost(host: string | undefined, own: URL): boolean {
  if (host === undefined) return true;
  const url = URL.parse(`http://${host}`);
  return url !== null && (url.host === own.host || LOOPBACK.test(url.hostname));
}

const refused = (detail: string) => new Problem('ORIGIN_NOT_ALLOWED', detail);

const MAX_SHOWN = 100;
const quoted = (text: string) => JSON.stringify(text.slice(0, MAX_SHOWN));
