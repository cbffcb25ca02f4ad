// Outbound HTTP: bounded in time and size, without redirects, and to chosen addresses only where asked.

import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, buildConnector, request } from 'undici';
import type { Clock } from './clock.ts';
import { withDeadline } from './clock.ts';

export interface OutboundRequest {
  readonly url: string | URL;
  readonly method?: 'GET' | 'POST';
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds for everything, from resolving the name to the last byte. */
  readonly deadlineMs: number;
  /** The most bytes a body may have, counted after decompression. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  /** Any status: a redirect is an answer like others, and followed by nobody. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface Outbound {
  /** Sends one request. Rejects with OutboundFailure and nothing else. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Cuts every connection. */
  close(): Promise<void>;
}

export interface OutboundOptions {
  readonly clock: Clock;
  /** Milliseconds for a connection, name and TLS included. Default 2 s. */
  readonly connectTimeoutMs?: number;
  /** Connections kept to one origin. Default 16. */
  readonly connections?: number;
  /** Which addresses may be connected to; with `isPublicAddress`, URLs that users give cannot reach inwards. */
  readonly allowAddress?: (address: string) => boolean;
  readonly lookup?: LookupFunction;
  /** Where an address that passed the guard is reached in fact: tests put servers of theirs in the place of others. */
  readonly connectTo?: (address: string) => string;
  /** Certificates of private authorities that are trusted besides the system's. */
  readonly certificateAuthorities?: readonly string[];
}

/** All answers of a resolver are checked, so many of them used. */
const ADDRESSES_TRIED = 8;

const DECOMPRESSORS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** Opens a pool of connections to wherever requests go. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { clock, allowAddress } = options;
  const agent = new Agent({
    connect: connectorFor(options),
    connections: options.connections ?? 16,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    // The deadline covers both; undici's own timers stay out of the way.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send: (outgoing) => bounded(outgoing, clock, (signal) => exchange(outgoing, agent, signal, allowAddress)),
    close: () => agent.destroy(),
  };
}

/** Runs a request to its deadline, or until its signal aborts; throws an OutboundFailure. */
async function bounded<Result>(
  { deadlineMs, signal }: OutboundRequest,
  clock: Clock,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const onTimeout = () => new OutboundFailure('timeout', `No complete answer within ${deadlineMs} ms`);
  try {
    return await withDeadline(
      { clock, milliseconds: deadlineMs, onTimeout, ...(signal && { parent: signal }) },
      run,
    );
  } catch (error) {
    if (signal?.aborted) throw new OutboundFailure('aborted', 'Nobody waits for the answer any more');
    throw failureOf(error);
  }
}

async function exchange(
  outgoing: OutboundRequest,
  dispatcher: Agent,
  signal: AbortSignal,
  allowAddress: ((address: string) => boolean) | undefined,
): Promise<OutboundAnswer> {
  const url = checkedUrl(outgoing.url, allowAddress);
  const { statusCode, headers, body } = await request(url, {
    dispatcher,
    signal,
    method: outgoing.method ?? 'GET',
    headers: { 'accept-encoding': 'gzip, deflate, br', ...outgoing.headers },
    body: outgoing.body ?? null,
  });
  return { status: statusCode, headers, body: await collect(decompressed(body, headers), outgoing.maxBytes) };
}

/** A resolver is not asked about an address that stands in the URL itself, so that is checked here. */
function checkedUrl(text: string | URL, allowAddress: ((address: string) => boolean) | undefined): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new OutboundFailure('invalid_url', 'Not an http or https address');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundFailure('invalid_url', 'An address must not carry credentials');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (allowAddress !== undefined && isIP(host) !== 0 && !allowAddress(host)) throw forbidden(host);
  return url;
}

function forbidden(address: string): OutboundFailure {
  return new OutboundFailure('forbidden_address', `${address} may not be connected to`);
}

/** undici's connector with a deadline on our clock, and every resolved address checked before any is used. */
function connectorFor(options: OutboundOptions): buildConnector.connector {
  const { clock, connectTimeoutMs = 2_000, allowAddress, lookup = systemLookup, connectTo } = options;
  const connect = buildConnector({
    allowH2: false,
    // A backstop that frees the socket itself: the deadline above only stops waiting for it.
    timeout: connectTimeoutMs * 2,
    lookup: allowAddress === undefined ? lookup : guarded(lookup, allowAddress, connectTo),
    ...(options.certificateAuthorities !== undefined && {
      secureContext: trusting(options.certificateAuthorities),
    }),
  });
  return (target, callback) => {
    let waiting = true;
    const cancel = clock.after(connectTimeoutMs, () => {
      waiting = false;
      callback(new OutboundFailure('timeout', `No connection within ${connectTimeoutMs} ms`), null);
    });
    connect(target, (...[error, socket]) => {
      cancel();
      if (!waiting) socket?.destroy();
      // The types promise null where the callback is in fact given nothing.
      else if (socket) callback(null, socket);
      else callback(error ?? new Error('No socket'), null);
    });
  };
}

/** Made once: reading all certificates of the system anew for each connection takes longer than the connection. */
function trusting(authorities: readonly string[]): SecureContext {
  // What is given as `ca` takes the place of the system's.
  return createSecureContext({ ca: [...getCACertificates('default'), ...authorities] });
}

/** A resolver that fails when any of the answers is forbidden: one bad answer among good ones is an attack. */
function guarded(
  lookup: LookupFunction,
  allowAddress: (address: string) => boolean,
  connectTo: (address: string) => string = (address) => address,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, []);
      const addresses = Array.isArray(found) ? found : [];
      const bad = addresses.find(({ address }) => !allowAddress(address));
      if (bad !== undefined || addresses.length === 0) {
        return callback(forbidden(bad?.address ?? hostname), []);
      }
      const reached = addresses.slice(0, ADDRESSES_TRIED).map(({ address }) => connectTo(address));
      if (options.all !== true) return callback(null, reached[0] ?? '', isIP(reached[0] ?? ''));
      return callback(
        null,
        reached.map((address) => ({ address, family: isIP(address) })),
      );
    });
  };
}

function decompressed(body: Readable, headers: OutboundAnswer['headers']): Readable {
  const coding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (coding === 'identity' || coding === '') return body;
  const decompressor = Object.hasOwn(DECOMPRESSORS, coding) ? DECOMPRESSORS[coding]?.() : undefined;
  if (decompressor === undefined) {
    body.on('error', () => undefined).destroy();
    throw new OutboundFailure('malformed', `Content-Encoding ${coding} was not asked for`);
  }
  // The error reaches whoever reads the decompressor; here it only must not go unheard.
  return pipeline(body, decompressor, () => undefined) as typeof decompressor;
}

async function collect(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop destroys the stream and with it the connection.
    if (size > maxBytes) throw new OutboundFailure('too_large', `More than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/**
 * timeout: no connection or no complete answer in time. refused: nobody listens or no route. reset: cut while under
 * way. unresolved: the name has no address. too_large: more bytes than allowed. malformed: not HTTP, or not in the
 * coding it claims. tls: the certificate or the handshake. forbidden_address, invalid_url: not tried at all.
 * aborted: the caller left.
 */
export type FailureKind =
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'unresolved'
  | 'too_large'
  | 'malformed'
  | 'tls'
  | 'forbidden_address'
  | 'invalid_url'
  | 'aborted';

export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}

const KINDS: readonly (readonly [RegExp, FailureKind])[] = [
  [/^(?:UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'refused'],
  [/^(?:ENOTFOUND|EAI_\w+|ESERVFAIL|EREFUSED|ENODATA)$/, 'unresolved'],
  [
    /^(?:HTTPParserError|HPE_\w+|Z_\w+|ERR_BROTLI\w*|ERR__ERROR\w*|UND_ERR_RES\w*|UND_ERR_HEADERS_OVERFLOW)$/,
    'malformed',
  ],
  [
    /^(?:ERR_SSL\w*|ERR_TLS\w*|EPROTO|CERT_\w+|SELF_SIGNED\w*|DEPTH_ZERO\w*|UNABLE_TO\w*|ERR_OSSL\w*)$/,
    'tls',
  ],
];

/** Any error from undici, the resolver, TLS or a decompressor as one of the kinds; what is unknown was cut. */
export function failureOf(error: unknown): OutboundFailure {
  if (error instanceof OutboundFailure) return error;
  const code = codeOf(error);
  const kind = KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? 'reset';
  return new OutboundFailure(kind, error instanceof Error ? error.message : 'Unknown failure', error);
}

/** undici's parser errors have no code, only a name. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
