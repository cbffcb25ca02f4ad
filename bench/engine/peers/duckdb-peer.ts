// DuckDB as a peer: columns in memory, sorted by kind and place, which its row groups then skip by.

import type { DuckDBPreparedStatement } from '@duckdb/node-api';
import type { Peer, PeerRow } from './peer.ts';
import { asker, FACETS_TOGETHER, type Run, SHOWN } from './peer-sql.ts';

/** `rows`: in the order in which they are kept. Null where the packages of bench are not installed. */
export async function duckDbPeer(rows: Iterable<PeerRow>): Promise<Peer | null> {
  const installed = await import('@duckdb/node-api').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  });
  if (installed === null) return null;
  const { DuckDBInstance } = installed;
  // One core serves all.
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run(`
    create table home (
      id varchar, kind utinyint, status utinyint, displayed utinyint, lng double, lat double, price double,
      bedrooms utinyint, type utinyint, city usmallint, listed bigint, bucket utinyint
    )`);
  const appender = await connection.createAppender('home');
  for (const row of rows) {
    appender.appendVarchar(row.id);
    for (const small of [row.kind, row.status, row.displayed]) appender.appendUTinyInt(small);
    for (const number of [row.lng, row.lat, row.price]) appender.appendDouble(number);
    appender.appendUTinyInt(row.bedrooms);
    appender.appendUTinyInt(row.type);
    appender.appendUSmallInt(row.city);
    appender.appendBigInt(BigInt(row.listed));
    appender.appendUTinyInt(row.bucket);
    appender.endRow();
  }
  appender.closeSync();
  const prepared = new Map<string, DuckDBPreparedStatement>();
  const run: Run = async (text, parameters) => {
    const statement = prepared.get(text) ?? (await connection.prepare(text));
    prepared.set(text, statement);
    for (const [at, value] of parameters.entries()) statement.bindDouble(at + 1, value);
    const result = await statement.run();
    return (await result.getRows()) as (string | number | bigint | null)[][];
  };
  const dialect = {
    inBox: `home where ${SHOWN} and lng >= $1 and lat >= $2 and lng <= $3 and lat <= $4`,
    lng: 'lng',
    lat: 'lat',
    medianPrice: 'quantile_cont(price, 0.5)',
    facets: FACETS_TOGETHER,
  };
  return {
    name: 'DuckDB',
    ask: asker(dialect, run),
    async close() {
      for (const statement of prepared.values()) statement.destroySync();
      connection.closeSync();
      instance.closeSync();
    },
  };
}
