// Client of the authorization server, wherever it is known from.

export interface Client {
  /** `document`: its id is the https address of its metadata. `unregistered`: nothing is known but the id it sends. */
  readonly kind: 'registered' | 'document' | 'unregistered';
  readonly id: string;
  /** What it calls itself; null: it gave no name. */
  readonly name: string | null;
  /** Where it may be redirected to; empty for an unregistered one, which may use any loopback address. */
  readonly redirectUris: readonly string[];
}

/** Characters that are not seen, or that turn the direction of text: a name with them can look like another. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]+/gu;
const MAX_NAME_LENGTH = 100;

/** The name that a client gives itself, as it may be kept and shown; null where it gives none. */
export function cleanClientName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const seen = value.slice(0, 2_048).toWellFormed().normalize('NFC').replaceAll(UNSEEN, '');
  const characters = Array.from(seen.replaceAll(/\s+/gu, ' ').trim());
  return characters.length === 0 ? null : characters.slice(0, MAX_NAME_LENGTH).join('').trim();
}
