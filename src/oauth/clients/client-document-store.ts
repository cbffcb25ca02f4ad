// SQL of the cache of client documents that all processes share.

import type { Sql } from '../../postgres/client/database.ts';

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
