// SQLite as a peer: an R*Tree in memory that carries what is asked for, and B-trees that cover the rest.

import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Peer, PeerRow } from './peer.ts';
import { ACTIVE_CODE, asker, FACETS_ONE_BY_ONE, type Run, SHOWN } from './peer-sql.ts';

// The tree keeps 32 bits of a place, rounded outwards; the columns with a plus are kept beside it as they are.
const TABLES = `
  create table home (
    id text, kind integer, status integer, displayed integer, lng real, lat real, price real,
    bedrooms integer, type integer, city integer, listed integer, bucket integer
  );
  create virtual table place using rtree(n, west, east, south, north, +lng, +lat, +listed, +id, +price)`;

const INDEXES = `
  create index by_type on home (type, bedrooms, price) where ${SHOWN};
  create index by_price on home (price, id, bedrooms, listed) where ${SHOWN};
  create index by_bedrooms on home (bedrooms) where ${SHOWN};
  create index by_city on home (city) where ${SHOWN};
  create index by_bucket on home (bucket) where ${SHOWN};
  analyze`;

export function sqlitePeer(rows: Iterable<PeerRow>): Peer {
  const database = new DatabaseSync(':memory:');
  database.exec(TABLES);
  database.exec('begin');
  const listing = database.prepare(`insert into home values (${Array(12).fill('?').join()})`);
  const place = database.prepare(`insert into place values (${Array(10).fill('?').join()})`);
  let n = 0;
  for (const row of rows) {
    const { id, kind, status, displayed, lng, lat, price, bedrooms, type, city, listed, bucket } = row;
    listing.run(id, kind, status, displayed, lng, lat, price, bedrooms, type, city, listed, bucket);
    if (kind === 0 && status === ACTIVE_CODE && displayed === 1)
      place.run(++n, lng, lng, lat, lat, lng, lat, listed, id, price);
  }
  database.exec('commit');
  database.exec(INDEXES);
  const prepared = new Map<string, StatementSync>();
  const run: Run = async (text, parameters) => {
    const statement = prepared.get(text) ?? database.prepare(text.replaceAll('$', '?'));
    prepared.set(text, statement);
    statement.setReturnArrays(true);
    return statement.all(...parameters) as unknown as (string | number | null)[][];
  };
  const dialect = {
    inBox: `place where east >= $1 and north >= $2 and west <= $3 and south <= $4
      and lng >= $1 and lat >= $2 and lng <= $3 and lat <= $4`,
    lng: 'lng',
    lat: 'lat',
    medianPrice: 'median(price)',
    facets: FACETS_ONE_BY_ONE,
  };
  return { name: 'SQLite', ask: asker(dialect, run), close: async () => database.close() };
}
