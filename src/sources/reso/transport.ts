// Owns one HTTP exchange with the upstream server: its time and size limits, and what each way of failing is called.

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Agent, type Dispatcher, request } from 'undici';
import { LiveError } from '../source.ts';

export interface UpstreamRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of the answer, counted unpacked. */
  readonly largest: number;
  readonly signal: AbortSignal;
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface TransportOptions {
  /** Milliseconds; default 2,000. */
  readonly connectTimeout?: number;
}

const unpack = promisify(gunzip);

export class Transport {
  readonly #agent: Agent;

  constructor({ connectTimeout = 2_000 }: TransportOptions = {}) {
    this.#agent = new Agent({ connect: { timeout: connectTimeout }, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** Sends one request and reads the whole answer, whatever its status. Redirects are not followed. Throws LiveError. */
  async send({
    url,
    method = 'GET',
    headers = {},
    body,
    largest,
    signal,
  }: UpstreamRequest): Promise<UpstreamAnswer> {
    try {
      const answer = await request(url, {
        dispatcher: this.#agent,
        method,
        headers: { 'accept-encoding': 'gzip', ...headers },
        ...(body === undefined ? {} : { body }),
        signal,
      });
      const bytes = await readAll(answer, largest);
      const text = await plainText(bytes, answer.headers['content-encoding'], largest);
      return { status: answer.statusCode, headers: answer.headers, text };
    } catch (error) {
      throw failure(error, signal);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

async function readAll({ body }: Dispatcher.ResponseData, largest: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largest) throw tooLarge(largest);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

async function plainText(
  bytes: Buffer,
  encoding: string | string[] | undefined,
  largest: number,
): Promise<string> {
  if (encoding === undefined || encoding === 'identity') return bytes.toString('utf8');
  if (encoding !== 'gzip')
    throw new LiveError('parse_failed', 'The source answered in an encoding nobody asked for.');
  try {
    return (await unpack(bytes, { maxOutputLength: largest })).toString('utf8');
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(largest);
    throw new LiveError('parse_failed', 'The source sent an answer that cannot be unpacked.', {
      cause: error,
    });
  }
}

function tooLarge(largest: number): LiveError {
  return new LiveError('parse_failed', `The source sent more than ${largest} bytes.`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

function failure(error: unknown, signal: AbortSignal): LiveError {
  if (error instanceof LiveError) return error;
  if (signal.aborted) return new LiveError('timeout', 'The source did not answer in time.', { cause: error });
  if (codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT') {
    return new LiveError('timeout', 'The source could not be reached in time.', { cause: error });
  }
  return new LiveError('fetch_failed', 'The source could not be reached, or broke off its answer.', {
    cause: error,
  });
}
