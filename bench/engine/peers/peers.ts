// The engine against PostgreSQL, DuckDB, SQLite and plain loops: the same questions about the same rows, in turns.

import assert from 'node:assert/strict';
import { random } from '../../market.ts';
import { median, percentile } from '../../statistics.ts';
import type { Testbed } from '../../testbed.ts';
import type { Row } from '../../throughput.ts';
import { buildMarket, type Market } from '../rows.ts';
import { type Draw, drawBox, price } from '../searches.ts';
import { duckDbPeer } from './duckdb-peer.ts';
import { enginePeer } from './engine-peer.ts';
import { loopsPeer } from './loops-peer.ts';
import type { Peer, PeerQuestion } from './peer.ts';
import { rowsOf } from './peer-rows.ts';
import { postgresPeer } from './postgres-peer.ts';
import { sqlitePeer } from './sqlite-peer.ts';

/** Questions of a kind that all must answer alike before any is timed. */
const COMPARED = 12;
/** Most rounds, of which each asks everybody the same question, and seconds after which the last one begins. */
const ROUNDS = 300;
const SECONDS = 35;
const WARM_UP = 10;

const QUESTIONS: readonly { readonly name: string; readonly draw: (draw: Draw) => PeerQuestion }[] = [
  {
    name: 'box of 5 to 20 km, newest, total (E1)',
    draw: (draw) => ({ kind: 'box', parameters: drawBox(draw) }),
  },
  {
    name: 'count of three filters over everything (E2)',
    draw: (draw) => ({
      kind: 'count',
      parameters: [price(draw), 2, typeCode(draw, draw.next() < 0.5 ? 'CONDO' : 'TOWNHOUSE')],
    }),
  },
  { name: 'four facets over everything (E3)', draw: () => ({ kind: 'facets', parameters: [] }) },
  { name: 'page by price, loose filter, total (E4)', draw: () => ({ kind: 'cheapest', parameters: [1] }) },
  {
    name: 'page of one in 5,000, total (E4)',
    draw: (draw) => {
      const min = price(draw);
      return { kind: 'rare', parameters: [min, min * 1.0003] };
    },
  },
  {
    name: 'clusters of a view with some 25,000 listings (E5)',
    draw: () => ({ kind: 'cells', parameters: [-112, 30, -103, 38] }),
  },
];

const typeCode = ({ market }: Draw, type: string): number =>
  market.generation.dictionaries.propertyType.find(type) ?? 0;

export async function engineAgainstPeers(testbed: Testbed, listings = 650_000): Promise<Row[]> {
  const market = buildMarket(listings);
  const duckDb = await duckDbPeer(rowsOf(market));
  const peers = [
    enginePeer(market),
    await postgresPeer(testbed, rowsOf(market)),
    ...(duckDb === null ? [] : [duckDb]),
    sqlitePeer(rowsOf(market)),
    loopsPeer([...rowsOf(market)]),
  ];
  try {
    const rows: Row[] =
      duckDb === null ? [{ name: 'DuckDB', figure: 'not installed', floor: '', met: true }] : [];
    for (const { name, draw } of QUESTIONS) rows.push(...(await measure(name, draw, peers, market)));
    return rows;
  } finally {
    for (const peer of peers) await peer.close();
  }
}

async function measure(
  name: string,
  draw: (draw: Draw) => PeerQuestion,
  peers: readonly Peer[],
  market: Market,
): Promise<Row[]> {
  const drawn = { market, next: random(5) };
  for (let compared = 0; compared < COMPARED; compared++) await requireSame(peers, draw(drawn));
  const times = new Map<Peer, number[]>(peers.map((peer) => [peer, []]));
  const end = performance.now() + SECONDS * 1_000;
  for (let round = -WARM_UP; round < ROUNDS && performance.now() < end; round++) {
    const question = draw(drawn);
    for (const peer of round % 2 === 0 ? peers : peers.toReversed()) {
      const begun = performance.now();
      await peer.ask(question);
      if (round >= 0) times.get(peer)?.push((performance.now() - begun) * 1_000);
    }
  }
  return rowsFor(name, times);
}

async function requireSame(peers: readonly Peer[], question: PeerQuestion): Promise<void> {
  const [expected, ...others] = peers;
  const answer = (await expected?.ask(question))?.();
  for (const peer of others)
    assert.deepEqual(
      (await peer.ask(question))(),
      answer,
      `${peer.name} answers ${JSON.stringify(question)}`,
    );
}

/** The engine's row, then those of the others with how many times as long they take. */
function rowsFor(name: string, times: ReadonlyMap<Peer, readonly number[]>): Row[] {
  const halves = [...times].map(([peer, taken]) => ({ peer, taken, half: median(taken) }));
  const own = halves[0]?.half ?? Number.NaN;
  const fastest = Math.min(...halves.map(({ half }) => half));
  return halves.map(({ peer, taken, half }, at) => {
    const figures = `p50 ${half.toFixed(0)} µs, p99 ${percentile(taken, 0.99).toFixed(0)} µs`;
    const told =
      at === 0 ? `${figures} of ${taken.length}` : `${figures}: ${(half / own).toFixed(1)} times as long`;
    return {
      name: `${name}: ${peer.name}`,
      figure: told,
      floor: at === 0 ? 'fastest' : '',
      met: at > 0 || half === fastest,
    };
  });
}
