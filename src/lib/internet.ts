// Outbound HTTP to addresses that strangers give: the public Internet only, its names resolved by asking name servers.

import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import type { Clock } from './clock.ts';
import { isPublicAddress } from './ip-address.ts';
import { createOutbound, type Outbound, OutboundFailure, type OutboundOptions } from './outbound.ts';

/** What tests put in the place of name servers, authorities and hosts. Which addresses are public stays as it is. */
export type Internet = Pick<OutboundOptions, 'lookup' | 'certificateAuthorities' | 'connectTo'>;

/** Milliseconds for a connection: two questions to name servers and a handshake far away. */
const CONNECT_TIMEOUT = 4_000;

/** Connects to addresses of the public Internet only, each resolved once, checked, and then the one connected to. */
export function createInternet(clock: Clock, internet: Internet = {}): Outbound {
  return createOutbound({
    lookup: nameServerLookup(),
    ...internet,
    ...{ clock, connectTimeoutMs: CONNECT_TIMEOUT, connections: 4, allowAddress: isPublicAddress },
  });
}

/** Milliseconds for a name server's first answer; asked once more, it is given twice as long. */
const NAME_TIMEOUT = 1_000;
const TRIES = 2;

/**
 * A lookup for `createOutbound`: A and AAAA records as name servers give them. The system's own lookup would also read
 * the hosts file and search local domains, and a name whose server stays silent would hold one of the few threads that
 * all other lookups of this process share. Fails with OutboundFailure `unresolved`.
 *
 * @param nameServers `address:port`; default: those of the system
 */
export function nameServerLookup(nameServers?: readonly string[]): LookupFunction {
  const resolver = new Resolver({ timeout: NAME_TIMEOUT, tries: TRIES });
  if (nameServers !== undefined) resolver.setServers([...nameServers]);
  return (hostname, _options, callback) => {
    void Promise.allSettled([resolver.resolve6(hostname), resolver.resolve4(hostname)]).then(
      ([six, four]) => {
        const addresses = [...found(six, 6), ...found(four, 4)];
        if (addresses.length > 0) return callback(null, addresses);
        const cause = four.status === 'rejected' ? four.reason : undefined;
        return callback(new OutboundFailure('unresolved', `${hostname} has no address`, cause), []);
      },
    );
  };
}

function found(answer: PromiseSettledResult<string[]>, family: 4 | 6) {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}
