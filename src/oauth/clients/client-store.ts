// SQL of clients: those that registered themselves, and those that the operator revoked.

import type { ServerTime, Sql, Transaction } from '../../postgres/client/database.ts';

export interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** RFC 3339. */
  readonly createdAt: string;
  readonly expiresAt: string;
  /** When something was first granted to it; null: never. */
  readonly usedAt: string | null;
  readonly revokedAt: string | null;
}

export interface NewClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly about: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const LISTED = 1_000;

export async function insertClient(sql: Sql, client: NewClient, deadline: ServerTime): Promise<void> {
  await sql`
    insert into oauth_client (id, name, redirect_uris, about, created_at, expires_at)
    values (${client.id}, ${client.name}, ${[...client.redirectUris]}::text[], ${JSON.stringify(client.about)}::text::jsonb,
      ${client.createdAt}, ${client.expiresAt})
    returning require_before(${deadline})`;
}

/** A client that registered here, whether or not its time is over. */
export async function findClientRow(sql: Sql, id: string): Promise<ClientRow | undefined> {
  const [row] = await sql<ClientRow[]>`
    select ${columns(sql)} from oauth_client c left join oauth_revoked_client r using (id) where id = ${id}`;
  return row;
}

/** The newest first, a thousand at most. */
export async function listClientRows(sql: Sql): Promise<readonly ClientRow[]> {
  return sql<ClientRow[]>`
    select ${columns(sql)} from oauth_client c left join oauth_revoked_client r using (id)
    order by c.created_at desc, id limit ${LISTED}`;
}

function columns(sql: Sql) {
  return sql`id, c.name, c.redirect_uris as "redirectUris", c.created_at as "createdAt",
    c.expires_at as "expiresAt", c.used_at as "usedAt", r.revoked_at as "revokedAt"`;
}

/** Whether the operator shut a client out, of whatever kind. */
export async function isRevokedId(sql: Sql, id: string): Promise<boolean> {
  const [row] = await sql`select 1 from oauth_revoked_client where id = ${id}`;
  return row !== undefined;
}

/** Whether a client of any kind was ever seen here: registered, read from its document, granted something, or shut out. */
export async function isKnownClient(sql: Sql, id: string): Promise<boolean> {
  const [row] = await sql<{ known: boolean }[]>`
    select exists (select from oauth_client where id = ${id})
      or exists (select from oauth_client_document where url = ${id})
      or exists (select from oauth_grant where client_id = ${id})
      or exists (select from oauth_revoked_client where id = ${id}) as known`;
  return row?.known === true;
}

/** Shuts a client out; false where it was already. */
export async function insertRevoked(tx: Transaction | Sql, id: string, now: Date): Promise<boolean> {
  const rows = await tx`
    insert into oauth_revoked_client (id, revoked_at) values (${id}, ${now}) on conflict do nothing returning id`;
  return rows.length > 0;
}

/** Takes away clients whose time is over, then the oldest to which nothing was ever granted, down to `max` rows. */
export async function evictClients(sql: Sql, now: Date, max: number): Promise<void> {
  await sql`delete from oauth_client where expires_at <= ${now}`;
  await sql`
    delete from oauth_client where id in (
      select id from oauth_client where used_at is null order by created_at
      limit (select greatest(count(*) - ${max}::bigint, 0) from oauth_client))`;
}

/** RFC 3339 when read. */
export interface DocumentRow<Moment = string> {
  readonly url: string;
  readonly name: string | null;
  readonly redirectUris: readonly string[];
  readonly fetchedAt: Moment;
  /** The copy is not used after that; that it was good once still counts for something. */
  readonly freshUntil: Moment;
}

/** The copy, fresh or not. */
export async function findDocument(sql: Sql, url: string): Promise<DocumentRow | undefined> {
  const [row] = await sql<DocumentRow[]>`
    select url, client_name as name, redirect_uris as "redirectUris", fetched_at as "fetchedAt",
      fresh_until as "freshUntil"
    from oauth_client_document where url = ${url}`;
  return row;
}

/** Keeps a copy in the place of an earlier one. */
export async function saveDocument(sql: Sql, row: DocumentRow<Date>): Promise<void> {
  await sql`
    insert into oauth_client_document (url, client_name, redirect_uris, fetched_at, fresh_until)
    values (${row.url}, ${row.name}, ${[...row.redirectUris]}::text[], ${row.fetchedAt},
      ${row.freshUntil})
    on conflict (url) do update set client_name = excluded.client_name, redirect_uris = excluded.redirect_uris,
      fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until`;
}

/** Deletes copies that were fetched before the date, and the oldest of those beyond the given number. */
export async function sweepDocuments(sql: Sql, before: Date, kept: number): Promise<void> {
  await sql`
    delete from oauth_client_document where fetched_at < greatest(${before},
      (select fetched_at from oauth_client_document order by fetched_at desc offset ${kept} limit 1))`;
}
