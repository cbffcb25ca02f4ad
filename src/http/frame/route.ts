// Route definition: what a feature declares about an endpoint, and the context of its handler.

import type { IncomingHttpHeaders } from 'node:http';
import type { Static, TObject, TSchema } from 'typebox';
import type { Problem, ProblemCode } from '../../lib/problem.ts';
import type { Headers, Reply } from '../output/reply.ts';
import type { CallUsage } from './call-usage.ts';
import type { Deprecation } from './deprecation.ts';

/** Access rules of a route. The phases decide what tiers and scopes mean. */
export interface Access {
  readonly credentials: 'none' | 'optional' | 'required';
  /** Minimum tier; absent: any. */
  readonly tier?: string;
  /** Scope that a token needs. */
  readonly scope?: string;
  /** What a request is counted against: `views`, `homes` and `tiles` are limits of the explorer, which also says who may look, `push` those of a source. */
  readonly counts: 'nothing' | 'minute' | 'month' | 'views' | 'homes' | 'tiles' | 'push';
  /** True if only the token of a source may call, which may call nothing else. */
  readonly source?: boolean;
  /** True for a stream, which counts against the caller's concurrent streams: refused without a charge if none is free. */
  readonly stream?: boolean;
  /** By which channel its answers show listings; absent: they show none. */
  readonly channel?: string;
  /** Path of the protected resource that a token must be issued for, below the public URL; absent: the API itself. */
  readonly resource?: string;
  /** Scopes that the challenge of a 401 asks for; default `scope`. */
  readonly challengeScope?: string;
}

/** Access rules that depend on the body: allow and limit run once it is read. */
export interface LateAccess<Caller> {
  /** Throws a Problem for a body that no rule fits. */
  access(body: unknown, caller: Caller): Access;
  /** Whether the handler itself answers this refusal, which it finds in `refusal`. */
  answers(problem: Problem, body: unknown): boolean;
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
  /** Path and query of the request, for links to further pages. */
  readonly url: string;
  /** The media type that the client prefers among those of the route. */
  readonly mediaType: string;
  /** The client's address after trusted proxies, IPv4-mapped written as IPv4. */
  readonly address: string;
  /** The peer address of the socket, regardless of headers. */
  readonly peer: string;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** Why allow or limit refused, if the route answers that itself; see LateAccess. */
  readonly refusal: Problem | null;
  /** For the record of use: who shows listings says so here. */
  readonly usage: CallUsage;
  /** Adds fields to the log line of the request: nothing secret, nothing personal. */
  note(fields: Readonly<Record<string, string>>): void;
}

/** Media types of bodies. A form's fields arrive as one flat object. */
export type BodyType =
  | 'application/json'
  | 'application/x-www-form-urlencoded'
  | 'application/x-ndjson'
  | 'application/merge-patch+json'
  | `image/${'jpeg' | 'png' | 'webp' | 'avif'}`;

/** A problem about to be sent, with its request. */
export interface ErrorContext {
  readonly problem: Problem;
  readonly requestId: string;
  /** Path and query of the request. */
  readonly url: string;
  readonly request: IncomingHttpHeaders;
  /** Headers of the response in any format: no-store, a challenge, those of the problem. */
  readonly headers: Headers;
}

/** Error format of a route that does not send problem documents, used for the frame's errors too. */
export interface ErrorForm {
  /** Null: a problem document all the same. */
  write(failed: ErrorContext): Reply | null;
  /** For the OpenAPI document: the meaning of each status, and the media types of the bodies. */
  readonly answers: Readonly<Record<number, string>>;
  readonly content: Readonly<Record<string, TSchema>>;
}

interface Documentation {
  /** operationId: unique, camelCase. */
  readonly operation: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** True for a page for people, which is left out of the OpenAPI document. */
  readonly page?: boolean;
  /** Schema of the successful response, or a description if it is not JSON. */
  readonly answer: {
    /** Status of success if not 200, such as a redirect. */
    readonly status?: number;
    readonly description: string;
    /** Of a stream of events: of the data of each event. */
    readonly schema?: TSchema;
    /** The one type that the OpenAPI document shows; default: the first that the route accepts. */
    readonly contentType?: string;
    readonly example?: unknown;
  };
  /** Statuses beyond those that every route has, e.g. 304. */
  readonly alsoAnswers?: Readonly<Record<number, string>>;
  /** Present if the route will go: its responses carry the dates, and the OpenAPI document marks the operation. */
  readonly deprecated?: Deprecation;
  /** Codes of problems that the route answers beside those of the frame, for the OpenAPI document. */
  readonly codes?: readonly ProblemCode[];
}

export interface Route<
  Caller,
  Query extends TObject = TObject,
  Params extends TObject = TObject,
  Body extends TSchema = TSchema,
> extends Documentation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Fastify's form: /v1/areas/:id */
  readonly path: string;
  readonly access: Access;
  readonly query?: Query;
  /** Finds faults of meaning in the parameters that could be read, where others could not: one answer has all. */
  readonly check?: (readable: Readonly<Record<string, unknown>>, caller: Caller) => Promise<void>;
  readonly params?: Params;
  /**
   * True if the handler parses the query itself, from `url`; `query` then only documents it. For protocols with their
   * own rules for queries.
   */
  readonly ownQuery?: boolean;
  readonly body?: Body;
  /**
   * The handler validates the body itself, `body` only documents it: its JSON value, the same where the body can be left out,
   * its bytes as a Buffer, for signatures of them, or the request to read them from as they arrive, for large bodies: those may
   * take longer to arrive than others, see `readBody`.
   */
  readonly ownBody?: 'value' | 'optional' | 'bytes' | 'stream';
  /** The body in the OpenAPI document, where a protocol demands more than the validation refuses. */
  readonly documentedBody?: TSchema;
  /** Accepted media types of the body; others are 415. Default application/json. */
  readonly consumes?: readonly BodyType[];
  /** Maximum body size, if below the server's; a stream may be larger. */
  readonly bodyBytes?: number;
  /** Media types of the response; another Accept is 406. Default application/json. */
  readonly accepts?: readonly string[];
  /**
   * Alternative at the same method and path if Accept names one of its media types and none of the route's. It has its
   * own access and handler, and the same parameters.
   */
  readonly variant?: Route<Caller>;
  /** True if an Accept that matches nothing gets the first type instead of a 406 (RFC 9110, 12.5.1 allows both). */
  readonly anyAccept?: boolean;
  /** Default: problem documents. */
  readonly errors?: ErrorForm;
  /** False if HEAD is 405, as for streams. Default true. */
  readonly head?: boolean;
  /** True if successes are logged at debug only, as for probes, which come every few seconds. */
  readonly isProbe?: boolean;
  /** True if served during shutdown too, like health checks. */
  readonly whileDraining?: boolean;
  /**
   * Judges the headers before the caller is identified; throws to refuse. Also for other methods at the path, which then need
   * credentials before their 405.
   */
  guard?(headers: IncomingHttpHeaders): void;
  /** Access rules beyond `access`, which then only identifies the caller, and counts bodies that cannot be read. */
  readonly late?: LateAccess<Caller>;
  /** An early reply that is not counted: tried after identify and allow, before limit. */
  early?(call: Pick<RequestContext<Caller>, 'headers' | 'caller' | 'requestId' | 'url'>): Reply | null;
  handle(call: RequestContext<Caller, Static<Query>, Static<Params>, Static<Body>>): Promise<Reply> | Reply;
}

/** Defines a route, with types inferred from its schemas. */
export function route<Caller>() {
  return <Q extends TObject, P extends TObject, B extends TSchema>(
    definition: Route<Caller, Q, P, B>,
  ): Route<Caller> => definition as unknown as Route<Caller>;
}

/** What identify reads of a request. */
export interface Incoming {
  readonly headers: IncomingHttpHeaders;
  /** The client's address after trusted proxies, IPv4-mapped written as IPv4. */
  readonly address: string;
}

/** The phases of every request, in order: identify, allow, (early), limit. Identify and limit throw to refuse. */
export interface Phases<Caller> {
  identify(incoming: Incoming, access: Access): Promise<Caller> | Caller;
  /** Why the caller may not use the route; null if it may. */
  allow(caller: Caller, access: Access): Problem | null;
  /** What `limit` would refuse any request of the caller with at this moment, without a charge; null: nothing. */
  look(caller: Caller): Problem | null;
  /**
   * Counts the request; returns headers for the response, which its Problem carries too.
   * @param isAllowed false if `allow` refused: the request still counts, but not as a stream
   */
  limit(caller: Caller, access: Access, isAllowed: boolean): Promise<Headers>;
  /** Headers of every response to this caller (caching, Vary). */
  headers(caller: Caller): Headers;
  /** Fields for the log: no secret, nothing personal. */
  describe?(caller: Caller): Readonly<Record<string, string>>;
}
