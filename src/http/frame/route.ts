// Owns the form of a route: what a feature writes down about an endpoint, and what its handler is given and gives back.

import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import type { Problem } from '../../lib/problem.ts';

/** What a caller must bring. The phases handed to the server decide what tiers and scopes mean. */
export interface Access {
  readonly credentials: 'none' | 'optional' | 'required';
  /** The lowest tier that may call; absent: any. */
  readonly tier?: string;
  /** The scope that a token must hold. */
  readonly scope?: string;
  /** What a request is counted against. */
  readonly counts: 'nothing' | 'minute' | 'month';
  /** True where the answer is a stream that takes one of the caller's places: refused, uncharged, when none is free. */
  readonly stream?: boolean;
}

/** One server-sent event. Its data is one line of JSON: `json` where that is written already, else made of `data`. */
export interface ServerSentEvent {
  readonly event: string;
  readonly id: string;
  readonly data?: unknown;
  readonly json?: string;
}

/** What a handler gives back. Exactly one of `json`, `text`, `bytes`, `events` or `pieces`; none: an empty body. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; the content type may be replaced through `headers`. */
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** Sent as text/event-stream; ended by the writer when the generator ends. */
  readonly events?: AsyncIterable<ServerSentEvent>;
  /** An event that is known already: it goes before `events`, and leaves before the first of them is asked for. */
  readonly firstEvent?: ServerSentEvent;
  /** Sent piece by piece, as fast as the client reads; its content type stands in `headers`. */
  readonly pieces?: AsyncIterable<string>;
  /** How long a stream of events may take altogether; then it is cut. Default 10 s; null: no end. */
  readonly deadlineMs?: number | null;
}

/** One request, parsed and checked, as the handler sees it. */
export interface Call<
  Caller,
  Query = Record<string, never>,
  Params = Record<string, never>,
  Body = undefined,
> {
  readonly query: Query;
  readonly params: Params;
  readonly body: Body;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly requestId: string;
  /** The address the request was made to, path and query only, for links to further pages. */
  readonly url: string;
  /** The media type that the client wants most among those the route accepts. */
  readonly mediaType: string;
  /** The client's address after trusted proxies, IPv4-mapped written as IPv4. */
  readonly address: string;
  /** The address of the socket's other end, whatever headers say. */
  readonly peer: string;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

/** What reads bodies. A form's fields arrive as one flat object; see readForm. */
export type BodyType = 'application/json' | 'application/x-www-form-urlencoded';

/** An error that is about to be written, and the request that met it. */
export interface Failed {
  readonly problem: Problem;
  readonly requestId: string;
  readonly request: IncomingHttpHeaders;
  /** What belongs on the answer in any form: no-store, a challenge, whatever the problem brings along. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How a route writes its errors, the frame's own included, where that is not as problem documents. */
export interface ErrorForm {
  write(failed: Failed): Reply;
  /** For the OpenAPI document: what each status means, and the media types of the bodies. */
  readonly answers: Readonly<Record<number, string>>;
  readonly content: Readonly<Record<string, TSchema>>;
}

interface Documentation {
  /** operationId: unique, camelCase. */
  readonly operation: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** True of a page for people: it is served, but is no operation of the OpenAPI document. */
  readonly page?: boolean;
  /** Schema of the 200 answer, or text about it when it is not JSON. */
  readonly answer: {
    /** Where the usual answer is not 200, as of an address that leads elsewhere. */
    readonly status?: number;
    readonly description: string;
    readonly schema?: TSchema;
    readonly contentType?: string;
    /** Schemas of further media types; without one here, JSON is as `schema` says and anything else is text. */
    readonly otherSchemas?: Readonly<Record<string, TSchema>>;
    readonly example?: unknown;
  };
  /** Further statuses that this route adds to those every route has, e.g. 304. */
  readonly alsoAnswers?: Readonly<Record<number, string>>;
}

export interface Route<
  Caller,
  Query extends TObject = TObject,
  Params extends TObject = TObject,
  Body extends TSchema = TSchema,
> extends Documentation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Fastify's form: /v1/areas/:id */
  readonly path: string;
  readonly access: Access;
  readonly query?: Query;
  readonly params?: Params;
  /**
   * The address is not judged by `query`, which then only describes it: names that are unknown or repeated are let
   * through, and the handler reads `url` itself. For protocols that say how a query is to be read.
   */
  readonly ownQuery?: boolean;
  readonly body?: Body;
  /** The body is not judged by `body`, which then only describes it: the handler reads it, as compileMembers does. */
  readonly ownBody?: boolean;
  /** Media types in which the body may come; another one is 415. Default application/json. */
  readonly consumes?: readonly BodyType[];
  /** The largest body, where it is smaller than the server's. */
  readonly bodyBytes?: number;
  /** Media types this route can answer with; another Accept is 406. Default application/json. */
  readonly accepts?: readonly string[];
  /**
   * What is answered at the same method and path where Accept names one of its media types and none of the route's own. It has
   * an access, phases and a handler of its own; parameters are as the route's.
   */
  readonly variant?: Route<Caller>;
  /** True where an Accept that nothing fits gets the first type rather than a 406 (RFC 9110, 12.5.1 leaves the choice). */
  readonly anyAccept?: boolean;
  /** Default: problem documents. */
  readonly errors?: ErrorForm;
  /** False where HEAD is 405, as on streams. Default true. */
  readonly head?: boolean;
  /** True where a request is answered also while the service drains, as health is. */
  readonly whileDraining?: boolean;
  /** An answer that costs nothing: asked after identify and allow, before limit. */
  early?(call: Pick<Call<Caller>, 'headers' | 'caller' | 'requestId'>): Reply | null;
  handle(call: Call<Caller, Static<Query>, Static<Params>, Static<Body>>): Promise<Reply> | Reply;
}

/** Writes a route down with its types inferred from its schemas. */
export function route<Caller>() {
  return <Q extends TObject, P extends TObject, B extends TSchema>(
    definition: Route<Caller, Q, P, B>,
  ): Route<Caller> => definition as unknown as Route<Caller>;
}

/** The request before anything of it is trusted. */
export interface Incoming {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** How many Authorization headers were sent. */
  readonly authorizations: number;
  /** The client's address after trusted proxies, IPv4-mapped written as IPv4. */
  readonly address: string;
}

/** The phases that every request passes, in this order: identify, allow, (early), limit. They throw a Problem to refuse. */
export interface Phases<Caller> {
  identify(incoming: Incoming, access: Access): Promise<Caller> | Caller;
  allow(caller: Caller, access: Access): void;
  /** Counts the request; the headers belong on its answer, whatever that is. Its Problem carries them too. */
  limit(
    caller: Caller,
    access: Access,
  ): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>;
  /** Headers that every answer of a route to this caller carries (caching, Vary). */
  headers(caller: Caller): Readonly<Record<string, string>>;
  /** What the log may tell of a caller: no secret, nothing personal. */
  describe?(caller: Caller): Readonly<Record<string, string>>;
}
