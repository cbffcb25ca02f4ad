// SQL of the shards in which a former release matched watchers: those that were ahead of the others when it was replaced.

import type { Sql } from '../../postgres/client/database.ts';
import type { IsWritten } from './batch-matcher.ts';

const SHARDS = 64;

/** Which events the former release has written already. Once the position has passed all shards, none is left to skip. */
export async function findWrittenEvents(sql: Sql): Promise<IsWritten> {
  const ahead = await sql<{ shard: number; position: number }[]>`
    select shard, position from watch_shard where position > (select position from watch_position)`;
  const positions = new Map(ahead.map(({ shard, position }) => [shard, position]));
  return (no, sequence) => sequence <= (positions.get(no % SHARDS) ?? 0);
}
