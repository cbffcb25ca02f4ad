// Responder: sends a handler's reply whole, in chunks or as events, compressed if the client accepts it.

import type { FastifyReply } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import { chooseEncoding, compress, compressChunks, type Encoding } from '../output/compression.ts';
import { toProblem } from '../output/problem-document.ts';
import type { Reply } from '../output/reply.ts';
import { cutUnread, type StreamOptions, writeChunks, writeEvents } from '../output/stream-writer.ts';
import { endAfterRequest } from '../output/unread-body.ts';
import type { ActiveRequest } from './active-request.ts';

const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};
/** Default deadline of an event stream, in milliseconds. */
const STREAM_DEADLINE_MS = 10_000;

interface Head {
  readonly status: number;
  readonly headers: Record<string, string>;
}

export class Responder<Caller> {
  readonly #clock: Clock;
  readonly #connections: { readonly isDraining: boolean };
  #streams = 0;

  constructor(clock: Clock, connections: { readonly isDraining: boolean }) {
    this.#clock = clock;
    this.#connections = connections;
  }

  /** Number of open event streams. */
  get streams(): number {
    return this.#streams;
  }

  /** Resolves once the reply is handed to the socket; for events and chunks once the response is closed. */
  async send(active: ActiveRequest<Caller>, reply: FastifyReply, answer: Reply): Promise<void> {
    if (answer.events !== undefined) return this.#sendEvents(active, reply, answer, answer.events);
    if (answer.feed !== undefined) return this.#openFeed(active, reply, answer.headers, answer.feed);
    const { body, contentType } = bodyOf(answer);
    const headers = active.answerHeaders(answer.headers ?? {});
    if (contentType !== undefined) headers['content-type'] ??= contentType;
    const encoding = encodingOf(active, headers, body, answer);
    const head = { status: answer.status ?? 200, headers };
    // During shutdown the client's next request on this connection would fail.
    if (this.#connections.isDraining) headers.connection = 'close';
    if (answer.chunks === undefined) {
      const payload = body !== undefined && encoding !== null ? await compress(body, encoding) : body;
      return this.#sendWhole(reply, head, payload);
    }
    if (active.request.method !== 'HEAD')
      return this.#sendChunks(active, reply, head, answer.chunks, encoding);
    // HEAD of a chunked reply reads no chunk.
    reply.raw.writeHead(head.status, headers).end();
    reply.hijack();
  }

  /** Writes to the response itself, like long replies. No route uses what `reply.send` adds: hooks, serializers, streams. */
  #sendWhole(reply: FastifyReply, { status, headers }: Head, body: string | Buffer | undefined): void {
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    if (status !== 204 && status !== 304) headers['content-length'] = String(length);
    reply.raw.writeHead(status, headers);
    reply.hijack();
    if (!reply.raw.req.complete) {
      endAfterRequest(reply.raw, body, this.#clock);
      return;
    }
    // Of pure ASCII both encodings are the same bytes, and latin1 needs no conversion.
    reply.raw.end(body, body?.length === length ? 'latin1' : 'utf8');
    if ((reply.raw.socket?.writableLength ?? 0) > 0) cutUnread(reply.raw, this.#clock);
  }

  async #sendEvents(
    active: ActiveRequest<Caller>,
    reply: FastifyReply,
    { status = 200, headers = {}, deadlineMs = STREAM_DEADLINE_MS }: Reply,
    events: NonNullable<Reply['events']>,
  ): Promise<void> {
    const head = { status, headers: active.answerHeaders({ ...EVENT_STREAM_HEADERS, ...headers }) };
    this.#streams += 1;
    const written = writeEvents(reply.raw, events, { ...this.#openedBy(reply, head), deadlineMs });
    await this.#finish(active, written).finally(() => {
      this.#streams -= 1;
    });
  }

  /** Hands the response over. Its body ends with the connection, so that a chunk needs no frame of its own. */
  #openFeed(
    active: ActiveRequest<Caller>,
    reply: FastifyReply,
    headers: Reply['headers'],
    feed: NonNullable<Reply['feed']>,
  ): void {
    const { raw: response } = reply;
    reply.hijack();
    if (!response.destroyed) {
      this.#streams += 1;
      response.once('close', () => {
        this.#streams -= 1;
      });
    }
    const own = { ...EVENT_STREAM_HEADERS, connection: 'close', ...headers };
    response.removeHeader('transfer-encoding');
    response.writeHead(200, active.answerHeaders(own));
    feed(response);
  }

  async #sendChunks(
    active: ActiveRequest<Caller>,
    reply: FastifyReply,
    head: Head,
    chunks: AsyncIterable<string>,
    encoding: Encoding | null,
  ): Promise<void> {
    const written = encoding === null ? chunks : compressChunks(chunks, encoding);
    await this.#finish(active, writeChunks(reply.raw, written, this.#openedBy(reply, head)));
  }

  /** Records an error after the first byte: the connection is cut, and only the log can report it. */
  async #finish(active: ActiveRequest<Caller>, written: Promise<void>): Promise<void> {
    try {
      await written;
    } catch (error) {
      if (!active.response.headersSent) throw error;
      if (!active.isAbort(error)) active.problem = toProblem(error);
    }
  }

  /** Long replies write to the response itself from the first byte on; an earlier error gets a normal error response. */
  #openedBy(reply: FastifyReply, { status, headers }: Head): StreamOptions {
    const open = (): void => {
      reply.hijack();
      reply.raw.writeHead(status, headers);
    };
    return { clock: this.#clock, open };
  }
}

/** The body, and its default content type if it has one. */
function bodyOf({ json, text, bytes }: Reply): { body?: string | Buffer; contentType?: string } {
  if (json !== undefined)
    return { body: JSON.stringify(json), contentType: 'application/json; charset=utf-8' };
  if (text !== undefined) return { body: text, contentType: 'text/plain; charset=utf-8' };
  return bytes === undefined ? {} : { body: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) };
}

function encodingOf<Caller>(
  { endpoint, headers: sent }: ActiveRequest<Caller>,
  headers: Record<string, string>,
  body: string | Buffer | undefined,
  { status, chunks }: Reply,
): Encoding | null {
  if (endpoint.route.path.startsWith('/oauth/')) return null;
  // A 304 has no body but the same Vary as the full response.
  const hasBody = body !== undefined || chunks !== undefined;
  if (!hasBody && status !== 304) return null;
  const size = body === undefined ? null : Buffer.byteLength(body);
  return chooseEncoding(headers, sent['accept-encoding'], size);
}
