// SQL of clients: registered ones, cached documents, and those that the operator revoked.

import type { ServerTime, Sql } from '../../postgres/client/database.ts';
import type { Client } from './client.ts';

export interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** RFC 3339. */
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Of the first grant; null: none. */
  readonly usedAt: string | null;
  readonly revokedAt: string | null;
}

export interface NewClient extends Pick<ClientRow, 'id' | 'name' | 'redirectUris'> {
  readonly about: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const MAX_LISTED = 1_000;

export async function insertClient(sql: Sql, client: NewClient, deadline: ServerTime): Promise<void> {
  await sql`
    insert into oauth_client (id, name, redirect_uris, about, created_at, expires_at)
    values (${client.id}, ${client.name}, ${[...client.redirectUris]}::text[], ${JSON.stringify(client.about)}::text::jsonb,
      ${client.createdAt}, ${client.expiresAt})
    returning require_before(${deadline})`;
}

/** A registered client, expired or not. */
export async function findClientRow(sql: Sql, id: string): Promise<ClientRow | undefined> {
  const [row] = await sql<ClientRow[]>`
    select ${columns(sql)} from oauth_client c left join oauth_revoked_client r using (id) where id = ${id}`;
  return row;
}

/** Registered clients, the newest first, at most a thousand. */
export async function listClients(sql: Sql): Promise<readonly ClientRow[]> {
  return sql<ClientRow[]>`
    select ${columns(sql)} from oauth_client c left join oauth_revoked_client r using (id)
    order by c.created_at desc, id limit ${MAX_LISTED}`;
}

function columns(sql: Sql) {
  return sql`id, c.name, c.redirect_uris as "redirectUris", c.created_at as "createdAt",
    c.expires_at as "expiresAt", c.used_at as "usedAt", r.revoked_at as "revokedAt"`;
}

/** Whether the operator revoked a client of any kind. */
export async function isRevokedId(sql: Sql, id: string): Promise<boolean> {
  const [row] = await sql`select 1 from oauth_revoked_client where id = ${id}`;
  return row !== undefined;
}

/** Whether a client of any kind was ever seen here: registered, described by a document, granted something, or revoked. */
export async function isKnownClient(sql: Sql, id: string): Promise<boolean> {
  const [row] = await sql<{ known: boolean }[]>`
    select exists (select from oauth_client where id = ${id})
      or exists (select from oauth_client_document where url = ${id})
      or exists (select from oauth_grant where client_id = ${id})
      or exists (select from oauth_revoked_client where id = ${id}) as known`;
  return row?.known === true;
}

/** Revokes a client of any kind for good; its grants stay. False if it was revoked before. */
export async function revokeClient(sql: Sql, id: string, now: Date): Promise<boolean> {
  const rows = await sql`
    insert into oauth_revoked_client (id, revoked_at) values (${id}, ${now}) on conflict do nothing returning id`;
  return rows.length > 0;
}

/** Deletes expired clients, then the oldest without a grant, down to `max` rows. */
export async function evictClients(sql: Sql, now: Date, max: number): Promise<void> {
  await sql`delete from oauth_client where expires_at <= ${now}`;
  await sql`
    delete from oauth_client where id in (
      select id from oauth_client where used_at is null order by created_at
      limit (select greatest(count(*) - ${max}::bigint, 0) from oauth_client))`;
}

/** A client as its document described it. Times are Unix milliseconds. */
export interface CachedDocument {
  readonly client: Client;
  readonly fetchedAt: number;
  /** Afterwards the copy only proves that the document was valid once. */
  readonly freshUntil: number;
}

/** The stored copy, fresh or not. */
export async function findDocument(sql: Sql, url: string): Promise<CachedDocument | undefined> {
  type Row = Pick<Client, 'name' | 'redirectUris'> & { fetchedAt: string; freshUntil: string };
  const [row] = await sql<Row[]>`
    select client_name as name, redirect_uris as "redirectUris", fetched_at as "fetchedAt", fresh_until as "freshUntil"
    from oauth_client_document where url = ${url}`;
  if (row === undefined) return undefined;
  const { name, redirectUris, fetchedAt, freshUntil } = row;
  const client = { kind: 'document', id: url, name, redirectUris } as const;
  return { client, fetchedAt: Date.parse(fetchedAt), freshUntil: Date.parse(freshUntil) };
}

/** Replaces an earlier copy. */
export async function saveDocument(
  sql: Sql,
  { client: { id, name, redirectUris }, fetchedAt, freshUntil }: CachedDocument,
): Promise<void> {
  await sql`
    insert into oauth_client_document (url, client_name, redirect_uris, fetched_at, fresh_until)
    values (${id}, ${name}, ${[...redirectUris]}::text[], ${new Date(fetchedAt)}, ${new Date(freshUntil)})
    on conflict (url) do update set client_name = excluded.client_name, redirect_uris = excluded.redirect_uris,
      fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until`;
}
