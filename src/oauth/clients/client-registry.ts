// Registry of clients that register themselves: their lifetime, their number, and their revocation.

import type { Clock } from '../../lib/clock.ts';
import { randomToken } from '../../lib/secrets.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Client } from './client.ts';
import {
  type ClientRow,
  evictClients,
  findClientRow,
  insertClient,
  insertRevoked,
  isRevokedId,
  listClientRows,
} from './client-store.ts';
import type { Registration } from './registration.ts';

/** Milliseconds in which a registered client may ask for new authorizations. */
export const CLIENT_LIFETIME = 30 * 86_400_000;
/** Registered clients kept; above, the oldest to which nothing was granted make room. */
const MAX_CLIENTS = 100_000;
/** How many may be too many before room is made, as a share of the most: counting rows costs more than adding one. */
const SLACK = 0.001;

export interface ClientContext {
  readonly database: Database;
  readonly clock: Clock;
}

/** A client just registered. */
export interface RegisteredClient {
  readonly id: string;
  /** Wall-clock milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** Registers clients; makes room for them now and then. */
export class ClientRegistry {
  readonly #parts: ClientContext;
  readonly #report: (error: unknown) => void;
  readonly #max: number;
  #untilEviction = 0;

  /** @param report told of failures to make room, which no client hears of */
  constructor(parts: ClientContext, report: (error: unknown) => void, max = MAX_CLIENTS) {
    this.#parts = parts;
    this.#report = report;
    this.#max = max;
  }

  /** Throws DATABASE_UNAVAILABLE. */
  async register({
    client_name: name,
    redirect_uris: redirectUris,
    about,
  }: Registration): Promise<RegisteredClient> {
    const { database, clock } = this.#parts;
    const issuedAt = clock.now();
    // Begins with letters that no address begins with: those are clients of another kind.
    const client = { id: `client_${randomToken(18)}`, issuedAt, expiresAt: issuedAt + CLIENT_LIFETIME };
    const times = { createdAt: new Date(issuedAt), expiresAt: new Date(client.expiresAt) };
    const row = { id: client.id, name, redirectUris, about, ...times };
    await database.writeByDeadline((sql, deadline) => insertClient(sql, row, deadline));
    await this.#evict(issuedAt);
    return client;
  }

  async #evict(now: number): Promise<void> {
    if (--this.#untilEviction > 0) return;
    this.#untilEviction = Math.max(1, Math.floor(this.#max * SLACK));
    const make = this.#parts.database.write((sql) => evictClients(sql, new Date(now), this.#max));
    await make.catch(this.#report);
  }
}

/** A client that registered here and whose time is not over, also one that was shut out; null: no such client. */
export async function findClient({ database, clock }: ClientContext, id: string): Promise<Client | null> {
  const row = await database.read((sql) => findClientRow(sql, id));
  if (row === undefined || Date.parse(row.expiresAt) <= clock.now()) return null;
  return { kind: 'registered', id: row.id, name: row.name, redirectUris: row.redirectUris };
}

/** Whether the operator shut this client out: of whatever kind it is, and also when it is no longer known. */
export async function isRevokedClient({ database }: ClientContext, id: string): Promise<boolean> {
  return database.read((sql) => isRevokedId(sql, id));
}

/** Shuts a client out for good, of whatever kind; false where it was already. What was granted to it is not touched. */
export async function revokeClient({ database, clock }: ClientContext, id: string): Promise<boolean> {
  return database.write((sql) => insertRevoked(sql, id, new Date(clock.now())));
}

/** Clients that registered themselves, the newest first, a thousand at most. */
export async function listClients({ database }: ClientContext): Promise<readonly ClientRow[]> {
  return database.read(listClientRows);
}
