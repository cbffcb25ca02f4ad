// Client of the authorization server, registered or not.

import { visibleText } from '../../page/html.ts';

export interface Client {
  /**
   * `own`: the explorer of this service. `document`: its id is the https URL of its metadata. `unregistered`: only the id that
   * it sends is known.
   */
  readonly kind: 'own' | 'registered' | 'document' | 'unregistered';
  readonly id: string;
  /** As the client calls itself; null: no name. */
  readonly name: string | null;
  /** Empty for an unregistered client, which may use any loopback address. */
  readonly redirectUris: readonly string[];
}

const MAX_NAME_LENGTH = 100;

/** A name that a client gives itself, made safe to store and show; null where it gives none. */
export function cleanClientName(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const characters = Array.from(visibleText(value.slice(0, 2_048)));
  return characters.length === 0 ? null : characters.slice(0, MAX_NAME_LENGTH).join('').trim();
}
