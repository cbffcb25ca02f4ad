// Copy of all tables as text, to look for what must not be in them.

import type { Database } from '../../../src/postgres/client/database.ts';

/** Every row of every table as COPY writes it; bytes also as they are. */
export async function copyTables(database: Database): Promise<string> {
  const tables = await database.read(
    (sql) => sql<{ name: string }[]>`
      select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const chunks = await database.read(async (sql) => {
      const stream = await sql.unsafe(`copy (select * from ${name}) to stdout`).readable();
      return stream.toArray();
    });
    texts.push(`${name}\n${Buffer.concat(chunks).toString('latin1')}`);
  }
  const text = texts.join('\n');
  return text + text.replaceAll(/\\\\x([0-9a-f]+)/g, (_, hex) => Buffer.from(hex, 'hex').toString('latin1'));
}
