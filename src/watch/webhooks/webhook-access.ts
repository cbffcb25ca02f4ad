// Access of webhooks to the network: which URLs may be registered, and connections to those alone.

import {
  createNetworkAccess,
  type NetworkAccess,
  type NetworkAccessOptions,
  type NetworkUrl,
  type UrlFault,
} from '../../lib/network/network-access.ts';

export type WebhookAccess = NetworkAccess;

/** A URL that a webhook may have. */
export type WebhookUrl = NetworkUrl;

/** Characters of a URL. */
export const MAX_URL_LENGTH = 2_000;

export const createWebhookAccess = (options: Omit<NetworkAccessOptions, 'setting'>): WebhookAccess =>
  createNetworkAccess({ ...options, setting: 'WEBHOOK_ALLOW' });

/** Parses the URL of a webhook as far as that needs no network. */
export function parseWebhookUrl(text: string): URL | UrlFault {
  const url = !/[\s\\\p{Cc}]/u.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol) || !/^https?:\/\//i.test(text))
    return { fault: 'must be an absolute URL such as https://example.com/hook' };
  if (url.href.length > MAX_URL_LENGTH) return { fault: `must have at most ${MAX_URL_LENGTH} characters` };
  if (url.username !== '' || url.password !== '')
    return {
      fault: 'must not contain credentials; every delivery is signed, which shows where it comes from',
    };
  if (url.hash !== '' || text.includes('#'))
    return { fault: 'must not have a fragment; leave out # and what follows' };
  if (url.port === '0') return { fault: 'must not have the port 0' };
  return url;
}
