// Settings of commands against a remote service: its address and the key.

import { CommandFailure, EXIT } from '../failure.ts';

export interface RemoteSettings {
  /** Without a slash at its end. */
  readonly url: string;
  /** Null: requests carry none. */
  readonly key: string | null;
}

/**
 * FREEHOLD_URL and FREEHOLD_KEY of the environment. Never of a file `.env`: whoever puts one into a folder would get the key sent to
 * an address of their own. Throws CommandFailure for an address that is missing or none, and for a key that cannot be one.
 */
export function readRemoteSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): RemoteSettings {
  const { FREEHOLD_URL: url = '', FREEHOLD_KEY: key = '' } = environment;
  if (key !== '' && !/^[\x21-\x7e]{1,1000}$/.test(key))
    throw fault('FREEHOLD_KEY has spaces, line ends or letters that no key has: set it to the key alone.');
  return { url: addressOf(url.trim()), key: key === '' ? null : key };
}

function addressOf(text: string): string {
  if (text === '')
    throw fault(
      'FREEHOLD_URL is not set. Set it to the address of the service: `export FREEHOLD_URL=http://127.0.0.1:8080`.',
    );
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw fault('FREEHOLD_URL is no address: it begins with https:// or http://.');
  if (url.username !== '' || url.password !== '')
    throw fault('FREEHOLD_URL has a user or a password in it: the key belongs in FREEHOLD_KEY.');
  if (url.search !== '' || url.hash !== '')
    throw fault('FREEHOLD_URL ends with a query or a fragment: give the address of the service alone.');
  const path = url.pathname.replace(/\/+$/, '');
  if (/\/v1(?:\/|$)/.test(path))
    throw fault('FREEHOLD_URL is the address of the service, without /v1 and what follows it.');
  return `${url.origin}${path}`;
}

/** Whether what is sent there can be read by others on the way. */
export function isReadableOnTheWay(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

const fault = (message: string) => new CommandFailure(message, EXIT.usage);
