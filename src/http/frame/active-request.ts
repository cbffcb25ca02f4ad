// Active request: the context of its handler, and the state that the frame needs until the response is closed.

import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '../../lib/problem.ts';
import { withAllFaults } from '../input/faults.ts';
import { UnreadParameters } from '../input/parameter-problem.ts';
import { type Headers, joinVary } from '../output/reply.ts';
import type { Endpoint } from './endpoint.ts';
import { RequestUsage, type UsageRecorder } from './request-usage.ts';
import type { Access, RequestContext } from './route.ts';

const NONE: Headers = Object.freeze({});

interface Origin<Caller> {
  readonly recorder: UsageRecorder<Caller>;
  readonly requestId: string;
  /** The client's address after trusted proxies. */
  readonly address: string;
  /** Monotonic time of arrival. */
  readonly startedAt: number;
}

export class ActiveRequest<Caller>
  implements RequestContext<Caller, Record<string, unknown>, Record<string, unknown>, unknown>
{
  readonly endpoint: Endpoint<Caller>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly address: string;
  readonly startedAt: number;
  readonly usage: RequestUsage;
  query: Record<string, unknown> = NONE;
  params: Record<string, unknown> = NONE;
  body: unknown = undefined;
  /** That of the route, or what its body asks for. */
  access: Access;
  refusal: Problem | null = null;
  /** Whether allow and limit have run. */
  isJudged = false;
  /** Fields for the log line. */
  notes: Readonly<Record<string, string>> = NONE;
  mediaType = '';
  /** Response headers that depend on the caller and on its limits, once these are known. */
  callerHeaders: Headers = NONE;
  limitHeaders: Headers = NONE;
  /** The problem that the response reports. */
  problem: Problem | null = null;
  #caller: { readonly value: Caller } | null = null;
  #controller: AbortController | null = null;
  #isHandling = false;
  #onHandled: () => void = () => undefined;

  constructor(
    endpoint: Endpoint<Caller>,
    request: IncomingMessage,
    response: ServerResponse,
    origin: Origin<Caller>,
  ) {
    this.endpoint = endpoint;
    this.access = endpoint.route.access;
    this.request = request;
    this.response = response;
    this.requestId = origin.requestId;
    this.address = origin.address;
    this.startedAt = origin.startedAt;
    this.usage = new RequestUsage(endpoint.route.operation, () => origin.recorder.shows(this));
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  /** In origin form: path and query. */
  get url(): string {
    return this.request.url ?? '/';
  }

  get peer(): string {
    return this.request.socket.remoteAddress ?? '';
  }

  get isIdentified(): boolean {
    return this.#caller !== null;
  }

  get caller(): Caller {
    if (this.#caller === null) throw new Error('The caller is known only after identify');
    return this.#caller.value;
  }

  identify(value: Caller): void {
    this.#caller = { value };
  }

  note(fields: Readonly<Record<string, string>>): void {
    this.notes = { ...this.notes, ...fields };
  }

  /** Created on first use, as most handlers need none. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.response.destroyed) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Call when the handler starts and again when it has ended; see `close`. */
  setHandling(isHandling: boolean): void {
    this.#isHandling = isHandling;
    if (!isHandling) this.#onHandled();
  }

  /**
   * Call when the response is closed; aborts the signal if it was not written whole. Calls back once the handler has
   * ended too, so that a request with unfinished work still counts as active.
   */
  close(callback: () => void): void {
    if (!this.response.writableFinished) this.#controller?.abort();
    if (this.#isHandling) this.#onHandled = callback;
    else callback();
  }

  /** Whether this error only says that the client left, so that no response is due. */
  isAbort(thrown: unknown): boolean {
    const signal = this.#controller?.signal;
    return signal?.aborted === true && thrown === signal.reason;
  }

  /** All headers of the response; the reply's `own` win, except that Vary and Link accumulate. */
  answerHeaders(own: Headers): Record<string, string> {
    const { endpoint, requestId, limitHeaders, callerHeaders } = this;
    const headers: Record<string, string> = {
      ...endpoint.headers,
      'x-request-id': requestId,
      ...limitHeaders,
      ...callerHeaders,
      ...own,
    };
    const vary = joinVary(joinVary(endpoint.headers.vary, callerHeaders.vary), own.vary);
    if (vary !== undefined) headers.vary = vary;
    if (endpoint.headers.link !== undefined && own.link !== undefined)
      headers.link = `${endpoint.headers.link}, ${own.link}`;
    return headers;
  }
}

/** The error, with what the route finds wrong with the parameters that could be read; never before the request was counted. */
export async function addFaults<Caller>(active: ActiveRequest<Caller>, error: unknown): Promise<unknown> {
  const { check } = active.endpoint.route;
  if (check === undefined || !active.isJudged || !(error instanceof UnreadParameters)) return error;
  return withAllFaults(error, {}, (readable) => check(readable, active.caller));
}

/** The path of a URL, without its query. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

/** Twelve bytes are sixteen characters of base64, without padding. */
const BYTES = 12;

const CHARACTERS = 16;

const AT_ONCE = 256;

let drawn = '';

let used = 0;

/** `req_` and 16 random characters, so that ids reveal nothing and never collide; drawn for many requests at once. */
export function newRequestId(): string {
  if (used === drawn.length) {
    drawn = randomBytes(BYTES * AT_ONCE).toString('base64url');
    used = 0;
  }
  used += CHARACTERS;
  return `req_${drawn.slice(used - CHARACTERS, used)}`;
}
