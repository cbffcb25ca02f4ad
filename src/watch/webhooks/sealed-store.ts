// SQL of sealed secrets: read in pages, and sealed again.

import type { Database, Sql } from '../../postgres/client/database.ts';

/** The sealed secrets of a webhook. */
export interface SealedWebhook {
  readonly no: number;
  readonly watcherId: string;
  readonly status: string;
  readonly secret: Buffer;
  /** Null: there is none. */
  readonly previousSecret: Buffer | null;
}

const PAGE = 1_000;

/** Every webhook, in pages. */
export async function* readSealed(
  database: Pick<Database, 'read'>,
): AsyncGenerator<readonly SealedWebhook[]> {
  for (let last = 0; ; ) {
    const rows = await database.read(
      (sql) => sql<SealedWebhook[]>`
        select no, watcher_id as "watcherId", status, secret, previous_secret as "previousSecret"
        from webhook where no > ${last} order by no limit ${PAGE}`,
    );
    yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)?.no ?? last;
  }
}

/** Replaces the secrets of a webhook, unless they have changed meanwhile. */
export async function updateSealed(sql: Sql, before: SealedWebhook, after: SealedWebhook): Promise<void> {
  await sql`
    update webhook set secret = ${after.secret}, previous_secret = ${after.previousSecret}
    where no = ${before.no} and secret = ${before.secret} and previous_secret is not distinct from ${before.previousSecret}`;
}
