// Owns the way to addresses that strangers give: the public Internet, and nothing that lies inwards.

import { isPublicAddress } from './address.ts';
import type { Clock } from './clock.ts';
import { createOutbound, type Outbound, type OutboundOptions } from './outbound.ts';
import { nameServerLookup } from './resolve.ts';

/** What tests put in the place of name servers, authorities and hosts. Which addresses are public stays as it is. */
export type Internet = Pick<OutboundOptions, 'lookup' | 'certificateAuthorities' | 'connectTo'>;

/** Milliseconds for a connection: two questions to name servers and a handshake far away. */
const CONNECT_PATIENCE = 4_000;

/** Connects to addresses of the public Internet only, each resolved once, checked, and then the one connected to. */
export function createInternet(clock: Clock, internet: Internet = {}): Outbound {
  return createOutbound({
    lookup: nameServerLookup(),
    ...internet,
    ...{ clock, connectTimeoutMs: CONNECT_PATIENCE, connections: 4, allowAddress: isPublicAddress },
  });
}
