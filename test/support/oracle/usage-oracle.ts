// Oracle of the record of use: sends requests, and counts what their answers show by reading them.

import { request } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly text: string;
  /** On the connection. */
  readonly bytes: number;
}

export interface Asked {
  readonly url: string;
  readonly method?: 'GET' | 'HEAD' | 'POST';
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** Sends a request on a connection of its own. */
export function send({ url, method = 'GET', key, headers = {}, body }: Asked): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request(url, {
    method,
    agent: false,
    headers: {
      'cache-control': 'no-cache',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  sent.on('error', reject).on('response', (response) => {
    const { socket } = response;
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        text: Buffer.concat(chunks).toString(),
        bytes: socket.bytesRead,
      }),
    );
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** Sums of one operation by one way. */
export interface Sums {
  requests: number;
  bytes: number;
  /** Listings by source. */
  readonly shown: Map<string, number>;
}

/** Counts of answers, by `tier channel operation status`. */
export class UsageOracle {
  readonly sums = new Map<string, Sums>();
  readonly #sourceOf: ReadonlyMap<string, string>;

  /** @param sourceOf sources of listings, by id */
  constructor(sourceOf: ReadonlyMap<string, string>) {
    this.#sourceOf = sourceOf;
  }

  /** @param ids of the listings in the answer, as often as they are there */
  count(name: string, { status, bytes }: Answer, ids: readonly string[]): void {
    const key = `${name} ${Math.floor(status / 100)}`;
    const sums = this.sums.get(key) ?? { requests: 0, bytes: 0, shown: new Map() };
    this.sums.set(key, sums);
    sums.requests += 1;
    sums.bytes += bytes;
    for (const id of ids) {
      const source = this.#sourceOf.get(id) ?? 'unknown';
      sums.shown.set(source, (sums.shown.get(source) ?? 0) + 1);
    }
  }

  /** As lines to compare. */
  lines(): string[] {
    return [...this.sums].map(([key, sums]) => formatSums(key, sums)).sort();
  }
}

export function formatSums(key: string, { requests, bytes, shown }: Sums): string {
  const sources = [...shown]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, count]) => `${source}=${count}`);
  return `${key}: ${requests} requests, ${bytes} bytes, ${sources.join(' ')}`;
}
