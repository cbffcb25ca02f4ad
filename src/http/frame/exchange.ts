// Owns the state of one request on its way through the phases; to a handler it is the Call.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Headers } from '../output/headers.ts';
import type { Plan } from './plan.ts';
import type { Call } from './route.ts';

const NONE: Headers = Object.freeze({});

export class Exchange<Caller>
  implements Call<Caller, Record<string, unknown>, Record<string, unknown>, unknown>
{
  readonly plan: Plan<Caller>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly address: string;
  /** When it came, on the monotonic clock. */
  readonly startedAt: number;
  query: Record<string, unknown> = NONE;
  params: Record<string, unknown> = NONE;
  body: unknown = undefined;
  mediaType = '';
  /** What belongs on the answer because of the caller and of the count, once these are known. */
  callerHeaders: Headers = NONE;
  limitHeaders: Headers = NONE;
  #caller: Caller | undefined;
  #identified = false;
  #controller: AbortController | undefined;

  constructor(
    plan: Plan<Caller>,
    request: IncomingMessage,
    response: ServerResponse,
    origin: { requestId: string; address: string; startedAt: number },
  ) {
    this.plan = plan;
    this.request = request;
    this.response = response;
    this.requestId = origin.requestId;
    this.address = origin.address;
    this.startedAt = origin.startedAt;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get url(): string {
    return originForm(this.request.url ?? '/');
  }

  get peer(): string {
    return this.request.socket.remoteAddress ?? '';
  }

  get identified(): boolean {
    return this.#identified;
  }

  get caller(): Caller {
    if (!this.#identified) throw new Error('The caller is known only after identify');
    return this.#caller as Caller;
  }

  identify(caller: Caller): void {
    this.#caller = caller;
    this.#identified = true;
  }

  /** Whether this was thrown because the client left: nobody is there to be told. */
  wasLeft(thrown: unknown): boolean {
    const signal = this.#controller?.signal;
    return signal?.aborted === true && thrown === signal.reason;
  }

  /** Made on first use: most handlers need none, and a controller costs more than the rest of this object. */
  get signal(): AbortSignal {
    this.#controller ??= abortWhenLeft(this.response);
    return this.#controller.signal;
  }
}

/** An address without its query. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

/** A request may name the whole address (RFC 9112, 3.2.2); whose address that is, the client does not decide. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url;
  const [, rest = url] = /^https?:\/\/[^/?]*(.*)$/i.exec(url) ?? [];
  return rest.startsWith('?') || rest === '' ? `/${rest}` : rest;
}

function abortWhenLeft(response: ServerResponse): AbortController {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else response.once('close', () => response.writableFinished || controller.abort());
  return controller;
}
