// Files at URLs: the address without its credentials, and headers whose values stand in variables.

import { createHash } from 'node:crypto';
import { basename } from 'node:path/posix';
import { decodePercent } from '../../lib/parse.ts';
import { FileFault } from '../formats/record.ts';

/** Headers by their names, each with the name of the variable that has its value. */
export type HeaderVariables = Readonly<Record<string, string>>;

export interface RemoteFile {
  /** Without user and password. Its query may still be a secret. */
  readonly url: URL;
  /** User and password, as a header; null: the URL has none. */
  readonly authorization: string | null;
  readonly headers: HeaderVariables;
  /** The address as people may see it: without credentials and query. */
  readonly shown: string;
  /** A file name made of the URL, for the map beside it and for rejected rows. */
  readonly name: string;
}

/** Whether what names a file is a URL. */
export const isUrl = (text: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(text);

const MAX_URL_LENGTH = 4_000;

/** Throws FileFault, whose message does not repeat the URL. */
export function parseRemote(text: string, headers: HeaderVariables = {}): RemoteFile {
  const url = !/[\s\\\p{Cc}]/u.test(text) && text.length <= MAX_URL_LENGTH ? URL.parse(text) : null;
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    throw new FileFault('A URL of a file is absolute and begins with https://.');
  const { username, password } = url;
  const [user, secret] = [decodePercent(username), decodePercent(password)];
  if (user === null || secret === null || /\p{Cc}/u.test(user + secret))
    throw new FileFault('User and password of the URL are not percent-encoded as URLs are.');
  if (user + secret !== '' && 'authorization' in headers)
    throw new FileFault(
      'The URL has a user and password, and a header Authorization is named too: leave one out.',
    );
  url.username = '';
  url.password = '';
  url.hash = '';
  const credentials = Buffer.from(`${user}:${secret}`).toString('base64');
  return {
    url,
    authorization: user + secret === '' ? null : `Basic ${credentials}`,
    headers,
    shown: shownUrl(url),
    name: nameOf(url),
  };
}

export const shownUrl = ({ origin, pathname, search }: URL): string =>
  `${origin}${pathname}${search === '' ? '' : '?…'}`;

/** `homes.csv` of `https://example.com/export/homes.csv?token=…`; the host where the path names no file. */
function nameOf({ pathname, hostname }: URL): string {
  const name = (decodePercent(basename(pathname)) ?? '').replace(/[^\p{L}\p{N} ._-]/gu, '_').slice(0, 100);
  return /^[. ]*$/.test(name) ? hostname.replace(/[^\w.-]/g, '_') : name;
}

/** What distinguishes an answer from an earlier one. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/**
 * A digest by which a URL is recognized, without its user and password.
 * @param purpose what is done with the file: the same file for something else is not unchanged
 */
export const digestOfRemote = ({ url }: RemoteFile, purpose: string): Buffer =>
  createHash('sha256').update(url.href).update('\0').update(purpose).digest();

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,199}$/;
/** Headers that belong to the connection, or that the download sets itself. */
const OWN_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|accept-encoding|if-.*|range|upgrade|te|trailer|proxy-.*)$/;

/**
 * Headers of `Authorization=FEED_TOKEN` or, for that header, of the variable's name alone. Throws a RangeError whose message is the rest of a
 * sentence.
 */
export function parseHeaderVariables(texts: readonly string[]): HeaderVariables {
  const headers: Record<string, string> = {};
  for (const text of texts) {
    const [first = '', second] = text.split('=', 2);
    const [name, variable] = second === undefined ? ['authorization', first] : [first.toLowerCase(), second];
    if (!HEADER_NAME.test(name) || !VARIABLE_NAME.test(variable))
      throw new RangeError('must be a header and the name of a variable, as in X-Api-Key=FEED_KEY');
    if (OWN_HEADERS.test(name)) throw new RangeError(`must not set ${name}`);
    if (name in headers) throw new RangeError(`names ${name} twice`);
    headers[name] = variable;
  }
  return headers;
}

/** The headers that are sent. Throws FileFault that names a variable without a value, and never a value. */
export function headersOf(
  { authorization, headers }: RemoteFile,
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const sent: Record<string, string> = authorization === null ? {} : { authorization };
  for (const [name, variable] of Object.entries(headers)) {
    const value = variables[variable]?.trim() ?? '';
    if (value === '') throw new FileFault(`The variable ${variable} for the header ${name} is not set.`);
    if (!/^[\x20-\x7e]+$/.test(value))
      throw new FileFault(`The variable ${variable} holds characters that no header can have.`);
    sent[name] = value;
  }
  return sent;
}
