// Outbound POST whose answer matters by its status: the first bytes of its body are read, the rest is not waited for.

import type { Dispatcher } from 'undici';
import type { Clock } from './clock.ts';
import { failureOf, OutboundFailure } from './outbound-failure.ts';

export interface OutboundPost {
  readonly url: string | URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Milliseconds until the status must be there, from resolving the name on. */
  readonly deadlineMs: number;
  /** Bytes of the answer's body to read; what follows is dropped. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

export interface PostAnswer {
  /** Any status: redirects are not followed. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** At most `maxBytes`, and fewer where the connection broke. */
  readonly body: Buffer;
}

/** Milliseconds for the rest of an answer whose status is there. */
const BODY_TIMEOUT = 2_000;
/** Bytes dropped to keep a connection; a longer answer costs it. */
const MAX_DROPPED = 65_536;

/** Sends one request. Rejects with OutboundFailure and nothing else. */
export function dispatchPost(
  dispatcher: Dispatcher,
  clock: Clock,
  post: OutboundPost & { readonly url: URL },
): Promise<PostAnswer> {
  const { headers, body } = post;
  const { origin, pathname, search } = post.url;
  return new Promise((resolve, reject) => {
    const handler = new AnswerHandler(clock, post, resolve, reject);
    dispatcher.dispatch({ origin, path: `${pathname}${search}`, method: 'POST', headers, body }, handler);
  });
}

/** Settles once, with the answer as soon as enough of it is there. */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #post: OutboundPost;
  readonly #resolve: (answer: PostAnswer) => void;
  readonly #reject: (error: OutboundFailure) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #failure: OutboundFailure | null = null;
  #answer: Omit<PostAnswer, 'body'> | null = null;
  #chunks: Buffer[] = [];
  #size = 0;
  #cancel: () => void;

  constructor(
    clock: Clock,
    post: OutboundPost,
    resolve: (answer: PostAnswer) => void,
    reject: (error: OutboundFailure) => void,
  ) {
    this.#clock = clock;
    this.#post = post;
    this.#resolve = resolve;
    this.#reject = reject;
    const { deadlineMs, signal } = post;
    this.#cancel = this.#abortAfter(deadlineMs, 'No answer');
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== null) controller.abort(this.#failure);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: PostAnswer['headers'],
  ): void {
    if (status < 200) return;
    this.#answer = { status, headers };
    this.#cancel();
    this.#cancel = this.#abortAfter(BODY_TIMEOUT, 'No complete answer');
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBytes } = this.#post;
    // A part of a chunk would keep all of it in memory.
    if (this.#size < maxBytes) this.#chunks.push(Buffer.from(chunk.subarray(0, maxBytes - this.#size)));
    this.#size += chunk.length;
    if (this.#size >= maxBytes) this.#settle();
    if (this.#size > maxBytes + MAX_DROPPED)
      controller.abort(new OutboundFailure('too_large', 'The rest is not read'));
  }

  onResponseEnd(): void {
    this.#settle();
    this.#release();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#failure ??= failureOf(error);
    this.#settle();
    this.#release();
  }

  /** Once there is a status, it counts, whatever becomes of the rest. */
  #settle(): void {
    if (this.#answer !== null) {
      const body = Buffer.concat(this.#chunks).subarray(0, this.#post.maxBytes);
      this.#resolve({ ...this.#answer, body });
    } else if (this.#failure !== null) this.#reject(this.#failure);
    this.#chunks = [];
  }

  #abortAfter(milliseconds: number, fault: string): () => void {
    return this.#clock.after(milliseconds, () =>
      this.#abort(new OutboundFailure('timeout', `${fault} within ${milliseconds} ms`)),
    );
  }

  #abort(failure: OutboundFailure): void {
    this.#failure ??= failure;
    this.#controller?.abort(this.#failure);
    // A request that still waits for its connection is notified once it starts; nobody waits for that.
    this.#settle();
    this.#release();
  }

  readonly #onAbort = (): void =>
    this.#abort(new OutboundFailure('aborted', 'Nobody waits for the answer any more'));

  #release(): void {
    this.#cancel();
    this.#post.signal?.removeEventListener('abort', this.#onAbort);
  }
}
