// Cache of responses about properties: the same one asked for again within a second is sent as it stands.

import type { Reply } from '../http/output/reply.ts';

/** A reply with its entity tag. */
export interface TaggedReply {
  readonly etag: string;
  readonly reply: Reply;
}

interface CachedResponse {
  readonly second: number;
  readonly response: TaggedReply;
}

/** Requests for one record that are cached at once. */
const MAX_VARIANTS = 8;

/**
 * Composing and writing a property is 45 % of the processor time of its request, so this stays. A response tells its age in
 * seconds, which is how long it is true; it goes with its record, since a change makes another object.
 */
export class ResponseCache {
  readonly #responses = new WeakMap<object, Map<string, CachedResponse>>();

  /** The response to this request about the record, composed now where it is not cached. `now` in milliseconds. */
  get(record: object, request: string, now: number, compose: () => TaggedReply): TaggedReply {
    const second = Math.floor(now / 1000);
    const variants = this.#responses.get(record) ?? new Map<string, CachedResponse>();
    const cached = variants.get(request);
    if (cached?.second === second) return cached.response;
    if (variants.size >= MAX_VARIANTS) variants.clear();
    const response = withText(compose());
    variants.set(request, { second, response });
    this.#responses.set(record, variants);
    return response;
  }
}

/** The reply with its JSON as text. */
function withText({ etag, reply: { json, headers, ...rest } }: TaggedReply): TaggedReply {
  const contentType = { 'content-type': 'application/json; charset=utf-8' };
  return { etag, reply: { ...rest, text: JSON.stringify(json), headers: { ...contentType, ...headers } } };
}
