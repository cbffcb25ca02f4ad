// Faults of an upstream, each with the outcome that a stream must have.

import type { LiveFailure } from '../../../src/sources/source.ts';
import { FAULTS, type Fault, status } from '../sources/upstream.ts';
import { record, type StreamService } from './service.ts';

export interface UpstreamFault {
  readonly name: string;
  readonly outcome: 'live' | LiveFailure;
  /** Milliseconds of the clock until the outcome is known; 0: it comes without time passing. */
  readonly after: number;
  /** Requests for the listing that reach the upstream. */
  readonly calls: number;
  prepare(service: StreamService): Promise<void> | void;
}

const resetAfterHeaders: Fault = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"ListingKey":"a",', () => response.socket?.resetAndDestroy());
};

const silentAfterHeaders: Fault = (_, response) => response.flushHeaders();

function entity(name: string, fault: Fault, outcome: UpstreamFault['outcome'], after = 0): UpstreamFault {
  const prepare = ({ upstream }: StreamService) => {
    upstream.faults.entity = fault;
  };
  return { name, outcome, after, calls: 1, prepare };
}

/** The name of the upstream is answered late or never, so no connection comes about. */
function connecting(name: string, delay: number | null, outcome: UpstreamFault['outcome'], after: number) {
  const prepare = async ({ connection }: StreamService) => {
    connection.lookupDelay = delay;
    await connection.renew();
  };
  return { name, outcome, after, calls: outcome === 'live' ? 1 : 0, prepare };
}

export const UPSTREAM_FAULTS: readonly UpstreamFault[] = [
  { name: 'none', outcome: 'live', after: 0, calls: 1, prepare: () => {} },
  {
    name: '401, then a new token',
    outcome: 'live',
    after: 0,
    calls: 2,
    prepare: ({ upstream }) => upstream.revoke(),
  },
  {
    name: 'gone',
    outcome: 'not_found_upstream',
    after: 0,
    calls: 2,
    prepare: ({ upstream }) => void upstream.records.delete('a'),
  },
  { ...entity('401 always', status(401), 'upstream_unauthorized'), calls: 2 },
  entity('403', status(403), 'upstream_unauthorized'),
  entity('410', status(410), 'not_found_upstream'),
  entity('429', status(429, { 'retry-after': '60' }), 'upstream_rate_limited'),
  entity('500', status(500), 'fetch_failed'),
  entity('503', status(503), 'upstream_unavailable'),
  entity('redirect', status(302, { location: '/elsewhere' }), 'fetch_failed'),
  entity('reset before headers', FAULTS.reset, 'fetch_failed'),
  entity('reset after headers', resetAfterHeaders, 'fetch_failed'),
  entity('truncated', FAULTS.truncated, 'fetch_failed'),
  entity('truncated chunks', FAULTS.truncatedChunks, 'fetch_failed'),
  entity('malformed JSON', FAULTS.html, 'parse_failed'),
  entity('wrong id', FAULTS.anotherListing, 'parse_failed'),
  entity('huge body', FAULTS.huge, 'parse_failed'),
  entity('bad gzip', FAULTS.badGzip, 'parse_failed'),
  entity('drip', FAULTS.drip, 'timeout', 8_000),
  entity('hang', FAULTS.hang, 'timeout', 8_000),
  entity('hang after headers', silentAfterHeaders, 'timeout', 8_000),
  connecting('hang at connect', null, 'timeout', 2_000),
  connecting('slow connect', 1_500, 'live', 1_500),
];

/** Makes the upstream whole again, with connections and a token at hand and the listing as it was. */
export async function heal(service: StreamService): Promise<void> {
  const { upstream, connection } = service;
  for (const kind of Object.keys(upstream.faults) as (keyof typeof upstream.faults)[]) {
    delete upstream.faults[kind];
  }
  upstream.records.set('a', record('a'));
  connection.lookupDelay = 0;
  await connection.renew();
  let events = await service.stream('a');
  // A source that was obeyed for its Retry-After gets a request again once that is over.
  if (events[1]?.event === 'error') {
    service.clock.advance(60_000);
    events = await service.stream('a');
  }
  if (events[1]?.event !== 'live') throw new Error(`Not healed: ${events[1]?.data}`);
}
