// Form of a route: what a feature writes down about an endpoint, and what its handler is given.

import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import type { Problem } from '../../lib/problem.ts';
import type { Reply } from '../output/reply.ts';

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

/** One request, parsed and checked, as the handler sees it. */
export interface RequestContext<
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
export interface ErrorContext {
  readonly problem: Problem;
  readonly requestId: string;
  readonly request: IncomingHttpHeaders;
  /** What belongs on the answer in any form: no-store, a challenge, whatever the problem brings along. */
  readonly headers: Readonly<Record<string, string>>;
}

/** How a route writes its errors, the frame's own included, where that is not as problem documents. */
export interface ErrorForm {
  write(failed: ErrorContext): Reply;
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
  early?(call: Pick<RequestContext<Caller>, 'headers' | 'caller' | 'requestId'>): Reply | null;
  handle(call: RequestContext<Caller, Static<Query>, Static<Params>, Static<Body>>): Promise<Reply> | Reply;
}

/** Writes a route down with its types inferred from its schemas. */
export function route<Caller>() {
  return <Q extends TObject, P extends TObject, B extends TSchema>(
    definition: Route<Caller, Q, P, B>,
  ): Route<Caller> => definition as unknown as Route<Caller>;
}

/** The request before anything of it is trusted. */
export interface Incoming {
  readonly headers: IncomingHttpHeaders;
  /** The client's address after trusted proxies, IPv4-mapped written as IPv4. */
  readonly address: string;
}

/** The phases that every request passes, in this order: identify, allow, (early), limit. To refuse, identify and limit throw. */
export interface Phases<Caller> {
  identify(incoming: Incoming, access: Access): Promise<Caller> | Caller;
  /** Why the caller may not use a route of this access; null: it may. */
  allow(caller: Caller, access: Access): Problem | null;
  /**
   * Counts the request; the headers belong on its answer, whatever that is. Its Problem carries them too.
   * @param isAllowed false where `allow` refused: the request is counted all the same, but takes no place of a stream
   */
  limit(caller: Caller, access: Access, isAllowed: boolean): Promise<Readonly<Record<string, string>>>;
  /** Headers that every answer of a route to this caller carries (caching, Vary). */
  headers(caller: Caller): Readonly<Record<string, string>>;
  /** What the log may tell of a caller: no secret, nothing personal. */
  describe?(caller: Caller): Readonly<Record<string, string>>;
}
