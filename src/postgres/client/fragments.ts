// Owns putting parts of statements side by side: the driver takes an empty list for a value, so it must not see one.

import type { Sql, SqlFragment } from './connection.ts';

/** The parts one after the other; nothing where there are none. */
export function together(sql: Sql, parts: readonly SqlFragment[]): SqlFragment {
  return parts.length === 0 ? sql`` : sql`${[...parts]}`;
}
