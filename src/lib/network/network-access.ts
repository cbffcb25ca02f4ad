// Access to URLs of others: the public Internet over https, and the ports of inner networks that the operator permits.

import { isIP, type LookupFunction } from 'node:net';
import { type Clock, withDeadline } from '../clock.ts';
import { isPublicAddress, isWithin, type NetworkPort, parseNetworks } from '../ip-address.ts';
import { createOutbound, type Outbound } from '../outbound.ts';
import { createInternet, type Internet, nameServerLookup } from './internet.ts';

export interface NetworkAccessOptions {
  readonly clock: Clock;
  /** The setting that permits inner networks, for messages. */
  readonly setting: string;
  /** Ports of inner networks that the operator permits. */
  readonly allow: readonly NetworkPort[];
  /** True: all other ports of this machine too, for trials of a service that only this machine reaches. */
  readonly allowLoopback?: boolean;
  /** Ports of the service and of PostgreSQL, which nothing reaches in an inner network; read for each address. */
  readonly ownPorts: () => readonly (number | null)[];
  /** Overrides for tests. */
  readonly internet?: Internet | undefined;
}

/** A URL that may be reached. */
export interface NetworkUrl {
  /** In normal form. */
  readonly url: string;
  /** Host and port as the limits of a host count them. */
  readonly host: string;
  /** Whether its addresses are permitted by the operator only, and not public. */
  readonly isInner: boolean;
}

/** Why a URL cannot be one, as the rest of a sentence. */
export interface UrlFault {
  readonly fault: string;
}

export interface NetworkAccess {
  /** Resolves the host of a parsed URL, and judges every address. */
  check(url: URL): Promise<NetworkUrl | UrlFault>;
  /** Connections for a checked URL: to public addresses, or for an inner one to what the operator permits. */
  outbound(checked: Pick<NetworkUrl, 'url' | 'isInner'>): Outbound;
  close(): Promise<void>;
}

/** Milliseconds for two tries of a name server. */
const LOOKUP_TIMEOUT = 5_000;
const CONNECT_TIMEOUT = 4_000;
/** As many connections to a host as deliveries of webhooks; idle ones are kept to the hosts used last. */
const BOUNDS = { connections: 8, maxOrigins: 1_000 };

/** Addresses at which clouds give machines their credentials. */
const METADATA = parseNetworks(['169.254.0.0/16', 'fd00:ec2::254']);

const LOOPBACK = parseNetworks(['127.0.0.0/8', '::1']);

const UNRESOLVED =
  'names a host without an address: check the spelling, and that public name servers know it';
const forbidden = (setting: string): string =>
  'leads to an address that is not on the public Internet: use a public one. The operator can permit ports of inner ' +
  `networks with ${setting}, but not those of the service and its database, nor metadata addresses of clouds`;

export function createNetworkAccess(options: NetworkAccessOptions): NetworkAccess {
  const { clock } = options;
  const lookup = withLocalhost(options.internet?.lookup ?? nameServerLookup());
  const internet = { ...options.internet, lookup };
  const outside = createInternet(clock, internet, BOUNDS);
  const isAllowed = innerRule(options);
  const inner = new Map<number, Outbound>(
    options.allow.map(({ port }) => [
      port,
      createInner(options, lookup, (address) => isAllowed(address, port)),
    ]),
  );
  const none = createInner(options, lookup, () => false);
  const loopback =
    options.allowLoopback === true
      ? createInner(options, lookup, (address) => isWithin(address, LOOPBACK))
      : none;
  const innerAt = (port: number): Outbound => {
    const isOwn = options.ownPorts().includes(port);
    return inner.get(port) ?? (isOwn ? none : loopback);
  };
  return {
    async check(url) {
      const addresses = await resolve(clock, lookup, hostOf(url));
      if (addresses.length === 0) return { fault: UNRESOLVED };
      const isPublic = addresses.every(isPublicAddress);
      const isInner = addresses.every((address) => isAllowed(address, portOf(url)));
      if (!isPublic && !isInner) return { fault: forbidden(options.setting) };
      if (url.protocol === 'http:' && !isInner) return { fault: 'must begin with https://' };
      return {
        url: url.href,
        host: url.host.replace(/\.(?=:|$)/, ''),
        isInner: !isPublic || url.protocol === 'http:',
      };
    },
    outbound: ({ url, isInner }) => (isInner ? innerAt(portOf(new URL(url))) : outside),
    async close() {
      const opened = new Set([outside, none, loopback, ...inner.values()]);
      await Promise.all([...opened].map((each) => each.close()));
    },
  };
}

/** Whether the operator permits an address at a port; never what holds secrets of ours. */
function innerRule({
  allow,
  allowLoopback = false,
  ownPorts,
}: NetworkAccessOptions): (address: string, port: number) => boolean {
  const networks = allow.map(({ network, port }) => ({ port, networks: parseNetworks([network]) }));
  return (address, port) =>
    !address.includes('%') &&
    !ownPorts().includes(port) &&
    !isWithin(address, METADATA) &&
    ((allowLoopback && isWithin(address, LOOPBACK)) ||
      networks.some((each) => each.port === port && isWithin(address, each.networks)));
}

function createInner(
  { clock, internet }: NetworkAccessOptions,
  lookup: LookupFunction,
  allowAddress: (address: string) => boolean,
): Outbound {
  const { certificateAuthorities } = internet ?? {};
  return createOutbound({
    clock,
    lookup,
    allowAddress,
    connectTimeoutMs: CONNECT_TIMEOUT,
    ...BOUNDS,
    ...(certificateAuthorities !== undefined && { certificateAuthorities }),
  });
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

/** The addresses of a host; none if it cannot be resolved. */
function resolve(clock: Clock, lookup: LookupFunction, host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return Promise.resolve([host]);
  const onTimeout = () => new Error('The name servers did not answer');
  return withDeadline(
    { clock, milliseconds: LOOKUP_TIMEOUT, onTimeout },
    () =>
      new Promise<readonly string[]>((done) => {
        lookup(host, { all: true }, (error, found) => {
          const addresses = error === null && Array.isArray(found) ? found : [];
          done(addresses.map(({ address }) => address));
        });
      }),
  ).catch(() => []);
}

/** Name servers do not know localhost (RFC 6761). */
function withLocalhost(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    if (!/^(?:.+\.)?localhost\.?$/i.test(hostname)) return lookup(hostname, options, callback);
    return callback(null, [{ address: '127.0.0.1', family: 4 }]);
  };
}
