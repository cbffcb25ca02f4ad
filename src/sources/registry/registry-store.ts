// SQL of the sources that are set up, and of their tokens.

import type { StatedTerms } from '../../licence/terms/terms.ts';
import type { MediaMode } from '../../listings/pictures/own-pictures.ts';
import type { Sql, Transaction } from '../../postgres/client/database.ts';
import type { Overrides, ResoSource } from './source-schema.ts';

export type SourceKind = 'push' | 'file' | 'reso' | 'sample';
/** Who may change a source: commands, the file of SOURCES_FILE, the settings of a process, or an import of its files. */
export type SetBy = 'command' | 'file' | 'settings' | 'import';

/** What a source of the kind `push` is set up with. */
export interface PushSettings {
  readonly currency?: string;
  readonly timeZone?: string;
  readonly displayDefault?: 'show' | 'withhold';
  readonly media?: MediaMode;
  readonly licence?: StatedTerms;
  /** The text of its map file. */
  readonly map?: string;
  /** Where its token is: the name of a variable or of a file, never the token. */
  readonly secrets?: object;
}

/** What a source that the service reads by itself is set up with. */
export interface ResoSettings {
  readonly url: string;
  readonly currency?: string;
  readonly timeZone?: string;
  readonly displayDefault?: 'show' | 'withhold';
  readonly profile?: string;
  readonly overrides: Overrides;
  readonly refreshesPerMinute?: number;
  /** Where its credentials are: names of variables, or absolute names of files. */
  readonly secrets: ResoSource['secrets'];
}

export interface RegisteredSource {
  readonly id: string;
  readonly name: string;
  readonly kind: SourceKind;
  readonly settings: PushSettings;
  readonly setBy: SetBy;
  readonly enabled: boolean;
  /** RFC 3339. */
  readonly updatedAt: string;
}

const columns = (sql: Sql) =>
  sql`id, name, kind, settings, set_by as "setBy", enabled, updated_at as "updatedAt"`;

export async function findRegistered(sql: Sql, id: string): Promise<RegisteredSource | null> {
  const [row] = await sql<RegisteredSource[]>`select ${columns(sql)} from source where id = ${id}`;
  return row ?? null;
}

/** Locks the source until the transaction ends, so that only one process changes it. */
export async function lockRegistered(tx: Transaction, id: string): Promise<RegisteredSource | null> {
  const [row] = await tx<RegisteredSource[]>`select ${columns(tx)} from source where id = ${id} for update`;
  return row ?? null;
}

/** Creates a source, or replaces how it is set up. */
export async function writeRegistered(
  sql: Sql,
  {
    id,
    name,
    kind,
    settings,
    setBy,
  }: Omit<RegisteredSource, 'enabled' | 'updatedAt' | 'settings'> & {
    readonly settings: PushSettings | ResoSettings;
  },
  now: Date,
): Promise<void> {
  await sql`
    insert into source (id, name, kind, settings, set_by, enabled, created_at, updated_at)
    values (${id}, ${name}, ${kind}, ${JSON.stringify(settings)}::text::json, ${setBy}, true, ${now}, ${now})
    on conflict (id) do update set name = excluded.name, kind = excluded.kind, settings = excluded.settings,
      set_by = excluded.set_by, enabled = true, updated_at = excluded.updated_at
    where (source.name, source.kind, source.settings::text, source.set_by, source.enabled)
      is distinct from (excluded.name, excluded.kind, excluded.settings::text, excluded.set_by, true)`;
}

/** A source that every process of the service reads by itself, as one of them. */
export interface ResoRegistered extends Pick<RegisteredSource, 'id' | 'name' | 'setBy'> {
  readonly settings: ResoSettings;
}

/** Sources that are read because a file or a command says so, by their ids. */
export function findResoSources(sql: Sql): Promise<ResoRegistered[]> {
  return sql<ResoRegistered[]>`
    select id, name, settings, set_by as "setBy" from source
    where kind = 'reso' and set_by in ('file', 'command') and enabled order by id`;
}

/** A source that processes read by themselves, however it was set up. */
export type ReadSource = Pick<RegisteredSource, 'id' | 'name' | 'setBy'>;

/** All sources that are read, by their ids: those of settings are noted by the process that has them. */
export function findReadSources(sql: Sql): Promise<ReadSource[]> {
  return sql<ReadSource[]>`
    select id, name, set_by as "setBy" from source where kind in ('reso', 'sample') and enabled order by id`;
}

/** Whether there are listings of a source, or were. */
export async function hasListings(sql: Sql, source: string): Promise<boolean> {
  const [row] = await sql<{ stored: boolean }[]>`
    select exists (select from listing where source = ${source}) as stored`;
  return row?.stored ?? false;
}

/** Notes a source that is read or imported here, unless one of its id is set up already. */
export async function noteSource(
  sql: Sql,
  { id, name, kind, setBy }: Pick<RegisteredSource, 'id' | 'name' | 'kind' | 'setBy'>,
  now: Date,
): Promise<void> {
  await sql`
    insert into source (id, name, kind, settings, set_by, enabled, created_at, updated_at)
    values (${id}, ${name}, ${kind}, '{}', ${setBy}, true, ${now}, ${now}) on conflict (id) do nothing`;
}

/** Disables the sources of the file that are none of these, and ends their tokens; returns their ids. */
export async function disableOthersOfFile(
  tx: Transaction,
  ids: readonly string[],
  now: Date,
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    update source set enabled = false, updated_at = ${now}
    where set_by = 'file' and enabled and id <> all(${[...ids]}::text[]) returning id`;
  const disabled = rows.map(({ id }) => id);
  await tx`delete from source_token where source = any(${disabled}::text[])`;
  return disabled;
}

/** Keeps a source that commands set up from being read, so that it can be removed; false where there is none. */
export async function disableRegistered(sql: Sql, id: string, now: Date): Promise<boolean> {
  const { count } = await sql`
    update source set enabled = false, updated_at = ${now}
    where id = ${id} and kind = 'reso' and set_by = 'command'`;
  return count > 0;
}

/** Ends what is set up of a source: its tokens end with it. */
export async function deleteRegistered(sql: Sql, id: string): Promise<void> {
  await sql`delete from source where id = ${id}`;
}

/** A token, without itself. */
export interface TokenRow {
  readonly id: string;
  readonly source: string;
  readonly setBy: 'command' | 'file';
  /** RFC 3339. */
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly requests: number;
}

const tokenColumns = (sql: Sql) =>
  sql`id, source, set_by as "setBy", created_at as "createdAt", last_used_at as "lastUsedAt", requests::float8 as requests`;

/** Tokens of a source, the oldest first; of all sources where `source` is null. */
export function listTokens(sql: Sql, source: string | null): Promise<TokenRow[]> {
  return sql<TokenRow[]>`
    select ${tokenColumns(sql)} from source_token where source = ${source} or ${source}::text is null
    order by source, created_at, id`;
}

export async function insertToken(
  tx: Transaction,
  token: Pick<TokenRow, 'id' | 'source' | 'setBy'> & { readonly hash: Buffer },
  now: Date,
): Promise<void> {
  await tx`
    insert into source_token (id, source, hash, set_by, created_at)
    values (${token.id}, ${token.source}, ${token.hash}, ${token.setBy}, ${now})`;
}

/** Deletes tokens of a source by their ids; null: all. Returns how many. */
export async function deleteTokens(sql: Sql, source: string, ids: readonly string[] | null): Promise<number> {
  const { count } = await sql`
    delete from source_token
    where source = ${source} and (${ids === null} or id = any(${ids === null ? [] : [...ids]}::text[]))`;
  return count;
}

/** The token with this hash, of a source that is enabled; null: there is none, or it has ended. */
export async function findToken(sql: Sql, hash: Buffer): Promise<{ id: string; source: string } | null> {
  const [row] = await sql<{ id: string; source: string }[]>`
    select token.id, token.source from source_token as token join source on source.id = token.source
    where hash = ${hash} and enabled`;
  return row ?? null;
}

/** Adds to the counts of tokens. */
export async function countTokenUses(
  sql: Sql,
  uses: readonly { readonly id: string; readonly requests: number }[],
  now: Date,
): Promise<void> {
  await sql`
    update source_token as token set requests = token.requests + used.requests, last_used_at = ${now}
    from unnest(${uses.map(({ id }) => id)}::text[], ${uses.map(({ requests }) => requests)}::int8[]) as used (id, requests)
    where token.id = used.id`;
}

/** One process sets up sources at a time, until its transaction ends. */
export async function lockSetUp(tx: Transaction): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('freehold sources', 0))`;
}

/** Whether the source is being removed. */
export async function isBeingRemoved(sql: Sql, source: string): Promise<boolean> {
  const [row] = await sql`select from source_removal where source = ${source}`;
  return row !== undefined;
}
