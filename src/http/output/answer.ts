// Owns the writing of answers: the one place where status, headers and body reach the socket.

import type { Clock } from '../../lib/clock.ts';
import type { Exchange } from '../frame/exchange.ts';
import type { Reply } from '../frame/route.ts';
import { AnswerHeaders } from './headers.ts';
import { writePieces } from './pieces.ts';
import { writeEvents } from './sse.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};
const STREAM_DEADLINE_MS = 10_000;

/** How long an answer may wait in our memory for a client that does not read. */
const READ_DEADLINE_MS = 10_000;

/** Writes a whole answer. Does nothing where the client has left or an answer is already under way. */
export function writeReply<Caller>(exchange: Exchange<Caller>, reply: Reply, clock: Clock): void {
  const { response, request } = exchange;
  if (response.headersSent || response.destroyed) return;
  const status = reply.status ?? 200;
  const headers = headersOf(exchange);
  const payload = payloadOf(reply, headers);
  if (reply.headers !== undefined) headers.add(reply.headers);
  if (payload !== null) headers.set('content-length', String(Buffer.byteLength(payload)));
  else if (status !== 204 && status !== 304) headers.set('content-length', '0');
  response.writeHead(status, headers.flat);
  if (payload === null || request.method === 'HEAD') response.end();
  else response.end(payload);
  if ((response.socket?.writableLength ?? 0) > 0) cutUnread(exchange, clock);
}

/** Writes a stream of events; see writeEvents for when it resolves and rejects. */
export function writeStream<Caller>(
  exchange: Exchange<Caller>,
  reply: Reply,
  events: NonNullable<Reply['events']>,
  clock: Clock,
): Promise<void> {
  const { response } = exchange;
  const open = () => {
    const headers = headersOf(exchange);
    headers.add(STREAM_HEADERS);
    if (reply.headers !== undefined) headers.add(reply.headers);
    response.writeHead(reply.status ?? 200, headers.flat);
  };
  const deadlineMs = reply.deadlineMs === undefined ? STREAM_DEADLINE_MS : reply.deadlineMs;
  return writeEvents(response, { first: reply.firstEvent, events }, { clock, open, deadlineMs });
}

/** Writes an answer piece by piece; see writePieces for when it resolves and rejects. */
export function writeLong<Caller>(
  exchange: Exchange<Caller>,
  reply: Reply,
  pieces: NonNullable<Reply['pieces']>,
  clock: Clock,
): Promise<void> {
  const { response } = exchange;
  const open = () => {
    const headers = headersOf(exchange);
    if (reply.headers !== undefined) headers.add(reply.headers);
    response.writeHead(reply.status ?? 200, headers.flat);
  };
  return writePieces(response, pieces, { clock, open, readMs: READ_DEADLINE_MS });
}

function headersOf<Caller>({ plan, requestId, callerHeaders, limitHeaders }: Exchange<Caller>) {
  const headers = new AnswerHeaders(plan.headers);
  headers.append({ 'x-request-id': requestId });
  headers.append(limitHeaders);
  headers.add(callerHeaders);
  return headers;
}

/** The body, or null where there is none; its content type goes into the headers. */
function payloadOf(reply: Reply, headers: AnswerHeaders): string | Uint8Array | null {
  if (reply.json !== undefined) {
    headers.set('content-type', JSON_TYPE);
    return JSON.stringify(reply.json);
  }
  if (reply.text !== undefined) {
    headers.set('content-type', TEXT_TYPE);
    return reply.text;
  }
  return reply.bytes ?? null;
}

/** What the kernel did not take at once waits for the client, but not for ever. */
function cutUnread<Caller>({ response }: Exchange<Caller>, clock: Clock): void {
  const cancel = clock.after(READ_DEADLINE_MS, () => response.destroy());
  response.once('close', cancel);
}
