// Network addresses: the client behind trusted proxies, groups of addresses, and which are public.

import ipaddr from 'ipaddr.js';

type Parsed = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [Parsed, number];

/** The client's address from the socket's address and the X-Forwarded-For header; IPv4-mapped as IPv4. */
export type ReadAddress = (socketAddress: string | undefined, forwardedFor: string | undefined) => string;

/** Parses CIDR blocks and plain addresses. Throws a RangeError that names the entry that is neither. */
export function parseNetworks(list: readonly string[]): readonly Network[] {
  return list.map((entry) => {
    try {
      if (entry.includes('/')) return normalizeNetwork(ipaddr.parseCIDR(entry));
      const address = ipaddr.process(entry);
      return [address, address.kind() === 'ipv4' ? 32 : 128] as const;
    } catch (cause) {
      throw new RangeError(`${entry} is neither an address nor a network such as 10.0.0.0/8`, { cause });
    }
  });
}

/** A port of the addresses of a network. */
export interface NetworkPort {
  /** An address or a CIDR block. */
  readonly network: string;
  readonly port: number;
}

/** Parses `10.0.0.0/8:8443` or `[fd00::1]:443`. Throws a RangeError. */
export function parseNetworkPort(text: string): NetworkPort {
  const [, network = '', digits = ''] = /^\[?([^[\]]+)\]?:(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (port < 1 || port > 65_535) throw new RangeError(`${text} has no port: write 10.0.0.0/8:8443`);
  parseNetworks([network]);
  return { network, port };
}

/** `::ffff:10.0.0.0/104` as 10.0.0.0/8, since addresses are compared in their IPv4 form. */
function normalizeNetwork([address, bits]: [Parsed, number]): Network {
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96) {
    return [address.toIPv4Address(), bits - 96];
  }
  return [address, bits];
}

/** Whether an address is in one of the networks; false for text that is no address. */
export function isWithin(address: string, networks: readonly Network[]): boolean {
  const parsed = parse(address);
  return parsed !== null && matches(parsed, networks);
}

function matches(address: Parsed, networks: readonly Network[]): boolean {
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  );
}

/**
 * Creates the reader of client addresses. Forwarded addresses count only if the socket belongs to a trusted proxy; they are
 * read from the right, each vouched for by the trusted proxy after it.
 */
export function addressReader(trustedProxies: readonly string[]): ReadAddress {
  const trusted = parseNetworks(trustedProxies);
  if (trusted.length === 0) return (socketAddress) => canonical(socketAddress);
  // Most requests come through the same few proxies.
  let [lastPeer, lastTrusted] = ['', false];
  const isTrusted = (address: string): boolean => {
    if (address !== lastPeer) [lastPeer, lastTrusted] = [address, isWithin(address, trusted)];
    return lastTrusted;
  };
  return (socketAddress, forwardedFor) => {
    let client = canonical(socketAddress);
    if (forwardedFor === undefined) return client;
    const hops = forwardedFor.split(',');
    while (hops.length > 0 && isTrusted(client)) {
      const hop = parse(withoutPort(hops.pop()?.trim() ?? ''));
      if (hop === null) break;
      client = hop.toString();
    }
    return client;
  };
}

/** One form per address; `unknown` if the socket is gone. */
function canonical(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7);
  return address.includes(':') ? (parse(address)?.toString() ?? 'unknown') : address;
}

function parse(text: string): Parsed | null {
  // Only full dotted quads: the library also accepts octal, hexadecimal and short forms.
  if (!text.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(text)) return null;
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

/** Some proxies add the port: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}

/**
 * The addresses of one person: an IPv4 address, or the /64 of an IPv6 address. With 48 bits: those of one customer of a
 * network.
 */
export function addressGroup(address: string, bits: 48 | 64 = 64): string {
  if (!address.includes(':')) return address;
  const parsed = parse(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? address;
  const network = parsed.parts.map((part, at) => (at < bits / 16 ? part : 0));
  return `${new ipaddr.IPv6(network).toString()}/${bits}`;
}

/** All of IPv6 that has been allocated; the rest leads to other protocols, private networks or nowhere. */
const PUBLIC_IPV6 = parseNetworks(['2000::/3']);

/** Ranges that are announced on the Internet but lead into private networks or nowhere. */
const NOT_PUBLIC = parseNetworks(['2001::/23', '3fff::/20', '192.88.99.0/24', '192.0.0.0/24']);

/** Networks that the Internet does not route to: RFC 1918, shared address space, link-local, and unique local of IPv6. */
const PRIVATE = parseNetworks([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]);

/** Whether an address is of a private network. */
export const isPrivateAddress = (address: string): boolean => isWithin(address, PRIVATE);

/** Whether an address is on the public Internet: unicast, no translation or tunnel prefix, no zone. */
export function isPublicAddress(address: string): boolean {
  // The library takes `::192.0.2.1`, which is obsolete, for the IPv4 address in it.
  const parsed = /%|^::\d+\./.test(address) ? null : parse(address);
  if (parsed === null || parsed.range() !== 'unicast' || matches(parsed, NOT_PUBLIC)) return false;
  return parsed.kind() === 'ipv4' || matches(parsed, PUBLIC_IPV6);
}
