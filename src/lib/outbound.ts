// Outbound HTTP: bounded in time and size, without redirects, and optionally to allowed addresses only.

import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { buildConnector, Pool, request } from 'undici';
import { type Clock, withDeadline } from './clock.ts';
import { failureOf, OutboundFailure } from './outbound-failure.ts';
import { dispatchPost, type OutboundPost, type PostAnswer } from './outbound-post.ts';

export interface OutboundRequest {
  readonly url: string | URL;
  readonly method?: 'GET' | 'POST';
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds for everything, from resolving the name to the last byte. */
  readonly deadlineMs: number;
  /** Maximum size of the body after decompression. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer {
  /** Any status: redirects are not followed. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** An answer whose body is still to be read. */
export interface OutboundStream extends Omit<OutboundAnswer, 'body'> {
  /** Decompressed. */
  readonly body: AsyncIterable<Buffer>;
}

export interface Outbound {
  /**
   * Sends one request, and hands its answer over as it comes; the deadline counts for both. Rejects with OutboundFailure and nothing else;
   * a reader keeps its own faults by returning them.
   * @param read what is left of the body when it returns is not waited for
   */
  receive<T>(
    request: Omit<OutboundRequest, 'maxBytes'>,
    read: (answer: OutboundStream) => Promise<T>,
  ): Promise<T>;
  /** Sends one request. Rejects with OutboundFailure and nothing else. */
  send(request: OutboundRequest): Promise<OutboundAnswer>;
  /** Posts, and reads the status and the beginning of the answer. Rejects with OutboundFailure and nothing else. */
  post(request: OutboundPost): Promise<PostAnswer>;
  /** Closes every connection. */
  close(): Promise<void>;
}

export interface OutboundOptions {
  readonly clock: Clock;
  /** Milliseconds for a connection, name and TLS included. Default 2 s. */
  readonly connectTimeoutMs?: number;
  /** Connections to one origin. Default 16. */
  readonly connections?: number;
  /** Origins whose idle connections are kept. Default 100. */
  readonly maxOrigins?: number;
  /** Addresses that may be connected to; with `isPublicAddress`, URLs from users cannot reach private networks. */
  readonly allowAddress?: (address: string) => boolean;
  readonly lookup?: LookupFunction;
  /** In tests: the address to connect to in place of an allowed one. */
  readonly connectTo?: (address: string) => string;
  /** Certificates of private authorities, trusted besides the system's. */
  readonly certificateAuthorities?: readonly string[];
}

/** All resolved addresses are checked; at most so many are used. */
const MAX_ADDRESSES = 8;

const DECOMPRESSORS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export function createOutbound(options: OutboundOptions): Outbound {
  const { clock, allowAddress } = options;
  const pools = new OriginPools(options.maxOrigins ?? 100, {
    connect: createConnector(options),
    connections: options.connections ?? 16,
    pipelining: 1,
    keepAliveTimeout: 10_000,
    // The deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const receive: Outbound['receive'] = async (
    { url, method = 'GET', headers, body = null, deadlineMs, signal: parent },
    read,
  ) => {
    const onTimeout = () => new OutboundFailure('timeout', `No complete answer within ${deadlineMs} ms`);
    try {
      return await withDeadline({ clock, milliseconds: deadlineMs, onTimeout, parent }, async (signal) => {
        const target = validateUrl(url, allowAddress);
        const answer = await request(target, {
          dispatcher: pools.of(target.origin),
          signal,
          method,
          body,
          headers: { 'accept-encoding': 'gzip, deflate, br', ...headers },
        });
        const content = decompress(answer.body, answer.headers);
        try {
          return await read({ status: answer.statusCode, headers: answer.headers, body: content });
        } finally {
          content.on('error', () => undefined).destroy();
        }
      });
    } catch (error) {
      if (parent?.aborted) throw new OutboundFailure('aborted', 'Nobody waits for the answer any more');
      throw failureOf(error);
    }
  };
  return {
    receive,
    send: ({ maxBytes, ...rest }) =>
      receive(rest, async ({ status, headers, body }) => ({
        status,
        headers,
        body: await readBody(body, maxBytes),
      })),
    async post(post) {
      try {
        const target = validateUrl(post.url, allowAddress);
        return await dispatchPost(pools.of(target.origin), clock, { ...post, url: target });
      } catch (error) {
        throw failureOf(error);
      }
    },
    close: () => pools.destroy(),
  };
}

/** Checks an address in the URL itself, which is not resolved. */
function validateUrl(text: string | URL, allowAddress: ((address: string) => boolean) | undefined): URL {
  const url = text instanceof URL ? text : URL.parse(text);
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

/** undici's connector with a timeout on our clock, and every resolved address checked before any is used. */
function createConnector(options: OutboundOptions): buildConnector.connector {
  const { clock, connectTimeoutMs = 2_000, allowAddress, lookup = systemLookup, connectTo } = options;
  const connect = buildConnector({
    allowH2: false,
    // Frees the socket itself; the timer below only stops waiting for it.
    timeout: connectTimeoutMs * 2,
    lookup: allowAddress === undefined ? lookup : guardLookup(lookup, allowAddress, connectTo),
    ...(options.certificateAuthorities !== undefined && {
      secureContext: createContext(options.certificateAuthorities),
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
      // The types say null, but there may be no argument.
      else if (socket) callback(null, socket);
      else callback(error ?? new Error('No socket'), null);
    });
  };
}

/** Created once: reading the system's certificates takes longer than a connection. */
function createContext(authorities: readonly string[]): SecureContext {
  // `ca` replaces the system's certificates.
  return createSecureContext({ ca: [...getCACertificates('default'), ...authorities] });
}

/** A resolver that fails if any address is forbidden: a bad one among good ones is an attack. */
function guardLookup(
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
      const reached = addresses.slice(0, MAX_ADDRESSES).map(({ address }) => connectTo(address));
      if (options.all !== true) return callback(null, reached[0] ?? '', isIP(reached[0] ?? ''));
      return callback(
        null,
        reached.map((address) => ({ address, family: isIP(address) })),
      );
    });
  };
}

function decompress(body: Readable, headers: OutboundAnswer['headers']): Readable {
  const coding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
  if (coding === 'identity' || coding === '') return body;
  const decompressor = Object.hasOwn(DECOMPRESSORS, coding) ? DECOMPRESSORS[coding]?.() : undefined;
  if (decompressor === undefined) {
    body.on('error', () => undefined).destroy();
    throw new OutboundFailure('malformed', `Content-Encoding ${coding} was not asked for`);
  }
  // The reader of the decompressor gets the error; here it must only be handled.
  return pipeline(body, decompressor, () => undefined) as typeof decompressor;
}

async function readBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Throwing in the loop destroys the stream and its connection.
    if (size > maxBytes) throw new OutboundFailure('too_large', `More than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

type PoolOptions = Omit<Pool.Options, 'factory'>;

class OriginPools {
  readonly #options: PoolOptions;
  readonly #max: number;
  /** The one used last is at the end. */
  readonly #pools = new Map<string, Pool>();

  /** @param max origins whose connections are kept */
  constructor(max: number, options: PoolOptions) {
    this.#max = max;
    this.#options = options;
  }

  get size(): number {
    return this.#pools.size;
  }

  of(origin: string): Pool {
    const pool = this.#pools.get(origin) ?? new Pool(origin, this.#options);
    this.#pools.delete(origin);
    this.#pools.set(origin, pool);
    if (this.#pools.size > this.#max) this.#closeOldest();
    return pool;
  }

  async destroy(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  /** Running requests are finished before the connections are closed. */
  #closeOldest(): void {
    const [oldest] = this.#pools;
    if (oldest === undefined) return;
    const [origin, pool] = oldest;
    this.#pools.delete(origin);
    void pool.close();
  }
}
