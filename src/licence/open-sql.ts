// SQL of what is open to a reader.

import type { Reach } from '../access/tiers/reach.ts';
import type { Sql, SqlFragment } from '../postgres/client/database.ts';

/** Whether a row of listing_search is open. */
export const openSql = (sql: Sql, { isWhole, open }: Reach): SqlFragment =>
  isWhole ? sql`true` : sql`licence = any(${open.map(String)}::text[])`;

/** The same of a row with a column `licence_no`, such as those of listing. */
export const openNumberSql = (sql: Sql, { isWhole, open }: Reach): SqlFragment =>
  isWhole ? sql`true` : sql`licence_no = any(${[...open]}::integer[])`;
