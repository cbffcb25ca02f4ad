// Keyring: seals secrets at rest with AES-256-GCM, each bound to what it belongs to.

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/** Bytes of a key. */
export const KEY_BYTES = 32;
const MAX_KEYS = 2;
/** Layout of a sealed secret: version, id of the key, nonce, tag, ciphertext. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 2 + NONCE_BYTES + TAG_BYTES;

/** A secret that no key of this ring opens: it was sealed with another one, for something else, or is damaged. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
}

interface Key {
  readonly id: number;
  readonly bytes: Buffer;
}

export class Keyring {
  readonly #keys: readonly [Key, ...Key[]];

  /** @param keys 32 bytes each; the first seals, all open */
  constructor(keys: readonly [Buffer, ...Buffer[]]) {
    const [first, ...others] = keys;
    this.#keys = [keyOf(first), ...others.map(keyOf)];
  }

  /** The id of the key that seals, as `keyIdOf` reads it from what it has sealed. */
  get currentKeyId(): number {
    return this.#keys[0].id;
  }

  /** @param context what the secret belongs to: it opens with the same text only */
  seal(secret: Buffer, context: string): Buffer {
    const [{ id, bytes }] = this.#keys;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(context));
    const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION, id]), nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** Throws CannotOpen. */
  open(sealed: Uint8Array, context: string): Buffer {
    for (const { id, bytes } of this.#keys) {
      const secret = id === keyIdOf(sealed) ? tryOpen(bytes, sealed, context) : null;
      if (secret !== null) return secret;
    }
    throw new CannotOpen('A stored secret was sealed with another key than SECRETS_KEY');
  }
}

/** The id of the key that sealed it: one byte, so that different keys can have the same. */
export const keyIdOf = (sealed: Uint8Array): number => (sealed[0] === VERSION ? (sealed[1] ?? -1) : -1);

/**
 * The keys of a text: one or two of 32 bytes in base64, separated by a comma or a line break. Throws a RangeError that does
 * not repeat the text.
 */
export function parseKeys(text: string): readonly [Buffer, ...Buffer[]] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  const [first, ...others] = parts.map((part) => Buffer.from(part, 'base64'));
  const isBase64 = parts.every((part) => /^[\w+/-]{43}=?$/.test(part));
  if (first === undefined || others.length >= MAX_KEYS || !isBase64)
    throw new RangeError('must be one or two keys of 32 bytes in base64, separated by a comma');
  return [first, ...others];
}

function keyOf(bytes: Buffer): Key {
  if (bytes.length !== KEY_BYTES) throw new RangeError(`A key has ${KEY_BYTES} bytes`);
  const id = hash('sha256', Buffer.concat([Buffer.from('id of a secrets key'), bytes]), 'buffer');
  return { id: id.readUInt8(0), bytes };
}

function tryOpen(key: Buffer, sealed: Uint8Array, context: string): Buffer | null {
  if (sealed.length < HEADER_BYTES) return null;
  const nonce = sealed.subarray(2, 2 + NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(2 + NONCE_BYTES, HEADER_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEADER_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
