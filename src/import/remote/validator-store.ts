// SQL of what a URL answered when its file was last imported.

import type { Sql } from '../../postgres/client/database.ts';
import type { ImportIdentity } from '../checkpoint-store.ts';
import type { Validators } from './remote-file.ts';

export interface KnownFile extends Validators {
  /** When it was imported, RFC 3339. */
  readonly importedAt: string;
}

/** Of the last import of this source, if it is finished and was of this URL by this map. */
export async function findKnownFile(
  sql: Sql,
  { kind, source }: ImportIdentity,
  urlDigest: Buffer,
  mapDigest: Buffer,
): Promise<KnownFile | null> {
  const [row] = await sql<KnownFile[]>`
    select etag, last_modified as "lastModified", finished_at as "importedAt" from import_run
    where kind = ${kind} and source = ${source} and url_digest = ${urlDigest} and map_digest = ${mapDigest}
      and finished_at is not null and coalesce(etag, last_modified) is not null`;
  return row ?? null;
}

/** Notes it for an import that is finished. */
export async function noteKnownFile(
  sql: Sql,
  { kind, source }: ImportIdentity,
  urlDigest: Buffer,
  { etag, lastModified }: Validators,
): Promise<void> {
  await sql`
    update import_run set url_digest = ${urlDigest}, etag = ${etag}, last_modified = ${lastModified}
    where kind = ${kind} and source = ${source} and finished_at is not null`;
}
