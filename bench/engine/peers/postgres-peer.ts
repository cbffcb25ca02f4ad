// PostgreSQL as a peer: a GiST index of places that covers what is asked for, and B-trees that cover the rest.

import postgres from 'postgres';
import { parseDatabaseUrl } from '../../../src/postgres/client/connection-url.ts';
import { copyInto, line } from '../../million/copy.ts';
import type { Testbed } from '../../testbed.ts';
import type { Peer, PeerRow } from './peer.ts';
import { asker, FACETS_TOGETHER, SHOWN } from './peer-sql.ts';

/** In the order of a row's values. */
const COLUMNS = [
  'id',
  'kind',
  'status',
  'displayed',
  'place',
  'price',
  'bedrooms',
  'type',
  'city',
  'listed',
  'bucket',
];

const TABLE = `
  create table home (
    id text collate "C" not null, kind smallint not null, status smallint not null, displayed smallint not null,
    place point not null, price double precision not null, bedrooms smallint not null, type smallint not null,
    city smallint not null, listed bigint not null, bucket smallint not null
  )`;

const INDEXES = [
  `create index on home using gist (place) include (listed, id, price) where ${SHOWN}`,
  `create index on home (type, bedrooms, price) where ${SHOWN}`,
  `create index on home (price, id) include (bedrooms, listed) where ${SHOWN}`,
  `create index on home (bedrooms) where ${SHOWN}`,
  `create index on home (city) include (type, bedrooms, bucket) where ${SHOWN}`,
  'vacuum (analyze, freeze) home',
];

/** Lines for COPY that are sent at once. */
const BATCH = 20_000;

export async function postgresPeer(testbed: Testbed, rows: Iterable<PeerRow>): Promise<Peer> {
  const { host, port, database, user, password = '' } = parseDatabaseUrl(testbed.databaseUrl);
  // One core serves all: neither more workers nor compiled statements make these questions faster there.
  const connection = { max_parallel_workers_per_gather: '0', jit: 'off' };
  const sql = postgres({ host, port, database, user, password, max: 1, fetch_types: false, connection });
  await sql.unsafe(TABLE);
  let lines: string[] = [];
  const send = async (): Promise<void> => {
    await testbed.database.write((into) => copyInto(into, 'home', COLUMNS, lines));
    lines = [];
  };
  for (const { lng, lat, id, kind, status, displayed, ...others } of rows) {
    lines.push(line({ id, kind, status, displayed, place: `(${lng},${lat})`, ...others }));
    if (lines.length === BATCH) await send();
  }
  await send();
  for (const statement of INDEXES) await sql.unsafe(statement);
  const dialect = {
    inBox: `home where ${SHOWN} and place <@ box(point($1, $2), point($3, $4))`,
    lng: 'place[0]',
    lat: 'place[1]',
    medianPrice: 'percentile_cont(0.5) within group (order by price)',
    facets: FACETS_TOGETHER,
  };
  return {
    name: 'PostgreSQL',
    ask: asker(dialect, (text, parameters) => sql.unsafe(text, [...parameters], { prepare: true }).values()),
    close: () => sql.end(),
  };
}
