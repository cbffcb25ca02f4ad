// Access to /metrics: by the address of the connection, or by a token.

import type { IncomingHttpHeaders } from 'node:http';
import { isWithin, parseNetworks } from '../../lib/ip-address.ts';
import { equalSecrets } from '../../lib/secrets.ts';

export interface MetricsAccess {
  /** Networks that may read. */
  readonly allow: readonly string[];
  /** Who sends it as a Bearer credential may read from anywhere; null: nobody. */
  readonly token: string | null;
}

/** Whether a request may read the measurements. */
export type MayReadMetrics = (request: {
  readonly peer: string;
  readonly headers: IncomingHttpHeaders;
}) => boolean;

const LOOPBACK = ['127.0.0.0/8', '::1'];

/**
 * Processes on this machine may read without being named while the service is there for this machine alone. Once it is
 * public they must be named: a proxy among them that adds no header makes the whole world look local.
 */
export function metricsAccess({ allow, token }: MetricsAccess, publicUrl: string): MayReadMetrics {
  const networks = parseNetworks(isPublic(publicUrl) ? allow : [...allow, ...LOOPBACK]);
  return ({ peer, headers }) => {
    if (token !== null && hasToken(headers.authorization, token)) return true;
    const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
    return !isForwarded && isWithin(peer, networks);
  };
}

function isPublic(publicUrl: string): boolean {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  return host !== 'localhost' && !isWithin(host, parseNetworks(LOOPBACK));
}

function hasToken(authorization: string | undefined, token: string): boolean {
  const [, sent] = /^bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
  return sent !== undefined && equalSecrets(sent, token);
}
