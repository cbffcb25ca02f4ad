// Form of an answer: JSON or a stream of events, as the client takes them; the SDK chooses where it takes both.

import { takes } from '../http/frame/request-head.ts';
import type { Reply } from '../http/output/reply.ts';
import { Problem } from '../lib/problem.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
export const ANSWER_TYPES = [JSON_TYPE, STREAM_TYPE] as const;

const STREAM_HEADERS = { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' };

/** Throws NOT_ACCEPTABLE if the client takes no stream, for a method that has no other answer. */
export function requireStream(accept: string | undefined): void {
  if (!takes(accept, STREAM_TYPE))
    throw new Problem('NOT_ACCEPTABLE', `Updates come as a stream: send Accept: ${STREAM_TYPE}.`);
}

/** The SDK's response as a reply in a form that the client takes. A 5xx is thrown, with its text as the cause. */
export async function toReply(response: Response, accept: string | undefined): Promise<Reply> {
  const { status, body } = response;
  if (status >= 500) throw new Problem('INTERNAL_ERROR', INTERNAL, { cause: await response.text() });
  const type = response.headers.get('content-type');
  if (body === null || type === null) return { status };
  const streamHeaders = { ...STREAM_HEADERS, 'content-type': STREAM_TYPE } as const;
  if (!type.startsWith(STREAM_TYPE)) {
    const text = await response.text();
    if (takes(accept, JSON_TYPE)) return { status, headers: { 'content-type': type }, text };
    return { status, headers: streamHeaders, text: `event: message\ndata: ${text}\n\n` };
  }
  if (takes(accept, STREAM_TYPE))
    return { status, headers: streamHeaders, chunks: body.pipeThrough(new TextDecoderStream()) };
  // Progress comes before the result, and has no place in a single message.
  const last = (await response.text()).split('\n').findLast((line) => line.startsWith(DATA));
  return { status, headers: { 'content-type': JSON_TYPE }, text: last?.slice(DATA.length) ?? '' };
}

const DATA = 'data: ';
const INTERNAL = 'Something went wrong on our side. Quote the request id when you report it.';
