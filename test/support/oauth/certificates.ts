// Certificates of a private test authority, written as DER.

import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isIPv4 } from 'node:net';

export interface Leaf {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** Its own certificate, PEM. */
  readonly cert: string;
  /** A certificate for these DNS names and IPv4 addresses. */
  leaf(...names: readonly string[]): Leaf;
}

/** A new authority that nobody trusts yet. */
export function newAuthority(name = 'Test authority'): Authority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = { name, key: privateKey };
  return {
    cert: certificate(issuer, name, publicKey, [extension(BASIC_CONSTRAINTS, sequence(TRUE), true)]),
    leaf(...names) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const alternatives = sequence(...names.map(alternativeName));
      const extensions = [extension(ALTERNATIVE_NAMES, alternatives)];
      return {
        cert: certificate(issuer, names[0] ?? 'nobody', pair.publicKey, extensions),
        key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

// Object identifiers, as DER writes them.
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('550403', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('551d13', 'hex');
const ALTERNATIVE_NAMES = Buffer.from('551d11', 'hex');
const TRUE = Buffer.from('0101ff', 'hex');

let serial = 0;

function certificate(
  issuer: { readonly name: string; readonly key: KeyObject },
  subject: string,
  publicKey: KeyObject,
  extensions: readonly Buffer[],
): string {
  const algorithm = sequence(der(0x06, ECDSA_WITH_SHA256));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ++serial >> 8, serial & 255])),
    algorithm,
    nameOf(issuer.name),
    sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z'))),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = createSign('sha256').update(content).sign(issuer.key);
  const whole = sequence(content, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return `-----BEGIN CERTIFICATE-----\n${whole.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

function alternativeName(name: string): Buffer {
  return isIPv4(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name));
}

function nameOf(text: string): Buffer {
  return sequence(der(0x31, sequence(der(0x06, COMMON_NAME), der(0x0c, Buffer.from(text)))));
}

function extension(id: Buffer, value: Buffer, critical = false): Buffer {
  return sequence(der(0x06, id), ...(critical ? [TRUE] : []), der(0x04, value));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** One value with its tag and length. */
function der(tag: number, value: Buffer): Buffer {
  const size = value.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}
