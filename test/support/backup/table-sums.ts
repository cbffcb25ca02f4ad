// Oracle of restores: every row of every table, every sequence, and everything that the schema is made of.

import type { Database } from '../../../src/postgres/client/database.ts';

/** Count and checksum of the rows of each table, in whatever order they are stored. */
export async function tableSums(database: Database): Promise<Readonly<Record<string, string>>> {
  return database.read(
    async (sql) => {
      const tables = await sql<{ name: string }[]>`
        select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' order by 1`;
      const sums: Record<string, string> = {};
      for (const { name } of tables) {
        const [row] = await sql<{ sum: string }[]>`
          select count(*) || ' ' || coalesce(md5(string_agg(digest, '' order by digest)), '') as sum
          from (select md5(whole::text) as digest from ${sql(name)} as whole) as digests`;
        sums[name] = row?.sum ?? '';
      }
      return sums;
    },
    { timeout: 60_000 },
  );
}

/** The next value of each sequence. */
export async function nextValues(database: Database): Promise<Readonly<Record<string, string>>> {
  return database.read(async (sql) => {
    const rows = await sql<{ name: string; next: string }[]>`
      select sequencename as name, coalesce(last_value, start_value - 1)::text as next
      from pg_sequences where schemaname = current_schema() order by 1`;
    return Object.fromEntries(rows.map(({ name, next }) => [name, next]));
  });
}

/** Columns, constraints, indexes, triggers, functions and comments, as text. */
export async function schemaText(database: Database): Promise<readonly string[]> {
  return database.read(async (sql) => {
    const rows = await sql<{ text: string }[]>`
      select text from (
        select concat_ws(' ', 'column', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
          pg_get_expr(adbin, adrelid), col_description(attrelid, attnum)) as text
        from pg_attribute join pg_class on pg_class.oid = attrelid
          left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped
        union all
        select concat_ws(' ', 'table', relname, relkind, reloptions::text, pg_get_expr(relpartbound, pg_class.oid), obj_description(pg_class.oid, 'pg_class'))
        from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
        union all
        select concat_ws(' ', 'constraint', relname, conname, convalidated, pg_get_constraintdef(pg_constraint.oid))
        from pg_constraint join pg_class on pg_class.oid = conrelid where connamespace = current_schema()::regnamespace
        union all
        -- PostgreSQL names the indexes of partitions in the order in which those of the whole were made.
        select concat_ws(' ', 'index', indisvalid, indisunique, case when relispartition
          then regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \\S+', 'INDEX') else pg_get_indexdef(indexrelid) end,
          obj_description(indexrelid, 'pg_class'))
        from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = current_schema()::regnamespace
        union all
        select concat_ws(' ', 'trigger', tgenabled, pg_get_triggerdef(pg_trigger.oid))
        from pg_trigger join pg_class on pg_class.oid = tgrelid
        where relnamespace = current_schema()::regnamespace and not tgisinternal
        union all
        select concat_ws(' ', 'function', pg_get_functiondef(pg_proc.oid), obj_description(pg_proc.oid, 'pg_proc'))
        from pg_proc where pronamespace = current_schema()::regnamespace
      ) as parts order by text`;
    return rows.map(({ text }) => text);
  });
}
