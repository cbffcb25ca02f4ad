// DNS rebinding: a name server whose answers are public first and private next.

import { createInternet, nameServerLookup } from '../../../src/lib/network/internet.ts';
import { atEnd, type Closing } from '../database/database.ts';
import { manualClock } from '../service/clock.ts';
import { documentHosts, json, PUBLIC_ADDRESS } from './document-hosts.ts';
import { startNameServer } from './name-server.ts';
import { setTripwires } from './tripwires.ts';

export interface Rebinding {
  readonly lookups: number;
  /** Connections to inward addresses. */
  readonly hits: number;
  readonly answered: number;
  readonly refused: number;
  /** Requests that ended otherwise. */
  readonly others: readonly string[];
  /** Whether every connection was made after one DNS query of its own, and sent the server the name. */
  readonly onePerConnection: boolean;
}

/** What a name says: alternating, all at once, or inwards by IPv6 alone. */
const TURNS: readonly (readonly (readonly string[])[])[] = [
  [[PUBLIC_ADDRESS], ['127.0.0.1']],
  [['127.0.0.1'], [PUBLIC_ADDRESS]],
  [[PUBLIC_ADDRESS, '127.0.0.1'], [PUBLIC_ADDRESS]],
  [[PUBLIC_ADDRESS], ['127.0.0.1', PUBLIC_ADDRESS]],
  [[PUBLIC_ADDRESS, '::1'], [PUBLIC_ADDRESS]],
  [[PUBLIC_ADDRESS], ['::ffff:7f00:1', PUBLIC_ADDRESS]],
  [[PUBLIC_ADDRESS], ['169.254.169.254']],
  [[PUBLIC_ADDRESS], []],
];

/**
 * Sends requests to such names until so many questions were answered. Public answers arrive at a server at 127.0.0.2, on the
 * very port at which tripwires wait at the inward addresses. Every connection is closed after its answer.
 */
export async function tryRebinding(
  t: Closing,
  lookups: number,
  method: 'GET' | 'POST' = 'GET',
): Promise<Rebinding> {
  const hosts = await documentHosts(t, '127.0.0.2');
  const tripwires = await setTripwires(t, Number(new URL(hosts.url('/')).port));
  const names = await startNameServer(t, (name, nth) => {
    const turns = TURNS[Number(/^n(\d+)/.exec(name)?.[1] ?? 0) % TURNS.length] ?? [];
    return turns[nth % turns.length] ?? [];
  });
  const clock = manualClock();
  const internet = createInternet(clock, { ...hosts.internet, lookup: nameServerLookup([names.address]) });
  atEnd(t, () => internet.close());
  const tally = { answered: 0, refused: 0, others: [] as string[] };
  const countQueries = () => names.queries.values().reduce((sum, each) => sum + each, 0);
  let connections = 0;
  for (let number = 0; countQueries() < lookups; number++) {
    const host = `n${number % 64}.example`;
    const url = hosts.put('/c.json', json({ ok: host }, { connection: 'close' }), host);
    const before = countQueries();
    const request = { url, deadlineMs: 5_000, maxBytes: 1_000 };
    const answer =
      method === 'GET' ? internet.send(request) : internet.post({ ...request, headers: {}, body: '{}' });
    const outcome = await answer.then(
      ({ body }) => String(body),
      (error: { kind?: string }) => error.kind ?? String(error),
    );
    if (countQueries() - before === 1) connections++;
    if (outcome === JSON.stringify({ ok: host })) tally.answered++;
    else if (outcome === 'forbidden_address' || outcome === 'unresolved') tally.refused++;
    else tally.others.push(outcome);
  }
  const requests = tally.answered + tally.refused;
  const onePerConnection = connections === requests && hosts.hits.length === tally.answered;
  return { lookups: countQueries(), hits: tripwires.hits.length, ...tally, onePerConnection };
}
