// Client ID URL: the form that the URL of a client document must have.

import { isIP } from 'node:net';
import { hasCanonicalHost } from './canonical-host.ts';
import { ClientDocumentError } from './client-document-refusal.ts';

const MAX_LENGTH = 2_048;
/** Ports below belong to services that expect no requests; the one of https is not written. */
const FIRST_FREE_PORT = 1_024;

/** Host names that never lead to the public Internet. */
const INWARD = ['localhost', 'local', 'internal', 'arpa', 'onion', 'invalid', 'alt'];

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`);

type Rule = readonly [holds: (url: URL, text: string) => boolean, fault: string];

/** In the order in which they are told. Texts are tested as they are written: a URL object has already mended them. */
const RULES: readonly Rule[] = [
  [(_, text) => !text.includes('#'), 'it must not have a fragment'],
  [(_, text) => !authorityOf(text).includes('@'), 'it must not contain a user name or password'],
  [(_, text) => !hasDotSegment(text), 'its path must not have "." or ".." segments'],
  [({ pathname }) => pathname !== '/', 'it must have a path, such as /oauth/client.json'],
  [({ port }) => port === '' || Number(port) >= FIRST_FREE_PORT, 'its port must be absent or at least 1024'],
  [({ hostname }) => isIP(hostname.replace(/^\[|\]$/g, '')) === 0, 'its host must be a name, not an address'],
  [({ hostname }) => DOMAIN.test(hostname), 'its host must be a full domain name'],
  [
    ({ hostname }) => !INWARD.some((name) => hostname.endsWith(`.${name}`)),
    'its host must be a name of the public Internet',
  ],
  [(_, text) => hasCanonicalHost(text), 'its host must be written as browsers normalise it'],
  [({ href }, text) => href === text, 'it must be written in its normal form'],
];

/** The address as a URL. Throws ClientDocumentRefusal `url`. */
export function parseClientIdUrl(text: string): URL {
  if (!text.startsWith('https://')) throw refusal('it must begin with https://');
  if (text.length > MAX_LENGTH) throw refusal(`it must have at most ${MAX_LENGTH} characters`);
  if (!URL.canParse(text)) throw refusal('it is not a URL');
  const url = new URL(text);
  const broken = RULES.find(([holds]) => !holds(url, text));
  if (broken !== undefined) throw refusal(broken[1]);
  return url;
}

function refusal(fault: string): ClientDocumentError {
  return new ClientDocumentError('url', `This client_id cannot be the URL of a document: ${fault}.`);
}

function authorityOf(text: string): string {
  return /^https:\/\/([^/?#\\]*)/.exec(text)?.[1] ?? '';
}

function hasDotSegment(text: string): boolean {
  const path = text.replace(/^https:\/\/[^/?#\\]*/, '').replace(/[?#].*$/s, '');
  return path.split(/[/\\]/).some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment));
}
