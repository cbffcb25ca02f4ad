// Outbound HTTP to URLs from strangers: the public Internet only, with names resolved by name servers.

import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../clock.ts';
import { isPublicAddress } from '../ip-address.ts';
import { createOutbound, type Outbound, type OutboundOptions } from '../outbound.ts';
import { OutboundFailure } from '../outbound-failure.ts';

/** Overrides for tests. Which addresses are public cannot be overridden. */
export type Internet = Pick<OutboundOptions, 'lookup' | 'certificateAuthorities' | 'connectTo'>;

/** Milliseconds: two queries to name servers and a distant handshake. */
const CONNECT_TIMEOUT = 4_000;

/** Connects to public addresses only: the checked address is the one connected to. */
export function createInternet(
  clock: Clock,
  internet: Internet = {},
  bounds: Pick<OutboundOptions, 'connections' | 'maxOrigins'> = {},
): Outbound {
  return createOutbound({
    lookup: nameServerLookup(),
    ...internet,
    clock,
    connectTimeoutMs: CONNECT_TIMEOUT,
    connections: 4,
    ...bounds,
    allowAddress: isPublicAddress,
  });
}

/** Milliseconds for a name server's first answer; the second try gets twice as long. */
const NAME_TIMEOUT = 1_000;
const TRIES = 2;

/**
 * A lookup of A and AAAA records. The system's own lookup would also read the hosts file and search local domains, and a silent
 * name server would block one of the few threads that all lookups share. Fails with OutboundFailure `unresolved`.
 *
 * @param nameServers `address:port`; default: those of the system
 */
export function nameServerLookup(nameServers?: readonly string[]): LookupFunction {
  const resolver = new Resolver({ timeout: NAME_TIMEOUT, tries: TRIES });
  if (nameServers !== undefined) resolver.setServers([...nameServers]);
  return (hostname, _options, callback) => {
    void Promise.allSettled([resolver.resolve6(hostname), resolver.resolve4(hostname)]).then(
      ([six, four]) => {
        const addresses = [...addressesOf(six, 6), ...addressesOf(four, 4)];
        if (addresses.length > 0) return callback(null, addresses);
        const cause = four.status === 'rejected' ? four.reason : undefined;
        return callback(new OutboundFailure('unresolved', `${hostname} has no address`, cause), []);
      },
    );
  };
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6) {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
