// Owns what a client is to the authorization server, wherever it is known from.

export interface Client {
  /** `document`: its id is the https address of its metadata. `unregistered`: nothing is known but the id it sends. */
  readonly kind: 'registered' | 'document' | 'unregistered';
  readonly id: string;
  /** What it calls itself; null: it gave no name. */
  readonly name: string | null;
  /** Where it may be redirected to; empty for an unregistered one, which may use any loopback address. */
  readonly redirectUris: readonly string[];
}
