// Reader of settings: typed values of environment variables, with a fault for each that is invalid.

import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isPrivateAddress, type NetworkPort, parseNetworkPort, parseNetworks } from './ip-address.ts';
import { parseKeys } from './keyring.ts';
import { parseTimeZone } from './parse.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export class SettingsReader {
  readonly faults: string[];
  readonly #values: Environment;

  constructor(values: Environment, faults: string[]) {
    this.#values = values;
    this.faults = faults;
  }

  /** The text of a setting; null if absent or empty. */
  text(name: string): string | null {
    return this.#values[name]?.trim() || null;
  }

  /** A secret that cannot be guessed; errors never repeat it. */
  secret(name: string): string | null {
    const text = this.text(name);
    if (text !== null && !/^[!-~]{16,256}$/.test(text))
      this.faults.push(`${name} must have 16 to 256 printable characters, without spaces`);
    return text;
  }

  /** Keys as they are written; errors never repeat them. */
  keys(name: string): string | null {
    const text = this.text(name);
    try {
      if (text !== null) parseKeys(text);
    } catch (error) {
      this.faults.push(`${name} ${(error as RangeError).message}`);
    }
    return text;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name);
    if (text === null) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    this.faults.push(`${name}=${text} must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  oneOf<const T extends string, Fallback extends T | null>(
    name: string,
    allowed: readonly T[],
    fallback: Fallback,
  ): T | Fallback {
    const text = this.text(name);
    const value = text === null ? fallback : allowed.find((candidate) => candidate === text);
    if (value !== undefined) return value;
    this.faults.push(`${name}=${text} must be ${allowed.join(', ').replace(/, ([^,]*)$/, ' or $1')}`);
    return fallback;
  }

  /** A currency by its three letters (ISO 4217), in capitals. */
  currency(name: string): string | null {
    const code = this.text(name)?.toUpperCase() ?? null;
    if (code === null || Intl.supportedValuesOf('currency').includes(code)) return code;
    this.faults.push(
      `${name}=${this.text(name)} must be a currency by its three letters (ISO 4217) such as USD`,
    );
    return null;
  }

  /** The name of a time zone; null if absent. */
  timeZone(name: string): string | null {
    const text = this.text(name);
    const zone = text === null ? null : parseTimeZone(text);
    if (text !== null && zone === null)
      this.faults.push(`${name}=${text} must be the name of a time zone such as America/Chicago`);
    return zone;
  }

  path(name: string, folder: string): string | null {
    const text = this.text(name);
    return text === null ? null : resolve(folder, text);
  }

  networks(name: string): readonly string[] {
    const parse = (entry: string): string => {
      parseNetworks([entry]);
      return entry;
    };
    return this.list(name, parse, 'an address or a network such as 10.0.0.0/8');
  }

  /** Ports of networks. */
  networkPorts(name: string): readonly NetworkPort[] {
    return this.list(name, parseNetworkPort, 'a network with a port such as 10.0.0.0/8:8443');
  }

  /** Entries separated by commas, each parsed; `parse` throws a RangeError for what is not `form`. */
  list<T>(name: string, parse: (entry: string) => T, form: string): readonly T[] {
    const entries = (this.text(name)?.split(',') ?? []).map((part) => part.trim()).filter(Boolean);
    return entries.flatMap((entry) => {
      try {
        return [parse(entry)];
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.faults.push(`${name}: ${entry} must be ${form}`);
        return [];
      }
    });
  }

  /** An http or https URL without a slash at its end; errors do not repeat it, since it may contain secrets. */
  url(name: string, rules: UrlRules = {}): string | null {
    const text = this.text(name);
    if (text === null) return null;
    const fault = urlFault(text, rules);
    if (fault !== null) this.faults.push(`${name} ${fault}`);
    return text.replace(/\/+$/, '');
  }

  databaseUrl(): string | null {
    const text = this.text('DATABASE_URL');
    if (text !== null && !/^postgres(?:ql)?:\/\/\S+$/.test(text)) {
      this.faults.push('DATABASE_URL must be of the form postgres://user:password@host:5432/database');
    }
    return text;
  }

  /** A server that counts for several processes; errors do not repeat the URL, which may contain a password. */
  limitsUrl(): string | null {
    const text = this.text('LIMITS_URL');
    if (text === null) return null;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (
      !/^rediss?:$/.test(url?.protocol ?? '') ||
      url?.hostname === '' ||
      url?.hash !== '' ||
      url.search !== ''
    )
      this.faults.push(
        'LIMITS_URL must be of the form redis://user:password@host:6379, or rediss:// with TLS, without a query',
      );
    return text;
  }
}

export interface UrlRules {
  /** Without a query or a fragment. */
  readonly bare?: boolean;
  /** Where plain http may lead: default `loopback`, this machine; `private` adds private networks. */
  readonly http?: 'loopback' | 'private';
}

/** Why a text is no URL that may be used; null: it is one. */
export function urlFault(text: string, rules: UrlRules): string | null {
  if (!URL.canParse(text)) return 'must be an absolute URL such as https://api.example.com';
  // The URL is written into pages and documents unescaped.
  if (/["'<>`\\\s]/.test(text)) return 'must not contain quotes, angle brackets, backslashes or spaces';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    if (rules.http === undefined) return 'must use https: plain http is allowed for this machine only';
    if (rules.http === 'loopback' || !isPrivateHost(url.hostname))
      return (
        'must use https: plain http is allowed for this machine only, and with ALLOW_HTTP=private for addresses of ' +
        'private networks and names such as freehold, freehold.local or freehold.internal'
      );
  }
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  if (rules.bare && (url.search !== '' || url.hash !== '')) return 'must not have a query or a fragment';
  return null;
}

/** Whether a host is one of a private network: an address that is not public, or a name that public DNS cannot have. */
function isPrivateHost(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0) return isPrivateAddress(address);
  return !host.includes('.') || /\.(?:local|internal|lan|home\.arpa)$/.test(host);
}

export const isLoopback = (host: string): boolean =>
  ['localhost', '::1', '[::1]'].includes(host) || /^127(?:\.\d+){3}$/.test(host);

/** Freezes a value and all parts of it; gives the same value. */
export function deepFreeze<T extends object>(value: T): T {
  // Bytes cannot be frozen.
  if (ArrayBuffer.isView(value)) return value;
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
